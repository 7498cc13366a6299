"""Who a simulated patient is: the person, habits, and long-standing conditions."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any, get_args

import numpy as np

from gym_clinic.facts import Facts
from gym_clinic.facts.records.conditions import Condition
from gym_clinic.facts.records.epidemiology import AgeBand, Epidemiology, Person, Pregnancy, Sex
from gym_clinic.simulate.clinic.physiology.body import DrawnEffect, draw_effect
from gym_clinic.simulate.disease.persons import LIFE, epidemiology_of

ADULT = 18
WEEKS = {
    "preeclampsia": (24, 40),
    "hyperemesis-gravidarum": (6, 14),
    "ectopic-pregnancy": (5, 9),
    "miscarriage": (6, 19),
    "placenta-praevia": (24, 38),
    "placental-abruption": (25, 39),
    "gestational-diabetes": (24, 38),
}
"""Condition of pregnancy -> the completed weeks at which it comes."""

HABITS = {"smoking": 0.17, "alcohol": 0.07}
"""Habit -> share of adults who have it, where a condition does not make it more frequent."""

GIVEN_UP = (75, 0.5)
"""Age in years from which habits are rarer, and by which factor (authored)."""

MOST = 0.75
"""Greatest share of the people of an age who live with a condition."""

CONTROLLED = 0.3
"""Severity that is left of a condition under treatment, where it also brings patients."""

KNOWN = 0.2
"""Years for which an illness has been known at least when an attack of it begins."""

LASTING = 0.6
"""Share of the slow effects of a known illness that is there between its attacks."""

SLOW_HOURS, SLOW = 18, ("hb",)
"""Pace in hours from which on an effect is slow, and slow measurements of another pace."""

MISTAKEN, MISTAKEN_YEARS = 0.2, (0.4, 6.0)
"""Of adults with an illness that is taken for others: share with such an old diagnosis, and for how
many years."""

LONGEST_KNOWN = 25
"""Years for which conditions are known at most, where no other number is written, and they did not
begin even earlier."""

MINUTES_IN_YEAR = 365.25 * 24 * 60

AGES = (0.0, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0)
GROWN = (0.3, 0.36, 0.4, 0.45, 0.52, 0.57, 0.62, 0.7, 0.77, 0.83, 0.9, 0.97, 1.0)
"""Ages in years, and the share of the adult height at each."""

HEIGHTS: Mapping[Sex, tuple[float, float]] = {"male": (176.0, 7.0), "female": (163.0, 6.5)}
"""Sex -> mean height of adults in cm, and its standard deviation."""

_PLACES = Path(__file__).parent


@dataclass(frozen=True)
class Demographics:
    """A person.

    Attributes:
        name: First and family name, invented.
        sex: Sex.
        age: In years; a fraction below two years.
        height_cm: Height.
        weight_kg: Weight on arrival.
        habits: Such as "smoking".
        pregnant_weeks: Completed weeks of pregnancy; None if not pregnant.
        postpartum: Whether she gave birth in the last year.
    """

    name: str
    sex: Sex
    age: float
    height_cm: float
    weight_kg: float
    habits: tuple[str, ...] = ()
    pregnant_weeks: int | None = None
    postpartum: bool = False

    @property
    def measured_by(self) -> tuple[Sex, float, int | None]:
        """What reference ranges go by: sex, age and the weeks of a pregnancy."""
        return self.sex, self.age, self.pregnant_weeks

    @property
    def person(self) -> Person:
        """What epidemiology and findings depend on."""
        pregnancy: Pregnancy | None = "postpartum" if self.postpartum else None
        if self.pregnant_weeks is not None:
            pregnancy = "pregnant"
        return Person(self.age, self.sex, pregnancy)


@dataclass(frozen=True)
class Background:
    """A condition that a person has lived with.

    Attributes:
        condition: Id of the disease.
        years: For how many years.
        effects: What it does to measurements.
        severity: How much of the effects is left under treatment: 1 for what is only ever in the
            background, less for what also brings patients.
        mistaken: Whether the diagnosis is wrong: it is on record and treated, and the patient never
            had it. Only the hidden record says so.
    """

    condition: str
    years: float
    effects: Mapping[str, DrawnEffect]
    severity: float = 1.0
    mistaken: bool = False


def prevalence(facts: Facts, condition: Condition, person: Person) -> float:
    """Return the share of people of an age and sex who live with a condition.

    What is lived with stays: the share grows with age as the ages at which people get it are
    passed.
    """
    epidemiology = epidemiology_of(facts.diseases[condition.id])
    if not may_live_with(epidemiology, person):
        return 0.0
    ages = epidemiology.ages
    share = (condition.prevalence or 0) / 1000 * _passed(ages, person.age) / _mean_passed(ages)
    return min(share * _share_of_sex(epidemiology, person), MOST)


def may_live_with(epidemiology: Epidemiology, person: Person) -> bool:
    """Whether a person may live with what people of these ages and this sex get."""
    sex = epidemiology.female > 0 if person.sex == "female" else epidemiology.female < 1
    return sex and epidemiology.pregnancy is None and person.age >= epidemiology.ages[0].low


def _passed(ages: tuple[AgeBand, ...], age: float) -> float:
    """The share of those who ever get it who have got it by an age."""
    total = sum(one.weight for one in ages)
    parts = (min(max(age - one.low, 0) / (one.high - one.low), 1) for one in ages)
    return sum(part * one.weight / total for part, one in zip(parts, ages, strict=True))


@lru_cache(maxsize=1 << 10)
def _mean_passed(ages: tuple[AgeBand, ...]) -> float:
    return sum(_passed(ages, age) for age in range(int(LIFE))) / LIFE


def _share_of_sex(epidemiology: Epidemiology, person: Person) -> float:
    """Twice the share of the person's sex among those who have it."""
    return 2 * (epidemiology.female if person.sex == "female" else 1 - epidemiology.female)


