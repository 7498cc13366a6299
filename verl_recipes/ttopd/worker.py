"""verl's workers with a teacher beside the actor: kept, averaged, saved and restored."""

from __future__ import annotations

import dataclasses
import math
from functools import partial
from pathlib import Path
from typing import Any

import torch
from peft import get_peft_model_state_dict
from safetensors.torch import save_file
from torch.distributed.tensor import DTensor
from verl.single_controller.base.decorator import Dispatch, register
from verl.utils.config import omega_conf_to_dataclass
from verl.utils.device import get_device_id, get_device_name
from verl.utils.distributed import initialize_global_process_group_ray
from verl.workers.engine_workers import ActorRolloutRefWorker, TrainingWorker
from verl.workers.utils.losses import ppo_loss

from gym_clinic import ConfigError
from verl_recipes import settings
from verl_recipes.ttopd.head import local
from verl_recipes.ttopd.teacher import distance, ema_


class ClinicTrainingWorker(TrainingWorker):
    """A training worker whose engine may build a teacher's adapter."""

    def __init__(self, config: Any, *, teacher_adapter: bool = False) -> None:
        super().__init__(config)
        self.engine.teacher_adapter = teacher_adapter


class ClinicWorker(ActorRolloutRefWorker):
    """Actor, rollout and, under full fine-tuning, the teacher in the reference model's place."""

    ref_worker_cls = ClinicTrainingWorker

    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    def init_model(self) -> None:
        """Build the models; then attach the teacher to the actor's engine."""
        if get_device_name() == "cpu":  # verl's own call would name the one device twice
            initialize_global_process_group_ray(backend="cpu:gloo")
        self.clinic = settings.from_config(self.config)
        teacher = self.clinic.teacher
        adapter = teacher.enabled and self.config.model.get("lora_rank", 0) > 0
        self.actor_worker_cls = partial(ClinicTrainingWorker, teacher_adapter=adapter)
        super().init_model()
        if not teacher.enabled:
            return
        if not adapter:
            if self.ref is None:
                raise ConfigError(
                    "a teacher takes the reference model's place: set "
                    "actor_rollout_ref.actor.use_kl_loss=true, kl_loss_coef=0"
                )
            # The reference model is the teacher, so there is no reference KL to add.
            actor = omega_conf_to_dataclass(self.config.actor)
            self.actor.set_loss_fn(
                partial(ppo_loss, config=dataclasses.replace(actor, use_kl_loss=False))
            )
        self.actor.engine.attach_teacher(teacher, None if adapter else self.ref.engine)

    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    def update_teacher(self, decay: float) -> None:
        """Move the teacher: teacher <- decay * teacher + (1 - decay) * student; 0 copies."""
        teacher, student = self._pairs()
        ema_([p for _, p in teacher], [p for _, p in student], decay)

    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    def teacher_distance(self) -> float:
        """Return ||student - teacher|| over all shards (L2)."""
        teacher, student = self._pairs()
        squares = distance([p for _, p in teacher], [p for _, p in student])
        total = torch.tensor(float(squares), dtype=torch.float64, device=get_device_id())
        torch.distributed.all_reduce(total, group=self.actor.engine.shard_group)
        return math.sqrt(total.item())

    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    def save_teacher(self, folder: str) -> None:
        """Save this rank's shards of the teacher."""
        teacher, _ = self._pairs()
        path = self._teacher_file(Path(folder))
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(".part")
        torch.save({name: local(parameter.data).cpu() for name, parameter in teacher}, beside)
        beside.replace(path)

    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    def load_teacher(self, folder: str) -> None:
        """Restore what :meth:`save_teacher` saved.

        Raises:
            ConfigError: If there is no teacher of this many ranks, or of another model.
        """
        teacher, _ = self._pairs()
        path = self._teacher_file(Path(folder))
        if not path.is_file():
            there = sorted(one.name for one in Path(folder).glob("teacher_*"))
            raise ConfigError(f"no {path.name} in {folder}, only {there}: resume with as many GPUs")
        saved = torch.load(path, weights_only=True)
        with torch.no_grad():
            for name, parameter in teacher:
                mine = local(parameter.data)
                if name not in saved or saved[name].shape != mine.shape:
                    raise ConfigError(f"{path} holds no {name} of shape {tuple(mine.shape)}")
                mine.copy_(saved[name])

    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    def save_adapter(self, folder: str) -> None:
        """Save the student's adapter as peft loads it; verl saves shards and a wrapped model.

        Every rank takes part; the first one writes.
        """
        module = self.actor.engine.module
        named = [(n, p.detach()) for n, p in module.named_parameters() if ".default." in n]
        whole = {n: p.full_tensor() if isinstance(p, DTensor) else p for n, p in named}
        if self.rank:
            return
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        adapter = get_peft_model_state_dict(module, state_dict=whole, adapter_name="default")
        beside = path / "adapter_model.part"
        save_file({name: tensor.cpu().contiguous() for name, tensor in adapter.items()}, beside)
        beside.replace(path / "adapter_model.safetensors")
        module.peft_config["default"].save_pretrained(folder)

    def _pairs(self) -> tuple[list[tuple[str, Any]], list[tuple[str, Any]]]:
        engine = self.actor.engine
        return engine.teacher_parameters(), engine.student_parameters()

    def _teacher_file(self, folder: Path) -> Path:
        return folder / f"teacher_{self.rank}_of_{self.world_size}.pt"
