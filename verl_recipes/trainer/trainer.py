"""GRPO: verl's synchronous trainer with dynamic sampling that ends, and our figures."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from pathlib import Path
from typing import Any

import orjson
import ray
import torch
import transfer_queue as tq
from omegaconf import DictConfig, open_dict
from tensordict import TensorDict
from tensordict.tensorclass import NonTensorStack
from transfer_queue import KVBatchMeta
from verl.trainer.ppo.v1.trainer_base import register_trainer
from verl.utils import tensordict_utils as tu
from verl.utils.checkpoint.checkpoint_manager import find_latest_ckpt_path

from gym_clinic import ConfigError
from gym_clinic.files import replace_file
from verl_recipes.config.settle import METRICS, settle
from verl_recipes.run.lock import only_writer
from verl_recipes.schedule.trainer import StagedTrainer
from verl_recipes.trainer import checkpoints, diagnostics
from verl_recipes.trainer.advantage import GROUPED, carrying, policy_scale
from verl_recipes.trainer.alarms import Alarms, probability_gap
from verl_recipes.trainer.population import (
    PopulationReward,
    PopulationRow,
    make_population,
    rescored,
)
from verl_recipes.trainer.replay import Drawn, RolloutStalledError
from verl_recipes.trainer.worker import ClinicWorker

logger = logging.getLogger(__name__)

NAME = "clinic"

PATIENCE_S = 60.0
"""Seconds that a trainer waits for another one which still holds its checkpoints."""


@register_trainer(NAME)
class ClinicTrainer(StagedTrainer):
    """GRPO over trajectories of an environment; the trainers of other algorithms extend it.

    It differs from verl's trainer in this: prompts are numbered, not named at random; groups are
    taken by our replay buffer, which drops a group of which a member failed; groups of
    one outcome get no advantage, and the policy loss is a mean over the others; figures are of
    all trajectories that were drawn and, under ``clinic/trained/``, of those trained on; alarms
    are raised and saved; the last two checkpoints and the best are kept.

    Attributes:
        worker_class: Of actor and rollout.
        population: The reward that depends on what other trajectories did; None without one.
        best: Step of the best checkpoint and its success at evaluation; None before there is one.
    """

    worker_class: type[ClinicWorker] = ClinicWorker
    population: PopulationReward | None = None

    def __init__(self, config: DictConfig) -> None:
        clinic = settle(config)
        logs = config.ray_kwargs.ray_init.runtime_env.env_vars[METRICS]
        os.environ.setdefault(METRICS, logs)
        self.population = make_population(clinic.population)
        self.alarms = Alarms(probability_gap(config.actor_rollout_ref.rollout))
        self.best: tuple[int, float] | None = None
        self._drawn = 0
        with open_dict(config):
            # verl takes every other name for an asynchronous trainer.
            config.trainer.v1.trainer_mode = "sync"
        super().__init__(config)
        # Ray may end the trainer of a killed run some seconds after its launcher.
        self._writer = only_writer(self._checkpoints, PATIENCE_S)
        self._writer.__enter__()

    # --- sampling ---

    def _build_replay_buffer(self) -> Any:
        buffer = super()._build_replay_buffer()
        if self.population is not None:
            buffer.rescore = self._rescore
        return buffer

    def _rescore(self, drawn: Sequence[Drawn]) -> list[float]:
        """Return the scores that the population reward gives to trajectories."""
        assert self.population is not None
        return rescored(
            self.population,
            [
                PopulationRow(
                    one.uid, one.environment, one.actions, one.record, self.weights[one.environment]
                )
                for one in drawn
            ],
        )

    def _changes(self, batch: KVBatchMeta) -> list[float]:
        """Return what the population reward added to the score of each row."""
        if self.population is None:
            return [0.0] * len(batch.keys)
        drawn = self.replay_buffer.drawn
        return [
            0.0 if tag.get("is_padding") else drawn[key].change
            for key, tag in zip(batch.keys, batch.tags, strict=True)
        ]

    def on_step_begin(self) -> None:
        """Number the step's prompts from 0; a stage that begins has alarms of its own."""
        before = self.schedule.number
        super().on_step_begin()
        if before and self.schedule.number != before:
            self.alarms.begin_stage()
        self._drawn = 0

    def _fetch_one_gen_batch(self) -> TensorDict:
        batch = super()._fetch_one_gen_batch()
        numbers = range(self._drawn, self._drawn + len(batch))
        self._drawn += len(batch)
        # Ordered by name they are in the order of drawing; verl's own names are random.
        batch["uid"] = NonTensorStack(*(f"s{self.global_steps:06d}n{n:05d}" for n in numbers))
        batch["draw"] = NonTensorStack(*numbers)
        return batch

    # --- learning ---

    def _init_resource_pool_mgr(self) -> None:
        super()._init_resource_pool_mgr()
        for role in self.role_worker_mapping:
            if str(role).startswith("actor"):
                self.role_worker_mapping[role] = ray.remote(self.worker_class)

    def _compute_advantage(self, batch: KVBatchMeta, metrics: dict[str, Any]) -> KVBatchMeta:
        if self.population is not None:
            changes = self._changes(batch)
            scores = [row.clone() for row in self._get(batch, "rm_scores")]
            for row, change in zip(scores, changes, strict=True):
                row[-1] += change  # where verl keeps the score of a trajectory
            self._put(batch, rm_scores=scores)
        batch = super()._compute_advantage(batch, metrics)
        factors = [self.clinic.advantage_scale] * len(batch)
        if self.config.algorithm.adv_estimator == GROUPED:
            carries = carrying(batch.tags, self._get(batch, "uid"))
            tokens = [int(mask.sum()) for mask in self._get(batch, "response_mask")]
            mode = self.config.actor_rollout_ref.actor.loss_agg_mode
            metrics["clinic/policy_scale"] = scale = policy_scale(tokens, carries, mode)
            factors = [
                scale * factor * carried for factor, carried in zip(factors, carries, strict=True)
            ]
        if set(factors) != {1.0}:
            rows = zip(self._get(batch, "advantages"), factors, strict=True)
            self._put(batch, advantages=[row * factor for row, factor in rows])
        return batch

    def _update_actor(self, batch: KVBatchMeta, metrics: dict[str, Any]) -> KVBatchMeta:
        if self._nothing_to_learn(batch):
            logger.warning("step %d: no group has both outcomes, no update", self.global_steps)
            metrics["clinic/skipped_update"] = 1.0
            return batch
        metrics["clinic/skipped_update"] = 0.0
        return super()._update_actor(batch, metrics)

    def _nothing_to_learn(self, batch: KVBatchMeta) -> bool:
        """Return whether a batch would only decay the weights: no row has an advantage."""
        return all(tag.get("constant") for tag in batch.tags)

    def on_init_end(self) -> None:
        """Give the rollout servers the weights."""
        self._within("weights to the rollout servers", super().on_init_end)

    def on_sample_end(self) -> None:
        """Put the rollout servers to sleep."""
        self._within("sleep of the rollout servers", super().on_sample_end)

    def on_step_end(self) -> None:
        """Give the rollout servers the new weights."""
        self._within("weights to the rollout servers", super().on_step_end)

    def _within(self, what: str, work: Any) -> None:
        """Do what waits for the rollout servers; verl would wait for a dead one for ever."""
        pool = ThreadPoolExecutor(1)
        try:
            pool.submit(work).result(timeout=self.clinic.stall_s)
        except FutureTimeoutError:
            said = f"{what}: no answer in {self.clinic.stall_s:g} s; a rollout server is dead"
            raise RolloutStalledError(said) from None
        finally:
            pool.shutdown(wait=False)

    # --- figures ---

    def _compute_metrics(
        self,
        batch: KVBatchMeta,
        metrics: dict[str, Any],
        timing_raw: dict[str, float],
        global_steps: int,
        epoch: int,
    ) -> None:
        super()._compute_metrics(batch, metrics, timing_raw, global_steps, epoch)
        drawn = self.replay_buffer.drawn
        keys = zip(batch.keys, batch.tags, strict=True)
        trained = [drawn[key] for key, tag in keys if not tag.get("is_padding")]
        metrics |= self._figures(trained, under="clinic/trained/")
        metrics |= self._figures(list(drawn.values()))
        compared = metrics["clinic/drawn_groups"] - metrics["clinic/dropped_groups"]
        if "clinic/mixed_groups" in metrics:
            metrics["clinic/mixed_fraction"] = metrics["clinic/mixed_groups"] / compared
        if self.population is not None and drawn:
            changes = [row.change for row in drawn.values()]
            metrics["clinic/population/change"] = sum(changes) / len(changes)
        self.observe_stage(metrics)
        self._check(metrics)
        if self._folder.is_dir():  # it was written before these figures were known
            self._save_state()

    def _figures(self, drawn: Sequence[Drawn], *, under: str = "clinic/") -> dict[str, float]:
        """Return the figures of trajectories, under a name of their own."""
        found = diagnostics.step_metrics(
            [one.record for one in drawn],
            [one.uid for one in drawn],
            self.weights,
            [one.environment for one in drawn],
        )
        return {under + key.removeprefix("clinic/"): value for key, value in found.items()}

    def _validate(self) -> dict[str, float]:
        metrics: dict[str, float] = super()._validate()
        metrics["val/turns"] = float(metrics["val-aux/num_turns/mean"])
        success = checkpoints.validation_success(metrics)
        if success is not None:
            metrics["val/success"] = success
            if self._folder.is_dir() and (self.best is None or success >= self.best[1]):
                self.best = self.global_steps, success
        if not self.global_steps:  # later ones are checked with the figures of their step
            self._check(metrics)
        return metrics

    def _check(self, metrics: Mapping[str, float]) -> None:
        for alarm in self.alarms.check(self.global_steps, metrics):
            print(f"ALARM {alarm}", flush=True)

    def _get(self, batch: KVBatchMeta, field: str) -> list[Any]:
        found = tq.kv_batch_get(
            keys=batch.keys, partition_id=batch.partition_id, select_fields=[field]
        )[field]
        rows = found.unbind() if isinstance(found, torch.Tensor) else found
        return [getattr(row, "data", row) for row in rows]

    def _put(self, batch: KVBatchMeta, **columns: list[torch.Tensor]) -> KVBatchMeta:
        """Store columns, a tensor a row; the batch returned names them for verl's workers."""
        made = {
            name: torch.nested.as_nested_tensor(rows, layout=torch.jagged)
            for name, rows in columns.items()
        }
        fields = tu.get_tensordict(made)
        return tq.kv_batch_put(keys=batch.keys, partition_id=batch.partition_id, fields=fields)

    # --- checkpoints ---

    def state_dict(self) -> dict[str, Any]:
        """Return what a checkpoint keeps of the trainer, as plain JSON."""
        alarms, schedule = self.alarms.state_dict(), self.schedule.state_dict()
        found = {"alarms": alarms, "schedule": schedule, "best": self.best}
        if self.population is not None:
            found["population"] = dict(self.population.state_dict())
        return found

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore what :meth:`state_dict` returned."""
        self.alarms.load_state_dict(state["alarms"])
        self.schedule.load_state_dict(state["schedule"])
        self.best = state["best"] and tuple(state["best"])
        if self.population is None:
            return
        if "population" not in state:
            raise ConfigError(
                "the checkpoint has no state of clinic.population.reward: the run began without it"
            )
        self.population.load_state_dict(state["population"])

    def save_parts(self, folder: Path) -> None:
        """Save into the folder of a checkpoint what verl does not save."""
        if self.config.actor_rollout_ref.model.lora_rank:
            self.actor_rollout_wg.save_adapter(str(folder / "adapter"))
        if self.schedule.stage is not None and self.schedule.stage.reference == "stage_start":
            self.actor_rollout_wg.save_shards(str(folder / "reference"), "reference")

    def load_parts(self, folder: Path) -> None:
        """Restore what :meth:`save_parts` saved."""
        if (folder / "reference").is_dir():
            self.actor_rollout_wg.load_shards(str(folder / "reference"), "reference")

    def _save_checkpoint(self) -> None:
        self.save_parts(self._folder)
        self._save_state()
        # verl marks the checkpoint as the latest one at the very end: our parts are there by then.
        super()._save_checkpoint()

    def _save_state(self) -> None:
        replace_file(self._folder / checkpoints.STATE, [orjson.dumps(self.state_dict())])

    @property
    def _folder(self) -> Path:
        return checkpoints.folder_of(self._checkpoints, self.global_steps)

    @property
    def _checkpoints(self) -> Path:
        return Path(self.config.trainer.default_local_dir).absolute()

    def _load_checkpoint(self) -> None:
        folder = self._resumed()
        if folder is not None:  # before the data position, which is one in the rows of its stage
            self.load_state_dict(orjson.loads((folder / checkpoints.STATE).read_bytes()))
            self.resume_stage()
        super()._load_checkpoint()
        if folder is not None:
            self.load_parts(folder)

    def _resumed(self) -> Path | None:
        """Return the folder of the checkpoint that the run goes on from, as verl finds it."""
        trainer = self.config.trainer
        if trainer.resume_mode == "resume_path":
            return Path(trainer.resume_from_path).absolute()
        found = trainer.resume_mode == "auto" and find_latest_ckpt_path(str(self._checkpoints))
        return Path(found) if found else None
