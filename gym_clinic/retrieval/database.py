"""A finished SQLite file, read by many threads and processes at once."""

from __future__ import annotations

import os
import sqlite3
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gym_clinic.errors import ConfigError

_MAPPED = 1 << 40
"""Bytes to map; SQLite takes less if it cannot map so many."""

_BLOCK = 1 << 23

_inherited: list[object] = []
"""What a forked process got from its parent: never used, and never closed, which could hang."""


class ReadOnlyDatabase:
    """Connections to a file that nobody changes.

    A connection serves one thread at a time and goes back to the others when it is done, so there
    are as many as were ever in use at once. A forked process opens its own.

    Args:
        path: The file.

    Raises:
        ConfigError: If there is no such file.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise ConfigError(f"no knowledge base {path}; 'gym-clinic kb build' makes one")
        self.path = path
        self._stamp = _stamp(path)
        self._process = os.getpid()
        self._idle: deque[sqlite3.Connection] = deque()

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection.

        Raises:
            ConfigError: If the file was replaced since it was opened.
        """
        if self._process != os.getpid():
            _inherited.append(self._idle)
            self._process, self._idle = os.getpid(), deque()
        idle = self._idle
        try:
            connection = idle.pop()
        except IndexError:
            connection = self._open()
        try:
            yield connection
        finally:
            idle.append(connection)

    def _open(self) -> sqlite3.Connection:
        # Nobody writes to the file, a new one is renamed over it: no locks are needed.
        place = f"{self.path.resolve().as_uri()}?mode=ro&immutable=1"
        connection = sqlite3.connect(place, uri=True, check_same_thread=False)
        if _stamp(self.path) != self._stamp:
            connection.close()
            raise ConfigError(f"{self.path} was replaced while it was in use; open it again")
        connection.execute(f"PRAGMA mmap_size={_MAPPED}")
        return connection

    def close(self) -> None:
        """Close the connections that are idle."""
        while self._idle:
            self._idle.pop().close()


def _stamp(path: Path) -> tuple[int, int, int]:
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


def touch(path: Path) -> None:
    """Read a file once, so that its pages are in memory when they are first asked for."""
    block = bytearray(_BLOCK)
    with path.open("rb", buffering=0) as file:
        while file.readinto(block):
            pass
