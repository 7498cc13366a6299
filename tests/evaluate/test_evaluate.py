"""Runs of policies: what is kept, in which order, and what survives being stopped."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import eval_domain
import pytest
from places import ROOT, SUPPORT

from gym_clinic import ConfigError
from gym_clinic.evaluate import Interrupted, episodes, evaluate, sample
from gym_clinic.evaluate.rollout import episode_seed
from gym_clinic.evaluate.trace import Journal, encode, plain, redact
from gym_clinic.taskset import data_hash

PATH = os.pathsep.join(map(str, (SUPPORT, ROOT)))
KEYS = [
    "id", "env_options", "version", "data", "policy", "policy_options", "split", "task_id",
    "trial", "seed", "messages", "calls", "answer", "turns", "rewards", "weights", "total",
    "reward", "success", "metrics", "stop", "usage", "error",
]  # fmt: skip


def play(policy: str, out: Path, **rest: Any) -> Any:
    given = {"trials": 2, "progress": False, **rest}
    return evaluate(eval_domain.ID, f"eval_domain:{policy}", out=out, **given)


def rows(out: Path) -> list[dict[str, Any]]:
    return list(episodes(out / "trace.jsonl"))


def test_trace_holds_every_episode_in_order(tmp_path: Path) -> None:
    found = play("Guesser", tmp_path, concurrency=7, trials=3)
    tasks = eval_domain.DOMAIN.tasks["test"]
    trace = rows(tmp_path)
    assert [(row["task_id"], row["trial"]) for row in trace] == [
        (task.id, trial) for task in tasks for trial in range(3)
    ]
    assert all(list(row) == KEYS for row in trace)
    for row in trace:
        assert row["data"] == data_hash(tasks)
        assert row["seed"] == episode_seed(0, row["task_id"], row["trial"])
        roles = [message["role"] for message in row["messages"]]
        assert roles == ["system", "user", "assistant", "tool", "assistant", "user"]
        assert [(call["name"], call["ok"]) for call in row["calls"]] == [("note", True)]
        assert row["calls"][0]["response"] == "noted"
        assert row["usage"] == {"completion_tokens": 6}
        assert row["weights"] == {"accuracy": 1.0, "process": 0.5}
        assert row["reward"] == row["total"] == row["rewards"]["accuracy"]
        assert (row["stop"], row["turns"], row["error"]) == ("answered", 2, None)
    texts = {row["messages"][2]["content"] for row in trace}
    assert len(texts) == len(trace)  # every episode has a seed of its own
    assert found.usage == {"completion_tokens": 6 * 24}
    assert found.episodes == 24


def test_trace_and_summary_do_not_depend_on_concurrency(tmp_path: Path) -> None:
    for number in (1, 8):
        play("Guesser", tmp_path / str(number), concurrency=number)
    for name in ("trace.jsonl", "summary.json", "summary.md", "run.json"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "8" / name).read_bytes()
    for number in (1, 8):
        left = {path.name for path in (tmp_path / str(number)).iterdir()} - {".lock"}
        assert left == {"trace.jsonl", "summary.json", "summary.md", "run.json", "timing.jsonl"}


def test_summary_json_holds_the_figures(tmp_path: Path) -> None:
    summary = play("Nurse", tmp_path)
    found = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    assert found == json.loads(json.dumps(summary.as_dict()))
    assert (found["id"], found["policy"]) == (eval_domain.ID, "eval_domain:Nurse")
    assert (found["episodes"], found["errors"]) == (16, 0)
    assert found["reward"] == {"mean": 1.5, "low": 1.5, "high": 1.5, "min": 1.5, "max": 1.5}
    assert set(found["scaled"]) == {"mean", "low", "high", "min", "max"}
    assert found["scaled"]["mean"] == 1.0
    assert found["metrics"] == {"balanced": {"mean": 1.0, "low": 1.0, "high": 1.0}}
    assert found["reward_range"] == [-1.5, 1.5]
    assert set(found["pass_at_k"]) == set(found["pass_hat_k"]) == {"1", "2"}


def test_the_gold_is_in_no_file(tmp_path: Path) -> None:
    play("Guesser", tmp_path)
    assert "secret" in eval_domain.DOMAIN.tasks["test"][0].gold
    for path in tmp_path.iterdir():
        assert b"gold-test" not in path.read_bytes()


def test_what_a_policy_writes_is_kept_as_valid_lines(tmp_path: Path) -> None:
    play("Scribbler", tmp_path)
    lines = (tmp_path / "trace.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 16
    for line in lines:
        messages = json.loads(line)["messages"]
        assert messages[2]["content"].startswith("lone \ud800 line\u2028 and\x85")
        assert not any(message["content"] == "forged" for message in messages)


def test_a_finished_run_is_not_played_again(tmp_path: Path) -> None:
    first = play("Guesser", tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    again = play("Guesser", tmp_path, concurrency=3)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert again == first


def killed(out: Path, lives: int) -> subprocess.CompletedProcess[bytes]:
    code = (
        "import eval_domain; from gym_clinic.evaluate import evaluate; "
        f"evaluate(eval_domain.ID, 'eval_domain:Mortal', out={str(out)!r}, trials=3, "
        "concurrency=4, progress=False)"
    )
    env = {**os.environ, "EVAL_DOMAIN_LIVES": str(lives), "PYTHONPATH": PATH}
    return subprocess.run([sys.executable, "-c", code], env=env, timeout=120)


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    assert killed(whole, 1000).returncode == 0
    for lives in (7, 9):
        assert killed(cut, lives).returncode == -signal.SIGKILL
        assert not (cut / "trace.jsonl").exists()
    kept = (cut / "journal.jsonl").read_bytes().count(b"\n")
    assert 10 <= kept <= 16  # four at a time: all but the last few were written
    assert killed(cut, 1000).returncode == 0
    for name in ("trace.jsonl", "summary.json", "summary.md"):
        assert (cut / name).read_bytes() == (whole / name).read_bytes()
    # No episode that was kept is played again; at most the last time of a killed run is lost.
    assert 22 <= (cut / "timing.jsonl").read_bytes().count(b"\n") <= 24


@pytest.mark.parametrize("share", [0.0, 0.31, 0.5, 0.77, 0.999])
def test_a_journal_cut_anywhere_gives_the_same_trace(tmp_path: Path, share: float) -> None:
    play("Guesser", tmp_path / "whole")
    trace = (tmp_path / "whole" / "trace.jsonl").read_bytes()
    out = tmp_path / "cut"
    out.mkdir()
    (out / "run.json").write_bytes((tmp_path / "whole" / "run.json").read_bytes())
    (out / "journal.jsonl").write_bytes(trace[: int(len(trace) * share)])
    (out / "timing.jsonl").write_bytes(b'{"task_id": "half')
    play("Guesser", out)
    assert (out / "trace.jsonl").read_bytes() == trace
    assert not (out / "journal.jsonl").exists()
    for line in (out / "timing.jsonl").read_bytes().splitlines():
        assert json.loads(line)["seconds"] >= 0


def test_a_run_killed_while_it_writes_its_trace_loses_nothing(tmp_path: Path) -> None:
    play("Guesser", tmp_path)
    trace = (tmp_path / "trace.jsonl").read_bytes()
    timing = (tmp_path / "timing.jsonl").read_bytes()
    (tmp_path / "journal.jsonl").write_bytes(trace)
    (tmp_path / "trace.jsonl").unlink()
    (tmp_path / ".trace.jsonl.7.part").write_bytes(trace[:100])
    (tmp_path / "summary.json").unlink()
    play("Guesser", tmp_path)
    assert (tmp_path / "trace.jsonl").read_bytes() == trace
    assert (tmp_path / "timing.jsonl").read_bytes() == timing  # nothing was played
    assert (tmp_path / "summary.json").exists()


@pytest.mark.parametrize(
    ("other", "named"),
    [
        ({"trials": 1}, "2 trials, not 1: they can be raised, not lowered"),
        ({"seed": 1}, "seed 0, not 1"),
        ({"split": "train"}, "split 'test', not 'train'"),
        ({"limit": 2}, "limit None, not 2"),
        ({"env_options": {"max_turns": 3}}, "env_options {}, not {'max_turns': 3}"),
    ],
)
def test_another_run_is_not_mixed_in(tmp_path: Path, other: dict[str, Any], named: str) -> None:
    play("Nurse", tmp_path)
    before = (tmp_path / "trace.jsonl").read_bytes()
    with pytest.raises(ConfigError, match="Choose another --out") as caught:
        play("Nurse", tmp_path, **other)
    assert named in str(caught.value)
    assert (tmp_path / "trace.jsonl").read_bytes() == before


def test_changed_data_are_another_run(tmp_path: Path) -> None:
    play("Nurse", tmp_path)
    manifest = json.loads((tmp_path / "run.json").read_text())
    (tmp_path / "run.json").write_text(json.dumps({**manifest, "data": "0" * 16}))
    with pytest.raises(ConfigError, match="data '0000000000000000', not"):
        play("Nurse", tmp_path)


def test_a_failing_service_is_reported_and_tried_again(tmp_path: Path) -> None:
    mended = tmp_path / "mended"
    options = {"path": str(mended), "every": 3}
    summary = play("Flaky", tmp_path / "run", policy_options=options)
    failed = [row for row in rows(tmp_path / "run") if row["error"]]
    assert 0 < len(failed) < 16
    assert summary.errors == len(failed)
    assert summary.reward.mean == 1.5  # over the others
    for row in failed:
        assert row["seed"] % 3 == 0
        assert list(row) == KEYS
        assert row["error"] == "the line is dead"
        assert row["reward"] is row["total"] is row["success"] is row["stop"] is None
        assert row["rewards"] == row["metrics"] == {}
        assert row["messages"][2]["role"] == "assistant"  # as far as it came
        assert len(row["calls"]) == 1
    timing = (tmp_path / "run" / "timing.jsonl").read_bytes().count(b"\n")
    mended.touch()
    summary = play("Flaky", tmp_path / "run", policy_options=options)
    assert summary.errors == 0
    played = (tmp_path / "run" / "timing.jsonl").read_bytes().count(b"\n") - timing
    assert played == len(failed)  # only those
    play("Nurse", tmp_path / "nurse")
    expected = rows(tmp_path / "nurse")
    for row, wanted in zip(rows(tmp_path / "run"), expected, strict=True):
        assert {**row, "policy": 0, "policy_options": 0} == {
            **wanted, "policy": 0, "policy_options": 0,
        }  # fmt: skip


def test_a_crash_names_its_episode_and_keeps_the_others(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"task 'f\w+', trial \d+: ZeroDivisionError") as caught:
        play("Clumsy", tmp_path, trials=4, concurrency=2)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    kept = (tmp_path / "journal.jsonl").read_bytes().splitlines()
    assert kept
    assert all(json.loads(line)["reward"] == 1.5 for line in kept)
    assert not (tmp_path / "trace.jsonl").exists()


def test_ctrl_c_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eval_domain, "_left", [0])
    with pytest.raises(Interrupted, match="the same command goes on") as caught:
        play("Impatient", tmp_path, trials=4, concurrency=1)
    assert isinstance(caught.value, KeyboardInterrupt)
    kept = (tmp_path / "journal.jsonl").read_bytes().count(b"\n")
    assert 3 <= kept < 32
    assert f"{kept} of 32" in str(caught.value)
    assert play("Impatient", tmp_path, trials=4).episodes == 32


def test_one_run_at_a_time_in_a_folder(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("needs file locks")
    with Journal(tmp_path, {}), pytest.raises(ConfigError, match="another process"):
        Journal(tmp_path, {})


def test_limit_samples_evenly_in_order_and_nested(tmp_path: Path) -> None:
    tasks = list(range(100))
    small, large = sample(tasks, 10, 0), sample(tasks, 30, 0)
    assert len(small) == 10
    assert set(small) < set(large)
    assert large == sorted(large)
    assert small != tasks[:10]
    assert sample(tasks, 10, 1) != small
    assert sample(tasks, 500, 0) == tasks
    found = play("Nurse", tmp_path, limit=3)
    assert (found.tasks, found.episodes) == (3, 6)


@pytest.mark.parametrize("wrong", [{"trials": 0}, {"concurrency": 0}, {"limit": 0}])
def test_wrong_numbers_are_named(tmp_path: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=f"{next(iter(wrong))} is a whole number from 1, not 0"):
        play("Nurse", tmp_path / "out", **wrong)
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot write to"):
        play("Nurse", tmp_path / "file" / "out")
    (tmp_path / "trace.jsonl").write_text("")
    with pytest.raises(ConfigError, match=r"no run\.json"):
        play("Nurse", tmp_path)


def test_options_are_plain_json(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="options must be plain JSON: object"):
        play("Flaky", tmp_path, policy_options={"path": object()})


def test_secrets_are_not_written(tmp_path: Path) -> None:
    options = {"path": "http://me:hunter2@host/v1", "every": 10**9}
    play("Flaky", tmp_path, policy_options=options)
    assert b"http://***@host/v1" in (tmp_path / "run.json").read_bytes()
    for path in tmp_path.iterdir():
        assert b"hunter2" not in path.read_bytes()
    assert redact({"api_key": "s", "api_key_env": "NAME", "max_tokens": 5, "key": None}) == {
        "api_key": "***", "api_key_env": "NAME", "max_tokens": 5, "key": None,
    }  # fmt: skip
    assert redact({"extra": [{"Authorization": "Bearer s"}]}) == {
        "extra": [{"Authorization": "***"}]
    }


def test_secrets_are_known_by_name_and_in_addresses() -> None:
    assert redact({"extra": {"apiKey": "s", "maxTokens": 5, "monkey": "m"}}) == {
        "extra": {"apiKey": "***", "maxTokens": 5, "monkey": "m"}
    }
    assert redact("http://host/v1?api_key=s&version=2") == "http://host/v1?api_key=***&version=***"
    assert redact("is a=b & c?d=e") == "is a=b & c?d=e"


@pytest.mark.parametrize(
    ("usage", "kept"),
    [
        ({"tokens": 3, "cached": None, "cost": math.nan, "model": "m"}, {"tokens": 3}),
        (5, {}),
        (None, {}),
    ],
)
def test_usage_that_is_no_figure_is_left_out(
    usage: Any, kept: dict[str, float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Spender:
        def __init__(self) -> None:
            self.usage = usage

        def act(self, observation: str, info: dict[str, Any]) -> str:
            return "FEVER: yes"

    monkeypatch.setattr(eval_domain, "Spender", Spender, raising=False)
    found = play("Spender", tmp_path, limit=2, trials=1)
    assert found.usage == {name: 2 * amount for name, amount in kept.items()}
    assert all(row["usage"] == kept for row in rows(tmp_path))


def test_an_action_that_is_no_text_is_the_policys_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(eval_domain.Guesser, "act", lambda self, observation, info: 5)
    with pytest.raises(ConfigError, match="act returned int; an action is text"):
        play("Guesser", tmp_path)


@pytest.mark.parametrize(
    "damage",
    [
        {"reward": "x"}, {"reward": None}, {"metrics": {"a": "b"}}, {"rewards": {"a": "z"}},
        {"usage": {"a": "b"}}, {"turns": "x"}, {"calls": [[[]]] * 3, "metrics": 3},
    ],
)  # fmt: skip
def test_a_damaged_line_is_played_again(damage: dict[str, Any], tmp_path: Path) -> None:
    play("Guesser", tmp_path)
    whole = (tmp_path / "trace.jsonl").read_bytes()
    first, *rest = whole.splitlines(keepends=True)
    broken = json.dumps(json.loads(first) | damage).encode() + b"\n"
    (tmp_path / "trace.jsonl").write_bytes(broken + b"[" * 200_000 + b"\n" + b"".join(rest))
    play("Guesser", tmp_path)
    assert (tmp_path / "trace.jsonl").read_bytes() == whole


def test_episode_seeds_are_fixed() -> None:
    assert episode_seed(0, "a", 0) == 0x32498C04  # the same in every version and process
    seeds = {episode_seed(s, t, n) for s in (0, 1) for t in ("a", "b") for n in (0, 1)}
    assert len(seeds) == 8
    assert all(0 <= seed < 2**32 for seed in seeds)


def test_plain_takes_what_agents_and_domains_make() -> None:
    import datetime
    import enum

    import numpy as np
    from pydantic import BaseModel

    class Grade(enum.Enum):
        BAD = "bad"

    class Word(str, enum.Enum):
        ONE = "one"

    class Model(BaseModel):
        day: datetime.date

    deep: Any = 1
    for _ in range(3000):
        deep = [deep]
    assert b'"\xe2\x80\xa6"' in encode({"deep": deep})
    assert plain(
        {
            1: (float("nan"), float("inf"), 0.5),
            "grade": [Grade.BAD, Word.ONE, True],
            "set": {"b", "a"},
            "model": Model(day=datetime.date(2020, 1, 2)),
            "day": datetime.date(2020, 1, 2),
            "numpy": [np.float32(0.5), np.int64(3)],
        }
    ) == {
        "1": [None, None, 0.5],
        "grade": ["bad", "one", True],
        "set": ["a", "b"],
        "model": {"day": "2020-01-02"},
        "day": "2020-01-02",
        "numpy": [0.5, 3],
    }
    with pytest.raises(TypeError, match="object has no JSON form"):
        plain({"x": object()})
