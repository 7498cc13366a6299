"""Dynamic sampling: which groups a step takes, how often it refills, and that it always ends."""

from __future__ import annotations

import importlib
import logging

import pytest
from fake_queue import FAULT, Queue, buffer, name, uids
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic import ConfigError
from verl_recipes.preflight.figures import OF_A_STEP

pytest.importorskip("verl")
tq = pytest.importorskip("transfer_queue")
replay = importlib.import_module("verl_recipes.trainer.replay")


# --- what is taken ---


def test_groups_come_in_the_order_they_were_drawn(queue: Queue) -> None:
    for number in (3, 1, 11, 0, 2):
        queue.group(name(number), [1.0, 0.0] * 6)
    batch, metrics = buffer().sample(1, "train", 4)
    assert uids(batch) == [name(number) for number in (0, 1, 2, 3)]
    assert batch.keys[:12] == [f"{name(0)}_{session}_0" for session in range(12)]
    assert [tag["prompt_len"] for tag in batch.tags[:12]] == list(range(12))
    assert not any(tag["constant"] for tag in batch.tags)
    assert (metrics["clinic/drawn_groups"], metrics["clinic/mixed_groups"]) == (5.0, 5.0)
    assert metrics["clinic/refills"] == 0.0


def test_unused_trajectories_are_removed(queue: Queue) -> None:
    for number in range(5):
        queue.group(name(number), [1.0, 0.0])
    batch, _ = buffer().sample(1, "train", 2)
    assert list(queue.tags["train"]) == batch.keys == [
        f"{name(number)}_{session}_0" for number in (0, 1) for session in (0, 1)
    ]  # fmt: skip


def test_without_a_metric_every_group_is_taken(queue: Queue) -> None:
    queue.group(name(0), [1.0, 1.0])
    queue.group(name(1), [1.0, 0.0])
    batch, metrics = buffer(metric=None).sample(1, "train", 2)
    assert uids(batch) == [name(0), name(1)]
    assert not any(tag["constant"] for tag in batch.tags)
    assert "clinic/mixed_groups" not in metrics
    assert metrics["clinic/kl_alone"] == 0.0


@pytest.mark.parametrize("metric", ["score", "reward"])
def test_groups_can_be_mixed_by_another_figure(queue: Queue, metric: str) -> None:
    queue.group(name(0), [1.0, 1.0])  # their scores differ
    batch, metrics = buffer(metric=metric).sample(1, "train", 1)
    assert metrics["clinic/mixed_groups"] == 1.0


def test_a_figure_that_no_trajectory_has(queue: Queue) -> None:
    queue.group(name(0), [1.0, 0.0])
    says = r"algorithm.filter_groups.metric: trajectories have no 'sucess'; did you mean 'success'"
    with pytest.raises(ConfigError, match=says):
        buffer(metric="sucess").sample(1, "train", 1)


def test_every_figure_of_a_step_may_be_aimed_at(queue: Queue) -> None:
    queue.group(name(0), [1.0, 0.0])
    _, metrics = buffer().sample(1, "train", 1)
    of_the_trainer = {"clinic/policy_scale", "clinic/skipped_update"}
    assert set(OF_A_STEP) == {*metrics, *of_the_trainer}


# --- refills ---


def test_constant_groups_are_replaced(queue: Queue) -> None:
    asked: list[int] = []

    def refill(count: int) -> None:
        for number in range(sum(asked), sum(asked) + count):
            queue.group(name(10 + number), [1.0, 0.0])
        asked.append(count)

    queue.group(name(0), [0.0, 0.0])
    queue.group(name(1), [0.0, 1.0])
    queue.group(name(2), [1.0, 1.0])
    queue.group(name(3), [0.0, 0.0])
    batch, metrics = buffer(refill).sample(1, "train", 4)
    assert asked == [4]  # twice what is missing, and no more than a batch
    assert uids(batch) == [name(1), name(10), name(11), name(12)]
    assert metrics["clinic/refills"] == 1.0
    assert metrics["clinic/refilled_prompts"] == 4.0
    assert metrics["clinic/drawn_groups"] == 8.0
    assert metrics["clinic/constant_groups_trained"] == 0.0


@pytest.mark.parametrize(("missing", "size", "asked"), [(1, 8, 2), (3, 8, 6), (5, 8, 8)])
def test_a_refill_asks_for_twice_the_missing_groups(
    queue: Queue, missing: int, size: int, asked: int
) -> None:
    for number in range(size):
        queue.group(name(number), [1.0, 0.0] if number >= missing else [1.0, 1.0])
    counts: list[int] = []

    def refill(count: int) -> None:
        counts.append(count)
        for number in range(count):
            queue.group(name(100 + number), [1.0, 0.0])

    buffer(refill).sample(1, "train", size)
    assert counts == [asked]


