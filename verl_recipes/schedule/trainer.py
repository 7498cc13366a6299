"""verl's synchronous trainer in stages; without ``clinic.stages`` it is verl's own."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import orjson
from omegaconf import DictConfig, OmegaConf, open_dict
from tensordict import TensorDict
from tensordict.tensorclass import NonTensorStack
from torchdata.stateful_dataloader import StatefulDataLoader
from verl.trainer.ppo.utils import create_rl_dataset, create_rl_sampler
from verl.trainer.ppo.v1.trainer_sync import PPOTrainerSync
from verl.utils.dataset.rl_dataset import collate_fn

from gym_clinic import ConfigError
from verl_recipes import settings
from verl_recipes.agent_loop.environment import open_all
from verl_recipes.schedule.stages import Schedule


class StagedTrainer(PPOTrainerSync):
    """A trainer whose environments, reward weights, KL and reference change with the stage.

    Evaluations are the same in all stages: of the run's own environments and weights.

    Attributes:
        clinic: Our settings.
        schedule: The stage, and when the next one begins.
        weights: Of the reward parts in this stage, by environment.
    """

    train_dataset: Any

    def __init__(self, config: DictConfig) -> None:
        self.clinic = settings.from_config(config)
        self.schedule = Schedule(self.clinic.stages)
        if self.clinic.stages:
            with open_dict(config):
                config.trainer.total_training_steps = self.schedule.last_step
        super().__init__(config)
        self.weights = reward_weights(config.data)

    def _init_dataloader(self) -> None:
        super()._init_dataloader()
        # All of them now: a prompt that is too long is to stop the run before it begins.
        made = {self._rows_key(0): self.train_dataset}
        for number in range(1, len(self.clinic.stages) + 1):
            if (key := self._rows_key(number)) not in made:
                made[key] = self._rows(number)
        self._datasets = made

    def on_step_begin(self) -> None:
        """Enter the stage that begins with this step, if one does."""
        super().on_step_begin()
        if self.schedule.begin(self.global_steps):
            self._enter(first=True)

    def resume_stage(self) -> None:
        """Enter the stage that a checkpoint is of."""
        if self.schedule.number:
            self._enter(first=False)

    def observe_stage(self, metrics: dict[str, Any]) -> None:
        """Add the figures of the stage to those of a step, and see whether it has ended."""
        if self.schedule.stage is not None:
            metrics |= self.schedule.observe(self.global_steps, metrics)
            metrics["stage/kl_coef"] = self._kl
            self.total_training_steps = self.schedule.last_step
            if why := self.schedule.ending(self.global_steps):
                stage, best = self.schedule.stage, self.schedule.best
                reached = "" if best is None else f", best {stage.figure} {best:.3f}"
                number = f"{self.schedule.number} of {len(self.clinic.stages)}"
                print(
                    f"STAGE {number} {stage.name!r} ends after step {self.global_steps}: "
                    f"{why}{reached}",
                    flush=True,
                )

    def _fetch_one_gen_batch(self) -> TensorDict:
        batch = super()._fetch_one_gen_batch()
        batch["stage"] = NonTensorStack(*[self.schedule.number] * len(batch))
        return batch

    def _enter(self, *, first: bool) -> None:
        stage = self.schedule.stage
        assert stage is not None
        data = staged_data(self.config.data, self.clinic, self.schedule.number)
        self.weights = reward_weights(data)
        self._use(self._datasets[self._rows_key(self.schedule.number)])
        if self.config.actor_rollout_ref.actor.use_kl_loss:
            self.actor_rollout_wg.set_kl(self._kl)
        if first and any(one.reference == "stage_start" for one in self.clinic.stages):
            if stage.reference == "stage_start":
                self.actor_rollout_wg.reference_from_student()
            else:
                self.actor_rollout_wg.reference_from_base()
        print(
            f"STAGE {self.schedule.number} of {len(self.clinic.stages)} {stage.name!r} "
            f"{'begins at' if first else 'goes on after'} step {self.global_steps}: "
            f"target {stage.figure}, at most {stage.steps} steps, "
            f"KL {self._kl:g} to {stage.reference}, weights {dict(stage.weights)}",
            flush=True,
        )

    @property
    def _kl(self) -> float:
        stage, actor = self.schedule.stage, self.config.actor_rollout_ref.actor
        own = float(actor.kl_loss_coef) if actor.use_kl_loss else 0.0
        return own if stage is None or stage.kl is None else float(stage.kl)

    def _rows_key(self, number: int) -> bytes:
        """Return what the rows of a stage depend on; its weights are none of it."""
        envs = [dataclasses.asdict(one) for one in self.clinic.in_stage(number).environments]
        for one in envs:
            one["weights"] = {}
            one["env_kwargs"] = {k: v for k, v in one["env_kwargs"].items() if k != "weights"}
        return orjson.dumps(envs)

    def _rows(self, number: int) -> Any:
        data = staged_data(self.config.data, self.clinic, number)
        most = data.get("train_max_samples", -1)
        rows = create_rl_dataset(
            data.train_files, data, self.tokenizer, self.processor, is_train=True, max_samples=most
        )
        if len(rows) < data.train_batch_size:
            name = self.clinic.stages[number - 1].name
            raise ConfigError(
                f"clinic.stages: {name}: {len(rows)} rows; data.train_batch_size is "
                f"{data.train_batch_size}"
            )
        return rows

    def _use(self, rows: Any) -> None:
        """Draw from these rows, from the first one on; go on where they are drawn from already."""
        if rows is self.train_dataset:
            return
        data = self.config.data
        self.train_dataset = rows
        self.train_dataloader = StatefulDataLoader(  # as verl makes it
            dataset=rows,
            batch_size=data.get("gen_batch_size", None) or data.train_batch_size,
            num_workers=data.dataloader_num_workers,
            drop_last=True,
            collate_fn=collate_fn,
            sampler=create_rl_sampler(data, rows),
        )
        self.train_dataloader_it = None
        self.steps_per_epoch = len(rows) // data.train_batch_size


def staged_data(data: DictConfig, clinic: settings.ClinicSettings, number: int) -> DictConfig:
    """Return verl's ``data`` section with the environments of a stage."""
    plain = OmegaConf.to_container(data, resolve=True)
    assert isinstance(plain, dict)
    envs = [dataclasses.asdict(one) for one in clinic.in_stage(number).environments]
    plain["clinic"] = {**plain["clinic"], "env_kwargs": {}, "envs": envs, "stages": []}
    made: DictConfig = OmegaConf.create(plain)
    return made


def reward_weights(data: DictConfig) -> Mapping[str, Mapping[str, float]]:
    """Return the weights of the reward parts, by environment."""
    return {
        name: {part: float(weight) for part, weight in env.rubric.weights.items()}
        for name, env in open_all(data, data.train_files).items()
    }
