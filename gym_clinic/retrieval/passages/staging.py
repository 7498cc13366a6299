"""The unfinished file of a build: the records read so far, and where to resume after a stop."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import sqlite3
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.files import lock
from gym_clinic.retrieval.passages.manifest import BaseManifest
from gym_clinic.retrieval.passages.passage import BrokenRecord, Passage

_FIELDS = "id, source, title, text, category, licence"
_PASSAGE = f"INSERT OR IGNORE INTO passages ({_FIELDS}) VALUES (?,?,?,?,?,?)"
_SEEN = "INSERT OR IGNORE INTO seen VALUES (?)"
_UNSEEN = "DELETE FROM seen WHERE digest = ?"
_DIGEST = 16
_CACHE = 32 << 10
"""KiB of pages that SQLite keeps."""


@dataclass
class Progress:
    """How far a source was read.

    Attributes:
        records: Records read, kept or not.
        duplicates: Records with the title and text of an earlier one.
        empty: Records without text.
        broken: Records that could not be read.
        finished: Whether the source was read to its end.
    """

    records: int = 0
    duplicates: int = 0
    empty: int = 0
    broken: int = 0
    finished: bool = False


@contextmanager
def only_build(out: Path) -> Iterator[None]:
    """Lock a base against other builds; the lock ends with the process.

    Args:
        out: The file of the base.

    Raises:
        ConfigError: If another build is writing it, or nothing can be written beside it.
    """
    if sys.platform == "win32":  # an open file cannot be replaced or removed there
        yield
        return
    with _held(out.with_name(f".{out.name}.lock"), out) as held:
        try:
            yield
        finally:
            Path(held.name).unlink()


def _held(place: Path, out: Path) -> IO[bytes]:
    """Open a lock file that no other process holds."""
    while True:
        try:
            file = place.open("wb")
        except OSError as error:
            raise ConfigError(f"cannot write {place}: {error.strerror}") from None
        if not lock(file):
            file.close()
            raise ConfigError(f"another build is writing {out}; wait until it ends")
        # A build that ends removes its lock file; a file opened just before is then no lock.
        try:
            if os.path.samestat(os.fstat(file.fileno()), place.stat()):
                return file
        except FileNotFoundError:
            pass
        file.close()


class Staging:
    """A file that grows by batches; each is written together with the progress, or not at all.

    Args:
        path: The file; an existing one is continued if it has the same fingerprint, otherwise
            replaced.
        fingerprint: Of all that the build reads.
        strict: Do not continue a file for which a broken record was skipped.

    Raises:
        ConfigError: If the file cannot be written.
    """

    def __init__(self, path: Path, fingerprint: str, *, strict: bool) -> None:
        self.path = path
        self.resumed = path.exists() and self._continues(fingerprint, strict=strict)
        if not self.resumed:
            for file in (path, path.with_name(f"{path.name}-journal")):
                file.unlink(missing_ok=True)
            self._connect()
            self._create(fingerprint)

    def _continues(self, fingerprint: str, *, strict: bool) -> bool:
        """Open an existing file; return whether it is of the same build, and close it if not."""
        try:
            self._connect()
            found = self.connection.execute("SELECT fingerprint FROM build").fetchall()
            same = found == [(fingerprint,)] and not (strict and self.totals().broken)
        except sqlite3.DatabaseError:  # no database, or an incomplete one
            same = False
        if not same:
            self.connection.close()
        return same

    def _connect(self) -> None:
        try:
            # Transactions begin and end explicitly, not by the module.
            self.connection = sqlite3.connect(self.path, timeout=1, isolation_level=None)
        except sqlite3.OperationalError as error:
            raise ConfigError(f"cannot write {self.path}: {error}") from None
        self.connection.execute(f"PRAGMA cache_size=-{_CACHE}")
        self.connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        self.connection.execute("PRAGMA synchronous=NORMAL")

    def _create(self, fingerprint: str) -> None:
        database = self.tables()
        self.connection.execute("BEGIN")
        database["build"].create({"fingerprint": str})
        database["progress"].create(
            {"source": int, **dict.fromkeys(Progress.__annotations__, int)}, pk="source"
        )
        database["manifest"].create({"document": str})
        fields = _FIELDS.split(", ")
        database["passages"].create(
            {"n": int, **dict.fromkeys(fields, str)}, pk="n", not_null=fields
        )
        database["passages"].create_index(["id"], unique=True)
        self.connection.execute("CREATE TABLE seen (digest BLOB PRIMARY KEY) WITHOUT ROWID")
        self.connection.execute("INSERT INTO build VALUES (?)", (fingerprint,))
        self.connection.execute("COMMIT")

    def tables(self) -> Any:
        """Return the file as a ``sqlite_utils.Database``."""
        from sqlite_utils import Database

        return Database(self.connection)

    def progress(self, source: int) -> Progress:
        """Return the progress of a source."""
        row = self.connection.execute(
            "SELECT records, duplicates, empty, broken, finished FROM progress WHERE source = ?",
            (source,),
        ).fetchone()
        return Progress(*row) if row else Progress()

    def add(
        self,
        source: int,
        name: str,
        batch: Sequence[Passage | BrokenRecord],
        so_far: Progress,
        *,
        strict: bool,
    ) -> list[BrokenRecord]:
        """Write a batch and its progress.

        Args:
            source: Number of the source.
            name: Its name, for error messages.
            batch: Its next records.
            so_far: Its progress, which is updated.
            strict: Write nothing if a record is broken.

        Returns:
            The broken records, including those with the id of an earlier passage.

        Raises:
            TaskError: With ``strict``, for the first broken record.
        """
        broken = []
        self.connection.execute("BEGIN")
        for record in batch:
            so_far.records += 1
            if isinstance(record, BrokenRecord):
                broken.append(record)
            elif what := self._take(record, so_far):
                broken.append(BrokenRecord(name, f"record {so_far.records}", what))
        if broken and strict:
            self.connection.execute("ROLLBACK")
            raise TaskError(str(broken[0]))
        so_far.broken += len(broken)
        self._write(source, so_far)
        self.connection.execute("COMMIT")
        return broken

    def _take(self, passage: Passage, so_far: Progress) -> str:
        """Write a passage unless it is empty or a duplicate; return its error, or ""."""
        title, text = _normal(passage.title), _normal(passage.text)
        row = (passage.id, passage.source, title, text, passage.category, passage.licence)
        if fault := _fault("".join(row)):
            return fault
        digest = _digest(title, text)
        if not text:
            so_far.empty += 1
        elif not self._insert(_SEEN, (digest,)):
            so_far.duplicates += 1
        elif not self._insert(_PASSAGE, row):
            # Its text is not stored; it may still follow under another id.
            self.connection.execute(_UNSEEN, (digest,))
            return f"duplicate id {passage.id[:80]!r}; expected one passage of each id"
        return ""

    def finish(self, source: int, so_far: Progress) -> None:
        """Mark a source as read to its end."""
        so_far.finished = True
        self._write(source, so_far)

    def _write(self, source: int, so_far: Progress) -> None:
        values = dataclasses.astuple(so_far)
        self.connection.execute("REPLACE INTO progress VALUES (?,?,?,?,?,?)", (source, *values))

    def _insert(self, statement: str, row: tuple[object, ...]) -> bool:
        return self.connection.execute(statement, row).rowcount == 1

    def rows(self) -> Iterator[tuple[int, str, str, str, str, str, str]]:
        """Return all passages: number, id, source, title, text, category, licence."""
        yield from self.connection.execute(f"SELECT n, {_FIELDS} FROM passages ORDER BY n")

    def count(self) -> int:
        """Return the number of passages."""
        (number,) = self.connection.execute("SELECT count(*) FROM passages").fetchone()
        return int(number)

    def totals(self) -> Progress:
        """Return the progress of all sources together."""
        row = self.connection.execute(
            "SELECT coalesce(sum(records), 0), coalesce(sum(duplicates), 0), "
            "coalesce(sum(empty), 0), coalesce(sum(broken), 0), coalesce(min(finished), 0) "
            "FROM progress"
        ).fetchone()
        return Progress(*row)

    def seal(self, manifest: BaseManifest) -> None:
        """Turn the file into a finished base and close it."""
        self.connection.execute("BEGIN")
        for table in ("build", "progress", "seen"):
            self.connection.execute(f"DROP TABLE {table}")
        manifest.write(self.connection)
        self.connection.execute("COMMIT")
        self.close()

    def discard(self) -> None:
        """Remove the file, since it holds nothing to resume."""
        self.close()
        self.path.unlink()

    def close(self) -> None:
        """Close the file; uncommitted records are lost."""
        self.connection.close()


def _normal(text: str) -> str:
    # Accents written as separate characters would split a word in some engines.
    return unicodedata.normalize("NFC", text).strip()


def _fault(text: str) -> str:
    """Return why a text cannot be stored: SQLite ends a text at a NUL, and files are UTF-8."""
    if "\0" in text:
        return "contains a NUL character; expected text"
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            return f"contains the lone surrogate {text[error.start]!r}; expected text"
    return ""


def _digest(title: str, text: str) -> bytes:
    return hashlib.blake2b(f"{title}\0{text}".encode(), digest_size=_DIGEST).digest()