@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_refills_end_and_constant_groups_fill_the_batch(
    queue: Queue, rounds: int, caplog: pytest.LogCaptureFixture
) -> None:
    asked: list[int] = []

    def refill(count: int) -> None:
        for number in range(count):
            queue.group(name(10 + sum(asked) + number), [0.0, 0.0])
        asked.append(count)

    queue.group(name(0), [0.0, 0.0])
    queue.group(name(1), [1.0, 0.0])
    queue.group(name(2), [1.0, 1.0])
    with caplog.at_level(logging.WARNING):
        batch, metrics = buffer(refill, max_refills=rounds).sample(7, "train", 3)
    assert asked == [3] * rounds
    assert uids(batch) == [name(1), name(0), name(2)]
    assert [tag["constant"] for tag in batch.tags] == [False, False, True, True, True, True]
    assert metrics["clinic/constant_groups_trained"] == 2.0
    assert metrics["clinic/kl_alone"] == 0.0
    assert f"step 7: 2 of 3 groups are constant after {rounds} refills" in caplog.text
    assert list(queue.tags["train"]) == sorted(batch.keys)


def test_a_step_without_contrast_says_so(queue: Queue, caplog: pytest.LogCaptureFixture) -> None:
    queue.group(name(0), [0.0, 0.0])
    queue.group(name(1), [1.0, 1.0])
    with caplog.at_level(logging.WARNING):
        batch, metrics = buffer(max_refills=0).sample(1, "train", 2)
    assert all(tag["constant"] for tag in batch.tags)
    assert (metrics["clinic/kl_alone"], metrics["clinic/mixed_groups"]) == (1.0, 0.0)
    assert "2 of 2 groups are constant" in caplog.text


# --- failures ---


def test_a_group_with_a_failed_member_is_dropped_whole(queue: Queue) -> None:
    queue.group(name(0), [1.0, FAULT, 0.0])
    queue.group(name(1), [1.0, 0.0, 0.0])
    queue.group(name(2), [FAULT, FAULT, FAULT])
    queue.group(name(3), [0.0, 0.0, 0.0])
    batch, metrics = buffer(max_refills=0).sample(1, "train", 4)
    assert uids(batch) == [name(1), name(3)]
    assert [tag["constant"] for tag in batch.tags] == [False] * 3 + [True] * 3
    assert (metrics["clinic/faults"], metrics["clinic/dropped_groups"]) == (4.0, 2.0)
    assert sorted(queue.tags["train"]) == sorted(batch.keys)


@pytest.mark.parametrize("metric", ["success", None])
def test_a_dropped_group_is_replaced(queue: Queue, metric: str | None) -> None:
    """Also where nothing is filtered: a step has as many groups as it is to have."""
    asked: list[int] = []

    def refill(count: int) -> None:
        for number in range(count):
            queue.group(name(10 + number), [1.0, 0.0])
        asked.append(count)

    for number in range(4):
        queue.group(name(number), [1.0, 0.0] if number else [1.0, FAULT])
    batch, metrics = buffer(refill, metric=metric).sample(1, "train", 4)
    assert uids(batch) == [name(1), name(2), name(3), name(10)]
    assert asked == [1 if metric is None else 2]
    assert (metrics["clinic/dropped_groups"], metrics["clinic/refills"]) == (1.0, 1.0)


@pytest.mark.parametrize("metric", ["success", None])
def test_an_environment_that_fails_every_group_stops_the_run(
    queue: Queue, metric: str | None
) -> None:
    queue.group(name(0), [FAULT, 1.0])
    with pytest.raises(replay.RolloutStalledError, match="step 4: every group has a member that"):
        buffer(metric=metric, max_refills=0).sample(4, "train", 1)


def test_a_prompt_that_failed_is_dropped_with_its_finished_samples(queue: Queue) -> None:
    queue.group(name(0), [1.0, 0.0], status="failure")
    queue.prompt(name(1), "failure")
    queue.group(name(2), [1.0, 0.0, 1.0])
    batch, metrics = buffer(max_refills=0).sample(1, "train", 3)
    assert uids(batch) == [name(2)]
    assert metrics["clinic/failed_prompts"] == metrics["clinic/dropped_groups"] == 2.0
    assert metrics["clinic/failed_fraction"] == pytest.approx(2 / 3)
    assert sorted(queue.tags["train"]) == sorted(batch.keys)


@pytest.mark.parametrize("partition", ["train", "val"])
def test_a_run_without_any_rollout_stops(queue: Queue, partition: str) -> None:
    queue.prompt("a", "failure", partition)
    queue.prompt("b", "failure", partition)
    says = "step 3: every group .* 2 prompts that did not come back .a dead rollout"
    with pytest.raises(replay.RolloutStalledError, match=says):
        buffer(max_refills=0).sample(3, partition, 2)


def test_failed_prompts_are_replaced_too(queue: Queue) -> None:
    queue.prompt(name(0), "failure")
    batch, _ = buffer(lambda count: queue.group(name(1), [1.0, 0.0])).sample(1, "train", 1)
    assert uids(batch) == [name(1)]


# --- all that were drawn ---


