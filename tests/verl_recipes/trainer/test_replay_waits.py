"""Dynamic sampling waits for rollouts, and for none that will not come."""

from __future__ import annotations

import importlib

import pytest
from fake_queue import Clock, Queue, buffer, name, uids

pytest.importorskip("verl")
replay = importlib.import_module("verl_recipes.trainer.replay")


def test_sampling_waits_until_all_groups_are_finished(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    def then(now: float) -> None:
        if now == 5.0:
            queue.prompt(name(0), "running")
        if now == 14.0:
            queue.group(name(0), [1.0, 0.0])

    queue.prompt(name(0), "pending")
    queue.group(name(1), [1.0, 0.0])
    clock = Clock(then)
    monkeypatch.setattr(replay, "time", clock)
    batch, _ = buffer(stall_s=20.0).sample(1, "train", 2)
    assert clock.now == 14.0
    assert uids(batch) == [name(0), name(1)]


@pytest.mark.parametrize("status", ["pending", "running"])
@pytest.mark.parametrize("partition", ["train", "val"])
def test_a_rollout_that_never_ends_stops_the_run(
    queue: Queue, monkeypatch: pytest.MonkeyPatch, status: str, partition: str
) -> None:
    queue.prompt(name(0), status, partition)
    queue.group(name(1), [1.0, 0.0], partition=partition)
    clock = Clock()
    monkeypatch.setattr(replay, "time", clock)
    says = "no rollout finished in 10 s, 1 prompts wait; .*clinic.stall_s"
    with pytest.raises(replay.RolloutStalledError, match=says):
        buffer(stall_s=10.0).sample(1, partition, 2)
    assert 10.0 < clock.now <= 12.0


@pytest.mark.parametrize("status", ["finished", "failure"])
def test_slow_progress_is_not_a_stall(
    queue: Queue, monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    """Every 8 s something ends, a prompt that failed without a trajectory included."""

    def then(now: float) -> None:
        number, rest = divmod(int(now), 8)
        if not rest and number <= 4:
            queue.group(name(number), [1.0, 0.0] if status == "finished" else [], status=status)

    for number in range(1, 5):
        queue.prompt(name(number), "running")
    queue.group(name(0), [1.0, 0.0])
    clock = Clock(then)
    monkeypatch.setattr(replay, "time", clock)
    batch, _ = buffer(stall_s=10.0, max_refills=0).sample(1, "train", 5)
    assert clock.now == 32.0
    assert len(uids(batch)) == (5 if status == "finished" else 1)


def test_finished_sessions_count_as_progress(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    def then(now: float) -> None:
        queue.group(name(0), [1.0, 0.0] * int(now // 8), status="running")
        if now == 40.0:
            queue.prompt(name(0), "finished")

    queue.prompt(name(0), "running")
    clock = Clock(then)
    monkeypatch.setattr(replay, "time", clock)
    batch, _ = buffer(stall_s=10.0).sample(1, "train", 1)
    assert len(batch.keys) == 10
