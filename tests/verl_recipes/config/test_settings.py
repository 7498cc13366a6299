"""Our section of a config: what it takes, and that every mistake names what would be right."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic import ConfigError
from verl_recipes import settings
from verl_recipes.settings import ClinicSettings, RewardSettings, TeacherSettings, read
from verl_recipes.ttopd.reward import cosine_reward

CONFIG = Path(settings.__file__).parent / "config"


def section(file: str) -> dict[str, Any]:
    """Return what a config file says in our section, without interpolations."""
    found = yaml.safe_load((CONFIG / file).read_text(encoding="utf-8"))["clinic"]
    return {
        name: {k: v for k, v in value.items() if not str(v).startswith("${")}
        if isinstance(value, dict)
        else value
        for name, value in found.items()
    }


def test_defaults_of_code_and_config_agree() -> None:
    assert read(section("train.yaml")) == ClinicSettings()
    ttopd = read(section("method/ttopd.yaml"))
    assert ttopd.teacher == dataclasses.replace(TeacherSettings(), enabled=True)
    assert ttopd.reward == dataclasses.replace(RewardSettings(), mode="cosine")
    assert ttopd.hints.mode == "outcome"
    assert read(section("method/grpo.yaml")) == ClinicSettings()


def test_every_setting_of_teacher_and_reward_is_in_the_config() -> None:
    written = yaml.safe_load((CONFIG / "method/ttopd.yaml").read_text(encoding="utf-8"))["clinic"]
    for name, kind in (
        ("teacher", TeacherSettings),
        ("reward", RewardSettings),
        ("hints", settings.HintChoice),
    ):
        assert sorted(written[name]) == sorted(one.name for one in dataclasses.fields(kind))
    assert set(section("train.yaml")) == {one.name for one in dataclasses.fields(ClinicSettings)}


def test_the_defaults_are_the_papers_values() -> None:
    teacher = TeacherSettings()
    assert (teacher.lam, teacher.decay, teacher.every, teacher.hard_copy) == (4.0, 0.995, 5, None)
    assert teacher.l_max_turn == RewardSettings().l_max == 12_288


def test_the_length_reward_has_the_same_defaults() -> None:
    given_ = {name: getattr(RewardSettings(), name) for name in (
        "l_max", "r_max", "r_min", "r_penalty", "wrong_mode",
    )}  # fmt: skip
    for correct, length, truncated in ((True, 600, False), (False, 9_000, False), (True, 5, True)):
        assert cosine_reward(correct, length, truncated) == cosine_reward(
            correct, length, truncated, **given_
        )


def test_an_empty_section_is_the_default() -> None:
    assert read({}) == ClinicSettings()
    assert read({"reward": {}, "teacher": {}, "modules": []}) == ClinicSettings()


def test_values_of_a_section_are_read() -> None:
    found = read(
        {
            "env": "my.domain:HEART",
            "env_kwargs": {"max_turns": 3},
            "modules": ["my.domain"],
            "turn_tokens": 500,
            "teacher": {"enabled": True, "hard_copy": 30},
            "hints": {"mode": "shuffled"},
            "reward": {"mode": "env_plus_length", "r_min": -0.1},
        }
    )
    assert found.modules == ("my.domain",)
    assert found.env_kwargs == {"max_turns": 3}
    assert (found.teacher.hard_copy, found.hints.mode, found.reward.r_min) == (30, "shuffled", -0.1)


def test_several_environments() -> None:
    found = read(
        {
            "envs": [
                {"id": "clinic/ClinGen-v0", "weight": 3, "split": "train", "turn_tokens": 200},
                {"id": "my.domain:HEART", "env_kwargs": {"dialect": "json", "max_turns": 3}},
            ]
        }
    )
    first, second = found.environments
    assert (first.weight, first.split, first.turn_tokens, first.env_kwargs) == (3, "train", 200, {})
    assert (second.weight, second.split, second.val_split) == (1.0, None, None)
    assert second.env_kwargs == {"dialect": "json", "max_turns": 3}
    assert found.environment("my.domain:HEART") is second


def test_one_environment_is_a_list_of_one() -> None:
    (found,) = read({"env": "my.domain:HEART", "env_kwargs": {"max_turns": 3}}).environments
    assert (found.id, found.env_kwargs, found.weight) == ("my.domain:HEART", {"max_turns": 3}, 1.0)


ABOVE = "Input should be greater than 0, not"
FROM = "Input should be greater than or equal to 0, not"
WHOLE = "Input should be a valid integer, not"
NUMBER = "Input should be a valid number, not"
FINITE = "Input should be a finite number, not"
OBJECT = "Input should be an object, not"
ARRAY = "Input should be a valid array, not"
TEXT = "Input should be a valid string, not"
BAD: list[tuple[dict[str, Any], str]] = [
    ({"sed": 1}, "there is no setting clinic.sed"),
    ({"teacher": {"lambda": 4.0}}, "there is no setting clinic.teacher.lambda"),
    ({"teacher": True}, f"clinic.teacher: {OBJECT} True"),
    ({"env": ""}, "clinic.env: String should have at least 1 character, not ''"),
    ({"env": 3}, f"clinic.env: {TEXT} 3"),
    ({"env_kwargs": [1]}, f"clinic.env_kwargs: {OBJECT} [1]"),
    ({"env_kwargs": {"split": "dev"}}, "data.train_files and data.val_files do"),
    ({"envs": "a"}, f"clinic.envs: {ARRAY} 'a'"),
    ({"envs": ["a"]}, f"clinic.envs[0]: {OBJECT} 'a'"),
    ({"envs": [{"weight": 1}]}, "clinic.envs[0].id: Field required"),
    ({"envs": [{"id": "a"}, {"id": "b", "wait": 1}]}, "there is no setting clinic.envs[1].wait"),
    ({"envs": [{"id": "a", "weight": 0}]}, f"clinic.envs[0].weight: {ABOVE} 0"),
    ({"envs": [{"id": "a", "turn_tokens": 0}]}, f"clinic.envs[0].turn_tokens: {ABOVE} 0"),
    (
        {"envs": [{"id": "a", "env_kwargs": {"split": "x"}}]},
        "a: env_kwargs cannot name a split: data.",
    ),
    ({"envs": [{"id": "a"}, {"id": "a"}]}, "clinic.envs names 'a' twice"),
    ({"envs": [{"id": "a"}], "env_kwargs": {"max_turns": 2}}, "each environment has its own"),
    ({"modules": "my.domain"}, f"clinic.modules: {ARRAY} 'my.domain'"),
    ({"modules": [3]}, f"clinic.modules[0]: {TEXT} 3"),
    ({"seed": "abc"}, f"clinic.seed: {WHOLE} 'abc'"),
    ({"seed": -1}, f"clinic.seed: {FROM} -1"),
    ({"tools": "xml"}, "clinic.tools: Input should be 'native' or 'text', not 'xml'"),
    ({"tool_parser": 1}, f"clinic.tool_parser: {TEXT} 1"),
    ({"shortest": 0}, f"clinic.shortest: {ABOVE} 0"),
    ({"turn_tokens": 1.5}, f"clinic.turn_tokens: {WHOLE} 1.5"),
    ({"min_reply_tokens": True}, f"clinic.min_reply_tokens: {WHOLE} True"),
    ({"max_refills": None}, f"clinic.max_refills: {WHOLE} None"),
    ({"stall_s": 0}, f"clinic.stall_s: {ABOVE} 0"),
    ({"stall_s": "long"}, f"clinic.stall_s: {NUMBER} 'long'"),
    ({"stall_s": float("inf")}, f"clinic.stall_s: {FINITE} inf"),
    ({"advantage_scale": float("nan")}, f"clinic.advantage_scale: {FINITE} nan"),
    ({"reward": {"mode": "cos"}}, "clinic.reward.mode: no 'cos'; did you mean 'cosine'?"),
    ({"reward": {"wrong_mode": "x"}}, "clinic.reward.wrong_mode: no 'x'; choose from ['paper', "),
    ({"reward": {"r_max": 0.1}}, "clinic.reward.r_max is at least r_min, not 0.1 < 0.2"),
    ({"reward": {"r_penalty": "low"}}, f"clinic.reward.r_penalty: {NUMBER} 'low'"),
    ({"teacher": {"enabled": "yes"}}, "clinic.teacher.enabled: Input should be a valid boolean"),
    ({"teacher": {"lam": -1}}, f"clinic.teacher.lam: {FROM} -1"),
    ({"teacher": {"decay": 1.01}}, "clinic.teacher.decay: Input should be less than or equal to 1"),
    ({"teacher": {"hard_copy": 0}}, f"clinic.teacher.hard_copy: {ABOVE} 0"),
    ({"teacher": {"estimator": "k1"}}, "has an expected gradient of zero"),
    ({"teacher": {"reduce": "mean_turn"}}, "reduce: no 'mean_turn'; did you mean 'mean_turns'?"),
    ({"teacher": {"schedule": "emma"}}, "clinic.teacher.schedule: no 'emma'; did you mean 'ema'?"),
    ({"teacher": {"schedule": "copy"}}, "schedule=copy needs clinic.teacher.hard_copy"),
    ({"hints": {"mode": "gold"}}, "clinic.hints.mode: no 'gold'; choose from ['outcome', "),
    ({"critic": {"model": 3}}, f"clinic.critic.model: {TEXT} 3"),
    ({"hints": {"path": 3}}, f"clinic.hints.path: {TEXT} 3"),
    ({"hints": {"mode": "outcome"}}, "clinic.hints are for a teacher: set clinic.teacher.enabled"),
]


@pytest.mark.parametrize(("given_", "says"), BAD, ids=[str(one) for one, _ in BAD])
def test_a_mistake_names_what_would_be_right(given_: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(given_)
    assert says in str(caught.value)


ODD = st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.lists(st.integers())


def message_for(section: dict[str, Any]) -> str:
    try:
        read(section)
    except ConfigError as error:
        return str(error)
    return ""


@given(value=ODD, name=st.sampled_from([one.name for one in dataclasses.fields(ClinicSettings)]))
def test_any_other_value_is_named_too(value: Any, name: str) -> None:
    says = message_for({name: value})
    assert not says or f"clinic.{name}" in says


@given(value=ODD, name=st.sampled_from([one.name for one in dataclasses.fields(TeacherSettings)]))
def test_a_wrong_value_in_the_teacher_section_is_named(value: Any, name: str) -> None:
    says = message_for({"teacher": {name: value}})
    assert not says or f"clinic.teacher.{name}" in says
