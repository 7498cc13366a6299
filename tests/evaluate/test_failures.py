"""Episodes that fail: by a dead server, by an exception of the policy; and what ends a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import eval_domain
import pytest
from eval_runs import KEYS, play, rows

from gym_clinic import ConfigError, ServiceError
from gym_clinic.evaluate import Result, Summary, failures, summarise
from gym_clinic.evaluate.progress import Lines
from gym_clinic.evaluate.report import markdown


class Dead(eval_domain.Nurse):
    """Its server never answers."""

    def act(self, observation: str, info: dict[str, Any]) -> str:
        raise ServiceError("http://localhost:1: refused with HTTP 401: no key")


class Confused(eval_domain.Nurse):
    """Fails in every episode, in its second turn."""

    def act(self, observation: str, info: dict[str, Any]) -> str:
        if "task_id" not in info:
            raise KeyError("celsius")
        return super().act(observation, info)


@pytest.fixture(autouse=True)
def _policies(monkeypatch: pytest.MonkeyPatch) -> None:
    for policy in (Dead, Confused):
        monkeypatch.setattr(eval_domain, policy.__name__, policy, raising=False)


@pytest.mark.parametrize("most", [1, 3, 5])
@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_dead_server_ends_a_run_early(tmp_path: Path, most: int, concurrency: int) -> None:
    with pytest.raises(ServiceError) as caught:
        play("Dead", tmp_path, trials=4, concurrency=concurrency, max_failures=most)
    text = str(caught.value)
    assert "HTTP 401: no key" in text
    assert "0 of 32 episodes are kept" in text
    assert "the same command continues from there" in text
    assert "in a row" in text or most == 1
    played = (tmp_path / "journal.jsonl").read_bytes().count(b"\n")
    assert most <= played < 32 if concurrency > 1 else played == most
    assert not (tmp_path / "summary.json").exists()


def test_a_run_that_ended_early_goes_on(tmp_path: Path) -> None:
    mended = tmp_path / "mended"
    options = {"path": str(mended), "every": 1}
    with pytest.raises(ServiceError, match="the line is dead"):
        play("Flaky", tmp_path / "run", policy_options=options)
    mended.touch()
    assert play("Flaky", tmp_path / "run", policy_options=options).errors == 0


def test_without_a_limit_every_episode_is_tried(tmp_path: Path) -> None:
    found = play("Dead", tmp_path, trials=1, max_failures=None)
    assert (found.episodes, found.errors, found.reward.mean) == (8, 8, None)


def test_an_exception_of_the_policy_is_kept_with_its_traceback(tmp_path: Path) -> None:
    found = play("Clumsy", tmp_path, trials=4)
    failed = [row for row in rows(tmp_path) if row["error"]]
    assert 0 < len(failed) < 32
    assert found.errors == len(failed)
    assert found.reward.mean == 1.5  # over the others: a failure is no score
    for row in failed:
        assert row["seed"] % 4 == 0
        assert list(row) == [*KEYS, "traceback"]
        assert row["error"].startswith("ZeroDivisionError: no readings to average (eval_domain.py,")
        assert 'raise ZeroDivisionError("no readings to average")' in row["traceback"]
        assert row["reward"] is None
    assert {row["failed_by"] for row in found.failures} == {"policy"}
    assert "failed by an exception of the policy, not scored" in markdown(found)
    again = play("Clumsy", tmp_path, trials=4)  # they are tried again, and fail again
    assert again == found


def test_a_policy_that_always_raises_ends_a_run_early(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        play("Confused", tmp_path, trials=4, concurrency=1)
    text = str(caught.value)
    assert "the policy raised an exception in 5 episodes in a row" in text
    assert "KeyError: 'celsius' (test_failures.py, line " in text
    kept = [json.loads(line) for line in (tmp_path / "journal.jsonl").read_bytes().splitlines()]
    assert len(kept) == 5
    assert all("raise KeyError" in row["traceback"] for row in kept)


def test_scattered_failures_end_nothing(tmp_path: Path) -> None:
    """Episodes that fail end first; what counts is the order in which they are played."""
    found = play("Clumsy", tmp_path, trials=4, concurrency=32, max_failures=3)
    assert found.errors >= 3


def summary(results: list[Result]) -> Summary:
    about = dict.fromkeys(("id", "policy", "version", "data", "split"), "x")
    options = {"env_options": {}, "policy_options": {}}
    return summarise(results, about={**about, **options}, trials=1, seed=0, reward_range=(0.0, 1.0))


def test_failures_are_grouped_by_cause() -> None:
    found = summary(
        [
            Result("a", 0, error="no usable reply in 6 attempts", failed_by="service"),
            Result("b", 0, error="ZeroDivisionError: x (a.py, line 3)", failed_by="policy"),
            Result("c", 0, error="no usable reply in 5 attempts", failed_by="service"),
            Result("d", 0, error="refused with HTTP 404", failed_by="service"),
            Result("e", 0, error="no usable reply in 6 attempts", failed_by="service"),
        ]
    )
    assert failures(found).rows == (
        ("3", "service", "no usable reply in 6 attempts", "a", "0"),
        ("1", "policy", "ZeroDivisionError: x (a.py, line 3)", "b", "0"),
        ("1", "service", "refused with HTTP 404", "d", "0"),
    )


def test_progress_without_a_terminal_is_a_few_lines(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Lines("mine", 2_000, 500)
    for number in range(1_500):
        lines.advance(failed=number % 100 == 0)
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "mine: 500/2000 episodes"
    assert told[-1] == "mine: 2000/2000 episodes, 15 failed"
    assert len(told) <= 12


def test_a_minute_without_news_is_a_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from gym_clinic.evaluate import progress

    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    lines = Lines("mine", 1_000, 0)
    for _ in range(30):
        now[0] += 10
        lines.wait()
    assert capsys.readouterr().err.splitlines() == ["mine: 0/1000 episodes"] * 5
