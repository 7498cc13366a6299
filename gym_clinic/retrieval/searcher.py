"""What every knowledge base here can do, local, fused or remote."""

from __future__ import annotations

from typing import Literal, Protocol, get_args

from gym_clinic.errors import ConfigError
from gym_clinic.names import at_least_one, suggest
from gym_clinic.retrieval.passage import Passage

Operator = Literal["or", "and"]
OPERATORS: tuple[str, ...] = get_args(Operator)
"""How the words of a query are joined where it does not say so itself."""


class Searcher(Protocol):
    """Anything that is searched as a KnowledgeBase is."""

    def search(
        self, query: str, limit: int = 10, source: str | None = None, operator: Operator = "or"
    ) -> list[Passage]:
        """Return the passages that answer a query, best first; equal scores by id.

        Args:
            query: Any text.
            limit: At most so many.
            source: Only passages of this source.
            operator: ``or``: some word of the query; ``and``: all of them.

        Raises:
            ConfigError: If an option is wrong.
        """


class PassageBase(Searcher, Protocol):
    """A searcher that holds its passages."""

    def get(self, id: str) -> Passage | None:
        """Return the passage of an id."""


def check_search(limit: int, operator: str) -> None:
    """Check what a caller asks of a search.

    Raises:
        ConfigError: If the limit is no whole number from 1, or there is no such operator.
    """
    at_least_one("limit", limit)
    if operator not in OPERATORS:
        raise ConfigError(f"no operator {operator!r}; {suggest(str(operator), OPERATORS)}")
