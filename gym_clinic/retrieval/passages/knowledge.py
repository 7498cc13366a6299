"""A knowledge base: passages, searched by BM25.

A base is one SQLite file and, with the engine tantivy, an index folder beside it that the file
names. `build.py` writes it once; it is never changed. The engine that built it also searches it,
so the same query gives the same passages on every machine.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

import orjson

from gym_clinic.errors import ConfigError
from gym_clinic.names import at_least_one, suggest
from gym_clinic.retrieval.passages import fts5, tantivy_index
from gym_clinic.retrieval.passages.aliases import AliasTable
from gym_clinic.retrieval.passages.database import ReadOnlyDatabase, touch
from gym_clinic.retrieval.passages.manifest import BaseManifest
from gym_clinic.retrieval.passages.passage import FoundPassage, FoundPassages, Passage
from gym_clinic.retrieval.passages.query import Query
from gym_clinic.retrieval.passages.ranking import DEEPER, is_ranked_by_topic, ranked_by_topic
from gym_clinic.retrieval.passages.reading import QueryReader, QueryReading
from gym_clinic.retrieval.passages.searcher import Ranking
from gym_clinic.retrieval.passages.vocabulary import Vocabulary

_FIELDS = "id, source, title, text, category, licence"
_TEXT = 3
_AT_ONCE = 1_000
"""Passages read at once by an iteration over all."""

_SECTOR = 512
"""The size in bytes of every SQLite file is a multiple of this."""

_inherited: list[object] = []
"""Engines that a fork inherited; freeing one could wait for threads that are not there."""


class Engine(Protocol):
    """Finds passages by their number in the file."""

    def hits(self, query: Query, limit: int, source: str | None) -> list[tuple[float, int]]:
        """Return score and number of the best passages; equal scores in any order."""

    def snippets(self, query: Query, texts: Mapping[int, str]) -> Sequence[str]:
        """Return the best part of each of some passages, in their order."""

    def knows(self, *words: str) -> bool:
        """Return whether any passage has a form of this word, or of these words in a row."""


class KnowledgeBase:
    """Passages of one file, for any number of threads and processes at once.

    Args:
        path: The file that ``gym-clinic kb build`` wrote.
        warm: Read the files once, so that no search waits for the disk. Set it to False for a
            base larger than the memory.
        aliases: Other names of what the base describes, which are searched by the terms that
            they stand for.

    Raises:
        ConfigError: If there is no such base, it has another layout, or its engine is missing.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        warm: bool = True,
        aliases: AliasTable | None = None,
    ) -> None:
        self.path = Path(path)
        self._warm, self._aliases = warm, aliases
        while not self._load():
            pass

    def _load(self) -> bool:
        """Open file and index; False if the base was replaced meanwhile."""
        self._database = ReadOnlyDatabase(self.path)
        try:
            with self._database.connection() as connection:
                self._manifest = BaseManifest.read(connection, self.path)
            if self.path.stat().st_size % _SECTOR:  # SQLite itself misses whole pages only
                raise ConfigError(f"{self.path} is cut off; copy it whole, or build it again")
            self._engine, self._process = self._open_engine(), os.getpid()
            self._reader = QueryReader(Vocabulary(self._database), self._aliases)
            if self._warm:
                for file in self._files():
                    touch(file)
        except (ConfigError, FileNotFoundError):
            if self.path.is_file() and self._database.is_replaced():
                return False
            raise
        return True

    def _files(self) -> list[Path]:
        index = self._manifest.index
        beside = sorted((self.path.parent / index).iterdir()) if index else []
        return [self.path, *(file for file in beside if file.is_file())]

    def _open_engine(self) -> Engine:
        if self._manifest.engine == fts5.NAME:
            return fts5.Fts5Engine(self._database)
        if self._manifest.engine == tantivy_index.NAME:
            return tantivy_index.TantivyEngine(self.path.parent / self._manifest.index)
        raise ConfigError(
            f"{self.path} was built with the engine {self._manifest.engine!r}, "
            "which this version of gym_clinic does not know"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return _open, (self.path, self._warm, self._aliases)

    def search(
        self, query: str, limit: int = 10, source: str | None = None, operator: str = "or"
    ) -> FoundPassages:
        """Return the passages that answer a query best.

        Args:
            query: Any text; `query.py` describes the query language.
            limit: Most passages to return.
            source: Only passages of this collection.
            operator: Joins adjacent words: ``"or"`` or ``"and"``.

        Returns:
            Passages with score and snippet, best first; equal scores by id. They name the terms
            of the query that no passage is about; there are none if nothing else is asked for.

        Raises:
            ConfigError: If the limit is no whole number from 1, or the base has no such source.
        """
        reading, scores, best = self._ranked(query, limit, source, operator)
        return FoundPassages(self._shown(reading.query, scores, best), reading.absent)

    def ranked(
        self, query: str, limit: int = 10, source: str | None = None, operator: str = "or"
    ) -> Ranking:
        """As :meth:`search`, but make snippets only of the passages that are then requested."""
        reading, scores, best = self._ranked(query, limit, source, operator)
        rows = self._rows("id", best)
        numbers = {rows[number][0]: number for number in best}

        def passages(ids: Sequence[str]) -> list[FoundPassage]:
            return self._shown(reading.query, scores, [numbers[id] for id in ids])

        return Ranking(tuple(numbers), passages, reading)

    def read_query(self, query: str, operator: str = "or") -> QueryReading:
        """Return how a query is searched: what is corrected, and what is searched as well.

        Args:
            query: Any text.
            operator: Joins adjacent words: ``"or"`` or ``"and"``.
        """
        return self._reader.read(query, operator, self._own_engine())

    def _ranked(
        self, query: str, limit: int, source: str | None, operator: str
    ) -> tuple[QueryReading, dict[int, float], list[int]]:
        """Return the query as it is read, the scores by number, and the best numbers in order."""
        at_least_one("limit", limit)
        if source is not None and source not in self._manifest.sources:
            advice = suggest(str(source), self._manifest.sources)
            raise ConfigError(f"{self.path} has no source {source!r}; {advice}")
        reading = self.read_query(query, operator)
        if reading.query is None:
            return reading, {}, []
        topics = self._aliases.topics if self._aliases else frozenset[str]()
        if not is_ranked_by_topic(reading, topics):
            scores = self._hits(reading.query, limit, source)
        else:
            wide = self._hits(reading.query, limit + DEEPER, source)
            titles = {number: title for number, (title,) in self._rows("title", wide).items()}
            scores = ranked_by_topic(wide, titles, reading, topics)
        return reading, scores, self._best(scores, limit)

    def _shown(
        self, tree: Query | None, scores: Mapping[int, float], best: Sequence[int]
    ) -> list[FoundPassage]:
        """Return passages by their numbers, with snippets."""
        if tree is None or not best:
            return []
        passages = self._rows(_FIELDS, best)
        texts = {number: passages[number][_TEXT] for number in best}
        snippets = self._own_engine().snippets(tree, texts)
        return [
            FoundPassage(Passage(*passages[number]), scores[number], snippet)
            for number, snippet in zip(best, snippets, strict=True)
        ]

    def _hits(self, tree: Query, limit: int, source: str | None) -> dict[int, float]:
        """Return the best passages, with all that tie with the last one."""
        engine, total = self._own_engine(), self._manifest.passages
        wanted = limit + 1
        while True:
            hits = engine.hits(tree, min(wanted, total), source)
            if len(hits) < wanted or hits[limit - 1][0] > hits[-1][0]:
                return {number: score for score, number in hits}
            wanted *= 4

    def _own_engine(self) -> Engine:
        if self._process != os.getpid():
            self._database.check()
            _inherited.append(self._engine)
            self._engine, self._process = self._open_engine(), os.getpid()
        return self._engine

    def _best(self, scores: Mapping[int, float], limit: int) -> list[int]:
        tied = len(set(scores.values())) < len(scores)
        ids = self._rows("id", scores) if tied else {}
        return sorted(scores, key=lambda number: (-scores[number], ids.get(number)))[:limit]

    def _rows(self, fields: str, numbers: Collection[int]) -> dict[int, tuple[str, ...]]:
        wanted = orjson.dumps(list(numbers))
        with self._database.connection() as connection:
            found = connection.execute(
                f"SELECT n, {fields} FROM passages WHERE n IN (SELECT value FROM json_each(?))",
                (wanted.decode(),),
            ).fetchall()
        if len(found) < len(numbers):
            raise ConfigError(
                f"{self.path} lacks passages that its index has; build it again with "
                "'gym-clinic kb build'"
            )
        return {row[0]: row[1:] for row in found}

    def get(self, id: str) -> Passage | None:
        """Return the passage of an id; None if there is none."""
        with self._database.connection() as connection:
            row = connection.execute(
                f"SELECT {_FIELDS} FROM passages WHERE id = ?", (id,)
            ).fetchone()
        return Passage(*row) if row else None

    def __iter__(self) -> Iterator[Passage]:
        """Iterate over all passages in the order of the base."""
        statement = f"SELECT n, {_FIELDS} FROM passages WHERE n > ? ORDER BY n LIMIT {_AT_ONCE}"
        last = 0
        while True:
            with self._database.connection() as connection:
                rows = connection.execute(statement, (last,)).fetchall()
            if not rows:
                return
            last = rows[-1][0]
            yield from (Passage(*row[1:]) for row in rows)

    def __len__(self) -> int:
        return self._manifest.passages

    @property
    def manifest(self) -> BaseManifest:
        """How the base was built."""
        return self._manifest

    @property
    def sources(self) -> Mapping[str, int]:
        """Number of passages of each collection."""
        return MappingProxyType(self._manifest.sources)

    def close(self) -> None:
        """Close idle connections; a later search opens new ones."""
        self._database.close()


def _open(path: Path, warm: bool, aliases: AliasTable | None) -> KnowledgeBase:
    return KnowledgeBase(path, warm=warm, aliases=aliases)
