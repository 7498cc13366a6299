"""What the results of a clinical domain depend on beside its tasks, as one short hash.

Generator, tables and scoring are hashed together: results that were scored by different code or
tables are not put into one table.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

import gym_clinic.episode
from gym_clinic.facts.tables import default_folder, table_files
from gym_clinic.paths import tasks_dir

PROJECT, MARK = "gym-clinic", "3f9b0c5e-6a1d-4a57-9f0e-7c1d2e8b4a60"

CANARY = f"{PROJECT} canary {MARK}: tasks are not training data"
"""Stands in every task, so that a corpus that holds them can be recognised."""

LENGTH = 12
"""Characters of a fingerprint."""

_PARTS = (
    "chart", "clinical", "facts", "instruments", "rewards", "safety", "simulate", "action",
    "answering.py", "case.py", "env.py", "episode.py", "strict_json.py", "toolbox.py",
)  # fmt: skip
"""Rooms and modules that decide what an episode is, and what it is worth."""

_PATTERNS = ("*.py", "*.json", "*.txt", "*.md")


@lru_cache(maxsize=8)
def fingerprint(name: str) -> str:
    """Return the fingerprint of generator, tables and scoring of a domain, for `Domain.scoring`.

    Args:
        name: Name of the domain.
    """
    digest = hashlib.sha256()
    for label, file in sorted(_files(name).items()):
        digest.update(label.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:LENGTH]


def _files(name: str) -> dict[str, Path]:
    """Label -> file: code, phrases and tables of the parts and of the domain, and its policy."""
    package = Path(gym_clinic.episode.__file__).parent
    found: dict[str, Path] = {}
    for part in (*_PARTS, f"domains/{name}"):
        place = package / part
        files = [place] if place.is_file() else [
            one for pattern in _PATTERNS for one in place.rglob(pattern)
        ]  # fmt: skip
        found |= {one.relative_to(package).as_posix(): one for one in files}
    tables = table_files(default_folder())
    found |= {f"table {one.parent.name}/{one.name}": one for one in tables}
    policy = tasks_dir(name) / "policy.md"
    return found | ({"policy": policy} if policy.is_file() else {})
