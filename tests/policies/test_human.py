from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gym_clinic.env import ClinicEnv
from gym_clinic.policies import load
from gym_clinic.policies.human import Human, Quit
from gym_clinic.policies.playing import play

TINY = ("tiny_domain:INTERACTIONS", "tiny_domain:TRIAGE")
each_dialect = pytest.mark.parametrize("dialect", ["hermes", "json"])


def human(
    env: ClinicEnv, *lines: str
) -> tuple[Callable[[str, dict[str, Any]], str], list[str], list[str]]:
    left, shown = list(lines), []

    def read(prompt: str) -> str:
        if not left:
            raise EOFError
        return left.pop(0)

    player = Human(env, read=read, write=shown.append)
    return player.act, shown, left


def test_human_writes_lines_until_an_empty_one() -> None:
    env = ClinicEnv(TINY[1])
    observation, info = env.reset(seed=0)
    act, shown, left = human(env, "I think", "URGENCY: red", "", "later")
    assert act(observation, info) == "I think\nURGENCY: red"
    assert shown[0] == observation
    assert left == ["later"]
    assert act("next", {}) == "later"  # end of input sends what was begun
    assert shown[-1] == "next"
    with pytest.raises(Quit):
        act("next", {})


@each_dialect
def test_human_calls(dialect: str) -> None:
    env = ClinicEnv(TINY[1], dialect=dialect)
    observation, info = env.reset(seed=0)
    act, shown, _ = human(
        env,
        ":read_vital sign=pulse",
        ":read_vital_sign sign",
        ':read_vital_sign "sign=pulse',
        ":",
        ":read_vital_sign sign=pulse minutes_ago=5",
        "",
    )
    env.step(act(observation, info))
    (call,) = env.episode.calls
    assert call.ok
    assert call.arguments == {"sign": "pulse", "minutes_ago": 5}
    said = "\n".join(shown)
    assert "did you mean 'read_vital_sign'?" in said
    assert "expected name=value, got 'sign'" in said
    assert "not a call: No closing quotation" in said
    assert said.count("expected :tool name=value") >= 2


def test_human_values_follow_the_schema() -> None:
    env = ClinicEnv(TINY[0])
    observation, info = env.reset(seed=0)
    act, _, _ = human(env, ':check_interaction drug_a=5 drug_b="folic acid"', ":read_allergies", "")
    env.step(act(observation, info))
    first, second = env.episode.calls
    assert first.arguments == {"drug_a": "5", "drug_b": "folic acid"}
    assert second.ok


def test_human_json_call_is_sent_at_once() -> None:
    env = ClinicEnv(TINY[0], dialect="json")
    observation, info = env.reset(seed=0)
    act, _, left = human(env, '{"name": "read_allergies", "arguments": {}}', "rest")
    assert act(observation, info).startswith('{"name"')
    assert left == ["rest"]


def test_human_commands() -> None:
    env = ClinicEnv(TINY[0])
    observation, info = env.reset(seed=0)
    act, shown, _ = human(env, "/help", "/tools", "major", "")
    assert act(observation, info) == "major"
    said = "\n".join(shown)
    assert ":check_interaction drug_a=… drug_b=…" in said
    assert "Generic name of the second drug." in said
    assert "/quit" in said
    act, _, _ = human(env, "/quit")
    with pytest.raises(KeyboardInterrupt):
        act(observation, info)


def test_human_reads_the_terminal(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    lines = iter(["URGENCY: red", ""])
    monkeypatch.setattr("builtins.input", lambda prompt: next(lines))
    env = ClinicEnv(TINY[1])
    outcome = play(env, env.tasks[0], load("human", env)(0))
    assert outcome.episode.answer == "URGENCY: red"
    assert env.tasks[0].ticket in capsys.readouterr().out
