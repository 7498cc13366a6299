"""The critic's loop: it fits, it says how well, and it goes on after a resume."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Sequence
from typing import Any

import pytest

from gym_clinic import ClinicEnv, ConfigError
from verl_recipes.settings import CriticSettings

torch = pytest.importorskip("torch")
value = importlib.import_module("verl_recipes.critic.value")
words = importlib.import_module("verl_recipes.critic.words")

WORDS = "verl_recipes.critic.words:WordsValue"
STATES = [[1, 2, 3], [4, 5], [6, 7, 8], [9]] * 4
RETURNS = [1.0, 0.0, 0.5, 2.0] * 4


def critic(seed: int = 0, **settings: Any) -> Any:
    return value.Critic(CriticSettings(**{"model": WORDS, "lr": 1e-2, **settings}), seed)


def test_a_fit_explains_what_states_tell() -> None:
    made = critic(epochs=5)
    figures = [made.fit(STATES, RETURNS) for _ in range(20)]
    first, last = figures[0], figures[-1]
    assert first["critic/vf_explained_var"] < 0.2
    assert last["critic/vf_explained_var"] > 0.9
    assert last["critic/vf_loss"] < 0.1 * first["critic/vf_loss"]
    assert first["critic/vf_loss_after"] < first["critic/vf_loss"]
    assert last["critic/returns"] == pytest.approx(0.875)
    assert made.values(STATES[:4]) == pytest.approx(RETURNS[:4], abs=0.3)


def test_figures_are_of_the_values_before_the_fit() -> None:
    made = critic()
    before = torch.tensor(made.values(STATES))
    target = torch.tensor(RETURNS)
    found = made.fit(STATES, RETURNS)
    assert found["critic/vf_loss"] == pytest.approx(float((before - target).square().mean()))
    share = 1 - float((target - before).var() / target.var())
    assert found["critic/vf_explained_var"] == pytest.approx(share, abs=1e-5)


def test_equal_returns_have_no_variance_to_explain() -> None:
    assert critic().fit(STATES, [1.0] * len(STATES))["critic/vf_explained_var"] == 0.0


def test_a_resumed_critic_goes_on_as_if_it_had_not_stopped() -> None:
    whole = critic(seed=3)
    whole.fit(STATES, RETURNS)
    kept = copy.deepcopy(whole.state_dict())
    expected = whole.fit(STATES, RETURNS), whole.values(STATES)
    resumed = critic(seed=3)
    resumed.load_state_dict(kept)
    assert (resumed.fit(STATES, RETURNS), resumed.values(STATES)) == expected


def test_a_critic_draws_from_its_own_seed_alone() -> None:
    torch.manual_seed(7)
    expected = torch.rand(1)
    torch.manual_seed(7)
    one, other = critic(seed=1), critic(seed=1)
    assert torch.equal(torch.rand(1), expected)
    assert one.fit(STATES, RETURNS) == other.fit(STATES, RETURNS)
    assert critic(seed=2).values(STATES) != critic(seed=1).values(STATES)


def test_the_default_model_reads_any_environment() -> None:
    env = ClinicEnv("tiny_domain:INTERACTIONS")
    _, first = env.reset(seed=0)
    read = words.WordsValue.read
    assert read(first) == read(env.reset(options={"task_id": env.episode.task.id})[1])
    _, _, _, _, info = env.step("hello")
    assert read(info) != read(first)
    assert len(critic().values([read(first), read(info), []])) == 3


class Pairs(torch.nn.Module):
    """A model whose values are not one a state."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))

    @staticmethod
    def read(info: Any) -> Any:
        return info

    def forward(self, states: Sequence[Any]) -> Any:
        return self.weight.expand(len(states), 2)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"model": "verl_recipes.critic.words:WordValue"}, "did you mean 'WordsValue'"),
        ({"model": "torch:zeros"}, r"has no static method read\(info\)"),
        ({"options": {"slotz": 3}}, "takes no option 'slotz'; did you mean 'slots'"),
    ],
)
def test_a_model_that_cannot_be_used_is_refused(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        critic(**settings)


def test_values_are_one_a_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "WordsValue", Pairs)
    with pytest.raises(ConfigError, match=r"shape \(3, 2\) for 3 states; expected \(3,\)"):
        critic().values([1, 2, 3])
