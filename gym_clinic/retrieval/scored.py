"""The one shape of search results: a record, its score, and how it matched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

Record = TypeVar("Record", covariant=True)


@dataclass(frozen=True)
class Scored(Generic[Record]):
    """A record that a search found.

    Every search returns these, or a subclass with further fields, best first.

    Attributes:
        record: What was found: a passage, a patient case, a node, an id.
        score: Higher is better; what it measures is said by the search.
        how: How it matched, as text: the snippet of a passage, the name of a disease, the kind of
            a match of words; empty if there is nothing to say.
    """

    record: Record
    score: float
    how: str = ""