def draw_demographics(
    condition: Condition, background: Collection[str], person: Person, random: Random
) -> Demographics:
    """Draw name, size, habits and the week of a pregnancy."""
    names = _names()
    age, sex, pregnancy = person
    factors = {risk.factor: risk.share for risk in condition.risks}
    height, weight = _size(age, sex, [condition.id, *background], random)
    kept = GIVEN_UP[1] if age >= GIVEN_UP[0] else 1
    chances = {habit: kept * factors.get(habit, share) for habit, share in HABITS.items()}
    habits = tuple(
        habit for habit, share in chances.items() if age >= ADULT and random.random() < share
    )
    weeks = random.randint(*WEEKS.get(condition.id, (6, 40))) if pregnancy == "pregnant" else None
    name = f"{random.choice(names[sex])} {random.choice(names['family'])}"
    return Demographics(name, sex, age, height, weight, habits, weeks, pregnancy == "postpartum")


def _size(age: float, sex: Sex, conditions: Collection[str], random: Random) -> tuple[float, float]:
    """Height in cm and weight in kg, before an illness changes the weight."""
    mean, deviation = HEIGHTS[sex]
    height = mean + deviation * min(max(random.gauss(0, 1), -2), 2)
    height *= float(np.interp(age, AGES, GROWN))
    usual = usual_body_mass(age, conditions)
    index = random.gauss(usual, 0.09 * usual)
    return round(height), round(index * (height / 100) ** 2, 1)


def build_of(person: Demographics) -> dict[str, float]:
    """Return body mass index and height as shares of what is usual: `build` and `tallness`."""
    usual = HEIGHTS[person.sex][0] * float(np.interp(person.age, AGES, GROWN))
    index = person.weight_kg / (person.height_cm / 100) ** 2
    return {
        "build": index / usual_body_mass(person.age, ()),
        "tallness": person.height_cm / usual,
    }


def usual_weight(age: float, sex: Sex) -> float:
    """Return the mean weight in kg of people of an age in years."""
    height = HEIGHTS[sex][0] * float(np.interp(age, AGES, GROWN))
    return usual_body_mass(age, ()) * (height / 100) ** 2


def usual_body_mass(age: float, conditions: Collection[str]) -> float:
    """Return the mean body mass index in kg/m2 of people with some conditions.

    Of several conditions the one that moves it furthest counts.

    Args:
        age: In years.
        conditions: Ids of what they live with or come with.
    """
    usual, factors = _body_mass()["usual"], _body_mass()["conditions"]
    index = usual["adult"] if age >= ADULT else usual["child"] + usual["child_per_year"] * age
    index = index if age > 2 else usual["infant"]
    known = [factors[one] for one in conditions if one in factors]
    return float(index * max(known, key=lambda one: abs(one - 1), default=1.0))


def draw_background(
    facts: Facts, condition: Condition, person: Person, random: Random, surely: str | None = None
) -> list[Background]:
    """Draw the conditions that a patient lives with; those that raise the risk more often.

    Args:
        facts: The fact tables.
        condition: What brings the patient.
        person: Age and sex.
        random: The source of randomness.
        surely: Id of a condition that the patient lives with, if somebody of this age and sex does.
    """
    risks = {risk.factor: risk.share for risk in condition.risks}
    found: list[Background] = []
    barred = {*excluded_by(condition.id), condition.id}
    for key in sorted(facts.conditions, key=lambda key: key != surely):
        one = facts.conditions[key]
        if one.role == "presenting" or not one.drawn or key in barred:
            continue
        usual = prevalence(facts, one, person)
        chance = max(usual, risks.get(key, 0.0)) if usual else 0.0
        if random.random() < (1.0 if usual and key == surely else chance):
            least, longest = _known_years(facts, key, person.age)
            drawn = {**one.vitals, **one.labs} if one.role == "background" else one.labs
            effects = {name: draw_effect(effect, random) for name, effect in drawn.items()}
            years = min(random.uniform(max(least, 0.3), max(longest, 0.4)), person.age)
            years = person.age if key in _lived_with()["from_birth"] else years
            severity = 1.0 if one.role == "background" else CONTROLLED
            found.append(Background(key, min(round(years, 1), person.age), effects, severity))
            barred |= excluded_by(key)
    return found


