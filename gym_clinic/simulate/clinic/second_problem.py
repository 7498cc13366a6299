"""A second problem beside the one that brings a patient."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random

from gym_clinic.facts import Facts
from gym_clinic.facts.records.conditions import Condition
from gym_clinic.facts.records.epidemiology import Person
from gym_clinic.simulate.disease.second import common_problems, draw_second, likely_besides

MILD = 4
"""Triage level from which on a problem may be a second one."""


def second_problem(
    facts: Facts, first: Condition, lived_with: Sequence[str], person: Person, random: Random
) -> Condition | None:
    """Draw a second, mild and common problem that could not be mistaken for the first.

    It is no more urgent than the first, which is what brings the patient, and both together do not
    look like a third.

    Args:
        facts: The fact tables.
        first: What brings the patient.
        lived_with: Ids of what the patient lives with.
        person: Age, sex and pregnancy.
        random: The source of randomness.
    """
    least = max(MILD, first.triage or 0)
    mild = {
        key
        for key, one in facts.conditions.items()
        if one.role == "presenting"
        and (one.triage or 0) >= least
        and _in_one_season(first, one)
        and not like_a_third(first, one)
    }
    likely = likely_besides(facts, person, (key for key in common_problems(facts) if key in mild))
    drawn = draw_second(likely, facts.diseases[first.id], random, lived_with)
    return facts.conditions[drawn] if drawn is not None else None


def like_a_third(first: Condition, other: Condition) -> bool:
    """Return whether two problems together look like a third and graver one."""
    table = _like_a_third()
    pairs = ((first, other), (other, first))
    return any(not one.rates.keys().isdisjoint(table.get(by.id, ())) for by, one in pairs)


def _in_one_season(first: Condition, other: Condition) -> bool:
    """Whether two conditions can come in the same month."""
    return not (first.months and other.months and set(first.months).isdisjoint(other.months))


@lru_cache(maxsize=1)
def _like_a_third() -> Mapping[str, Sequence[str]]:
    """Condition -> findings of other conditions with which it looks like a third: weals with a
    faint, with breathlessness or with vomiting are anaphylaxis.
    """
    file = Path(__file__).with_name("like_a_third.json")
    found: dict[str, Sequence[str]] = json.loads(file.read_text(encoding="utf-8"))
    return found
