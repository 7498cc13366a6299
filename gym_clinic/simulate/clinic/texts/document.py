"""Documents of a simulated patient, and the facts of the record that each one renders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

DocumentKind = Literal[
    "opening words", "triage", "handover", "referral", "note", "nursing note", "letter",
    "medicines", "ecg", "imaging", "laboratory",
]  # fmt: skip

FactKind = Literal[
    "age", "finding", "onset", "reading", "sign", "study", "condition", "medicine", "allergy",
    "habit", "pregnancy", "date", "order",
]  # fmt: skip


@dataclass(frozen=True)
class Fact:
    """A fact of the record as a text renders it.

    Attributes:
        kind: Kind of fact.
        of: Id of the finding, measurement, study, condition, medicine or allergen.
        says: The words of the text.
        has: Whether the text says that it is there.
        minute: When it began, was measured or happened, in minutes from arrival, as it was told.
        value: The number that was measured or is taken.
        denied: Whether the text gives it as what the patient says, such as "denies".
    """

    kind: FactKind
    of: str
    says: str
    has: bool = True
    minute: float | None = None
    value: float | None = None
    denied: bool = False


class Piece(NamedTuple):
    """A part of a text with the facts in it."""

    text: str
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True)
class Document:
    """A text of the chart.

    Attributes:
        kind: Kind of document.
        author: Who wrote or said it, by role.
        minute: When, in minutes from arrival; below 0 for before.
        title: Heading, such as "ED note 09:58".
        text: The text.
        facts: The facts of the record that it renders.
    """

    kind: DocumentKind
    author: str
    minute: float
    title: str
    text: str
    facts: tuple[Fact, ...]


def joined(pieces: Iterable[Piece], separator: str = " ") -> Piece:
    """Join the pieces that have text."""
    found = [one for one in pieces if one.text]
    return Piece(
        separator.join(one.text for one in found),
        tuple(fact for one in found for fact in one.facts),
    )
