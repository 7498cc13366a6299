from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import eval_domain
import pytest
from chat_server import ChatServer
from command_runs import ID, Run


def test_eval_prints_a_table_and_its_folder(run: Run, tmp_path: Path) -> None:
    status, out, err = run("eval", ID, "--policy", "oracle", "--trials", 2, "--out", tmp_path / "r")
    assert status == 0
    assert "scaled reward" in out
    assert f"Written to {tmp_path / 'r'}" in out
    assert "16/16" in err
    names = {"trace.jsonl", "timing.jsonl", "summary.json", "summary.md", "run.json"}
    assert names <= {path.name for path in (tmp_path / "r").iterdir()}


def test_eval_json_is_the_summary(run: Run, tmp_path: Path) -> None:
    out_dir = tmp_path / "r"
    argv = ("eval", ID, "--policy", "random", "--out", out_dir, "--json", "--no-progress")
    status, out, err = run(*argv, "--limit", 2, "--set", "max_turns=3")
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert found == json.loads((out_dir / "summary.json").read_text(encoding="utf-8"))
    assert found["env_options"] == {"max_turns": 3}
    assert found["episodes"] == 8


def test_eval_compares_several_policies(run: Run, tmp_path: Path) -> None:
    argv = ("--trials", 1, "--out", tmp_path, "--no-progress")
    status, out, _ = run("eval", ID, "--policy", "oracle", "silent", "eval_domain:Nurse", *argv)
    assert status == 0
    assert out.index("oracle") < out.index("silent") < out.index("eval_domain:Nurse")
    for folder in ("oracle", "silent", "eval_domain-Nurse"):
        assert (tmp_path / folder / "summary.json").exists()
    table = (tmp_path / "comparison.md").read_text(encoding="utf-8")
    assert "| policy | success | reward | accuracy | process | failed | episodes |" in table
    assert "| oracle | 1.000 | 1.500 | 1.000 | 1.000 | 0 | 8 |" in table


def test_options_reach_the_policy_they_name(run: Run, tmp_path: Path) -> None:
    flaky = "eval_domain:Flaky"
    argv = ("--trials", 1, "--out", tmp_path, "--no-progress", "--json")
    status, out, err = run(
        "eval", ID, "--policy", "oracle", flaky, *argv,
        "--option", f"{flaky}.path={tmp_path / 'never'}", "--option", f"{flaky}.every=2",
    )  # fmt: skip
    assert status == 0
    oracle, other = json.loads(out)
    assert oracle["policy_options"] == {}
    assert other["policy_options"]["every"] == 2
    assert 0 < other["errors"] < 8
    assert f"{other['errors']} of 8 episodes were failed by a service" in err
    assert "the line is dead" in err


def test_eval_of_a_server_that_fails(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("httpx")
    # Nothing listens on the discard port of this machine.
    argv = ("--url", "http://127.0.0.1:9", "--model", "m", "--option", "retries=0")
    status, out, err = run(
        "eval", ID, "--policy", "chat", *argv, "--trials", 1, "--limit", 2,
        "--out", tmp_path, "--json", "--no-progress",
    )  # fmt: skip
    assert status == 3
    found = json.loads(out)
    assert (found["episodes"], found["errors"], found["reward"]["mean"]) == (2, 2, None)
    assert found["policy_options"] == {"retries": 0, "url": "http://127.0.0.1:9", "model": "m"}
    assert "2 of 2 episodes" in err


def test_eval_of_a_chat_model(run: Run, tmp_path: Path, chat_server: ChatServer) -> None:
    pytest.importorskip("httpx")
    call = '<tool_call>{"name": "note", "arguments": {"text": "hot"}}</tool_call>'

    def answer(handler: Any) -> None:
        first = len(chat_server.requests[-1]["messages"]) == 2
        chat_server.answer(call if first else "FEVER: yes")(handler)

    chat_server.script = [answer]
    argv = ("--url", chat_server.url, "--model", "m", "--trials", 1, "--no-progress", "--json")
    # One at a time, so that the last request is the one that is answered.
    status, out, _ = run(
        "eval", ID, "--policy", "chat", *argv, "--out", tmp_path, "--concurrency", 1
    )
    assert status == 0
    found = json.loads(out)
    assert (found["errors"], found["turns"]["mean"], found["calls"]["mean"]) == (0, 2.0, 1.0)
    assert found["usage"]["completion_tokens"] == 8 * 2 * 7
    assert found["usage"]["replies"] == 16
    asked = len(chat_server.requests)
    assert run("eval", ID, "--policy", "chat", *argv, "--out", tmp_path)[0] == 0
    assert len(chat_server.requests) == asked  # another concurrency is the same run


def test_ctrl_c_is_exit_130(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eval_domain, "_left", [0])
    argv = ("--concurrency", 1, "--out", tmp_path, "--no-progress")
    status, _, err = run("eval", ID, "--policy", "eval_domain:Impatient", *argv)
    assert status == 130
    assert "the same command continues" in err
    assert "Traceback" not in err


def test_every_policy_is_checked_before_the_first_episode(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "r"
    status, _, err = run("eval", ID, "--policy", "oracle", "rule", "--out", out, "--no-progress")
    assert (status, "did you mean 'rules'?" in err) == (2, True)
    argv = ("--option", "oracle.sed=1", "--out", out, "--no-progress")
    status, _, err = run("eval", ID, "--policy", "silent", "oracle", *argv)
    assert (status, "takes no option 'sed'" in err) == (2, True)
    assert not out.exists()


def test_trials_can_be_raised_on_an_existing_run(run: Run, tmp_path: Path) -> None:
    argv = ("eval", ID, "--policy", "random", "--out", tmp_path / "r", "--json", "--no-progress")
    first = json.loads(run(*argv, "--trials", 1, "--limit", 3).out)
    status, out, _ = run(*argv, "--trials", 3, "--limit", 3)
    assert status == 0
    assert (first["episodes"], json.loads(out)["episodes"]) == (3, 9)
    status, _, err = run(*argv, "--trials", 2, "--limit", 3)
    assert status == 2
    assert "trials" in err
