"""Stages: which one a step is of, when one ends, and what of it survives a resume."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic import ConfigError
from verl_recipes.schedule.stages import Schedule, check_stages
from verl_recipes.settings import ClinicSettings, read
from verl_recipes.stage_settings import EnvironmentSettings, StageSettings

# Deep-DxSearch, "Multi-stage reward adaptation": three stages of one target each, then all.
SEARCH = {"search": 0.9, "match": 0.05, "diagnosis": 0.05}
STAGED_REWARDS = (
    StageSettings("search", 4, weights=SEARCH),
    StageSettings("match", 4, weights={"search": 0.05, "match": 0.9, "diagnosis": 0.05}),
    StageSettings("diagnosis", 4, weights={"search": 0.05, "match": 0.05, "diagnosis": 0.9}),
    StageSettings("joint", 4, weights={"search": 0.3, "match": 0.3, "diagnosis": 0.4}),
)


def played(schedule: Schedule, values: list[float], key: str = "clinic/success") -> list[int]:
    """Return the stage of each step of a run whose figure takes these values."""
    numbers: list[int] = []
    for step, value in enumerate(values, 1):
        if step > schedule.last_step:
            break
        schedule.begin(step)
        schedule.observe(step, {key: value})
        numbers.append(schedule.number)
    return numbers


def test_stages_follow_one_another_by_their_steps() -> None:
    schedule = Schedule([StageSettings("easy", 2), StageSettings("hard", 3)])
    assert schedule.last_step == 5
    begun = []
    for step in range(1, 6):
        begun.append(schedule.begin(step))
        assert schedule.observe(step, {"clinic/success": 0.1})["stage/number"] == schedule.number
    assert begun == [True, False, True, False, False]
    assert (schedule.number, schedule.last_step) == (2, 5)
    assert not schedule.begin(6)


def test_a_run_without_stages_has_no_figures_of_them() -> None:
    schedule = Schedule([])
    assert not schedule.begin(1)
    assert (schedule.number, schedule.stage, schedule.observe(1, {})) == (0, None, {})


def test_each_stage_of_staged_rewards_aims_at_its_heaviest_part() -> None:
    assert [stage.figure for stage in STAGED_REWARDS] == [
        f"clinic/reward/{part}/mean" for part in ("search", "match", "diagnosis", "diagnosis")
    ]
    assert StageSettings("all", 1).figure == "clinic/success"
    assert StageSettings("own", 1, target="val/success", weights=SEARCH).figure == "val/success"


def test_the_target_of_a_stage_is_logged() -> None:
    schedule = Schedule(STAGED_REWARDS)
    key = "clinic/reward/search/mean"
    found = []
    for step, value in enumerate([0.2, 0.5, 0.4], 1):
        schedule.begin(step)
        found.append(schedule.observe(step, {key: value}))
    assert [one["stage/target"] for one in found] == [0.2, 0.5, 0.4]
    assert [one["stage/target_best"] for one in found] == [0.2, 0.5, 0.5]
    assert [one["stage/target_gain"] for one in found] == pytest.approx([0.0, 0.3, 0.2])
    assert [one["stage/step"] for one in found] == [1, 2, 3]
    assert found[0]["stage/weight/search"] == 0.9


def test_a_stage_ends_early_when_its_target_is_reached() -> None:
    stages = [StageSettings("easy", 9, stop_at=0.8), StageSettings("hard", 2)]
    assert played(Schedule(stages), [0.1, 0.9, 0.0, 0.0, 0.0]) == [1, 1, 2, 2]


def test_a_stage_ends_early_when_its_target_no_longer_rises() -> None:
    stages = [StageSettings("easy", 9, patience=2), StageSettings("hard", 1)]
    assert played(Schedule(stages), [0.1, 0.2, 0.2, 0.1, 0.9, 0.9]) == [1, 1, 1, 1, 2]


def test_a_last_stage_that_ends_early_takes_one_more_step_which_is_saved() -> None:
    schedule = Schedule([StageSettings("only", 9, stop_at=0.5)])
    assert played(schedule, [0.1, 0.6, 0.6, 0.6]) == [1, 1, 1]
    assert played(Schedule([StageSettings("only", 2, stop_at=0.5)]), [0.1, 0.6, 0.6]) == [1, 1]


def test_a_figure_of_evaluations_may_be_missing_at_a_step() -> None:
    schedule = Schedule([StageSettings("easy", 9, target="val/success", stop_at=0.5)])
    schedule.begin(1)
    assert "stage/target" not in schedule.observe(1, {"clinic/success": 1.0})
    assert schedule.observe(2, {"val/success": 0.7})["stage/target"] == 0.7
    assert schedule.last_step == 3


def test_a_target_that_no_figure_has_is_an_error() -> None:
    schedule = Schedule([StageSettings("easy", 9, target="clinic/sucess")])
    schedule.begin(1)
    with pytest.raises(ConfigError, match=r"no figure 'clinic/sucess'; did you mean 'clinic/succ"):
        schedule.observe(1, {"clinic/success": 1.0})


@given(
    lengths=st.lists(st.integers(1, 4), min_size=1, max_size=4),
    values=st.lists(st.sampled_from([0.1, 0.4, 0.6]), min_size=16, max_size=16),
    cut=st.integers(0, 15),
)
def test_a_resumed_schedule_goes_on_as_if_it_had_not_stopped(
    lengths: list[int], values: list[float], cut: int
) -> None:
    stages = [StageSettings(str(n), n, stop_at=0.6, patience=2) for n in lengths]
    whole, first = Schedule(stages), Schedule(stages)
    for step in range(1, cut + 1):
        first.begin(step)
        first.observe(step, {"clinic/success": values[step - 1]})
    resumed = Schedule(stages)
    resumed.load_state_dict(json.loads(json.dumps(first.state_dict())))
    for step in range(1, 17):
        whole.begin(step)
        found = whole.observe(step, {"clinic/success": values[step - 1]})
        if step > cut:
            resumed.begin(step)
            assert resumed.observe(step, {"clinic/success": values[step - 1]}) == found
    assert resumed.last_step == whole.last_step


def test_a_run_with_fewer_stages_cannot_be_resumed() -> None:
    state = {**Schedule(STAGED_REWARDS).state_dict(), "number": 3}
    with pytest.raises(ConfigError, match=r"in stage 3; clinic\.stages has 2"):
        Schedule(STAGED_REWARDS[:2]).load_state_dict(state)


# --- settings ---


def test_a_stage_changes_the_environments_of_a_run() -> None:
    clinic = read(
        {
            "env": "clinic/ClinGen-v0",
            "env_kwargs": {"max_turns": 2, "weights": {"outcome": 1.0, "process": 1.0}},
            "stages": [
                {"name": "few", "steps": 3},
                {"name": "many", "steps": 3, "split": "dev", "weights": {"process": 0.1},
                 "env_kwargs": {"max_turns": 5}},
            ],
        }
    )  # fmt: skip
    assert clinic.in_stage(0) is clinic
    assert clinic.in_stage(1).environments[0].options == clinic.environments[0].options
    assert clinic.in_stage(2).environments == (
        EnvironmentSettings(
            "clinic/ClinGen-v0",
            split="dev",
            env_kwargs={"max_turns": 5},
            weights={"outcome": 1.0, "process": 0.1},
        ),
    )


def test_a_stage_changes_every_environment_of_a_mixture() -> None:
    envs = [{"id": "a/A-v0", "weight": 2}, {"id": "b/B-v0", "split": "dev", "turn_tokens": 9}]
    clinic = read({"envs": envs, "stages": [{"name": "x", "steps": 1, "weights": {"acc": 0.5}}]})
    first, second = clinic.in_stage(1).environments
    assert first == EnvironmentSettings("a/A-v0", weight=2, weights={"acc": 0.5})
    assert (second.split, second.turn_tokens) == ("dev", 9)


def test_a_stage_weighs_each_environment_by_its_own_parts() -> None:
    envs = [
        {"id": "a/A-v0", "weights": {"outcome": 1.0, "process": 0.5}},
        {"id": "b/B-v0", "weights": {"accuracy": 1.0}},
    ]
    own = {"a/A-v0": {"process": 0.1}, "b/B-v0": {"accuracy": 0.2, "safety": 0.8}}
    clinic = read({"envs": envs, "stages": [{"name": "x", "steps": 1, "env_weights": own}]})
    assert [one.options["weights"] for one in clinic.in_stage(1).environments] == [
        {"outcome": 1.0, "process": 0.1}, {"accuracy": 0.2, "safety": 0.8},
    ]  # fmt: skip
    assert clinic.environments[0].options == {"weights": {"outcome": 1.0, "process": 0.5}}


def test_a_stage_mixes_splits_by_shares() -> None:
    stages = [
        {"name": "even", "steps": 1, "splits": ["train", "hard"]},
        {"name": "replay", "steps": 1, "splits": {"hard": 3, "train": 1}},
        {"name": "one", "steps": 1, "split": "hard"},
    ]
    envs = [{"id": "a/A-v0", "splits": ["train", "endless"]}, {"id": "b/B-v0"}]
    clinic = read({"envs": envs, "stages": [*stages, {"name": "own", "steps": 1}]})
    found = [clinic.in_stage(number).environments for number in range(1, 5)]
    assert [one[1].shares("train") for one in found] == [
        {"train": 1.0, "hard": 1.0}, {"hard": 3.0, "train": 1.0}, {"hard": 1.0}, {"train": 1.0},
    ]  # fmt: skip
    assert found[2][0].shares("train") == {"hard": 1.0}
    assert found[3][0].shares("train") == {"train": 1.0, "endless": 1.0}


BAD: list[tuple[Any, str]] = [
    ({"name": "a"}, "clinic.stages[0].steps: Field required"),
    ({"name": "a", "steps": 0}, "clinic.stages[0].steps: Input should be greater than 0"),
    ({"name": "", "steps": 1}, "name: String should have at least 1 character"),
    ({"name": "a", "steps": 1, "stop": 3}, "there is no setting clinic.stages[0].stop"),
    ({"name": "a", "steps": 1, "patience": 0}, "patience: Input should be greater than 0"),
    ({"name": "a", "steps": 1, "stop_at": "high"}, "stop_at: Input should be a valid number"),
    ({"name": "a", "steps": 1, "kl": -0.1}, "kl: Input should be greater than or equal to 0"),
    ({"name": "a", "steps": 1, "weights": ["x"]}, "weights: Input should be an object, not ['x']"),
    (
        {"name": "a", "steps": 1, "weights": {"x": "y"}},
        "weights.x: Input should be a valid number, not 'y'",
    ),
    ({"name": "a", "steps": 1, "env_kwargs": {"split": "dev"}}, "env_kwargs cannot name ['split']"),
    (
        {"name": "a", "steps": 1, "reference": "start"},
        "reference: Input should be 'base' or 'stage_start'",
    ),
    ({"name": "a", "steps": 1, "splits": ["x", "x"]}, "splits names 'x' twice; give shares"),
    ({"name": "a", "steps": 1, "splits": {"x": 0}}, "splits.x: Input should be greater than 0"),
    ({"name": "a", "steps": 1, "splits": "x"}, "splits: Input should be an object, not 'x'"),
    ({"name": "a", "steps": 1, "split": "x", "splits": ["y"]}, "split and splits exclude one ano"),
    (
        {"name": "a", "steps": 1, "env_weights": {"clinic/ClinGn-v0": {"outcome": 1.0}}},
        "env_weights: no environment 'clinic/ClinGn-v0'; did you mean 'clinic/ClinGen-v0'?",
    ),
    ({"name": "a", "steps": 1, "split": 3}, "split: Input should be a valid string, not 3"),
]


@pytest.mark.parametrize(("stage", "says"), BAD, ids=[says for _, says in BAD])
def test_a_mistake_in_a_stage_names_what_would_be_right(stage: Any, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read({"stages": [stage]})
    assert says in str(caught.value)


def test_stages_are_a_list() -> None:
    with pytest.raises(ConfigError, match="Input should be a valid array, not 3"):
        read({"stages": 3})
    assert read({"stages": []}) == ClinicSettings()


def run(*, use_kl: bool = True, lora: int = 0, teacher: bool = False) -> Any:
    one = SimpleNamespace
    return one(
        actor_rollout_ref=one(actor=one(use_kl_loss=use_kl), model=one(lora_rank=lora)),
        clinic=one(teacher=one(enabled=teacher)),
    )


CURRICULUM = tuple(  # MMedAgent-RL, section 4.1: three coefficients for three levels of difficulty
    StageSettings(name, 1, kl=kl, reference="stage_start")
    for name, kl in (("easy", 1e-3), ("medium", 4e-3), ("hard", 1e-2))
)


def test_what_a_reference_model_is_needed_for_is_refused_without_one() -> None:
    check_stages(run(), CURRICULUM)
    check_stages(run(use_kl=False), [StageSettings("a", 1, kl=0.0)])
    check_stages(run(lora=8, teacher=True), [StageSettings("a", 1, kl=0.1)])
    for config, says in (
        (run(use_kl=False), "easy: the KL needs a reference model; set"),
        (run(teacher=True), "the teacher takes the reference model's place"),
        (run(lora=8), "reference=stage_start needs full fine-tuning"),
    ):
        with pytest.raises(ConfigError, match=says):
            check_stages(config, CURRICULUM)


def test_a_stage_says_why_it_ends() -> None:
    stages = (
        StageSettings("a", 5, target="clinic/success", stop_at=0.8),
        StageSettings("b", 5, target="clinic/success", patience=1),
        StageSettings("c", 2, target="clinic/success"),
    )
    one, said = Schedule(stages), []
    assert one.ending(1) is None
    for step, value in enumerate((0.5, 0.9, 0.4, 0.4, 0.1, 0.2), 1):
        one.begin(step)
        one.observe(step, {"clinic/success": value})
        said.append(one.ending(step))
    assert said == [
        None, "target reached", None, "no better value in 1 looks", None, "its 2 steps are done",
    ]  # fmt: skip
