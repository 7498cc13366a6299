"""What a stage changes in the workers: the KL coefficient, and the reference model's weights."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Any

import torch
from verl.single_controller.base.decorator import Dispatch, register

from verl_recipes.trainer.shards import load, save, shard_file
from verl_recipes.ttopd.head import local
from verl_recipes.ttopd.teacher import ema_


class StagedReference:
    """Part of a worker of actor and reference."""

    actor: Any
    ref: Any
    rank: int
    world_size: int
    _base: list[torch.Tensor] | None = None

    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    def set_kl(self, coefficient: float) -> None:
        """Set the coefficient of the KL to the reference model."""
        loss = self.actor.loss_fn
        config = dataclasses.replace(loss.keywords["config"], kl_loss_coef=coefficient)
        self.actor.set_loss_fn(partial(loss.func, **{**loss.keywords, "config": config}))

    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    def reference_from_student(self) -> None:
        """Make the student of now the reference model."""
        self._keep_base()
        ema_(self._reference(), list(self.actor.engine.module.parameters()), 0.0)

    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    @torch.no_grad()
    def reference_from_base(self) -> None:
        """Make the model that the run began with the reference model again."""
        for parameter, base in zip(self._reference(), self._base or (), strict=False):
            local(parameter.data).copy_(base)

    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    def save_reference(self, folder: str) -> None:
        """Save this rank's shards of the reference model."""
        path = shard_file(folder, "reference", self.rank, self.world_size)
        save(path, self.ref.engine.module.named_parameters())

    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    def load_reference(self, folder: str) -> None:
        """Restore what :meth:`save_reference` saved."""
        self._keep_base()
        path = shard_file(folder, "reference", self.rank, self.world_size)
        load(path, self.ref.engine.module.named_parameters())

    def _reference(self) -> list[torch.nn.Parameter]:
        return list(self.ref.engine.module.parameters())

    def _keep_base(self) -> None:
        """Keep the first reference model in host memory, in case that a later stage wants it."""
        if self._base is None:
            self._base = [local(one.data).cpu().clone() for one in self._reference()]
