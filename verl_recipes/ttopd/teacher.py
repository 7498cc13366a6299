"""The teacher's weights: an exponential moving average of the student's.

Everything here works on the part of a parameter that this process holds, so student and teacher
must be sharded alike; nothing is communicated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

import torch
from torch import Tensor, nn

from gym_clinic import ConfigError
from verl_recipes.settings import TeacherSettings

Weights: TypeAlias = nn.Module | Iterable[Tensor]
"""A module, or its parameters in a fixed order."""


def decay_at(step: int, *, decay: float, every: int, hard_copy: int | None = None) -> float | None:
    """Return the decay of the update due after a training step, or None if none is.

    Args:
        step: Training steps done, counted from 1.
        decay: Of the moving average, the paper's 0.995.
        every: Steps between two updates, the paper's 5.
        hard_copy: Steps between two copies of the student (decay 0), which replace the update due
            at the same step; None for none. The paper names 30 and shows that it does harm.

    Raises:
        ConfigError: If a count is below 1 or ``decay`` is outside [0, 1].

    Source: TT-OPD paper, section 4.2 and algorithm 1, lines 17-19.
    """
    _check_decay(decay)
    for name, count in (("step", step), ("every", every), ("hard_copy", hard_copy)):
        if count is not None and count < 1:
            raise ConfigError(f"{name} is {count}: give a number of steps, 1 or more")
    if hard_copy is not None and step % hard_copy == 0:
        return 0.0
    return decay if step % every == 0 else None


def averaged(step: int, how: TeacherSettings) -> float | None:
    """Return the decay due by schedule ``ema``."""
    return decay_at(step, decay=how.decay, every=how.every, hard_copy=how.hard_copy)


def copied(step: int, how: TeacherSettings) -> float | None:
    """Return the decay due by schedule ``copy``: the student of up to ``hard_copy`` steps ago.

    Source: TT-OPD paper, ablation 1 of section 6.1.
    """
    return 0.0 if how.hard_copy and step % how.hard_copy == 0 else None


def frozen(step: int, how: TeacherSettings) -> None:
    """Return the decay due by schedule ``frozen``: none, the teacher stays the first model."""


def init_weight(decay: float, updates: int) -> float:
    """Return the share of the first teacher that is left after so many updates.

    Raises:
        ConfigError: If ``decay`` is outside [0, 1] or ``updates`` is negative.
    """
    _check_decay(decay)
    if updates < 0:
        raise ConfigError(f"updates is {updates}: give a number of updates, 0 or more")
    return float(decay**updates)


@torch.no_grad()
def ema_(teacher: Weights, student: Weights, decay: float) -> None:
    """Set teacher <- decay * teacher + (1 - decay) * student, in place.

    Args:
        teacher: fp32 or fp64; of a ``DTensor`` the local shard is written.
        student: As many parameters of the same shapes in the same order, of any dtype, on any
            device.
        decay: In [0, 1]; 0 copies the student exactly.

    Raises:
        ConfigError: If the decay is out of range, the parameters do not match, a teacher
            parameter is of 16 bits (an update of 0.005 is then mostly rounded away) or is the
            student's own. Nothing is then written.

    Source: TT-OPD paper, section 4.2 and algorithm 1, line 18.
    """
    _check_decay(decay)
    pairs = list(_pairs(teacher, student))
    for name, mine, theirs in pairs:
        if mine.dtype not in (torch.float32, torch.float64):
            raise ConfigError(
                f"teacher parameter {name} is {mine.dtype}: keep the teacher in torch.float32, "
                "an average in fewer bits would not move"
            )
        if mine.numel() and mine.data_ptr() == theirs.data_ptr():
            raise ConfigError(
                f"teacher parameter {name} is the student's own: give the teacher a copy"
            )
    for _, mine, theirs in pairs:
        source = theirs.to(mine.device, mine.dtype)
        if decay == 0.0:
            mine.copy_(source)
        else:
            mine.lerp_(source, 1.0 - decay)


@torch.no_grad()
def distance(teacher: Weights, student: Weights) -> float:
    """Return the sum of squared differences over the local shards.

    Summed over processes that shard alike, its square root is the L2 distance. What is replicated
    is counted by every process.

    Raises:
        ConfigError: If the parameters do not match.
    """
    total: Tensor | None = None
    for _, mine, theirs in _pairs(teacher, student):
        gap = mine - theirs.to(mine.device, mine.dtype)
        # Squared in fp32 at least, added up in fp64, read once.
        part = gap.to(torch.promote_types(gap.dtype, torch.float32)).square().sum().double()
        total = part if total is None else total + part.to(total.device)
    return 0.0 if total is None else float(total)


def _check_decay(decay: float) -> None:
    if not 0.0 <= decay <= 1.0:
        raise ConfigError(f"decay is {decay}: give a number from 0 (copy) to 1 (frozen)")


def _pairs(teacher: Weights, student: Weights) -> Iterator[tuple[str, Tensor, Tensor]]:
    ours, theirs = _named(teacher), _named(student)
    if len(ours) != len(theirs):
        raise ConfigError(
            f"the teacher has {len(ours)} parameters, the student {len(theirs)}: "
            "both must be the same model"
        )
    named = isinstance(teacher, nn.Module) and isinstance(student, nn.Module)
    for (name, mine), (other, its) in zip(ours, theirs, strict=True):
        if named and name != other:
            raise ConfigError(
                f"teacher parameter {name} is paired with {other} of the student: "
                "both must be the same model, wrapped alike"
            )
        local, source = _local(mine), _local(its)
        if mine.shape != its.shape or local.shape != source.shape:
            raise ConfigError(
                f"teacher parameter {name} has shape {tuple(mine.shape)}, "
                f"here {tuple(local.shape)}; the student's {tuple(its.shape)}, "
                f"here {tuple(source.shape)}: both must be of one shape and sharded alike"
            )
        yield name, local, source


def _named(weights: Weights) -> list[tuple[str, Tensor]]:
    if isinstance(weights, nn.Module):
        return list(weights.named_parameters())
    return [(str(index), one) for index, one in enumerate(weights)]


def _local(parameter: Tensor) -> Tensor:
    # A DTensor has it, a plain tensor has not; asking keeps torch.distributed unimported.
    shard = getattr(parameter, "to_local", None)
    local: Tensor = parameter.detach() if shard is None else shard().detach()
    return local
