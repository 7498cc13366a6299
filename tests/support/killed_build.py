"""A build that kills its own process, or finds the disk full: ``OUT ENGINE POINT``."""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import sqlite_utils

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


class Deadly(building.Listener):
    def indexed(self, passages: int, total: int) -> None:
        die()


class Full(building.Listener):
    def indexed(self, passages: int, total: int) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, resource.RLIM_INFINITY))


def main(out: str, engine: str, point: str) -> None:
    building.BATCH = BATCH
    if point == "sealed":
        Path.replace = die
    if point == "replaced":
        replace = Path.replace
        Path.replace = lambda part, out: die(replace(part, out))
    if point in FTS5_POINTS:
        setattr(sqlite_utils.db.Table, point, die)
    source = building.Source("new", "1", lambda: records(point))
    listener = {"indexing": Deadly(), "full": Full()}.get(point)
    building.build([source], Path(out), engine=engine, listener=listener)


if __name__ == "__main__":
    main(*sys.argv[1:])
