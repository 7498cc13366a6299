"""A finished SQLite file, read by many threads and processes at once."""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from gym_clinic.errors import ConfigError

_MAPPED = 1 << 40
"""Bytes to map; SQLite takes less if it cannot map so many."""

_MAGIC = b"SQLite format 3\0"
"""With which every SQLite file begins."""

_BLOCK = 1 << 23

_PATIENCE = 10.0
"""Seconds that a fork waits for other threads."""

_inherited: list[object] = []
"""What a forked process got from its parent: never used, and never closed, which could hang."""


class _Gate:
    """Keeps threads out of SQLite while the process forks.

    A child would inherit SQLite's own locks as they are at that moment, and of the threads that
    hold them it has none: it would wait for ever.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._closed = False

    def __enter__(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._closed)
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._inside -= 1
            self._changed.notify_all()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.wait_for(lambda: not self._inside, timeout=_PATIENCE)

    def open(self) -> None:
        with self._changed:
            self._closed = False
            self._changed.notify_all()


_gate = _Gate()

if sys.platform != "win32":
    os.register_at_fork(before=_gate.close, after_in_parent=_gate.open, after_in_child=_gate.reset)


class ReadOnlyDatabase:
    """Connections to a file that nobody changes.

    A connection serves one thread at a time and goes back to the others when it is done, so there
    are as many as were ever in use at once. A forked process opens its own; a fork waits for the
    connections that are lent, so none is kept for longer than a statement takes.

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
            ConfigError: If the file was replaced since it was opened, or cannot be read.
        """
        if self._process != os.getpid():
            _inherited.append(self._idle)
            self._idle = deque()
            self._process = os.getpid()  # last: other threads go by it
        idle = self._idle
        with _gate:
            try:
                connection = idle.pop()
            except IndexError:
                connection = self._open()
            try:
                yield connection
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                raise ConfigError(
                    f"{self.path} is damaged: {error}; build it again with 'gym-clinic kb build'"
                ) from None
            finally:
                idle.append(connection)

    def _open(self) -> sqlite3.Connection:
        # Nobody writes to the file, a new one is renamed over it: no locks are needed.
        place = f"{self.path.resolve().as_uri()}?mode=ro&immutable=1"
        try:
            connection = sqlite3.connect(place, uri=True, check_same_thread=False)
        except sqlite3.OperationalError as error:
            self.check()
            raise ConfigError(f"cannot read {self.path}: {error}") from None
        try:
            self.check()
        except ConfigError:
            connection.close()
            raise
        connection.execute(f"PRAGMA mmap_size={_MAPPED}")
        return connection

    def is_replaced(self) -> bool:
        """Whether the file is another one than it was, or gone."""
        return not self.path.is_file() or _stamp(self.path) != self._stamp

    def check(self) -> None:
        """Check that the file is the one that was opened.

        Raises:
            ConfigError: If it was replaced or removed.
        """
        if self.is_replaced():
            raise ConfigError(
                f"{self.path} was replaced or removed while it was in use; open it again"
            )

    def close(self) -> None:
        """Close the connections that are idle."""
        while self._idle:
            self._idle.pop().close()


def check_replaceable(path: Path, table: str, what: str) -> None:
    """Check that no file of another kind is lost by writing this one.

    A database that is damaged may be written anew.

    Args:
        path: The file to write.
        table: A table that a file of its kind has.
        what: Its kind, for the error.

    Raises:
        ConfigError: If there is a file that is neither empty nor of this kind.
    """
    if not path.is_file() or not path.stat().st_size:
        return
    with path.open("rb") as file:
        ours = file.read(len(_MAGIC)) == _MAGIC
    if ours:
        place = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
        try:
            with closing(sqlite3.connect(place, uri=True)) as opened:
                tables = opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
                ours = (table,) in tables.fetchall()
        except sqlite3.DatabaseError:
            return
    if not ours:
        raise ConfigError(f"{path} is there, and is no {what}; name another file, or remove it")


def _stamp(path: Path) -> tuple[int, int, int]:
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


def touch(path: Path) -> None:
    """Read a file once, so that its pages are in memory when they are first asked for."""
    block = bytearray(_BLOCK)
    with path.open("rb", buffering=0) as file:
        while file.readinto(block):
            pass
