"""What the results of a clinical domain depend on beside its tasks, as one short hash.

Generator, tables and scoring are hashed together: results that were scored by different code or
tables are not put into one table.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import gym_clinic.chart
import gym_clinic.clinical
import gym_clinic.rewards
import gym_clinic.safety
import gym_clinic.simulate.clinic
from gym_clinic.facts.tables import default_folder, table_files

PROJECT, MARK = "gym-clinic", "3f9b0c5e-6a1d-4a57-9f0e-7c1d2e8b4a60"

CANARY = f"{PROJECT} canary {MARK}: tasks are not training data"
"""Stands in every task, so that a corpus that holds them can be recognised."""

LENGTH = 12
"""Characters of a fingerprint."""

_ROOMS = (
    gym_clinic.chart, gym_clinic.clinical, gym_clinic.rewards, gym_clinic.safety,
    gym_clinic.simulate.clinic,
)  # fmt: skip


@lru_cache(maxsize=8)
def fingerprint(name: str) -> str:
    """Return the fingerprint of generator, tables and scoring of a domain, for `Domain.scoring`.

    Args:
        name: Name of the domain.
    """
    digest = hashlib.sha256()
    for file in sorted(set(_files(name))):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:LENGTH]


def _files(name: str) -> Iterator[Path]:
    rooms = [Path(str(room.__file__)).parent for room in _ROOMS]
    rooms.append(rooms[0].parent / "domains" / name)
    for room in rooms:
        for pattern in ("*.py", "*.json"):
            yield from room.rglob(pattern)
    yield from table_files(default_folder())
