"""Rewards of a population: what they see, what they change, and that a resumed run goes on."""

from __future__ import annotations

import importlib
import json
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import pytest
from fake_fields import Fields
from scripted_rollout import play, right, wrong

from gym_clinic import ClinicEnv, ConfigError, policies
from verl_recipes.settings import PopulationSettings, read
from verl_recipes.trainer.population import (
    DxSearchExploration,
    Exploration,
    PopulationRow,
    make_population,
    rescored,
)

TAU = 0.25


def row(actions: str, score: float = 1.0, **record: float) -> PopulationRow:
    figures = {"score": score, "total": score, **record}
    return PopulationRow("g", "env", tuple(actions), figures, {"match": 0.5, "search": 0.5})


class ByParts:
    """A reward of anybody's own: the parts anew, less what the last call has seen."""

    def __init__(self, bonus: float) -> None:
        self.bonus, self.calls = bonus, 0

    def scores(self, rows: Any) -> list[float]:
        self.calls += 1
        return [
            sum(one.weights[name] * one.record[f"reward/{name}"] for name in one.weights)
            + self.bonus * self.calls
            for one in rows
        ]

    def state_dict(self) -> dict[str, Any]:
        return {"calls": self.calls}

    def load_state_dict(self, state: Any) -> None:
        self.calls = state["calls"]


@pytest.mark.parametrize(
    ("ratio", "factor"), [(0.0, 1.0), (0.1, 1.0), (TAU, 1.0), (0.2500001, 0.7499999), (1.0, 0.0)]
)
def test_sigma_div(ratio: float, factor: float) -> None:
    assert Exploration(TAU).factor(ratio) == pytest.approx(factor, abs=1e-12)


def test_a_common_course_of_action_is_paid_less() -> None:
    one = Exploration(TAU)
    rows = [row("LMSD"), row("LMSD"), row("LD", 0.5), row("MSD"), row("MD"), row("SD")]
    assert one.scores(rows) == pytest.approx([2 / 3, 2 / 3, 0.5, 1.0, 1.0, 1.0])


def test_the_window_slides() -> None:
    one = Exploration(TAU, window=4)
    assert one.scores([row("A")] * 4) == [0.0] * 4
    assert one.scores([row("B"), row("C"), row("D"), row("E")]) == [1.0] * 4
    assert list(one.seen) == ["B", "C", "D", "E"]


def searched(actions: str, broken: float = 0.0, score: float | None = None) -> PopulationRow:
    """Return a trajectory of DxSearch with the best of all parts, in its stage 3."""
    weights = {"search": 0.05, "matching": 0.05, "diagnosis": 0.9}
    parts = {"reward/search": 1.0, "reward/matching": 0.4, "reward/diagnosis": 1.2}
    paid = float(broken == 0)  # 1.15, clipped
    record = {"total": paid, "score": paid if score is None else score, **parts}
    record["metric/broken_rules"] = broken
    return PopulationRow("g", "clinic/DxSearch-v0", tuple(actions), record, weights)


def test_exploration_of_dxsearch_discounts_before_the_clip() -> None:
    rows = [searched("MSD"), searched("MSD"), *map(searched, ("LD", "SD", "MD", "D"))]
    third = 1 - 2 / 6
    assert DxSearchExploration(TAU).scores(rows) == pytest.approx(
        [1.15 * third, 1.15 * third, 1.0, 1.0, 1.0, 1.0]  # 1.15 is clipped
    )
    assert Exploration(TAU).scores(rows)[0] == pytest.approx(third)  # after the clip


def test_exploration_of_dxsearch_keeps_gate_and_shape() -> None:
    rows = [searched("MSD", broken=1.0), searched("LD", score=1.25), searched("SD")]
    one = DxSearchExploration(threshold=0.5)
    assert one.scores(rows) == pytest.approx([0.0, 1.25, 1.0])  # a length reward of .25 stays
    with pytest.raises(ConfigError, match="trajectories of env have no 'metric/broken_rules'"):
        one.scores([row("A")])


def test_the_total_of_dxsearch_is_the_environments_where_nothing_is_common() -> None:
    env = gym.make("clinic/DxSearch-v0", split="dev", stage=3).unwrapped
    assert isinstance(env, ClinicEnv)
    rows = []
    for name in ("oracle", "rules", "forged-guide", "match-spam"):
        outcome = policies.play(env, env.tasks[0], policies.load(name, env, {})(0))
        figures = {f"reward/{part}": value for part, value in outcome.info["rewards"].items()}
        figures |= {f"metric/{part}": value for part, value in outcome.info["metrics"].items()}
        figures |= dict.fromkeys(("total", "score"), outcome.reward)
        rows.append(PopulationRow(name, "env", (name,), figures, env.rubric.weights))
    paid = [found.record["total"] for found in rows]
    assert paid[0] == 1.0
    assert paid[2] == 0.0
    assert DxSearchExploration(threshold=1.0).scores(rows) == pytest.approx(paid)


def test_a_resumed_window_goes_on_as_if_it_had_not_stopped() -> None:
    rounds = [[row("LD"), row("LMD")], [row("LD"), row("SD")], [row("LD"), row("MD")]]
    whole = Exploration(TAU, window=5)
    expected = [whole.scores(found) for found in rounds]
    first = Exploration(TAU, window=5)
    first.scores(rounds[0])
    resumed = Exploration(TAU, window=5)
    resumed.load_state_dict(json.loads(json.dumps(first.state_dict())))
    assert [resumed.scores(found) for found in rounds[1:]] == expected[1:]
    assert expected[1] != Exploration(TAU, window=5).scores(rounds[1])


