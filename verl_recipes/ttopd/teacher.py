"""The teacher's weights: an exponential moving average of the student's.

Everything here works on the part of a parameter that this process holds, so student and teacher
must be sharded alike; nothing is communicated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import torch
from torch import Tensor

from gym_clinic import ConfigError
from verl_recipes.settings import TeacherSettings


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
        ConfigError: If the decay is out of range, the parameters do not match, a teacher
            parameter is of 16 bits (an update of 0.005 is then mostly rounded away) or is the
            student's own. Nothing is then written.

    Source: TT-OPD paper, section 4.2 and algorithm 1, line 18.
    """
    if not 0.0 <= decay <= 1.0:
        raise ConfigError(f"decay is {decay}: give a number from 0 (copy) to 1 (frozen)")
    pairs = list(_pairs(teacher, student))
    for mine, theirs in pairs:
        if mine.dtype not in (torch.float32, torch.float64):
            raise ConfigError(f"the teacher is {mine.dtype}: keep it in torch.float32, an average "
                              "in fewer bits would not move")  # fmt: skip
        if mine.numel() and mine.data_ptr() == theirs.data_ptr():
            raise ConfigError("a teacher parameter is the student's own: give the teacher a copy")
    for mine, theirs in pairs:
        source = theirs.to(mine.device, mine.dtype)
        if decay == 0.0:
            mine.copy_(source)
        else:
            mine.lerp_(source, 1.0 - decay)


@torch.no_grad()
def distance(teacher: Iterable[Tensor], student: Iterable[Tensor]) -> float:
    """Return the sum of squared differences over the local shards.

    Summed over processes that shard alike, its square root is the L2 distance. What is replicated
    is counted by every process.

    Raises:
        ConfigError: If the parameters do not match.
    """
    total = torch.zeros((), dtype=torch.float64)
    for mine, theirs in _pairs(teacher, student):
        gap = mine - theirs.to(mine.device, mine.dtype)
        # Squared in fp32 at least, added up in fp64, read once.
        part = gap.to(torch.promote_types(gap.dtype, torch.float32)).square().sum().double()
        total = total.to(part.device) + part
    return float(total)


def _pairs(teacher: Iterable[Tensor], student: Iterable[Tensor]) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield the local shards of each parameter of both."""
    ours, theirs = [*map(_local, teacher)], [*map(_local, student)]
    if [one.shape for one in ours] != [one.shape for one in theirs]:
        raise ConfigError(f"{len(ours)} parameters of the teacher and {len(theirs)} of the student "
                          "differ in number or shape: take one model, sharded alike")  # fmt: skip
    yield from zip(ours, theirs, strict=True)


def _local(parameter: Tensor) -> Tensor:
    # A DTensor has it, a plain tensor has not; asking keeps torch.distributed unimported.
    shard = getattr(parameter, "to_local", None)
    local: Tensor = parameter.detach() if shard is None else shard().detach()
    return local
