"""Runs of policies: what is kept, in which order, wrong options, and crashes."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import eval_domain
import pytest
from eval_runs import KEYS, play, rows

from gym_clinic import ConfigError
from gym_clinic.evaluate import sample
from gym_clinic.evaluate.rollout import episode_seed
from gym_clinic.taskset import data_hash


def test_trace_holds_every_episode_in_order(tmp_path: Path) -> None:
    found = play("Guesser", tmp_path, concurrency=7, trials=3)
    tasks = eval_domain.DOMAIN.tasks["test"]
    trace = rows(tmp_path)
    assert [(row["task_id"], row["trial"]) for row in trace] == [
        (task.id, trial) for task in tasks for trial in range(3)
    ]
    assert all(list(row) == KEYS for row in trace)
    for row in trace:
        assert row["data"] == data_hash(tasks, eval_domain.DOMAIN.scoring())
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


def test_texts_of_a_policy_are_kept_as_valid_lines(tmp_path: Path) -> None:
    play("Scribbler", tmp_path)
    lines = (tmp_path / "trace.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 16
    for line in lines:
        messages = json.loads(line)["messages"]
        assert messages[2]["content"].startswith("lone \ud800 line\u2028 and\x85")
        assert not any(message["content"] == "forged" for message in messages)


def test_a_crash_of_the_environment_names_its_episode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(episode: Any) -> dict[str, float]:
        raise ZeroDivisionError("no readings to average")

    domain = replace(eval_domain.DOMAIN, metrics=broken)
    monkeypatch.setattr(eval_domain, "DOMAIN", domain)
    with pytest.raises(RuntimeError, match=r"task 'f\w+', trial \d+: ZeroDivisionError") as caught:
        play("Nurse", tmp_path, concurrency=2)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert not (tmp_path / "trace.jsonl").exists()


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


def test_a_path_that_is_not_a_run_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot write to"):
        play("Nurse", tmp_path / "file" / "out")
    (tmp_path / "trace.jsonl").write_text("")
    with pytest.raises(ConfigError, match=r"no run\.json"):
        play("Nurse", tmp_path)


def test_options_are_plain_json(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="options must be plain JSON: object"):
        play("Flaky", tmp_path, policy_options={"path": object()})


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
    with pytest.raises(ConfigError, match=r"\d+ episodes in a row.*act returned int; an action is"):
        play("Guesser", tmp_path)


def test_episode_seeds_are_fixed() -> None:
    assert episode_seed(0, "a", 0) == 0x32498C04  # the same in every version and process
    seeds = {episode_seed(s, t, n) for s in (0, 1) for t in ("a", "b") for n in (0, 1)}
    assert len(seeds) == 8
    assert all(0 <= seed < 2**32 for seed in seeds)
