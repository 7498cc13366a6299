"""Which trajectories a step trains on: dynamic sampling that ends, and always ends alike."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
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


class BoundedReplayBuffer(ReplayBuffer):
    """Takes groups in the order they were drawn; refills a bounded number of times.

    A group whose members all succeed or all fail carries no contrast (TT-OPD paper, algorithm 1,
    line 8). Such groups are replaced by fresh ones, at most ``max_refills`` times; after that
    they fill the batch, tagged ``constant``, and the trainer gives them no advantage. A group
    that its environment failed to the last member is not trained on.

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
            RolloutStalledError: If nothing finishes for ``stall_s`` seconds, or nothing came back
                that can be trained on.
            ConfigError: If records have no such figure as ``metric``.
        """
        training = partition_id != "val"
        filtered = training and self.metric is not None
        refills = drawn = 0
        while True:
            self._wait_until_all_are_over(partition_id)
            groups = self._groups(partition_id)
            outcomes = self._outcomes(partition_id, groups) if training else {}
            mixed = [uid for uid, found in outcomes.items() if len(set(found)) > 1]
            missing = batch_size - len(mixed) if filtered else 0
            if missing <= 0 or refills == self.max_refills:
                break
            refills += 1
            drawn += min(2 * missing, batch_size)
            self.refill_fn(min(2 * missing, batch_size))
        # In the order of drawing; groups that the environment failed to the last member are gone.
        whole = list(outcomes if training else groups)
        taken = (mixed if filtered else whole)[:batch_size]
        rest = [uid for uid in whole if uid not in taken] if filtered else []
        filling = rest[: batch_size - len(taken)]
        failed = len(self.failure_keys[partition_id])
        faults = sum(map(len, groups.values())) - sum(map(len, outcomes.values()))
        if not taken and not filling:
            why = f"none of the {failed} prompts came back (a dead rollout server, most often)"
            if groups:
                why = f"the environment failed all {faults} trajectories"
            raise RolloutStalledError(f"step {global_steps}: {why}; the log has the exceptions")
        keys = [key for uid in [*taken, *filling] for key in groups[uid]]
        constant = {key for uid in filling for key in groups[uid]}
        tags = [{**self.partitions[partition_id][key], "constant": key in constant} for key in keys]
        prompts = self.finished_keys[partition_id] | self.failure_keys[partition_id]
        chosen = set(keys)
        left = [key for uid in groups for key in groups[uid] if key not in chosen]
        tq.kv_clear(partition_id=partition_id, keys=[*sorted(prompts), *left])
        if filling:
            logger.warning(
                "step %d: %d of %d groups are constant after %d refills; %s on the KL alone",
                global_steps,
                len(filling),
                batch_size,
                refills,
                "they train" if taken else "the whole step trains",
            )
        metrics = {}
        if training:
            metrics = {
                f"{PREFIX}/drawn_groups": float(len(groups)),
                f"{PREFIX}/constant_groups_trained": float(len(filling)),
                f"{PREFIX}/refills": float(refills),
                f"{PREFIX}/refilled_prompts": float(drawn),
                f"{PREFIX}/failed_prompts": float(failed),
                f"{PREFIX}/faults": float(faults),
                f"{PREFIX}/kl_alone": float(filtered and not taken),
            }
        if filtered:
            metrics[f"{PREFIX}/mixed_groups"] = float(len(mixed))
        return KVBatchMeta(partition_id=partition_id, keys=keys, tags=tags), metrics

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

    def _outcomes(
        self, partition_id: str, groups: Mapping[str, Sequence[str]]
    ) -> dict[str, list[float]]:
        """Return uid -> the metric of its trajectories that the environment did not fail."""
        keys = [key for uid in groups for key in groups[uid]]
        if not keys:
            return {}
        fields = tq.kv_batch_get(
            keys=keys, partition_id=partition_id, select_fields=["extra_fields"]
        )
        name = "score" if self.metric == "reward" else self.metric or "success"
        outcomes: dict[str, list[float]] = {}
        for key, field in zip(keys, fields["extra_fields"], strict=True):
            record = getattr(field, "data", field)["reward_extra_info"]
            if name not in record:
                raise ConfigError(
                    f"algorithm.filter_groups.metric: trajectories have no {name!r}; "
                    f"{suggest(name, record)}"
                )
            if not record["fault"]:
                outcomes.setdefault(_parts(key)[0], []).append(float(record[name]))
        return outcomes


def _parts(key: str) -> tuple[str, int, int, str]:
    """Return prompt, sample and number of a trajectory, and its key: verl joins them by ``_``."""
    uid, session, index = key.rsplit("_", 2)
    return uid, int(session), int(index), key
