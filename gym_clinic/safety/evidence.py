"""What a rule found: the facts of the state that it rests on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Evidence:
    """One fact of the state that a violation rests on.

    Attributes:
        text: The fact in words.
        t: Minute of the event, where it is one.
        drug: The drug that was ordered, by its id.
        partner: The drug, class or allergen that it must not meet.
    """

    text: str
    t: float | None = None
    drug: str | None = None
    partner: str | None = None


Found = tuple[Evidence, ...] | None
"""The evidence that a condition holds, which may be empty; None if it does not hold."""


def found(texts: Iterable[str]) -> Found:
    """Return texts as evidence; None if there are none."""
    return tuple(Evidence(text) for text in texts) or None


def spoken(names: Iterable[object], last: str = "or") -> str:
    """Return a list in words, underscores as blanks: "a, b or c"."""
    words = [str(name).replace("class:", "any ").replace("_", " ") for name in names]
    return f" {last} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def minute(t: float) -> str:
    """Return a time in words."""
    return f"at {t:g} min"
