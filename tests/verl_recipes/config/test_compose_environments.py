"""Which environments a run plays, by the command line and by the config."""

from __future__ import annotations

import importlib

import pytest

from gym_clinic import ConfigError
from verl_recipes import settings
from verl_recipes.request import RunRequest

pytest.importorskip("verl")
composing = importlib.import_module("verl_recipes.config.compose")


def asked_for(env: str | None, *overrides: str) -> list[tuple[str, float]]:
    config = composing.compose(RunRequest(method="grpo", env=env, overrides=overrides))
    return [(one.id, one.weight) for one in settings.from_config(config).environments]


@pytest.mark.parametrize(
    ("env", "found"),
    [
        (None, [("clinic/ClinGen-v0", 1.0)]),
        ("a:B", [("a:B", 1.0)]),
        ("clinic/A-v0,clinic/B-v0", [("clinic/A-v0", 1.0), ("clinic/B-v0", 1.0)]),
        ("a:B=2, c:D=.5", [("a:B", 2.0), ("c:D", 0.5)]),
    ],
)
def test_environments_of_the_command_line(env: str | None, found: list[tuple[str, float]]) -> None:
    assert asked_for(env) == found


def test_environments_of_the_config_stand_unless_others_are_named() -> None:
    listed = "clinic.envs=[{id:'a:B',weight:3,env_kwargs:{dialect:json}},{id:'c:D'}]"
    assert asked_for(None, listed) == [
        ("a:B", 3.0), ("c:D", 1.0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("env", "says"),
    [
        ("a,a", "clinic.envs names 'a' twice"),
        ("a,,b", "clinic.envs[1].id: String should have at least 1 character"),
        ("", "clinic.env: String should have at least 1 character"),
        ("a=x,b", "clinic.envs[0].weight: Input should be a valid number, not 'x'"),
        ("a=0,b", "clinic.envs[0].weight: Input should be greater than 0"),
        ("a=nan,b", "clinic.envs[0].weight: Input should be a finite number"),
    ],
)
def test_a_mistake_in_the_environments_is_named(env: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        asked_for(env)
    assert says in str(caught.value)
