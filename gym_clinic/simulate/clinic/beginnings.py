"""When the findings of a problem began: with it, in its course, late in it, or long before.

What is told of a patient follows from these times. A finding that comes only later in the course
is never there, and a feature of months or years does not begin with an attack of hours.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from random import Random

from gym_clinic.facts.records.conditions import Condition

DAY = 24 * 60

CARDINAL = 0.9
"""Share of patients from which on a finding is there from the beginning."""

AT_ONCE = 0.4
"""Share of the other findings that are there from the beginning."""

INFANT = 1
"""Age in years below which nothing is of long standing."""

_HERE = Path(__file__).parent


def draw_beginning(
    condition: Condition, finding: str, began: int, age: float, share: float, random: Random
) -> int:
    """Draw when a finding began, in minutes from arrival.

    Args:
        condition: What it belongs to.
        finding: Its name; no exposure but one that begins the illness.
        began: When the condition began.
        age: Of the patient, in years.
        share: Of the patients of the condition who have the finding.
        random: The source of randomness.
    """
    late = condition.from_day.get(finding)
    if finding in begins_it():
        return began
    if late is not None:
        return round((began + late * DAY) * random.uniform(0.05, 0.9))
    at_once = random.random() < AT_ONCE or share >= CARDINAL
    usual = began if at_once else round(began * random.uniform(0.05, 0.9))
    days = long_standing().get(finding)
    if days is None or age < INFANT:
        return usual
    return min(usual, -round(min(random.uniform(*days), 365 * age) * DAY))


def least_days(condition: Condition, finding: str, age: float) -> float:
    """Return for how many days a condition has been there at least when it begins with a finding.

    It is infinite for what comes late and never begins an illness.
    """
    if finding in condition.from_day:
        return float("inf")
    days = long_standing().get(finding)
    return days[0] if days is not None and age >= INFANT else 0.0


def not_before(condition: Condition, finding: str, began: int, when: int) -> int:
    """Return a time at which a finding may have begun: a late one not before its day."""
    late = condition.from_day.get(finding)
    return when if late is None else min(max(when, round(began + late * DAY)), -1)


@lru_cache(maxsize=1)
def begins_it() -> frozenset[str]:
    """Return the exposures that begin an illness at once, such as an overdose."""
    return frozenset(json.loads((_HERE / "begins_it.json").read_text(encoding="utf-8")))


@lru_cache(maxsize=1)
def long_standing() -> Mapping[str, tuple[float, float]]:
    """Return finding of months or years -> the fewest and most days for which it has been there."""
    read = json.loads((_HERE / "long_standing.json").read_text(encoding="utf-8"))
    return {name: (low, high) for name, (low, high) in read.items()}
