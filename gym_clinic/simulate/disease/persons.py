"""The person who has a disease, and how frequent a disease is in a person."""

from __future__ import annotations

import math
from random import Random

from gym_clinic.facts import INCIDENCE, Disease, Epidemiology, Facts, Person
from gym_clinic.facts.records.epidemiology import AgeBand, Sex

ANYONE = Epidemiology(ages=(AgeBand(18, 90, 1),), female=0.5, incidence="uncommon")
"""The epidemiology of a disease without one."""

LIFE = 90.0
"""Years over which the weights of ages are averaged."""


def epidemiology_of(disease: Disease) -> Epidemiology:
    """Return the epidemiology of a disease; :data:`ANYONE`'s where the table has none."""
    return disease.epidemiology or ANYONE


def draw_person(epidemiology: Epidemiology, random: Random) -> Person:
    """Draw a patient's age and sex; the age in whole years from two on, as charts give it."""
    (band,) = random.choices(epidemiology.ages, weights=[one.weight for one in epidemiology.ages])
    age = random.uniform(band.low, band.high)
    age = int(age * 1000) / 1000 if age < 2 else float(int(age))
    sex: Sex = "female" if random.random() < epidemiology.female else "male"
    return Person(age, sex, epidemiology.pregnancy)


def density(epidemiology: Epidemiology, person: Person) -> float:
    """Return how many times as frequent a disease is in a person as in people on average."""
    if not epidemiology.admits(person):
        return 0.0
    total = sum(one.weight for one in epidemiology.ages)
    (band,) = (one for one in epidemiology.ages if one.low <= person.age < one.high)
    share = epidemiology.female if person.sex == "female" else 1 - epidemiology.female
    return band.weight / total * LIFE / (band.high - band.low) * 2 * share


def frequency(facts: Facts, disease: str, person: Person) -> float:
    """Return how many of 100,000 such persons come with a disease in a year.

    It is the number of its condition, or else the geometric middle of its class of incidence, times
    the :func:`density`.
    """
    known = epidemiology_of(facts.diseases[disease])
    condition = facts.conditions.get(disease)
    low, high = INCIDENCE[known.incidence]
    number = math.sqrt(max(low, 0.1) * high)
    if condition is not None and condition.weight is not None:
        number = condition.weight
    return number * density(known, person)
