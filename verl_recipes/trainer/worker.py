"""verl's worker of actor and rollout, on the CPU as well, and with an adapter that peft loads."""

from __future__ import annotations

import dataclasses
import shutil
from functools import partial
from pathlib import Path

import torch
from peft import get_peft_model_state_dict
from safetensors.torch import save_file
from torch.distributed.tensor import DTensor
from verl.single_controller.base.decorator import Dispatch, register
from verl.utils.device import get_device_name
from verl.utils.distributed import initialize_global_process_group_ray
from verl.workers.engine_workers import ActorRolloutRefWorker

from gym_clinic import ConfigError
from verl_recipes.ttopd.head import local
from verl_recipes.ttopd.teacher import ema_


class ClinicWorker(ActorRolloutRefWorker):
    """Actor, rollout, and a reference model whose weights and KL may change with the stage."""

    _base: list[torch.Tensor] | None = None

    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    def init_model(self) -> None:
        """Build the models."""
        if get_device_name() == "cpu":  # verl's own call names the device twice
            initialize_global_process_group_ray(backend="cpu:gloo")
        super().init_model()

    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    def remove_checkpoint(self, folder: str) -> None:
        """Remove the folder of a checkpoint from this node's disk, if another has not."""
        shutil.rmtree(folder, ignore_errors=True)

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
        ema_(self.ref.engine.module.parameters(), self.actor.engine.module.parameters(), 0.0)

    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    @torch.no_grad()
    def reference_from_base(self) -> None:
        """Make the model that the run began with the reference model again."""
        if self._base is not None:
            for parameter, base in zip(
                self.ref.engine.module.parameters(), self._base, strict=True
            ):
                local(parameter.data).copy_(base)

    def _keep_base(self) -> None:
        """Keep the first reference model in host memory, in case that a later stage wants it."""
        if self._base is None:
            parameters = self.ref.engine.module.parameters()
            self._base = [local(one.data).cpu().clone() for one in parameters]

    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    def save_shards(self, folder: str, name: str) -> None:
        """Save this rank's shards of weights that verl does not save; see :meth:`named`."""
        path = self._shard_file(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(".part")  # the file is there whole or not at all
        torch.save({key: local(value.data).cpu() for key, value in self.named(name)}, beside)
        beside.replace(path)

    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    @torch.no_grad()
    def load_shards(self, folder: str, name: str) -> None:
        """Restore what :meth:`save_shards` saved.

        Raises:
            ConfigError: If there is none of this many ranks.
        """
        if name == "reference":
            self._keep_base()
        path = self._shard_file(folder, name)
        if not path.is_file():
            there = sorted(one.name for one in path.parent.glob(f"{name}_*"))
            raise ConfigError(f"no {path.name} in {folder}, only {there}: resume with as many GPUs")
        saved = torch.load(path, weights_only=True)
        for key, value in self.named(name):
            local(value.data).copy_(saved[key])

    def named(self, name: str) -> list[tuple[str, torch.nn.Parameter]]:
        """Return the parameters that are saved as ``reference``."""
        return list(self.ref.engine.module.named_parameters())

    def _shard_file(self, folder: str, name: str) -> Path:
        return Path(folder) / f"{name}_{self.rank}_of_{self.world_size}.pt"
