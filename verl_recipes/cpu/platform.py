"""A platform without accelerator, as verl's plugin interface wants it."""

from __future__ import annotations

import contextlib
import types
from typing import Any

import torch
from verl.plugin.platform import PlatformBase, PlatformRegistry


def _always(value: Any = None) -> Any:
    """Return a function that gives one answer, whatever it is asked."""
    return lambda *_, **__: value


_ZERO = ("max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved")
_NOTHING = ("empty_cache", "ipc_collect", "reset_peak_memory_stats", "synchronize")
_ANSWERS = {
    **dict.fromkeys(_ZERO, _always(0)),
    **dict.fromkeys(_NOTHING, _always()),
    "mem_get_info": _always((0, 0)),
    "manual_seed": torch.manual_seed,
    "manual_seed_all": torch.manual_seed,
    "get_device_name": _always("cpu"),
    "get_rng_state": lambda *_: torch.get_rng_state(),
    "set_rng_state": lambda state, *_: torch.set_rng_state(state),
}
"""Calls of ``torch.cuda`` that verl makes, without a device."""


class _DeviceModule(types.ModuleType):
    """``torch.cpu``, and answers for the calls of ``torch.cuda`` that verl makes."""

    def __getattr__(self, name: str) -> Any:
        if hasattr(torch.cpu, name):
            return getattr(torch.cpu, name)
        if name not in _ANSWERS:
            raise AttributeError(name)
        return _ANSWERS[name]


@PlatformRegistry.register(platform="cpu")
class PlatformCPU(PlatformBase):
    """The processor alone; Ray counts its ranks as a logical resource named GPU."""

    device_name = "cpu"
    vendor_name = "cpu"
    device_module = _DeviceModule("gym_clinic_cpu")

    is_available = _always(True)
    is_platform_available = _always(False)  # it is chosen by VERL_PLATFORM=cpu alone
    current_device = _always(torch.device("cpu"))
    device_count = _always(1)
    get_device_capability = _always((None, None))
    communication_backend_name = _always("gloo")
    visible_devices_envvar = _always("GYM_CLINIC_CPU_DEVICES")  # which nothing reads
    ray_resource_name = _always("GPU")
    ray_noset_envvars = _always([])
    is_ipc_supported = _always(False)
    nvtx_range = _always(contextlib.nullcontext())
    set_device = synchronize = set_allocator_settings = empty_cache = _always()
    profiler_start = profiler_stop = cudart = _always()

    def manual_seed(self, seed: int) -> None:
        """Seed torch."""
        torch.manual_seed(seed)

    manual_seed_all = manual_seed
