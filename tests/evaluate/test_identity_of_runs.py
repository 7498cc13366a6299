"""What makes two runs the same one: the code and options of the policy, and what may be raised."""

from __future__ import annotations

import importlib
import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import eval_domain
import pytest
from eval_runs import play

from gym_clinic import ConfigError
from gym_clinic.evaluate import Summary, evaluate

AGENT = """
import agent_words


class MyAgent:
    def act(self, observation, info):
        # why it says so
        return agent_words.ANSWER
"""
WORDS = 'ANSWER = "FEVER: yes"\n'


class Agents:
    """The policy ``my_agent:MyAgent``, whose files a test changes.

    Args:
        folder: Where they lie.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write(my_agent=AGENT, agent_words=WORDS)

    def write(self, **files: str) -> None:
        for name, text in files.items():
            (self.folder / f"{name}.py").write_text(text)
        for name in ("my_agent", "agent_words"):
            sys.modules.pop(name, None)
        importlib.invalidate_caches()

    def evaluate(self, out: Path, **rest: Any) -> Summary:
        given = {"trials": 1, "progress": False, **rest}
        return evaluate(eval_domain.ID, "my_agent:MyAgent", out=out, **given)


@pytest.fixture
def agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Agents]:
    folder = tmp_path / "agents"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # files change within one second
    yield Agents(folder)
    for name in ("my_agent", "agent_words"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"my_agent": AGENT.replace("agent_words.ANSWER", '"FEVER: no"')}, "my_agent.py changed"),
        ({"agent_words": WORDS.replace("yes", "no")}, "agent_words.py changed"),
        ({"my_agent": AGENT + '    version = "2"\n'}, "version None of the policy"),
        (
            {"my_agent": AGENT.replace("agent_words", "agent_texts"), "agent_texts": WORDS},
            "agent_texts.py joined",
        ),
    ],
)
@pytest.mark.parametrize("finished", [True, False])
def test_a_run_whose_policy_changed_is_refused(
    agents: Agents, tmp_path: Path, changed: dict[str, str], named: str, finished: bool
) -> None:
    out = tmp_path / "run"
    agents.evaluate(out)
    if not finished:
        first, *_ = (out / "trace.jsonl").read_bytes().splitlines(keepends=True)
        (out / "trace.jsonl").unlink()
        (out / "journal.jsonl").write_bytes(first)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    agents.write(**changed)
    with pytest.raises(ConfigError) as caught:
        agents.evaluate(out)
    assert named in str(caught.value)
    assert "since this run began" in str(caught.value) or "version" in named
    assert "Choose another --out to start anew" in str(caught.value)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    agents.evaluate(tmp_path / "anew")


@pytest.mark.parametrize(
    "changed",
    [
        {"my_agent": AGENT.replace("why it says so", "for a reason")},
        {"my_agent": '"""An agent."""\n' + AGENT},
        {"agent_words": WORDS + "# the end\n"},
    ],
)
def test_a_comment_or_docstring_changes_no_run(
    agents: Agents, tmp_path: Path, changed: dict[str, str]
) -> None:
    first = agents.evaluate(tmp_path / "run")
    agents.write(**changed)
    assert agents.evaluate(tmp_path / "run") == first


def test_a_run_that_scored_nothing_begins_anew_with_mended_code(
    agents: Agents, tmp_path: Path
) -> None:
    agents.write(agent_words="ANSWER = [][0]\n")
    with pytest.raises((ConfigError, IndexError)):
        agents.evaluate(tmp_path / "run")
    agents.write(my_agent=AGENT.replace("return", "return [][0] and"), agent_words=WORDS)
    with pytest.raises(ConfigError, match=r"IndexError: list index .*my_agent.py, line \d+"):
        agents.evaluate(tmp_path / "run")
    agents.write(my_agent=AGENT)
    assert agents.evaluate(tmp_path / "run").errors == 0


def test_runs_of_earlier_versions_are_read_with_a_sentence(
    agents: Agents, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first = agents.evaluate(tmp_path / "run")
    manifest = tmp_path / "run" / "run.json"
    old = json.loads(manifest.read_text())
    for name in ("policy_code", "policy_name", "policy_version"):
        del old[name]
    manifest.write_text(json.dumps(old))
    with caplog.at_level(logging.WARNING):
        assert agents.evaluate(tmp_path / "run") == first
    assert "does not say with which code of the policy" in caplog.text
    agents.evaluate(tmp_path / "run", trials=2)
    assert "policy_code" not in json.loads(manifest.read_text())  # it stays unknown


def test_a_label_tells_one_policy_with_several_options_apart(tmp_path: Path) -> None:
    play("Guesser", tmp_path, trials=1, label="mine")
    manifest = json.loads((tmp_path / "run.json").read_text())
    assert (manifest["policy"], manifest["policy_name"]) == ("mine", "eval_domain:Guesser")
    with pytest.raises(ConfigError, match="policy 'mine', not 'yours'"):
        play("Guesser", tmp_path, trials=1, label="yours")


def test_the_limit_can_be_raised_like_the_trials(tmp_path: Path) -> None:
    play("Guesser", tmp_path / "grown", limit=2, trials=1)
    play("Guesser", tmp_path / "grown", limit=5, trials=2)
    grown = play("Guesser", tmp_path / "grown", limit=None, trials=2)
    whole = play("Guesser", tmp_path / "whole", limit=None, trials=2)
    assert grown == whole
    for name in ("trace.jsonl", "summary.json", "run.json"):
        assert (tmp_path / "grown" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert len((tmp_path / "grown" / "timing.jsonl").read_bytes().splitlines()) == 16
    with pytest.raises(ConfigError, match="all tasks, not 5: they can be raised, not lowered"):
        play("Guesser", tmp_path / "grown", limit=5, trials=2)


def test_how_a_server_is_reached_is_no_part_of_a_run(tmp_path: Path) -> None:
    from gym_clinic.evaluate.manifest import open_run

    chat = {"url": "http://a", "model": "m", "retries": 1}
    settings = {"policy": "two", "policy_name": "chat", "policy_code": {}, "policy_options": chat}
    open_run(tmp_path, settings)
    (tmp_path / "trace.jsonl").write_bytes(b'{"error":null}\n')
    other = {**chat, "retries": 9, "api_key_env": "KEY", "timeout": 5}
    open_run(tmp_path, {**settings, "policy_options": other})
    for changed, named in (
        ({"model": "n"}, "the policy's option model 'm', not 'n'"),
        ({"url": "http://b"}, "option url 'http://a', not 'http://b'"),
        ({"temperature": 0}, "option temperature left out, not 0"),
    ):
        with pytest.raises(ConfigError) as caught:
            open_run(tmp_path, {**settings, "policy_options": {**chat, **changed}})
        assert named in str(caught.value)
