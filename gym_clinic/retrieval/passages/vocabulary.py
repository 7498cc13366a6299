"""The words of a base: how many passages have each, and which are spellings of one word.

They are counted when the base is built and kept in its file, since the engines store stems only.
Of a large base a sample of the passages is counted, so that counting takes little of the build.
"""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections import Counter
from collections.abc import Collection
from functools import lru_cache

import orjson

from gym_clinic.facts.naming import fold_spelling
from gym_clinic.retrieval.passages.database import ReadOnlyDatabase

COUNTED = 100_000
"""Passages that are counted, spread evenly over the base."""

MOST_KEPT = 200_000
"""Words that are kept, the most frequent ones."""

MOST_COUNTED = 4 * MOST_KEPT
"""Words that are counted at once; then the rarest are forgotten."""

SHORTEST_SPELT = 5
"""Shortest word whose British and American spellings are one word: "toe" is not "te"."""

_WORD = re.compile(r"[^\W\d_]{2,}")
_TABLE = "words"


@lru_cache(maxsize=1 << 15)
def plain(word: str) -> str:
    """Return a word in small letters, without accents.

    >>> plain("Ménière")
    'meniere'
    """
    if word.isascii():
        return word.lower()
    apart = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def folded(word: str) -> str:
    """Return what the British and the American spelling of a plain word share.

    >>> folded("haemorrhage"), folded("toe")
    ('hemorrhage', 'toe')
    """
    return fold_spelling(word) if len(word) >= SHORTEST_SPELT else word


class WordCounter:
    """Counts the passages that have each word.

    Args:
        total: Passages of the base.
    """

    def __init__(self, total: int) -> None:
        self._every = -(-total // COUNTED)
        self._seen = 0
        self._passages: Counter[str] = Counter()

    def add(self, title: str, text: str) -> None:
        """Count a passage, if it belongs to the sample."""
        if self._seen % self._every == 0:
            self._passages.update({plain(word) for word in _WORD.findall(f"{title} {text}")})
            if len(self._passages) > MOST_COUNTED:
                self._passages = Counter(dict(self._passages.most_common(MOST_KEPT)))
        self._seen += 1

    def write(self, connection: sqlite3.Connection) -> None:
        """Write the words into the file of the base."""
        connection.execute(f"DROP TABLE IF EXISTS {_TABLE}")
        connection.execute(
            f"CREATE TABLE {_TABLE} (folded TEXT, word TEXT, passages INTEGER, "
            "PRIMARY KEY (folded, word)) WITHOUT ROWID"
        )
        best = sorted(self._passages.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_KEPT]
        connection.execute("BEGIN")
        connection.executemany(
            f"INSERT INTO {_TABLE} VALUES (?,?,?)",
            sorted((folded(word), word, count) for word, count in best),
        )
        connection.execute("COMMIT")


class Vocabulary:
    """The words of a base.

    Args:
        database: The file of the base.
    """

    def __init__(self, database: ReadOnlyDatabase) -> None:
        self._database = database

    def spellings(self, words: Collection[str]) -> dict[str, dict[str, int]]:
        """Return the spellings of some words.

        Args:
            words: Plain words.

        Returns:
            Each word -> its British and American spellings in the base, itself among them if the
            base has it -> the passages that have them.
        """
        keys = {word: folded(word) for word in words}
        with self._database.connection() as connection:
            rows = connection.execute(
                f"SELECT folded, word, passages FROM {_TABLE} "
                "WHERE folded IN (SELECT value FROM json_each(?))",
                (orjson.dumps(list(set(keys.values()))).decode(),),
            ).fetchall()
        found: dict[str, dict[str, int]] = {}
        for key, word, passages in rows:
            found.setdefault(key, {})[word] = passages
        return {word: found.get(key, {}) for word, key in keys.items()}

    def all_words(self) -> dict[str, int]:
        """Return all words with the passages that have them."""
        with self._database.connection() as connection:
            rows = connection.execute(f"SELECT word, passages FROM {_TABLE}").fetchall()
        return dict(rows)
