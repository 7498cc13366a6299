"""Several patient databases searched as one: a hospital's own records beside a shared database."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Literal

from gym_clinic.errors import ConfigError
from gym_clinic.names import at_least_one
from gym_clinic.retrieval.patients.matcher import PatientMatcher
from gym_clinic.retrieval.patients.table import PatientCase
from gym_clinic.retrieval.scored import Scored


class JoinedPatients:
    """Databases whose cases are ranked together; safe to use from threads.

    A case has the similarity that it has in its own database, so a joined search finds what one
    database of all cases would find.

    Args:
        matchers: Databases with one embedder, the first of which comes first in ties.

    Raises:
        ConfigError: If there is none, they have different embedders, or a case is in two.
    """

    def __init__(self, *matchers: PatientMatcher) -> None:
        if not matchers:
            raise ConfigError("no patient database to join; expected at least one")
        embedders = list(dict.fromkeys(matcher.table.embedder for matcher in matchers))
        if len(embedders) > 1:
            raise ConfigError(
                f"databases of the embedders {embedders} cannot be joined: their similarities "
                "differ; build all with one embedder"
            )
        self._matchers = matchers
        ids: set[str] = set()
        for matcher in matchers:
            own = {case.id for case in matcher.table.cases}
            if double := sorted(ids & own):
                raise ConfigError(f"case {double[0]!r} is in two databases; expected one of each")
            ids |= own

    @cached_property
    def cases(self) -> tuple[PatientCase, ...]:
        """The cases of all databases."""
        return tuple(case for matcher in self._matchers for case in matcher.table.cases)

    def match(
        self, phenotypes: Iterable[str], limit: int = 20, *, exclude: Collection[str] = ()
    ) -> list[Scored[PatientCase]]:
        """Return the most similar cases of all databases; as :meth:`PatientMatcher.match`."""
        at_least_one("limit", limit)
        names = phenotypes if isinstance(phenotypes, str) else list(phenotypes)
        matched = [
            case
            for matcher in self._matchers
            for case in matcher.match(names, limit, exclude=exclude)
        ]
        return sorted(matched, key=lambda case: -case.score)[:limit]

    def near_duplicates(
        self,
        phenotypes: Iterable[str],
        threshold: float,
        similarity: Literal["query", "mutual"] = "query",
    ) -> frozenset[str]:
        """Return the near-duplicates in all; as :meth:`PatientMatcher.near_duplicates`."""
        names = phenotypes if isinstance(phenotypes, str) else list(phenotypes)
        return frozenset().union(
            *(matcher.near_duplicates(names, threshold, similarity) for matcher in self._matchers)
        )
