"""Which trajectories a step trains on: dynamic sampling that ends, and always ends alike."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import transfer_queue as tq
from transfer_queue import KVBatchMeta
from verl.trainer.ppo.v1.replay_buffer import ReplayBuffer

logger = logging.getLogger(__name__)

PREFIX = "clinic"


class RolloutStalledError(RuntimeError):
    """No rollout finished for too long, or none came back at all."""


class BoundedReplayBuffer(ReplayBuffer):
    """Takes groups in the order they were drawn; refills a bounded number of times.

    A group whose members all succeed or all fail carries no contrast (TT-OPD paper, algorithm 1,
    line 8). Such groups are replaced by fresh ones, at most ``max_refills`` times; after that
    they fill the batch, tagged ``constant``, and the trainer gives them no advantage.

    verl's own buffer refills for ever, and what it takes depends on timing.

    Args:
        refill: Submits so many fresh prompts.
        metric: The record's figure that must vary; None takes every group.
        max_refills: Rounds after the first.
        stall_s: Seconds without progress before it gives up.
        poll_s: Seconds between two looks.
    """

    def __init__(
        self,
        refill: Callable[[int], Any],
        *,
        metric: str | None,
        max_refills: int,
        stall_s: float,
        poll_s: float = 0.2,
    ) -> None:
        super().__init__(
            trainer_mode="sync",
            trainer_config={},
            max_off_policy_threshold=None,
            max_off_policy_strategy="drop",
            sampler_kwargs={},
            poll_interval=poll_s,
            refill_fn=refill,
        )
        self.metric = metric
        self.max_refills = max_refills
        self.stall_s = stall_s

    def sample(
        self, global_steps: int, partition_id: str, batch_size: int
    ) -> tuple[KVBatchMeta, dict[str, float]]:
        """Wait for the rollouts and take a batch.

        Args:
            global_steps: The step.
            partition_id: ``train`` or ``val``.
            batch_size: Groups to take.

        Returns:
            The batch, in the order of drawing, and figures of the sampling.

        Raises:
            RolloutStalledError: If nothing finishes for ``stall_s`` seconds, or every rollout
                failed.
        """
        refills = drawn = 0
        while True:
            self._wait_until_all_are_over(partition_id)
            groups = self._groups(partition_id)
            mixed = self._mixed(partition_id, groups)
            filtered = self.metric is not None and partition_id != "val"
            missing = batch_size - len(mixed) if filtered else 0
            if missing <= 0 or refills == self.max_refills:
                break
            refills += 1
            drawn += min(2 * missing, batch_size)
            self.refill_fn(min(2 * missing, batch_size))
        taken = mixed[:batch_size] if filtered else sorted(groups)[:batch_size]
        constant = [uid for uid in sorted(groups) if uid not in set(mixed)] if filtered else []
        filling = constant[: batch_size - len(taken)]
        failed = len(self.failure_keys[partition_id])
        keys = [key for uid in [*taken, *filling] for key in groups[uid]]
        if not keys:
            raise RolloutStalledError(
                f"step {global_steps}: none of the {failed} prompts came back; the log has the "
                f"exception of each (a dead rollout server, most often)"
            )
        tags = [
            {**self.partitions[partition_id][key], "constant": uid in set(filling)}
            for uid in [*taken, *filling]
            for key in groups[uid]
        ]
        prompts = self.finished_keys[partition_id] | self.failure_keys[partition_id]
        chosen = set(keys)
        left = [k for uid in groups for k in groups[uid] if k not in chosen]
        tq.kv_clear(partition_id=partition_id, keys=[*sorted(prompts), *left])
        metrics = {}
        if partition_id != "val":
            metrics = {
                f"{PREFIX}/groups": float(len(groups)),
                f"{PREFIX}/constant_groups_trained": float(len(filling)),
                f"{PREFIX}/refills": float(refills),
                f"{PREFIX}/refilled_prompts": float(drawn),
                f"{PREFIX}/failed_prompts": float(failed),
                f"{PREFIX}/kl_alone": float(filtered and not taken),
            }
            if filtered:
                metrics[f"{PREFIX}/mixed_groups"] = float(len(mixed))
            if filling:
                logger.warning(
                    "step %d: %d of %d groups are constant after %d refills; %s on the KL alone",
                    global_steps,
                    len(filling),
                    batch_size,
                    refills,
                    "they train" if taken else "the whole step trains",
                )
        return KVBatchMeta(partition_id=partition_id, keys=keys, tags=tags), metrics

    def _wait_until_all_are_over(self, partition_id: str) -> None:
        seen, since = -1, time.monotonic()
        while True:
            self._sync_metadata_from_transfer_queue()
            waiting = self.pending_keys[partition_id] | self.running_keys[partition_id]
            if not waiting:
                return
            over = len(self.partitions[partition_id])
            if over != seen:
                seen, since = over, time.monotonic()
            elif time.monotonic() - since > self.stall_s:
                raise RolloutStalledError(
                    f"no rollout finished in {self.stall_s:g} s, {len(waiting)} prompts wait; the "
                    f"rollout server is dead or far too slow (clinic.stall_s)"
                )
            time.sleep(self.poll_interval)

    def _groups(self, partition_id: str) -> dict[str, list[str]]:
        """Return uid -> keys of its trajectories, in order."""
        groups: dict[str, list[str]] = {}
        for key in sorted(self.partitions[partition_id], key=_order):
            groups.setdefault(key.split("_")[0], []).append(key)
        return groups

    def _mixed(self, partition_id: str, groups: Mapping[str, Sequence[str]]) -> list[str]:
        if self.metric is None or partition_id == "val" or not groups:
            return sorted(groups)
        keys = [key for uid in groups for key in groups[uid]]
        fields = tq.kv_batch_get(
            keys=keys, partition_id=partition_id, select_fields=["extra_fields"]
        )
        outcomes: dict[str, set[float]] = {}
        for key, field in zip(keys, fields["extra_fields"], strict=True):
            record = getattr(field, "data", field)["reward_extra_info"]
            if not record["fault"]:
                outcomes.setdefault(key.split("_")[0], set()).add(float(record[self.metric]))
        return sorted(uid for uid, found in outcomes.items() if len(found) > 1)


def _order(key: str) -> tuple[str, int, int]:
    uid, session, index = key.rsplit("_", 2)
    return uid, int(session), int(index)
