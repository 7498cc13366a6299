"""The teacher's weights: an exponential moving average of the student's.

Everything here works on the part of a parameter that this process holds, so student and teacher
must be sharded alike; nothing is communicated.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from gym_clinic import ConfigError
from verl_recipes.settings import TeacherSettings
from verl_recipes.ttopd.head import local


def averaged(step: int, how: TeacherSettings) -> float | None:
    """Return the decay of the update due after a step, counted from 1, by schedule ``ema``.

    A copy (decay 0) replaces the average due at the same step. None if nothing is due.

    Source: TT-OPD paper, section 4.2 and algorithm 1, lines 17-19.
    """
    if how.hard_copy and step % how.hard_copy == 0:
        return 0.0
    return how.decay if step % how.every == 0 else None


def copied(step: int, how: TeacherSettings) -> float | None:
    """Return the decay due by schedule ``copy``: the student of up to ``hard_copy`` steps ago.

    Source: TT-OPD paper, ablation 1 of section 6.1.
    """
    return 0.0 if how.hard_copy and step % how.hard_copy == 0 else None


def frozen(step: int, how: TeacherSettings) -> None:
    """Return the decay due by schedule ``frozen``: none, the teacher stays the first model."""


def init_weight(decay: float, updates: int) -> float:
    """Return the share of the first teacher that is left after so many updates."""
    return float(decay**updates)


@torch.no_grad()
def ema_(teacher: Iterable[Tensor], student: Iterable[Tensor], decay: float) -> None:
    """Set teacher <- decay * teacher + (1 - decay) * student, in place.

    Args:
        teacher: Parameters, fp32 or fp64; of a ``DTensor`` the local shard is written.
        student: As many of the same shapes in the same order, of any dtype, on any device.
        decay: In [0, 1]; 0 copies the student exactly.

    Raises:
        ConfigError: If a teacher parameter is of 16 bits: an update of 0.005 would mostly be
            rounded away.

    Source: TT-OPD paper, section 4.2 and algorithm 1, line 18.
    """
    for mine, theirs in zip(teacher, student, strict=True):
        kept = local(mine.detach())
        if kept.dtype not in (torch.float32, torch.float64):
            raise ConfigError(f"the teacher is {kept.dtype}: keep it in torch.float32, an average "
                              "in fewer bits would not move")  # fmt: skip
        source = local(theirs.detach()).to(kept.device, kept.dtype)
        if decay == 0.0:
            kept.copy_(source)
        else:
            kept.lerp_(source, 1.0 - decay)


@torch.no_grad()
def distance(teacher: Iterable[Tensor], student: Iterable[Tensor]) -> float:
    """Return the sum of squared differences over the local shards.

    Summed over processes that shard alike, its square root is the L2 distance. What is replicated
    is counted by every process.
    """
    total = torch.zeros((), dtype=torch.float64)
    for mine, theirs in zip(teacher, student, strict=True):
        kept = local(mine)
        gap = kept - local(theirs).to(kept.device, kept.dtype)
        # Squared in fp32 at least, added up in fp64, read once.
        part = gap.to(torch.promote_types(gap.dtype, torch.float32)).square().sum().double()
        total = total.to(part.device) + part
    return float(total)
