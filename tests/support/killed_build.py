"""Builds that kill their own process, or find the disk full; each runs in a child process."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlite_utils

from gym_clinic.errors import ConfigError
from gym_clinic.retrieval.passages import build as building
from gym_clinic.retrieval.passages.passage import Passage

RECORDS = 90
BATCH = 20
POINTS = ("reading", "indexing", "sealed", "replaced")
FTS5_POINTS = ("populate_fts", "optimize")


def die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def records(point: str = "", read: list[int] | None = None) -> Iterator[Passage]:
    for number in range(RECORDS):
        if point == "reading" and number == 50:
            die()
        if read is not None:
            read.append(number)
        yield Passage(f"new{number:03}", "new", "", f"a new text on subject{number}")


class Deadly(building.BuildListener):
    def indexed(self, passages: int, total: int) -> None:
        die()


class Full(building.BuildListener):
    def indexed(self, passages: int, total: int) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, resource.RLIM_INFINITY))


def main(out: Path, engine: str, point: str) -> None:
    """Build a base and die at a point."""
    building.BATCH = BATCH
    if point == "sealed":
        Path.replace = die
    if point == "replaced":
        replace = Path.replace
        Path.replace = lambda part, out: die(replace(part, out))
    if point in FTS5_POINTS:
        setattr(sqlite_utils.db.Table, point, die)
    source = building.PassageSource("new", "1", lambda: records(point))
    listener = Deadly() if point == "indexing" else None
    building.build_base([source], out, engine=engine, listener=listener)


def full_disk(out: Path, engine: str, pipe: Any) -> None:
    """Build a base on a disk that is full when the index is written; send the error."""
    source = building.PassageSource("new", "1", records)
    try:
        building.build_base([source], out, engine=engine, listener=Full())
    except ConfigError as error:
        pipe.send(str(error))
