"""The protocols of a knowledge base, whether it is local, hybrid or behind a server."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, get_args, runtime_checkable

from gym_clinic.errors import ConfigError
from gym_clinic.names import at_least_one, suggest
from gym_clinic.retrieval.passages.passage import FoundPassage, Passage
from gym_clinic.retrieval.passages.query import Operator
from gym_clinic.retrieval.passages.reading import QueryReading

OPERATORS: tuple[str, ...] = get_args(Operator)
"""Operators that join adjacent words of a query."""


class Searcher(Protocol):
    """Anything with the search method of a knowledge base."""

    def search(
        self, query: str, limit: int = 10, source: str | None = None, operator: str = "or"
    ) -> list[FoundPassage]:
        """Return the passages that answer a query, best first; equal scores by id.

        Args:
            query: Any text.
            limit: Most passages to return.
            source: Only passages of this source.
            operator: Joins adjacent words: ``"or"`` or ``"and"``.

        Raises:
            ConfigError: If an option is wrong.
        """


@dataclass(frozen=True)
class Ranking:
    """The result of a search, without snippets.

    Attributes:
        ids: Ids of the passages, best first.
        passages: Returns some of them by id, as the search would have.
        reading: How the query was read.
    """

    ids: tuple[str, ...]
    passages: Callable[[Sequence[str]], list[FoundPassage]]
    reading: QueryReading | None = None


@runtime_checkable
class Ranker(Protocol):
    """A base that can rank passages without making snippets."""

    def ranked(
        self, query: str, limit: int = 10, source: str | None = None, operator: str = "or"
    ) -> Ranking:
        """Return the result of a search, without snippets."""


@runtime_checkable
class Reader(Protocol):
    """A base that tells how it reads a query."""

    def read_query(self, query: str, operator: str = "or") -> QueryReading:
        """Return how a query is searched."""


class ContentManifest(Protocol):
    """The part of a manifest that every knowledge base has."""

    @property
    def content_hash(self) -> str:
        """Hash over all passages; equal hashes mean equal passages."""


@runtime_checkable
class PassageBase(Searcher, Protocol):
    """A searcher that also returns passages by their ids."""

    @property
    def manifest(self) -> ContentManifest:
        """The manifest of the base."""

    def get(self, id: str) -> Passage | None:
        """Return the passage of an id; None if there is none."""


def check_search(limit: int, operator: str) -> None:
    """Check the options of a search.

    Raises:
        ConfigError: If the limit is no whole number from 1, or there is no such operator.
    """
    at_least_one("limit", limit)
    if operator not in OPERATORS:
        raise ConfigError(f"no operator {operator!r}; {suggest(str(operator), OPERATORS)}")