def test_settings_name_it_and_are_checked() -> None:
    found = read({"population": {"reward": "exploration", "options": {"window": 8}}}).population
    made = make_population(found)
    assert isinstance(made, Exploration)
    assert made.seen.maxlen == 8
    assert make_population(PopulationSettings()) is None
    own = read({"population": {"reward": f"{__name__}:ByParts", "options": {"bonus": 0.1}}})
    assert isinstance(make_population(own.population), ByParts)


@pytest.mark.parametrize(
    ("section", "says"),
    [
        ({"reward": "explore"}, "no 'explore'; did you mean 'exploration'?"),
        ({"reward": "exploration", "options": {"windo": 8}}, "did you mean 'window'?"),
        ({"reward": f"{__name__}:ByParts"}, "clinic.population needs the option ['bonus']"),
        ({"reward": f"{__name__}:TAU"}, "is a float; expected a function of options"),
        ({"reward": f"{__name__}:ByPart"}, "did you mean 'ByParts'?"),
    ],
)
def test_a_mistake_names_what_would_be_right(section: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read({"population": section})
    assert says in str(caught.value)


@pytest.mark.parametrize("scores", [[1.0], [1.0, float("nan")], []])
def test_scores_that_are_not_one_a_row_are_refused(scores: list[float]) -> None:
    reward = SimpleNamespace(scores=lambda rows: scores)
    with pytest.raises(ConfigError, match="for 2 trajectories; expected one finite number each"):
        rescored(reward, [row("A"), row("B")])  # type: ignore[arg-type]


# --- in the trainer ---


def trainer(**options: Any) -> Any:
    pytest.importorskip("verl")
    training = importlib.import_module("verl_recipes.trainer.trainer")
    made = object.__new__(training.ClinicTrainer)
    made.weights = {"env": {"match": 0.5, "search": 0.5}}
    made.population = ByParts(**options)
    return made


def drawn(score: float) -> Any:
    replay = importlib.import_module("verl_recipes.trainer.replay")
    record = {"score": score, "reward/match": 0.5, "reward/search": score, "fault": 0.0}
    return replay.Drawn("g", record, "env", ("L", "D"))


def test_the_buffer_takes_new_scores_once_and_leaves_faults_alone() -> None:
    made = trainer(bonus=0.25)
    replay = importlib.import_module("verl_recipes.trainer.replay")
    buffer = object.__new__(replay.BoundedReplayBuffer)
    buffer.rescore, buffer.drawn = made._rescore, {"a": drawn(0.5), "b": drawn(1.0)}
    buffer._rescore(["a", "b"])
    assert [one.record["score"] for one in buffer.drawn.values()] == [0.75, 1.0]
    assert [one.change for one in buffer.drawn.values()] == [0.25, 0.0]
    made.replay_buffer = buffer
    batch = SimpleNamespace(keys=["b", "a", "pad"], tags=[{}, {}, {"is_padding": True}])
    assert made._changes(batch) == [0.0, 0.25, 0.0]


def test_advantages_are_of_the_new_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    made = trainer(bonus=0.0)
    torch = pytest.importorskip("torch")
    tq = pytest.importorskip("transfer_queue")
    staged = importlib.import_module("verl_recipes.schedule.trainer").StagedTrainer
    fields = Fields(["a", "b"], rm_scores=[torch.tensor([0.0, 0.5]), torch.tensor([0.0, 0.0, 1.0])])
    fields.tags = [{}, {}]
    for name in ("kv_batch_get", "kv_batch_put"):
        monkeypatch.setattr(tq, name, getattr(fields, name))
    made.replay_buffer = SimpleNamespace(
        drawn={"a": SimpleNamespace(change=0.25), "b": SimpleNamespace(change=-0.5)}
    )
    seen: list[Any] = []

    def stop(self: Any, batch: Any, metrics: Any) -> Any:
        seen.extend(row.tolist() for row in self._get(batch, "rm_scores"))
        raise StopIteration

    monkeypatch.setattr(staged, "_compute_advantage", stop)
    batch = tq.KVBatchMeta(partition_id="train", keys=["a", "b"], tags=fields.tags)
    with pytest.raises(StopIteration):
        made._compute_advantage(batch, {})
    assert seen == [[0.0, 0.75], [0.0, 0.0, 0.5]]


def test_a_checkpoint_keeps_its_state() -> None:
    made, other = trainer(bonus=0.1), trainer(bonus=0.1)
    for one in (made, other):
        one.alarms = one.schedule = SimpleNamespace(
            state_dict=dict, load_state_dict=lambda state: None
        )
        one.best = None
    made.population.calls = 7
    other.load_state_dict(json.loads(json.dumps(made.state_dict())))
    assert other.population.calls == 7
    made.population = None
    with pytest.raises(ConfigError, match="the run began without it"):
        other.load_state_dict(made.state_dict())


def test_a_trajectory_names_its_actions(tokenizer: Any) -> None:
    assert play(tokenizer, right).extra_fields["actions"] == ["check_interaction", "submit_grade"]
    assert play(tokenizer, wrong).extra_fields["actions"] == ["submit_grade"]
