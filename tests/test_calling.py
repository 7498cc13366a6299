"""Wrong uses of the environment by its caller are refused in a sentence that says what is right."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import tiny_domain

from gym_clinic import ClinicEnv


def make(name: str) -> ClinicEnv:
    assert name in tiny_domain.IDS
    env = ClinicEnv(tiny_domain.IDS[name])
    env.reset(seed=0)
    return env


@pytest.mark.parametrize(
    ("calls", "says"),
    [
        ("text", "step_calls takes a list of call objects"),
        ({"name": "x"}, "step_calls takes a list of call objects"),
        (
            None,
            r"takes a list of call objects, \[\{.name.: …, .arguments.: \{…\}\}\], got NoneType",
        ),
        (5, "takes a list of call objects, .* got int; step takes text"),
        (b"x", "takes a list of call objects, .* got bytes"),
        ({"x"}, "takes a list of call objects, .* got set"),
        (iter([]), "takes a list of call objects, .* got list_iterator"),
        ([b"x"], "a call is .* got bytes"),
        ([object()], "a call is .* got object"),
        ([{"name": b"x", "arguments": {}}], "the name of a call is text, got bytes"),
        (
            [{"name": "x", "arguments": b"{}"}],
            r"arguments .* an object \(dict\), got bytes",
        ),
        ([{"name": "x", "arguments": {1}}], r"arguments .* an object \(dict\), got set"),
        ([{"id": 7, "name": "x", "arguments": {}}], "the id of a call is a text, got int"),
        ([{"name": "x", "arguments": {"a": {1}}}], "set has no JSON form"),
        ([{"name": "x", "arguments": {"a": {1: 2}}}], "a key of a JSON object is a text, not 1"),
    ],
)
def test_a_mistake_of_the_caller_is_an_error(calls: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        make("tiny/Interactions-v0").step_calls(calls)


CALL = {"name": "read_allergies", "arguments": {}}


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"text": None}, "the text beside the calls is text .* got NoneType"),
        ({"same_message": "yes"}, "same_message is True or False, got str"),
        ({"more": "no"}, "more is True or False, got str"),
    ],
)
def test_a_wrong_argument_beside_the_calls_is_named(more: dict[str, Any], says: str) -> None:
    env = make("tiny/Interactions-v0")
    with pytest.raises(TypeError, match=says):
        env.step_calls([CALL], **more)
    assert env.episode.turns == []


@pytest.mark.parametrize("action", [None, 5, b"x", {"x"}])
def test_an_action_of_another_type_is_refused(action: Any) -> None:
    env = make("tiny/Interactions-v0")
    kind = type(action).__name__
    with pytest.raises(TypeError, match=rf"an action is text \(str\), got {kind}"):
        env.step(action)
    with pytest.raises(TypeError, match=f"got {kind}; step takes text"):
        asyncio.run(env.astep(action))
    with pytest.raises(TypeError, match=rf"the reason of truncate is text \(str\), got {kind}"):
        env.truncate(action)
    assert env.episode.stop is None
