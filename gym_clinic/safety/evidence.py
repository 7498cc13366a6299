"""What a rule found: the facts of the state that it rests on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from gym_clinic.facts import load
from gym_clinic.facts.records.drugs import CLASS
from gym_clinic.safety.terms import label


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
    """Return terms, drugs and classes in words: "a, b or any c"."""
    words = [_word(str(name)) for name in names]
    return f" {last} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


@lru_cache(maxsize=4096)
def _word(name: str) -> str:
    if name.startswith(CLASS):
        group = load().drug_classes.get(name.removeprefix(CLASS))
        return f"any {group.name if group else name.removeprefix(CLASS).replace('-', ' ')}"
    drug = load().drugs.get(name)
    return drug.name.lower() if drug else label(name)


def minute(t: float) -> str:
    """Return a time in words."""
    return f"at {t:g} min"