def _known_years(facts: Facts, condition: str, age: float) -> tuple[float, float]:
    """For how many years people of an age live with a condition: it begins at the ages at which it
    does, and they live with it for no longer than is written.
    """
    ages = epidemiology_of(facts.diseases[condition]).ages
    least = age - ages[-1].high
    most = float(_lived_with()["most_years"].get(condition, max(LONGEST_KNOWN, least)))
    longest = min(age - ages[0].low, most)
    return min(least, longest), longest


def draw_known(
    facts: Facts,
    condition: Condition,
    person: Person,
    began: int,
    random: Random,
    effects: Mapping[str, DrawnEffect] = MappingProxyType({}),
) -> Background | None:
    """Draw whether who comes with an attack of a condition has lived with it before.

    Of its effects the slow ones are there between attacks too, as in the anaemia of sickle cell
    disease; it is known for longer than the attack has lasted.

    Args:
        facts: The fact tables.
        condition: What brings the patient.
        person: Age and sex.
        began: When the attack began, in minutes from arrival.
        random: The source of randomness.
        effects: What the attack does to measurements.
    """
    share = condition.lived_with_before
    epidemiology = epidemiology_of(facts.diseases[condition.id])
    if share is None or random.random() >= share or not may_live_with(epidemiology, person):
        return None
    least = math.ceil(10 * (KNOWN - began / MINUTES_IN_YEAR)) / 10
    first, longest = _known_years(facts, condition.id, person.age)
    if longest < least:
        return None
    years = round(random.uniform(max(least, first), longest), 1)
    years = person.age if condition.id in _lived_with()["from_birth"] else years
    return Background(condition.id, years, slow_effects(facts, effects), LASTING)


def draw_mistaken(
    facts: Facts, condition: Condition, person: Person, lived_with: Collection[str], random: Random
) -> Background | None:
    """Draw whether a patient has the old, wrong diagnosis of an illness that resembles this one.

    Args:
        facts: The fact tables.
        condition: What brings the patient.
        person: Age and sex; a child or a pregnant woman has none.
        lived_with: What the patient lives with or comes with.
        random: The source of randomness.
    """
    grown = person.age >= ADULT + 1 and person.pregnancy is None
    likely = [
        one
        for one in mistaken_for().get(condition.id, ())
        if {one, *excluded_by(one)}.isdisjoint({*lived_with} - {condition.id})
        and may_live_with(epidemiology_of(facts.diseases[one]), person)
    ]
    if condition.id in lived_with or not grown or not likely or random.random() >= MISTAKEN:
        return None
    low, high = MISTAKEN_YEARS
    years = round(random.uniform(low, min(high, person.age - ADULT)), 1)
    return Background(random.choice(likely), years, {}, mistaken=True)


def slow_effects(facts: Facts, effects: Mapping[str, DrawnEffect]) -> dict[str, DrawnEffect]:
    """Return the effects on what changes over days."""
    return {
        key: one
        for key, one in effects.items()
        if key in SLOW or facts.measurements[key].pace_hours >= SLOW_HOURS
    }


def beside_known(effects: Mapping[str, DrawnEffect], known: Background) -> dict[str, DrawnEffect]:
    """Return the effects of an attack without the share that was there before."""
    left = 1 - known.severity
    return {
        key: one.part(left) if key in known.effects and one.kind != "set" else one
        for key, one in effects.items()
    }


def excluded_by(condition: str) -> frozenset[str]:
    """Return the conditions that nobody has together with one."""
    together = (group for group in _exclusive() if condition in group)
    return frozenset(one for group in together for one in group if one != condition)


@lru_cache(maxsize=1)
def mistaken_for() -> Mapping[str, tuple[str, ...]]:
    """Return condition -> the illnesses, named by the history alone, that it is taken for."""
    text = (_PLACES / "mistaken.json").read_text(encoding="utf-8")
    return {key: tuple(names) for key, names in json.loads(text).items()}


@lru_cache(maxsize=1)
def _exclusive() -> tuple[frozenset[str], ...]:
    groups = json.loads((_PLACES / "exclusive.json").read_text(encoding="utf-8"))
    return tuple(frozenset(one) for one in groups)


@lru_cache(maxsize=1)
def _lived_with() -> Mapping[str, Any]:
    file = _PLACES / "lived_with.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return MappingProxyType(found)


@lru_cache(maxsize=1)
def _body_mass() -> Mapping[str, Mapping[str, float]]:
    """The usual body mass index by age, and condition -> the factor by which it is another."""
    found: Mapping[str, Mapping[str, float]] = json.loads(
        (_PLACES / "body_mass.json").read_text(encoding="utf-8")
    )
    return found


@lru_cache(maxsize=1)
def _names() -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads((_PLACES / "names.json").read_text(encoding="utf-8"))
    if missing := {*get_args(Sex), "family"} - found.keys():
        raise ValueError(f"names.json lacks {sorted(missing)}")
    return found
