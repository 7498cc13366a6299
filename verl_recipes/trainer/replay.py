"""Which trajectories a step trains on: dynamic sampling that ends, and always ends alike."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import transfer_queue as tq
from transfer_queue import KVBatchMeta
from verl.trainer.ppo.v1.replay_buffer import ReplayBuffer

from gym_clinic import ConfigError
from gym_clinic.names import suggest

logger = logging.getLogger(__name__)

PREFIX = "clinic"


class RolloutStalledError(RuntimeError):
    """No rollout finished for too long, or none came back at all."""


@dataclass(frozen=True)
class Drawn:
    """A trajectory drawn for a step.

    Attributes:
        uid: Its group.
        record: Its figures.
        environment: Where it was played.
        actions: Names of the calls it made, in order.
        change: What a population reward added to its score.
    """

    uid: str
    record: Mapping[str, float]
    environment: str
    actions: tuple[str, ...] = ()
    change: float = 0.0


class BoundedReplayBuffer(ReplayBuffer):
    """Takes groups in the order they were drawn; refills a bounded number of times.

    A group whose members all succeed or all fail carries no contrast (TT-OPD paper, algorithm 1,
    line 8). Such groups are replaced by fresh ones, at most ``max_refills`` times; after that
    they fill the batch, tagged ``constant``, and the trainer gives them no advantage.

    A group with a member that its environment failed, or that never came back, is dropped whole
    and replaced as well: what fails is seldom independent of the outcome, so a group without
    those members would have a biased mean.

    verl's own buffer refills for ever, and what it takes depends on timing. verl makes this one
    where ``trainer.v1.sampler.custom_sampler`` names it.

    Args:
        refill_fn: Submits so many fresh prompts.
        sampler_kwargs: ``filter_groups``: whether to filter (``enable``), and the record's figure
            that must vary (``metric``); ``max_refills``: rounds after the first; ``stall_s``:
            seconds without progress before it gives up.
        poll_interval: Seconds between two looks.
        given: What else verl gives its own buffer.

    Attributes:
        metric: The figure that must vary; None takes every group.
        rescore: Returns the scores that trajectories of a training step get instead of their own,
            in the order of drawing; asked once for each round. None keeps their own.
        drawn: Every trajectory of the last training step, by its key, in the order of drawing.
    """

    def __init__(
        self,
        *,
        refill_fn: Callable[[int], Any],
        sampler_kwargs: Mapping[str, Any],
        poll_interval: float = 0.2,
        **given: Any,
    ) -> None:
        super().__init__(
            refill_fn=refill_fn, sampler_kwargs=sampler_kwargs, poll_interval=poll_interval, **given
        )
        filtered = sampler_kwargs["filter_groups"]
        self.metric = str(filtered["metric"]) if filtered["enable"] else None
        self.max_refills = int(sampler_kwargs["max_refills"])
        self.stall_s = float(sampler_kwargs["stall_s"])
        self.rescore: Callable[[Sequence[Drawn]], Sequence[float]] | None = None
        self.drawn: dict[str, Drawn] = {}

    def sample(
        self, global_steps: int, partition_id: str, batch_size: int
    ) -> tuple[KVBatchMeta, dict[str, float]]:
        """Wait for the rollouts; return a batch in the order of drawing, and figures of it.

        Raises:
            RolloutStalledError: If nothing finishes for ``stall_s`` seconds, or nothing came back
                that can be trained on.
            ConfigError: If records have no such figure as ``metric``.
        """
        if partition_id == "val":  # whatever came back
            self._wait_until_all_are_over("val")
            groups = self._groups("val")
            if not groups:
                raise RolloutStalledError(_nothing(global_steps, len(self.failure_keys["val"]), 0))
            return self._take("val", groups, list(groups)[:batch_size], []), {}
        self.drawn = {}
        refills = refilled = 0
        while True:
            self._wait_until_all_are_over(partition_id)
            groups = self._groups(partition_id)
            self._read(partition_id, groups)
            failed = self.failure_keys[partition_id]
            whole = [u for u in groups if u not in failed and not self._faults(groups[u])]
            mixed = [u for u in whole if len(set(self._figures(groups[u]))) > 1]
            wanted = whole if self.metric is None else mixed
            missing = batch_size - len(wanted)
            if missing <= 0 or refills == self.max_refills:
                break
            # Of mixed groups twice as many are asked for, since some will be constant.
            count = missing if self.metric is None else min(2 * missing, batch_size)
            refills, refilled = refills + 1, refilled + count
            self.refill_fn(count)
        taken = wanted[:batch_size]
        filling = [u for u in whole if u not in taken][: batch_size - len(taken)]
        prompts = self.finished_keys[partition_id] | failed
        faults = sum(self._faults(keys) for keys in groups.values())
        if not whole:
            raise RolloutStalledError(_nothing(global_steps, len(failed), faults))
        batch = self._take(partition_id, groups, taken, filling)
        if filling:
            counts = global_steps, len(filling), batch_size, refills
            logger.warning("step %d: %d of %d groups are constant after %d refills", *counts)
        metrics = {
            "drawn_groups": len(prompts),
            "dropped_groups": len(prompts) - len(whole),
            "constant_groups_trained": len(filling),
            "refills": refills,
            "refilled_prompts": refilled,
            "failed_prompts": len(failed),
            "failed_fraction": len(failed) / len(prompts),
            "faults": faults,
            "kl_alone": not taken,
        }
        if self.metric is not None:
            metrics["mixed_groups"] = len(mixed)
        return batch, {f"{PREFIX}/{name}": float(value) for name, value in metrics.items()}

    def _take(
        self,
        partition_id: str,
        groups: Mapping[str, Sequence[str]],
        taken: Sequence[str],
        filling: Sequence[str],
    ) -> KVBatchMeta:
        """Return the batch of some groups; remove all others, and the prompts of all."""
        known = self.partitions[partition_id]
        chosen = {
            key: {**known[key], "constant": uid in filling}
            for uid in [*taken, *filling]
            for key in groups[uid]
        }
        prompts = self.finished_keys[partition_id] | self.failure_keys[partition_id]
        left = [key for uid in groups for key in groups[uid] if key not in chosen]
        tq.kv_clear(partition_id=partition_id, keys=[*sorted(prompts), *left])
        keys, tags = list(chosen), list(chosen.values())
        return KVBatchMeta(partition_id=partition_id, keys=keys, tags=tags)

    def _wait_until_all_are_over(self, partition_id: str) -> None:
        seen, since = (-1, -1), time.monotonic()
        while True:
            self._sync_metadata_from_transfer_queue()
            waiting = self.pending_keys[partition_id] | self.running_keys[partition_id]
            if not waiting:
                return
            progress = (len(self.partitions[partition_id]), len(waiting))
            if progress != seen:
                seen, since = progress, time.monotonic()
            elif time.monotonic() - since > self.stall_s:
                raise RolloutStalledError(
                    f"no rollout finished in {self.stall_s:g} s, {len(waiting)} prompts wait; the "
                    f"rollout server is dead or far too slow (clinic.stall_s)"
                )
            time.sleep(self.poll_interval)

    def _groups(self, partition_id: str) -> dict[str, list[str]]:
        """Return uid -> keys of its trajectories, all in order."""
        groups: dict[str, list[str]] = {}
        for uid, _, _, key in sorted(map(_parts, self.partitions[partition_id])):
            groups.setdefault(uid, []).append(key)
        return groups

    def _read(self, partition_id: str, groups: Mapping[str, Sequence[str]]) -> None:
        """Read the records of trajectories that were not read before."""
        keys = [key for uid in groups for key in groups[uid] if key not in self.drawn]
        if keys:
            fields = tq.kv_batch_get(
                keys=keys, partition_id=partition_id, select_fields=["extra_fields"]
            )["extra_fields"]
            for key, field in zip(keys, fields, strict=True):
                found = getattr(field, "data", field)
                played = (found["reward_extra_info"], found["environment"])
                actions = tuple(found.get("actions", ()))
                self.drawn[key] = Drawn(_parts(key)[0], *played, actions)
            if self.rescore is not None:
                # Which failed is no trajectory of the population.
                self._rescore([key for key in keys if not self.drawn[key].record["fault"]])
        self.drawn = {key: self.drawn[key] for uid in groups for key in groups[uid]}

    def _rescore(self, keys: Sequence[str]) -> None:
        assert self.rescore is not None
        scores = self.rescore([self.drawn[key] for key in keys])
        for key, score in zip(keys, scores, strict=True):
            drawn = self.drawn[key]
            change, record = score - drawn.record["score"], {**drawn.record, "score": score}
            self.drawn[key] = replace(drawn, record=record, change=change)

    def _faults(self, keys: Iterable[str]) -> int:
        return sum(bool(self.drawn[key].record["fault"]) for key in keys)

    def _figures(self, keys: Iterable[str]) -> list[float]:
        """Return what must vary in a group."""
        name = "score" if self.metric == "reward" else self.metric or "correct"
        records = [self.drawn[key].record for key in keys]
        for record in records:
            if name not in record:
                raise ConfigError(
                    f"algorithm.filter_groups.metric: trajectories have no {name!r}; "
                    f"{suggest(name, record)}"
                )
        return [float(record[name]) for record in records]


def _nothing(step: int, failed: int, faults: int) -> str:
    """Return why there is nothing to train on."""
    return (
        f"step {step}: every group has a member that failed: {faults} trajectories failed by the "
        f"environment, {failed} prompts that did not come back (a dead rollout server, most "
        "often); the log has the exceptions"
    )


def _parts(key: str) -> tuple[str, int, int, str]:
    """Return prompt, sample and number of a trajectory, and its key: verl joins them by ``_``."""
    uid, session, index = key.rsplit("_", 2)
    return uid, int(session), int(index), key
