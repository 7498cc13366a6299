"""One writer a run folder, and on the CPU one training run at a time: locks on files."""

from __future__ import annotations

import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from gym_clinic import ConfigError
from gym_clinic.files import lock

WRITER = "writer.lock"
"""File in the folder of a run that its writer locks."""


@contextmanager
def only_writer(folder: Path, patience_s: float = 0.0) -> Iterator[int]:
    """Hold the folder of a run, so that no other run writes into it; yields the descriptor.

    The system releases the lock when the last process that holds the descriptor ends, however it
    ends. The child that trains is given it too, so that a launcher which is killed leaves the
    folder locked for as long as its child writes. The trainer, which is a process of Ray, holds
    the folder of the checkpoints by itself.

    Args:
        folder: Of the run; made if it is missing.
        patience_s: Seconds to wait for another process that holds it.

    Raises:
        ConfigError: If another process holds it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / WRITER).open("a+", encoding="utf-8") as file:
        until = time.monotonic() + patience_s
        while not lock(file.fileno()):
            if time.monotonic() < until:
                time.sleep(0.1)
                continue
            raise ConfigError(
                f"{folder} is being written by {_holder(file)}: wait until that has ended, or name "
                "another OUT"
            )
        _sign(file, "a run")
        yield file.fileno()


def lock_file() -> Path:
    """Return the file that is locked: one a user and machine."""
    return Path(tempfile.gettempdir()) / f"gym_clinic-training-{os.getuid()}.lock"


@contextmanager
def only_run(purpose: str, path: Path | None = None) -> Iterator[int]:
    """Hold the machine's lock on training runs; wait for the run that holds it.

    A run on the CPU takes 5.5 GiB. Where two together take more than there is, the system kills one
    of Ray's workers. Released as :func:`only_writer`'s is: pass the descriptor that it yields to a
    child whose run must not overlap another either.

    Args:
        purpose: What the lock is held for; shown to those who wait.
        path: The file to lock; by default that of this user and machine.
    """
    with (path or lock_file()).open("a+", encoding="utf-8") as file:
        if not lock(file.fileno()):
            print(f"waiting  for another run on this machine: {_holder(file)}", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        _sign(file, purpose)
        yield file.fileno()


def _holder(file: IO[str]) -> str:
    file.seek(0)
    return file.read().strip()


def _sign(file: IO[str], purpose: str) -> None:
    file.truncate(0)
    file.write(f"{purpose} (process {os.getpid()})")
    file.flush()
