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
"""Bytes to map into memory; SQLite maps fewer if it must."""

_MAGIC = b"SQLite format 3\0"
"""The first bytes of every SQLite file."""

_BLOCK = 1 << 23

_PATIENCE = 10.0
"""Seconds that a fork waits for other threads."""

_inherited: list[object] = []
"""Connections that a fork inherited: never used, and never closed, since closing could hang."""


class _Gate:
    """Keeps threads out of SQLite while the process forks.

    A child inherits SQLite's locks in their current state, but not the threads that hold them,
    so it could wait forever.
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
    """A pool of connections to a file that is never changed.

    A connection serves one thread at a time and then returns to the pool. A forked process opens
    its own connections. A fork waits until the lent connections are returned, so a caller keeps
    one for a single statement only.

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
            self._process = os.getpid()  # last, since other threads check it
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
        # The file is never written to, only replaced by a rename: no locks are needed.
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
        """Whether the file was replaced or removed since it was opened."""
        return not self.path.is_file() or _stamp(self.path) != self._stamp

    def check(self) -> None:
        """Check that the file was not replaced since it was opened.

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
    """Check that writing a file does not overwrite a file of another kind.

    A damaged database may be overwritten.

    Args:
        path: The file to write.
        table: A table that files of this kind have.
        what: The kind, for the error.

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
        raise ConfigError(f"{path} exists and is no {what}; name another file, or remove it")


def _stamp(path: Path) -> tuple[int, int, int]:
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


def touch(path: Path) -> None:
    """Read a file once, so that its pages are in memory before the first search."""
    block = bytearray(_BLOCK)
    with path.open("rb", buffering=0) as file:
        while file.readinto(block):
            pass
