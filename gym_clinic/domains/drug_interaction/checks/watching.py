"""What is watched beside an interaction, and in which days after the start it is first checked."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from gym_clinic.facts import Interaction, load
from gym_clinic.facts.named_drugs import is_a
from gym_clinic.safety.monitoring import effects
from gym_clinic.safety.terms import terms

THIN_BLOOD = ("class:anticoagulant", "class:antiplatelet", "class:nsaid")
"""Classes of which bleeding is watched."""

SHOWN = 90
"""Days after the start from which a harm that shows itself has done so."""

LONGEST = 40
"""Characters of the name of one test at most."""


@lru_cache(maxsize=1)
def _table() -> Mapping[str, Any]:
    text = Path(__file__).with_name("watching.json").read_text(encoding="utf-8")
    table: Mapping[str, Any] = json.loads(text)
    return table


def with_a_level() -> Mapping[str, str]:
    """Return drug -> what is measured when its level changes."""
    levels: Mapping[str, str] = _table()["levels"]
    return levels


def always_watched() -> Mapping[str, str]:
    """Return drug -> the quantity without which it is never given."""
    drugs: Mapping[str, str] = _table()["always"]
    return drugs


def quantity_of(advice: str, fact: Interaction, drug: str, other: str) -> str | None:
    """Return the one quantity that decides: the first of the advice, else that of the effect."""
    for word in re.findall(r"[a-z0-9]+", advice.casefold()):
        if word in _table()["words"]:
            return str(_table()["words"][word])
        if word in ("level", "levels"):
            return _level(drug, other)
    thinned = any(is_a(one, group) for one in (drug, other) for group in THIN_BLOOD)
    for effect in effects(fact):
        if effect == "bleeding" and not thinned:
            continue
        found = _level(drug, other) if effect == "level" else _table()["effects"].get(effect)
        if found is not None:
            return str(found)
    return None


def _level(drug: str, other: str) -> str | None:
    """The level that is watched: of two, that of the drug whose enzymes the other changes more."""
    named = [one for one in (drug, other) if one in with_a_level()]
    named.sort(key=lambda one: -_change(other if one == drug else drug, one))
    return with_a_level()[named[0]] if named else None


def _change(by: str, of: str) -> int:
    """How much a drug changes the enzymes that break another down: 0 for not, 3 for strongly."""
    one, other = load().drugs[by].metabolism, load().drugs[of].metabolism
    if one is None or other is None:
        return 0
    changed = [each for each in (*one.inhibits, *one.induces) if each.enzyme in other.substrate_of]
    return max((3 if each.strength == "strong" else 1 if each.strength in ("weak", "gut") else 2
                for each in changed), default=0)  # fmt: skip


def first_days(quantity: str) -> tuple[float, float]:
    """Return the days after the start between which a quantity is first checked.

    >>> first_days("INR")
    (2, 7)
    """
    _, first, last = _table()["quantities"][quantity]
    return first, last


def watches(test: str, day: float, quantity: str) -> bool:
    """Return whether a test on a day is the one that watches a quantity.

    >>> watches("INR", 4, "INR"), watches("INR", 30, "INR"), watches("potassium", 4, "INR")
    (True, False, False)
    """
    names, first, last = _table()["quantities"][quantity]
    return first <= day <= last and _says(test, names)


def _says(test: str, names: Collection[str]) -> bool:
    """Whether a test is one of some names."""
    if len(test) > LONGEST:
        return False
    plain = re.sub(r"[^a-z0-9]+", "_", test.casefold())
    said = f"_{'_'.join(terms([test]))}_{plain}_"
    return any(f"_{one}_" in said for one in names)


def is_routine(test: str, drugs: Iterable[str]) -> bool:
    """Return whether a test is watched routinely under one of some drugs.

    >>> is_routine("TSH", ["levothyroxine"]), is_routine("urea and electrolytes", ["ramipril"])
    (True, True)
    >>> is_routine("TSH", ["ramipril"])
    False
    """
    return any(_says(test, _names_of(one)) for drug in drugs for one in routinely_watched(drug))


@lru_cache(maxsize=1 << 11)
def routinely_watched(drug: str) -> tuple[str, ...]:
    """Return the quantities that are watched under a drug for years, which need no asking.

    >>> routinely_watched("spironolactone")[:2]
    ('potassium', 'sodium')
    """
    listed = [each for ref, rows in _table()["routine"].items() if is_a(drug, ref) for each in rows]
    own = [with_a_level()[drug]] if drug in with_a_level() else []
    return tuple(dict.fromkeys([*listed, *own]))


def _names_of(quantity: str) -> Collection[str]:
    own: list[str] | None = _table()["routine tests"].get(quantity)
    names: list[str] = _table()["quantities"][quantity][0] if own is None else own
    return names


def is_checked(quantity: str, days: float, tests: Collection[str]) -> bool:
    """Return whether what was begun some days ago is checked already.

    Tests of today check it, and what shows itself (bleeding, sedation) has shown itself by then.

    Args:
        quantity: What is watched.
        days: Days since the start.
        tests: Ids of the measurements of today whose value is right.

    >>> is_checked("potassium", 90, ["k"]), is_checked("potassium", 1, ["k"])
    (True, False)
    """
    names, first, _ = _table()["quantities"][quantity]
    if quantity in _table()["shows itself"]:
        return days >= SHOWN
    return days >= first and not {*names}.isdisjoint(tests)


def sets_the_dose(quantity: str) -> bool:
    """Return whether a dose is set by a value, so that it is right where the value is."""
    return quantity in _table()["sets the dose"]


def is_settled(quantity: str, days: float, tests: Collection[str]) -> bool:
    """Return whether a dose is right by today's tests in who has long taken both medicines.

    What was to be changed when they met (the dose, or the medicine) was changed then; that the test
    goes on being done is routine.

    >>> is_settled("INR", 200, ["inr"]), is_settled("INR", 60, ["inr"])
    (True, False)
    >>> is_settled("INR", 200, ["k"]), is_settled("potassium", 200, ["k"])
    (False, False)
    """
    return sets_the_dose(quantity) and days >= SHOWN and is_checked(quantity, days, tests)


def in_words(quantity: str) -> str:
    """Return what is watched and when, as tools tell it.

    >>> in_words("INR")
    'INR, first after 2 to 7 days'
    """
    first, last = first_days(quantity)
    return f"{quantity}, first after {first:g} to {last:g} days"
