"""Building a knowledge base: streaming, in constant memory, resumable and atomic.

Records are written in batches to an unfinished file beside the base (`staging.py`). A build that
was stopped resumes after its last batch if it is started again with the same sources. When all
records are read, the passages are indexed; then the finished file replaces the old one by a
rename, so that readers see either the old or the new base. The name of an index folder ends with
the hash of its content, so that a base never reads the index of another one. A folder that no
base beside it names is removed.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import orjson

from gym_clinic._version import __version__
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.names import suggest
from gym_clinic.retrieval.passages import fts5, tantivy_index
from gym_clinic.retrieval.passages.database import ReadOnlyDatabase, check_replaceable
from gym_clinic.retrieval.passages.manifest import BaseManifest
from gym_clinic.retrieval.passages.passage import BrokenRecord, Passage
from gym_clinic.retrieval.passages.staging import Staging, only_build
from gym_clinic.retrieval.passages.vocabulary import WordCounter

ENGINES = ("auto", fts5.NAME, tantivy_index.NAME)

LARGE = 50_000
"""Number of passages from which ``auto`` chooses tantivy."""

BATCH = 25_000
"""Records written at once; at most as many are read again after a stop."""


_NAMED = 12
"""Digits of the content hash in the name of an index folder."""


@dataclass(frozen=True)
class PassageSource:
    """Where passages come from.

    Attributes:
        name: Its name in messages, usually a file.
        fingerprint: Changes with the content; a stopped build resumes only if it is unchanged.
        records: Returns all records from the start, always in the same order.
    """

    name: str
    fingerprint: str
    records: Callable[[], Iterator[Passage | BrokenRecord]]


class BuildListener:
    """Receives the events of a build; this class ignores them."""

    def resumed(self, records: int) -> None:
        """A stopped build is resumed after this number of records."""

    def broken(self, record: BrokenRecord) -> None:
        """A record is skipped."""

    def read(self, source: str, records: int) -> None:
        """This number of records of a source was read so far."""

    def indexed(self, passages: int, total: int) -> None:
        """This number of passages was indexed so far."""


def build_base(
    sources: Sequence[PassageSource],
    out: Path,
    *,
    engine: str = "auto",
    strict: bool = False,
    listener: BuildListener | None = None,
) -> BaseManifest:
    """Build a base.

    Args:
        sources: Read in this order; of passages with the same title and text, the first is kept.
        out: The file to write; its folder is created if it is missing.
        engine: ``fts5``, ``tantivy``, or ``auto``: FTS5 below 50,000 passages, else tantivy.
        strict: Stop at the first broken record instead of skipping it.
        listener: Receives the events of the build.

    Returns:
        The manifest of the new base.

    Raises:
        ConfigError: If there is no source, the engine is unknown or its package is missing,
            the file is a folder or no base, another build is writing the same base, or the disk
            is full.
        TaskError: With ``strict``, if a record is broken; or if there is no passage at all. The
            old base is then unchanged.
    """
    if engine not in ENGINES:
        raise ConfigError(f"no engine {engine!r}; {suggest(engine, ENGINES)}")
    if not sources:
        raise ConfigError("a knowledge base needs at least one source")
    if out.is_dir():
        raise ConfigError(f"{out} is a folder; expected the file to write")
    check_replaceable(out, "manifest", "knowledge base")
    if engine == tantivy_index.NAME:
        tantivy_index.library()  # before any work, since it may be missing
    listener = listener or BuildListener()
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"cannot make the folder {out.parent}: {error.strerror}") from None
    part = out.with_name(f".{out.name}.part")
    read = [[source.name, source.fingerprint] for source in sources]
    fingerprint = json.dumps([__version__, *read])
    with only_build(out):
        try:
            with closing(Staging(part, fingerprint, strict=strict)) as staging:
                if staging.resumed:
                    listener.resumed(staging.totals().records)
                for number, source in enumerate(sources):
                    _read(staging, number, source, listener, strict=strict)
                manifest = _finish(staging, out, engine, listener)
        except sqlite3.OperationalError as error:  # the disk is full, for one
            raise ConfigError(f"cannot write {part}: {error}") from None
        part.replace(out)
        _sweep(out)
    return manifest


def _read(
    staging: Staging, number: int, source: PassageSource, listener: BuildListener, *, strict: bool
) -> None:
    so_far = staging.progress(number)
    if so_far.finished:
        return
    records = itertools.islice(source.records(), so_far.records, None)
    while batch := list(itertools.islice(records, BATCH)):
        for record in staging.add(number, source.name, batch, so_far, strict=strict):
            listener.broken(record)
        listener.read(source.name, so_far.records)
    staging.finish(number, so_far)


def _finish(staging: Staging, out: Path, engine: str, listener: BuildListener) -> BaseManifest:
    passages, totals = staging.count(), staging.totals()
    if not passages:
        staging.discard()
        raise TaskError(
            f"no passage for {out}: {totals.records:,} records, of them {totals.broken:,} broken "
            f"and {totals.empty:,} without text"
        )
    if engine == "auto":
        engine = fts5.NAME if passages < LARGE else tantivy_index.NAME
    reading = _Reading(staging, passages, listener)
    index = ""
    if engine == fts5.NAME:
        tokenizer, versions = fts5.TOKENIZER, fts5.versions()
        for _ in reading.rows():
            pass
        fts5.build(staging.tables())
    else:
        tokenizer, versions = tantivy_index.TOKENIZER, tantivy_index.versions()
        fts5.remove(staging.tables())  # a stopped build may have begun one
        index = _write_index(reading, out)
    reading.words.write(staging.connection)
    manifest = BaseManifest(
        engine=engine,
        tokenizer=tokenizer,
        versions={"gym_clinic": __version__, **versions},
        passages=passages,
        duplicates=totals.duplicates,
        empty=totals.empty,
        broken=totals.broken,
        sources=dict(sorted(reading.sources.items())),
        content_hash=reading.hash.hexdigest(),
        index=index,
    )
    staging.seal(manifest)
    return manifest


def _write_index(reading: _Reading, out: Path) -> str:
    """Write the index folder and return its name."""
    _sweep(out)
    taken = {number for _, number in _folders(out)}
    number = next(number for number in itertools.count(1) if number not in taken)
    folder = out.with_name(f"{out.name}.index{number}")
    try:
        tantivy_index.build(reading.rows(), folder)
        named = folder.with_name(f"{folder.name}-{reading.hash.hexdigest()[:_NAMED]}")
        return folder.rename(named).name
    except (OSError, ValueError) as error:  # tantivy reports a full disk as a ValueError
        raise ConfigError(f"cannot write {folder}: {error}") from None


class _Reading:
    """Reads all passages once for the engine, and computes their hash, counts and words."""

    def __init__(self, staging: Staging, total: int, listener: BuildListener) -> None:
        self.staging, self.total, self.listener = staging, total, listener
        self.hash = hashlib.sha256()
        self.sources: Counter[str] = Counter()
        self.words = WordCounter(total)

    def rows(self) -> Iterator[tuple[int, str, str, str]]:
        """Number, source, title and text of each passage."""
        for done, (number, *fields) in enumerate(self.staging.rows(), start=1):
            self.hash.update(orjson.dumps(fields))
            _, source, title, text, *_ = fields
            self.sources[source] += 1
            self.words.add(title, text)
            yield number, source, title, text
            if done % BATCH == 0 or done == self.total:
                self.listener.indexed(done, self.total)


def _folders(out: Path) -> list[tuple[Path, int]]:
    """Return the index folders of earlier builds of this file, with their numbers."""
    name = re.compile(rf"{re.escape(out.name)}\.index([0-9]+)(-[0-9a-f]+)?")
    found = [(one, name.fullmatch(one.name)) for one in out.parent.iterdir()]
    return [(one, int(match[1])) for one, match in found if match and one.is_dir()]


def _sweep(out: Path) -> None:
    """Remove the index folders that no file beside them names, be it renamed or copied."""
    folders = [folder for folder, _ in _folders(out)]
    if folders:
        used = {_index_of(file) for file in out.parent.iterdir() if file.is_file()}
        for folder in folders:
            if folder.name not in used:
                shutil.rmtree(folder)


def _index_of(file: Path) -> str:
    """Return the index folder that a file names; empty if it is no base."""
    try:
        with closing(ReadOnlyDatabase(file)) as database, database.connection() as connection:
            return BaseManifest.read(connection, file).index
    except ConfigError:
        return ""
