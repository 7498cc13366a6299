"""Whether an order to monitor, or to adjust a dose, answers one interaction.

An order answers a pair if it is of one of the two drugs and

1. names the other drug or its class (``with``, ``drugs`` or ``interaction``), or
2. names a test that watches the effect of this interaction (INR for a drug that raises the level
   of warfarin, potassium for two drugs that raise it), or
3. names no such test, and the drug has no other major interaction that the order could mean.

A test that watches something else answers nothing, so that one order never answers all pairs.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from gym_clinic.facts import Interaction
from gym_clinic.facts.named_drugs import is_a, resolve, resolve_class
from gym_clinic.safety.state import Event
from gym_clinic.safety.terms import term, terms

MONITOR, ADJUST = "monitor", "adjust_dose"
_PARTNER = ("with", "partner", "interaction", "interacting_drug", "drug_b", "drugs")


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(
        Path(__file__).with_name("monitoring.json").read_text(encoding="utf-8")
    )
    return table


def effects(fact: Interaction) -> tuple[str, ...]:
    """Return the effects of an interaction that can be watched."""
    return tuple(_table()["mechanisms"].get(fact.mechanism, ()))


def watching(fact: Interaction, drug: str, other: str) -> frozenset[str]:
    """Return the terms of the tests that watch an interaction of two drugs."""
    found: set[str] = set()
    for effect in effects(fact):
        found |= terms(_table()["effects"][effect])
        if effect == "level":
            for one in (drug, other):
                names = _table()["levels"].get(one, ())
                found |= terms([*names, f"{one}_level", "level", "drug_level", "trough_level"])
    return frozenset(found)


@lru_cache(maxsize=1)
def known_tests() -> frozenset[str]:
    """Return the terms of all tests of the table."""
    table = _table()
    lists = (*table["effects"].values(), *table["levels"].values())
    return frozenset().union(*(terms(names) for names in lists))


def answers(
    order: Event, fact: Interaction, drug: str, other: str, partners: Sequence[str]
) -> bool:
    """Return whether an order of ``monitor`` or ``adjust_dose`` answers a pair.

    Args:
        order: The order.
        fact: The interaction.
        drug: One drug of the pair, the one that the order may be of.
        other: The other drug.
        partners: All drugs with which ``drug`` has a major interaction here.
    """
    named = order.args.get("drug"), *_listed(order.args.get("drugs"))
    if not any(isinstance(name, str) and _means(name, drug) for name in named):
        return False
    mentioned = [name for key in _PARTNER for name in _listed(order.args.get(key))]
    if any(_means(name, other) for name in mentioned):
        return True
    if any(not _means(name, drug) for name in mentioned):
        return False  # it is for another pair
    if order.tool == ADJUST:
        return "level" in effects(fact) or len(set(partners)) == 1
    test = term(order.text("test") or "")
    if test in watching(fact, drug, other):
        return True
    own = terms([*_table()["levels"].get(drug, ()), f"{drug}_level"])
    unclear = not test or test in own or (test not in known_tests() and not test.endswith("level"))
    return unclear and len(set(partners)) == 1


def _listed(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [one for one in values if isinstance(one, str)]


def _means(name: str, drug: str) -> bool:
    found = resolve(name)
    if found is not None and drug in found.ingredients:
        return True
    group = resolve_class(name)
    return group is not None and is_a(drug, f"class:{group}")
