from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import Any

import eval_domain
import pytest
from chat_server import ChatServer
from command_runs import ID, Run

from gym_clinic.commands.options import labelled, options_by_policy


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


def widest(text: str) -> int:
    return max(map(len, text.splitlines()))


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_a_comparison_fits_its_width(
    run: Run, tmp_path: Path, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    argv = ("--trials", 1, "--limit", 3, "--out", tmp_path, "--no-progress")
    status, out, _ = run("eval", ID, "--policy", "oracle", "rules=random", "silent", *argv)
    assert status == 0
    head = next(line for line in out.splitlines() if line.startswith("policy"))
    assert head.split()[:4] == ["policy", "success", "reward", "accuracy"]
    assert widest(out.partition("Written to")[0]) <= columns
    out = run(
        "eval", ID, "--policy", "oracle", "rules=random", "silent", *argv, "--columns", "all"
    ).out
    assert widest(out.partition("Written to")[0]) <= columns
    for name in ("oracle", "rules", "silent"):  # ids and figures stay whole
        assert any(line.split()[:1] == [name] for line in out.splitlines())
    assert "scaled" in out
    assert "turns" in out


def test_three_policies_of_a_clinical_domain_fit_80_columns(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    argv = ("--policy", "oracle", "rules", "silent", "--limit", 2, "--trials", 1)
    status, out, _ = run(
        "eval", "clinic/TriageEmergency-v0", *argv, "--out", tmp_path, "--no-progress"
    )
    assert status == 0
    assert widest(out.partition("Written to")[0]) <= 80
    head = next(line for line in out.splitlines() if line.startswith("policy"))
    assert head.split() == [
        "policy", "success", "reward", "accuracy", "process", "safety", "format", "coherence",
        "assertion",
    ]  # fmt: skip
    rows = [line.split() for line in out.splitlines() if line.startswith(("oracle", "silent"))]
    assert all(len(row) == 9 for row in rows[:2])
    table = (tmp_path / "comparison.md").read_text(encoding="utf-8")
    assert "| coherence | assertion |" in table


def test_columns_are_chosen_and_wrong_ones_named(run: Run, tmp_path: Path) -> None:
    argv = ("--policy", "oracle", "silent", "--trials", 1, "--out", tmp_path, "--no-progress")
    out = run("eval", ID, *argv, "--columns", "turns", "success").out
    head = next(line for line in out.splitlines() if line.startswith("policy"))
    assert head.split() == ["policy", "turns", "success"]
    status, _, err = run("eval", ID, *argv, "--columns", "succes")
    assert (status, "did you mean 'success'?" in err) == (2, True)


def test_one_policy_twice_with_different_options(run: Run, tmp_path: Path) -> None:
    argv = ("--trials", 1, "--out", tmp_path, "--no-progress", "--json")
    status, out, _ = run(
        "eval", ID, "--policy", "one=random", "two=random", *argv,
        "--option", "one.batch=1", "--option", "two.batch=3",
    )  # fmt: skip
    assert status == 0
    found = json.loads(out)
    assert [one["policy"] for one in found] == ["one", "two"]
    assert [one["policy_options"] for one in found] == [{"batch": 1}, {"batch": 3}]
    assert {"one", "two"} <= {path.name for path in tmp_path.iterdir()}


@pytest.mark.parametrize(
    ("policies", "says"),
    [
        (("random", "random"), "two policies are called 'random'"),
        (("a=random", "a=oracle"), "two policies are called 'a'"),
        (("=random",), "a policy is written NAME or LABEL=NAME"),
        (("a b=random",), "a policy is written NAME or LABEL=NAME"),
        (("a=",), "a policy is written NAME or LABEL=NAME"),
        (("a=randon",), "did you mean 'random'?"),
    ],
)
def test_wrong_labels_are_named(
    run: Run, tmp_path: Path, policies: tuple[str, ...], says: str
) -> None:
    status, _, err = run("eval", ID, "--policy", *policies, "--out", tmp_path, "--no-progress")
    assert (status, says in err) == (2, True)


def test_options_of_labels_and_of_names_with_dots() -> None:
    policies = labelled(["native=chat", "my.agents:Agent"])
    found = options_by_policy(
        policies,
        ["seed=3", "native.model=n", "my.agents:Agent.depth=2", "native.extra.deep=1"],
        {"url": "http://a", "model": "m", "api_key_env": None},
    )
    assert found == {
        "native": {"seed": 3, "url": "http://a", "model": "n", "extra.deep": 1},
        "my.agents:Agent": {"seed": 3, "depth": 2},
    }


@pytest.mark.parametrize("status_code", [401, 404])
def test_a_server_that_refuses_ends_a_run_early(
    run: Run, tmp_path: Path, chat_server: ChatServer, status_code: int
) -> None:
    pytest.importorskip("httpx")
    chat_server.script = [chat_server.status(status_code)]
    status, _, err = run(
        "eval", ID, "--policy", "chat", "--url", chat_server.url, "--model", "m",
        "--out", tmp_path, "--no-progress", "--concurrency", 1, "--max-failures", 3,
    )  # fmt: skip
    assert status == 3
    assert f"HTTP {status_code}" in err
    assert "3 episodes in a row" in err
    assert "0 of 32 episodes are kept" in err
    assert err.count("\n") == 1
    assert len(chat_server.requests) == 3


def test_a_server_that_does_not_run_ends_a_run_early(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("httpx")
    argv = ("--url", "http://127.0.0.1:9", "--model", "m", "--option", "retries=0")
    status, _, err = run("eval", ID, "--policy", "chat", *argv, "--out", tmp_path, "--no-progress")
    assert status == 3
    assert "episodes in a row" in err
    assert "ConnectError" in err
    assert err.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGTERM")
def test_sigterm_ends_a_run_and_says_how_to_go_on(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(eval_domain, "_left", [0])
    monkeypatch.setattr(eval_domain.signal, "SIGINT", signal.SIGTERM)
    before = signal.getsignal(signal.SIGTERM)
    argv = ("--concurrency", 1, "--out", tmp_path, "--no-progress")
    status, _, err = run("eval", ID, "--policy", "eval_domain:Impatient", *argv)
    assert status == 143
    assert "the same command continues" in err
    assert "episodes are kept" in err
    assert signal.getsignal(signal.SIGTERM) is before
