"""verl's worker of actor and rollout, on the CPU as well, and with an adapter that peft loads."""

from __future__ import annotations

import shutil
from pathlib import Path

from peft import get_peft_model_state_dict
from safetensors.torch import save_file
from torch.distributed.tensor import DTensor
from verl.single_controller.base.decorator import Dispatch, register
from verl.utils.device import get_device_name
from verl.utils.distributed import initialize_global_process_group_ray
from verl.workers.engine_workers import ActorRolloutRefWorker

from verl_recipes.schedule.reference import StagedReference


class ClinicWorker(StagedReference, ActorRolloutRefWorker):
    """Actor and rollout."""

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
