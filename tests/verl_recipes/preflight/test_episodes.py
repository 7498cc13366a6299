"""What a run plays is checked in every stage before it starts: each mistake is named, once."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from verl_recipes.agent_loop.environment import make_env
from verl_recipes.preflight.result import MISSING, OK
from verl_recipes.request import RunRequest

pytest.importorskip("verl")
torch = pytest.importorskip("torch")
composing = importlib.import_module("verl_recipes.config.compose")
checks = importlib.import_module("verl_recipes.preflight.checks")

ENV = "tiny_domain:INTERACTIONS"
OTHER = "tiny_domain:TRIAGE"
HERE = "data.val_files=test"


def found(*overrides: str, method: str = "grpo", env: str = ENV, lora: int = 0) -> list[Any]:
    request = RunRequest(
        method=method, env=env, model="tiny", lora=lora, overrides=(HERE, *overrides)
    )
    return list(checks.settled(composing.compose(request)))


def missing(*overrides: str, **more: Any) -> list[str]:
    return [str(one) for one in found(*overrides, **more) if one.status == MISSING]


def stages(*second: str) -> str:
    """A run of two stages, the second with some settings."""
    return (
        f"clinic.stages=[{{name: easy, steps: 2}}, {{name: hard, steps: 2, {', '.join(second)}}}]"
    )


PART = next(iter(make_env(ENV, {}).rubric.rewards))


@pytest.mark.parametrize(
    "second",
    [
        f"weights: {{{PART}: 0.5}}",
        "split: test",
        "env_kwargs: {max_turns: 3}",
        "target: clinic/success",
        f"target: clinic/reward/{PART}/mean",
        "target: clinic/trained/turns/mean",
        "target: clinic/mixed_groups",
        "target: val/success",
        f"target: 'val-core/{ENV}/success/mean@1'",
        f"target: 'val-aux/{ENV}/reward/{PART}/mean@4'",
        "target: actor/entropy",
        "target: response_length/mean",
    ],
)
def test_a_right_stage_passes(second: str) -> None:
    assert missing(stages(second)) == []


@pytest.mark.parametrize(
    ("second", "says"),
    [
        (f"weights: {{{PART}x: 1}}", f"{ENV}: weights name unknown rewards ['{PART}x']; did you"),
        ("split: tset", "has no split 'tset'; did you mean 'test'?"),
        ("env_kwargs: {max_turn: 3}", "['max_turn']; did you mean 'max_turns'?"),
        ("env_kwargs: {max_turns: 0}", "max_turns"),
        ("target: clinic/sucess", "no figure 'clinic/sucess'; did you mean 'clinic/success'?"),
        ("target: clinc/success", "no figure 'clinc/success'; did you mean 'clinic/success'?"),
        ("target: success", "no figure 'success'; did you mean"),
        ("target: zzz", "no figure 'zzz'; clinic/success, clinic/reward/PART/mean and val/succ"),
        ("target: val/sucess", "did you mean 'val/success'?"),
        (f"target: clinic/reward/{PART}/men", f"did you mean 'clinic/reward/{PART}/mean'?"),
        (
            f"target: 'val-core/{ENV}/sucess/mean@1'",
            f"did you mean 'val-core/{ENV}/success/mean@1'?",
        ),
        ("target: 'val-core/clinic/X-v0/success/mean@1'", f"is followed by one of ['{ENV}']"),
        ("target: actor", "no figure 'actor'"),
    ],
)
def test_a_mistake_in_a_later_stage_names_the_stage_and_what_is_near(
    second: str, says: str
) -> None:
    (said,) = missing(stages(second))
    assert said.startswith("clinic.stages: hard: ")
    assert says in said


def test_every_mistake_is_named_at_once() -> None:
    listed = "clinic.stages=[{name: a, steps: 1, split: x}, {name: b, steps: 1, target: y}]"
    assert [one.split(": ")[1] for one in missing(listed)] == ["a", "b"]


def test_the_environment_of_a_mixture_that_is_wrong_is_named() -> None:
    envs = f"clinic.envs=[{{id: '{ENV}'}}, {{id: '{OTHER}', env_kwargs: {{weights: {{nope: 1}}}}}}]"
    (said,) = missing(envs, env=None)
    assert said.startswith(f"environment: {OTHER}: weights name unknown rewards ['nope']; ")


def test_the_environments_of_a_right_run_are_counted() -> None:
    named = [str(one) for one in found(env=f"{ENV},{OTHER}") if one.status == OK]
    assert [one.split(": ")[1].split(" ")[0] for one in named] == [ENV, OTHER]
    assert all("tasks of split train" in one and "tasks of split test" in one for one in named)


@pytest.mark.parametrize("metric", ["success", "score", "reward", "turns"])
def test_groups_are_sorted_by_a_figure_that_there_is(metric: str) -> None:
    assert missing(f"algorithm.filter_groups.metric={metric}") == []


def test_a_figure_to_sort_groups_by_that_no_trajectory_has() -> None:
    (said,) = missing("algorithm.filter_groups.metric=sucess")
    assert "trajectories of tiny_domain:INTERACTIONS have no 'sucess'; did you mean" in said
    off = ("algorithm.filter_groups.metric=sucess", "algorithm.filter_groups.enable=false")
    assert missing(*off) == []


def test_images_need_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    assert missing() == []
    episodes = importlib.import_module("verl_recipes.preflight.episodes")
    info = {"images": ("x.png",), "messages": []}
    monkeypatch.setattr(episodes, "_infos", lambda env: iter([("when a case is opened", info)]))
    (said,) = missing()
    assert said == f"environment: {ENV} shows images; rollouts on the CPU read text alone; use GPUs"


# --- the critic ---


class Deaf(torch.nn.Module):
    """Reads what no environment shows."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))

    @staticmethod
    def read(info: Any) -> Any:
        return info["heart_rate"]

    def forward(self, states: Any) -> Any:
        return torch.zeros(len(states))


