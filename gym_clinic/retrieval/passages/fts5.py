"""The engine for small bases: SQLite's own full-text index, inside the file of the base."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import orjson

from gym_clinic.retrieval.passages.database import ReadOnlyDatabase
from gym_clinic.retrieval.passages.query import AllOf, AnyOf, Phrase, Query, Title

NAME = "fts5"
TOKENIZER = "porter unicode61 remove_diacritics 2"
SNIPPET_WORDS = 24

_HITS = "SELECT passages_fts.rowid, -bm25(passages_fts) FROM passages_fts"
_BEST = "ORDER BY bm25(passages_fts) LIMIT ?"


def build(database: Any) -> None:
    """Index the passages of a file.

    Args:
        database: A ``sqlite_utils.Database`` with the table ``passages``.
    """
    remove(database)
    passages = database["passages"]
    passages.enable_fts(["title", "text"], tokenize=TOKENIZER)
    passages.optimize()


def remove(database: Any) -> None:
    """Remove an index, which may be incomplete; arguments as of `build`."""
    database["passages"].disable_fts()


def versions() -> dict[str, str]:
    """Return the version of the search library."""
    return {"sqlite": sqlite3.sqlite_version}


def render(node: Query) -> str:
    """Render a query for FTS5; every word is quoted, so that none is read as syntax."""
    if isinstance(node, Phrase):
        return f'"{" ".join(node.words)}"'
    if isinstance(node, Title):
        return f'(title : ^"{" ".join(node.words)}")'
    joined = (" OR " if isinstance(node, AnyOf) else " AND ").join(map(render, node.parts))
    if isinstance(node, AllOf) and node.excluded:
        return f"(({joined}) NOT ({' OR '.join(map(render, node.excluded))}))"
    return f"({joined})"


def _of_text(query: Query) -> Query:
    """Return a query without the titles that it names, which mark nothing in a text."""
    if not isinstance(query, AnyOf):
        return query
    parts = tuple(part for part in query.parts if not isinstance(part, Title))
    return AnyOf(parts) if parts else query


class Fts5Engine:
    """Searches by BM25 (k1 1.2, b 0.75) over title and text together."""

    def __init__(self, database: ReadOnlyDatabase) -> None:
        self._database = database

    def hits(self, query: Query, limit: int, source: str | None) -> list[tuple[float, int]]:
        """Return score and number of the best passages; equal scores in any order."""
        chosen: list[object] = [render(query)]
        statement = f"{_HITS} WHERE passages_fts MATCH ? {_BEST}"
        if source is not None:
            chosen.append(source)
            statement = (
                f"{_HITS} JOIN passages ON n = passages_fts.rowid "
                f"WHERE passages_fts MATCH ? AND source = ? {_BEST}"
            )
        with self._database.connection() as connection:
            found = connection.execute(statement, (*chosen, limit)).fetchall()
        return [(score, number) for number, score in found]

    def snippets(self, query: Query, texts: Mapping[int, str]) -> Sequence[str]:
        """Return the best part of each of some passages, in their order."""
        found = self._snippets(_of_text(query), texts)
        if len(found) < len(texts):  # some match by their titles alone
            found |= self._snippets(query, texts.keys() - found.keys())
        return [found[number] for number in texts]

    def _snippets(self, query: Query, numbers: Collection[int]) -> dict[int, str]:
        with self._database.connection() as connection:
            return dict(
                connection.execute(
                    f"SELECT rowid, snippet(passages_fts, 1, '<b>', '</b>', '…', {SNIPPET_WORDS}) "
                    "FROM passages_fts WHERE passages_fts MATCH ? "
                    "AND rowid IN (SELECT value FROM json_each(?))",
                    (render(query), orjson.dumps(list(numbers)).decode()),
                ).fetchall()
            )

    def knows(self, *words: str) -> bool:
        """Return whether any passage has a form of this word, or of these words in a row."""
        statement = "SELECT 1 FROM passages_fts WHERE passages_fts MATCH ? LIMIT 1"
        with self._database.connection() as connection:
            return bool(connection.execute(statement, (render(Phrase(words)),)).fetchall())
