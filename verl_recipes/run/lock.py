"""One training run at a time: a lock that all processes of a user on a machine share."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def lock_file() -> Path:
    """Return the file that is locked: one a user and machine."""
    return Path(tempfile.gettempdir()) / f"gym_clinic-training-{os.getuid()}.lock"


@contextmanager
def only_run(purpose: str, path: Path | None = None) -> Iterator[int]:
    """Hold the machine's lock on training runs; wait for the run that holds it.

    A run on the CPU takes 5.5 GiB. Where two together take more than there is, the system kills one
    of Ray's workers, which Ray marks as the first to go. The system releases the lock when the
    last process that holds the descriptor ends, however it ends: pass it to a child whose run must
    not overlap another either.

    Args:
        purpose: What the lock is held for; shown to those who wait.
        path: The file to lock; by default that of this user and machine.

    Yields:
        The descriptor that holds the lock.
    """
    with (path or lock_file()).open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            print(f"waiting  for another run on this machine: {file.read().strip()}", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        file.truncate(0)
        file.write(f"{purpose} (process {os.getpid()})")
        file.flush()
        yield file.fileno()
