"""What every knowledge base here can do: local, fused, or behind a server."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, get_args, runtime_checkable

from gym_clinic.errors import ConfigError
from gym_clinic.names import at_least_one, suggest
from gym_clinic.retrieval.passages.passage import Passage
from gym_clinic.retrieval.passages.query import Operator

OPERATORS: tuple[str, ...] = get_args(Operator)
"""What may join the words of a query that stand side by side."""


class Searcher(Protocol):
    """Anything that is searched as a KnowledgeBase is."""

    def search(
        self, query: str, limit: int = 10, source: str | None = None, operator: str = "or"
    ) -> list[Passage]:
        """Return the passages that answer a query, best first; equal scores by id.

        Args:
            query: Any text.
            limit: At most so many.
            source: Only passages of this source.
            operator: What joins words side by side: ``"or"`` or ``"and"``.

        Raises:
            ConfigError: If an option is wrong.
        """


@dataclass(frozen=True)
class Ranking:
    """What a search found, before it is shown.

    Attributes:
        ids: Of the passages, best first.
        passages: Returns some of them by their ids, as the search would have.
    """

    ids: tuple[str, ...]
    passages: Callable[[Sequence[str]], list[Passage]]


@runtime_checkable
class Ranker(Protocol):
    """A base that can find passages without making their snippets."""

    def ranked(
        self, query: str, limit: int = 10, source: str | None = None, operator: str = "or"
    ) -> Ranking:
        """Find what a search finds."""


class ContentManifest(Protocol):
    """What a base says of what it holds."""

    @property
    def content_hash(self) -> str:
        """Hash over all passages; two bases with the same one hold the same."""


@runtime_checkable
class PassageBase(Searcher, Protocol):
    """A searcher that holds its passages, as a KnowledgeBase does."""

    @property
    def manifest(self) -> ContentManifest:
        """What it holds."""

    def get(self, id: str) -> Passage | None:
        """Return the passage of an id; None if there is none."""


def check_search(limit: int, operator: str) -> None:
    """Check what a caller asks of a search.

    Raises:
        ConfigError: If the limit is no whole number from 1, or there is no such operator.
    """
    at_least_one("limit", limit)
    if operator not in OPERATORS:
        raise ConfigError(f"no operator {operator!r}; {suggest(str(operator), OPERATORS)}")
