"""Which findings a case may not tell as absent beside others, and which it never tells."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from typing import TypedDict

from gym_clinic import strict_json
from gym_clinic.simulate.clinic.finding_lists import alike, comes_with


class _Table(TypedDict):
    never_absent: list[str]
    never_told: list[str]
    implies: dict[str, list[str]]
    alike: list[list[str]]


@lru_cache(maxsize=1)
def _table() -> _Table:
    file = Path(__file__).with_name("consistency.json")
    table: _Table = strict_json.loads(file.read_text(encoding="utf-8"))
    return table


def never_told(name: str) -> bool:
    """Whether no case tells a finding, since it is no finding of a living patient."""
    return name in _table()["never_told"]


def never_absent(name: str) -> bool:
    """Whether the absence of a finding says nothing: too vague, or plain from the visit."""
    return name in _table()["never_absent"]


def not_absent_beside(names: Collection[str]) -> frozenset[str]:
    """Return the findings that cannot be denied of a patient who has others.

    They mean nearly the same as one of the others, or come with it.
    """
    table = _table()
    close: set[str] = set()
    for name in names:
        close.update(alike().get(name, ()), comes_with().get(name, ()))
        close.update(table["implies"].get(name, ()))
    for group in table["alike"]:
        if not close.union(names).isdisjoint(group):
            close.update(group)
    return frozenset(close)