class Empty(torch.nn.Module):
    """Has nothing to fit."""

    read = Deaf.read


class Flat(Deaf):
    """Gives one value for all."""

    @staticmethod
    def read(info: Any) -> int:
        return len(info["messages"])

    def forward(self, states: Any) -> Any:
        return torch.zeros(1, 2)


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> str:
    """The name under which this module is imported."""
    import sys

    monkeypatch.setitem(sys.modules, "critics_of_a_test", sys.modules[__name__])
    return "critics_of_a_test"


def test_the_default_critic_reads_every_environment() -> None:
    assert missing(method="ppo", env=f"{ENV},{OTHER}") == []


def test_a_critic_that_cannot_read_an_environment_is_refused(named: str) -> None:
    (said,) = missing(f"clinic.critic.model={named}:Deaf", method="ppo")
    assert said.startswith(f"critic: clinic.critic.model '{named}:Deaf' cannot read what {ENV} ")
    assert "when a case is opened: KeyError: 'heart_rate'; info has ['" in said


def test_a_critic_without_the_graph_that_it_reads_is_refused() -> None:
    graph = "clinic.critic.model=gym_clinic.domains.kacr.critic:GraphValue"
    (said,) = missing(graph, "+clinic.critic.options={features: 2, relations: [a]}", method="ppo")
    assert said.startswith(f"critic: {ENV}, when a case is opened: the critic needs info['graph']")


def test_a_critic_of_another_shape_and_one_of_other_options_are_refused(named: str) -> None:
    (said,) = missing(f"clinic.critic.model={named}:Flat", method="ppo")
    assert "returns values of shape (1, 2) for 1 states" in said
    (said,) = missing("+clinic.critic.options.slot=3", method="ppo")
    assert "slot" in said
    (said,) = missing(f"clinic.critic.model={named}:Empty", method="ppo")
    assert "Empty' cannot be made: ValueError: optimizer got an empty parameter list" in said


def test_an_adapter_that_hardly_learns_is_warned_of() -> None:
    rate = "actor_rollout_ref.actor.optim.lr=1e-6"
    alpha = "actor_rollout_ref.model.lora_alpha=16"
    said = [str(one) for one in found(rate, alpha, lora=64) if one.name == "adapter"]
    assert said[0].startswith("adapter: actor_rollout_ref.actor.optim.lr=1e-06 trains an adapter")
    assert said[1].startswith("adapter: lora_alpha=16 with lora_rank=64 scales it by 0.25")
    assert [one for one in found(lora=64) if one.name == "adapter"] == []
    assert [one for one in found(rate) if one.name == "adapter"] == []
