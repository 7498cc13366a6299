"""Shards of weights that verl does not save: written and read by each rank for itself."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch

from gym_clinic import ConfigError
from verl_recipes.ttopd.head import local

Named = Iterable[tuple[str, Any]]
"""Parameters by name."""


def shard_file(folder: str, name: str, rank: int, ranks: int) -> Path:
    """Return the file of a rank's shards."""
    return Path(folder) / f"{name}_{rank}_of_{ranks}.pt"


def save(path: Path, named: Named) -> None:
    """Save this rank's shards; the file is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".part")
    torch.save({name: local(parameter.data).cpu() for name, parameter in named}, beside)
    beside.replace(path)


@torch.no_grad()
def load(path: Path, named: Named) -> None:
    """Restore what :func:`save` saved.

    Raises:
        ConfigError: If there is none of this many ranks, or it is of another model.
    """
    if not path.is_file():
        there = sorted(one.name for one in path.parent.glob(f"{path.name.split('_')[0]}_*"))
        raise ConfigError(
            f"no {path.name} in {path.parent}, only {there}: resume with as many GPUs"
        )
    saved = torch.load(path, weights_only=True)
    for name, parameter in named:
        mine = local(parameter.data)
        if name not in saved or saved[name].shape != mine.shape:
            raise ConfigError(f"{path} holds no {name} of shape {tuple(mine.shape)}")
        mine.copy_(saved[name])
