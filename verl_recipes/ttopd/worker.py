"""Workers with a teacher beside the actor: kept, averaged, saved and restored."""

from __future__ import annotations

import dataclasses
import math
from functools import partial
from typing import Any

import torch
from verl.single_controller.base.decorator import Dispatch, register
from verl.utils.config import omega_conf_to_dataclass
from verl.utils.device import get_device_id
from verl.workers.engine_workers import TrainingWorker
from verl.workers.utils.losses import ppo_loss

from verl_recipes import settings
from verl_recipes.trainer.worker import ClinicWorker
from verl_recipes.ttopd.teacher import distance, ema_


class TeacherTrainingWorker(TrainingWorker):
    """A training worker whose engine may build an adapter for the teacher."""

    def __init__(self, config: Any, *, teacher_adapter: bool = False) -> None:
        super().__init__(config)
        self.engine.teacher_adapter = teacher_adapter


class TeacherWorker(ClinicWorker):
    """Actor, rollout and a teacher: a second adapter, or the model in the reference's place."""

    ref_worker_cls = TeacherTrainingWorker

    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    def init_model(self) -> None:
        """Build the models; then attach the teacher to the actor's engine."""
        teacher = settings.from_config(self.config).teacher
        adapter = self.config.model.get("lora_rank", 0) > 0
        self.actor_worker_cls = partial(TeacherTrainingWorker, teacher_adapter=adapter)
        super().init_model()
        if not adapter:
            # The reference model is the teacher, so there is no reference KL to add.
            actor = omega_conf_to_dataclass(self.config.actor)
            self.actor.set_loss_fn(
                partial(ppo_loss, config=dataclasses.replace(actor, use_kl_loss=False))
            )
        self.actor.engine.attach_teacher(teacher, None if adapter else self.ref.engine)

    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    def update_teacher(self, decay: float) -> None:
        """Move the teacher: teacher <- decay * teacher + (1 - decay) * student; 0 copies."""
        ema_(*self._parameters(), decay)

    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    def teacher_distance(self) -> float:
        """Return ||student - teacher|| over all shards (L2)."""
        squares = distance(*self._parameters())
        total = torch.tensor(squares, dtype=torch.float64, device=get_device_id())
        torch.distributed.all_reduce(total, group=self.actor.engine.shard_group)
        return math.sqrt(total.item())

    def named(self, name: str) -> list[tuple[str, torch.nn.Parameter]]:
        """Return the parameters that are saved as ``teacher``, and those that GRPO saves."""
        return self.actor.engine.teacher_parameters() if name == "teacher" else super().named(name)

    def _parameters(self) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        """Return the parameters of teacher and student, in one order."""
        engine = self.actor.engine
        teacher, student = engine.teacher_parameters(), engine.student_parameters()
        return [one for _, one in teacher], [one for _, one in student]
