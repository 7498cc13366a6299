"""A platform without accelerator, as verl's plugin interface wants it."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable, Iterator
from typing import Any

import torch
from verl.plugin.platform import PlatformBase, PlatformRegistry

_ZERO = ("max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved")
_NOTHING = ("empty_cache", "ipc_collect", "reset_peak_memory_stats", "synchronize")


class _DeviceModule(types.ModuleType):
    """``torch.cpu``, and answers for the calls of ``torch.cuda`` that verl makes."""

    def __getattr__(self, name: str) -> Any:
        if hasattr(torch.cpu, name):
            return getattr(torch.cpu, name)
        answers: dict[str, Callable[..., Any]] = {
            **dict.fromkeys(_ZERO, _zero),
            **dict.fromkeys(_NOTHING, _nothing),
            "mem_get_info": lambda *_: (0, 0),
            "manual_seed": torch.manual_seed,
            "manual_seed_all": torch.manual_seed,
            "get_device_name": lambda *_: "cpu",
            "get_rng_state": lambda *_: torch.get_rng_state(),
            "set_rng_state": lambda state, *_: torch.set_rng_state(state),
        }
        if name not in answers:
            raise AttributeError(name)
        return answers[name]


def _zero(*_: Any, **__: Any) -> int:
    return 0


def _nothing(*_: Any, **__: Any) -> None:
    return None


@PlatformRegistry.register(platform="cpu")
class PlatformCPU(PlatformBase):
    """The processor alone; Ray counts its ranks as a logical resource named GPU."""

    device_name = "cpu"
    vendor_name = "cpu"
    device_module = _DeviceModule("gym_clinic_cpu")

    def is_available(self) -> bool:
        """Return True: there always is one."""
        return True

    def is_platform_available(self, use_smi_check: bool = False) -> bool:
        """Return False: it is never found by itself, only by ``VERL_PLATFORM=cpu``."""
        return False

    def current_device(self) -> Any:
        """Return the one device."""
        return torch.device("cpu")

    def device_count(self) -> int:
        """Return 1."""
        return 1

    def set_device(self, device_index: int) -> None:
        """Do nothing: there is one device."""

    def synchronize(self, device_index: int | None = None) -> None:
        """Do nothing: nothing runs aside."""

    def manual_seed(self, seed: int) -> None:
        """Seed torch."""
        torch.manual_seed(seed)

    def manual_seed_all(self, seed: int) -> None:
        """Seed torch."""
        torch.manual_seed(seed)

    def set_allocator_settings(self, settings: str) -> None:
        """Do nothing: there is no such allocator."""

    def empty_cache(self) -> None:
        """Do nothing: there is no cache."""

    def get_device_capability(self, device_index: int | None = None) -> tuple[None, None]:
        """Return that there is none."""
        return (None, None)

    def communication_backend_name(self) -> str:
        """Return gloo."""
        return "gloo"

    def visible_devices_envvar(self) -> str:
        """Return a variable that nothing reads."""
        return "GYM_CLINIC_CPU_DEVICES"

    @contextlib.contextmanager
    def nvtx_range(self, msg: str) -> Iterator[None]:
        """Mark nothing."""
        yield

    def profiler_start(self) -> None:
        """Do nothing."""

    def profiler_stop(self) -> None:
        """Do nothing."""

    def ray_resource_name(self) -> str:
        """Return the logical resource that a rank takes."""
        return "GPU"

    def ray_noset_envvars(self) -> list[str]:
        """Return none."""
        return []

    def is_ipc_supported(self) -> bool:
        """Return False."""
        return False

    def cudart(self) -> None:
        """Return that there is none."""
        return
