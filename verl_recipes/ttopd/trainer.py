"""TT-OPD: GRPO with a teacher that is updated, saved and restored with the student."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from omegaconf import DictConfig
from transfer_queue import KVBatchMeta
from verl.trainer.ppo.v1.trainer_base import register_trainer

from verl_recipes.registry import SCHEDULES
from verl_recipes.trainer.trainer import ClinicTrainer
from verl_recipes.ttopd.engine import SHOWN_TURNS
from verl_recipes.ttopd.teacher import init_weight
from verl_recipes.ttopd.worker import TeacherWorker


@register_trainer("ttopd")
class TTOPDTrainer(ClinicTrainer):
    """GRPO and distillation from an EMA teacher, which reads outcome hints (TT-OPD paper, 4.2).

    Attributes:
        updates: Updates of the teacher so far.
        copies: How many of them copied the student.
        teacher_step: Step of the last one.
    """

    worker_class = TeacherWorker

    def __init__(self, config: DictConfig) -> None:
        super().__init__(config)
        self.teacher = self.clinic.teacher
        self.updates = self.copies = self.teacher_step = 0

    def _compute_ref_log_prob(self, batch: KVBatchMeta, metrics: dict[str, Any]) -> KVBatchMeta:
        if not self.ref_in_actor:
            return batch  # the teacher takes the reference model's place, and acts in the update
        return super()._compute_ref_log_prob(batch, metrics)

    def _nothing_to_learn(self, batch: KVBatchMeta) -> bool:
        return False  # without advantages the distillation still trains

    def _update_actor(self, batch: KVBatchMeta, metrics: dict[str, Any]) -> KVBatchMeta:
        every = self.teacher.diagnose_every
        due = every and (self.global_steps == 1 or self.global_steps % every == 0)
        batch.extra_info["diagnose"] = bool(due)
        batch = super()._update_actor(batch, metrics)
        _name_turns(metrics)
        self._update_teacher(metrics)
        return batch

    def _update_teacher(self, metrics: dict[str, Any]) -> None:
        """Average or copy, before the checkpoint of the step is written."""
        how, step = self.teacher, self.global_steps
        decay = SCHEDULES[how.schedule](step, how)
        if decay is not None:
            self.actor_rollout_wg.update_teacher(decay)
            self.updates, self.teacher_step = self.updates + 1, step
            self.copies += not decay
        weight = 0.0 if self.copies else init_weight(how.decay, self.updates)
        metrics |= {
            "ttopd/teacher_distance": float(self.actor_rollout_wg.teacher_distance()[0]),
            "ttopd/teacher_age": float(step - self.teacher_step),
            "ttopd/teacher_updates": float(self.updates),
            "ttopd/teacher_copies": float(self.copies),
            "ttopd/ema_init_weight": weight,
        }

    def state_dict(self) -> dict[str, Any]:
        """Return what a checkpoint keeps of the trainer, as plain JSON."""
        own = {name: getattr(self, name) for name in ("updates", "copies", "teacher_step")}
        return {**super().state_dict(), **own}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore what :meth:`state_dict` returned."""
        super().load_state_dict(state)
        self.updates, self.copies = state["updates"], state["copies"]
        self.teacher_step = state["teacher_step"]

    def save_parts(self, folder: Path) -> None:
        """Save the teacher, and what GRPO saves."""
        self.actor_rollout_wg.save_shards(str(folder / "teacher"), "teacher")
        super().save_parts(folder)

    def load_parts(self, folder: Path) -> None:
        """Restore the teacher, and what GRPO saves."""
        super().load_parts(folder)
        self.actor_rollout_wg.load_shards(str(folder / "teacher"), "teacher")


def _name_turns(metrics: dict[str, Any]) -> None:
    """Turn the sums over a batch into means by the turn's number."""
    for name in [name for name in metrics if name.startswith("actor/ttopd/")]:
        metrics[name.removeprefix("actor/")] = metrics.pop(name)
    for number in range(1, SHOWN_TURNS + 1):
        of = f"ttopd/kl_turn_{number}"
        total, count = metrics.pop(f"{of}/total"), metrics.pop(f"{of}/count")
        metrics[of] = float(total) / float(count) if count else 0.0