def test_every_trajectory_drawn_is_remembered_with_those_that_are_not_trained_on(
    queue: Queue,
) -> None:
    """Of 12 groups of 4 four are mixed, so that 16 of 48 trajectories are trained on."""

    def refill(count: int) -> None:
        for number in range(4, 12):
            queue.group(name(number), [1.0, 0.0, 0.0, 0.0] if number < 8 else [0.0] * 4)

    for number in range(4):
        queue.group(name(number), [1.0] * 4)
    sampler = buffer(refill)
    batch, metrics = sampler.sample(1, "train", 4)
    assert (len(batch.keys), len(sampler.drawn)) == (16, 48)
    assert list(dict.fromkeys(one.uid for one in sampler.drawn.values())) == [
        name(number) for number in range(12)
    ]
    everyone = [one.record["success"] for one in sampler.drawn.values()]
    trained = [sampler.drawn[key].record["success"] for key in batch.keys]
    assert sum(everyone) / 48 == pytest.approx(20 / 48)
    assert sum(trained) / 16 == 0.25
    assert metrics["clinic/drawn_groups"] == 12.0
    assert len(queue.read) == len(set(queue.read)) == 48  # each record is fetched once
    queue.group("v-0", [1.0], partition="val")
    sampler.sample(1, "val", 1)
    assert len(sampler.drawn) == 48  # an evaluation comes before the figures of its step
    queue.tags["train"].clear()
    queue.group(name(20), [1.0, 0.0])
    sampler.sample(2, "train", 1)
    assert [one.uid for one in sampler.drawn.values()] == [name(20)] * 2


# --- validation ---


def test_an_evaluation_is_not_filtered(queue: Queue) -> None:
    for uid, outcomes in (("b-2", [1.0, 1.0]), ("a-1", [0.0, 0.0]), ("c-3", [FAULT, FAULT])):
        queue.group(uid, outcomes, partition="val")
    queue.group(name(0), [1.0, 0.0])
    batch, metrics = buffer().sample(0, "val", 3)
    assert batch.partition_id == "val"
    assert uids(batch) == ["a-1", "b-2", "c-3"]
    assert (metrics, queue.read) == ({}, [])
    assert not any(tag["constant"] for tag in batch.tags)
    assert sorted(queue.tags["val"]) == sorted(batch.keys)
    assert list(queue.tags["train"]) == [name(0), f"{name(0)}_0_0", f"{name(0)}_1_0"]


# --- any outcome ---

OUTCOMES = st.lists(st.sampled_from([0.0, 1.0, FAULT]), min_size=1, max_size=4)


@given(
    groups=st.lists(OUTCOMES, min_size=1, max_size=6),
    fresh=st.lists(OUTCOMES, min_size=20, max_size=20),
    rounds=st.integers(0, 3),
    data=st.data(),
)
def test_sampling_always_ends_with_the_same_batch(
    monkeypatch: pytest.MonkeyPatch,
    groups: list[list[float | None]],
    fresh: list[list[float | None]],
    rounds: int,
    data: st.DataObject,
) -> None:
    size = len(groups)
    every = [*groups, *fresh]
    found = []
    for order in (list(range(size)), data.draw(st.permutations(range(size)))):
        queue, drawn = Queue(), [size]
        for function in ("kv_list", "kv_batch_get", "kv_clear"):
            monkeypatch.setattr(tq, function, getattr(queue, function))
        for number in order:
            queue.group(name(number), groups[number])

        def refill(count: int, queue: Queue = queue, drawn: list[int] = drawn) -> None:
            for number in range(drawn[0], drawn[0] + count):
                queue.group(name(number), every[number])
            drawn[0] += count

        try:
            batch, metrics = buffer(refill, max_refills=rounds).sample(1, "train", size)
        except replay.RolloutStalledError:
            found.append(None)
            continue
        taken = {uid: every[int(uid[-5:])] for uid in uids(batch)}
        mixed = [uid for uid, outcomes in taken.items() if set(outcomes) == {0.0, 1.0}]
        assert metrics["clinic/refills"] <= rounds
        assert len(taken) <= size
        assert not any(FAULT in outcomes for outcomes in taken.values())
        assert [tag["constant"] for tag in batch.tags] == [
            key.split("_")[0] not in mixed for key in batch.keys
        ]
        assert len(mixed) == min(size, metrics["clinic/mixed_groups"])
        assert sorted(queue.tags["train"]) == sorted(batch.keys)
        found.append((batch.keys, batch.tags, metrics))
    assert found[0] == found[1]
    if found[0] is None:
        assert all(FAULT in outcomes for outcomes in groups)


def test_no_figure_of_the_sampling_has_the_name_of_a_figure_of_the_step(queue: Queue) -> None:
    queue.group(name(0), [1.0, 0.0])
    _, metrics = buffer().sample(1, "train", 1)
    diagnostics = importlib.import_module("verl_recipes.trainer.diagnostics")
    keys = importlib.import_module("verl_recipes.agent_loop.environment").OWN_KEYS
    step = diagnostics.step_metrics([dict.fromkeys(keys, 0.0)], ["s0"], {})
    assert step.keys() & metrics.keys() == set()
