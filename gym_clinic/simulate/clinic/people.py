"""Who a simulated patient is: person, long-standing conditions, habits, medicines and allergies."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any, get_args

import numpy as np
from pydantic import TypeAdapter

from gym_clinic.facts import Facts
from gym_clinic.facts.conditions import Condition, Effect
from gym_clinic.facts.courses import LongTermMedicine
from gym_clinic.facts.drugs import CLASS
from gym_clinic.facts.epidemiology import Person, Pregnancy, Sex
from gym_clinic.simulate.clinic.body import DrawnEffect, draw_effect
from gym_clinic.simulate.disease.persons import density, epidemiology_of

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

CONTROLLED = 0.3
"""Severity that is left of a condition under treatment, where it also brings patients."""

ALLERGIES = (
    ("class:penicillin", 0.06, ("rash", "rash", "hives", "anaphylaxis")),
    ("class:sulfonamide-antibiotic", 0.02, ("rash", "hives")),
    ("class:nsaid", 0.01, ("wheeze", "hives")),
    ("codeine", 0.02, ("itching", "vomiting")),
)
"""Allergen, share of people who report it, and the reactions they report."""

AGES = (0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0)
GROWN = (0.3, 0.45, 0.52, 0.57, 0.62, 0.7, 0.77, 0.83, 0.9, 0.97, 1.0)
"""Ages in years, and the share of the adult height at each."""

_PLACES = Path(__file__).parent


@dataclass(frozen=True)
class Demographics:
    """A person.

    Attributes:
        name: First and family name, invented.
        sex: Sex.
        age: In years; a fraction below two years.
        height_cm: Height.
        weight_kg: Weight.
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
    """

    condition: str
    years: float
    effects: Mapping[str, DrawnEffect]
    severity: float = 1.0


@dataclass(frozen=True)
class TakenMedicine:
    """A medicine that a person takes.

    Attributes:
        drug: Id of the drug.
        dose: Of one time.
        unit: Of the dose.
        per_day: Times a day; below 1 for less often.
        condition: What it is for.
        effects: What it does to measurements.
        blunting: Share of a rise of the heart rate that it suppresses.
    """

    drug: str
    dose: float
    unit: str
    per_day: float
    condition: str
    effects: Mapping[str, DrawnEffect]
    blunting: float


@dataclass(frozen=True)
class ReportedAllergy:
    """An allergy that is reported.

    Attributes:
        allergen: Reference of a drug or class.
        reaction: What happened.
    """

    allergen: str
    reaction: str


def prevalence(facts: Facts, condition: Condition, person: Person) -> float:
    """Return the share of people of an age and sex who live with a condition, 0 to 0.6."""
    known = epidemiology_of(facts.diseases[condition.id])
    return min((condition.prevalence or 0) / 1000 * density(known, person), 0.6)


def draw_demographics(
    condition: Condition, background: Collection[str], person: Person, random: Random
) -> Demographics:
    """Draw name, size, habits and the week of a pregnancy."""
    names = _names()
    age, sex, pregnancy = person
    factors = {risk.factor: risk.share for risk in condition.risks}
    height, weight = _size(age, sex, "obesity" in background, random)
    chances = {habit: factors.get(habit, share) for habit, share in HABITS.items()}
    habits = tuple(
        habit for habit, share in chances.items() if age >= ADULT and random.random() < share
    )
    weeks = random.randint(*WEEKS.get(condition.id, (6, 40))) if pregnancy == "pregnant" else None
    name = f"{random.choice(names[sex])} {random.choice(names['family'])}"
    return Demographics(name, sex, age, height, weight, habits, weeks, pregnancy == "postpartum")


def _size(age: float, sex: Sex, obese: bool, random: Random) -> tuple[float, float]:
    """Height in cm and weight in kg."""
    mean, deviation = (176.0, 7.0) if sex == "male" else (163.0, 6.5)
    height = mean + deviation * min(max(random.gauss(0, 1), -2), 2)
    height *= float(np.interp(age, AGES, GROWN))
    usual = 34.0 if obese else 25.0 if age >= ADULT else 14.5 + 0.45 * age if age > 2 else 16.5
    index = random.gauss(usual, 0.09 * usual)
    return round(height), round(index * (height / 100) ** 2, 1)


def draw_background(
    facts: Facts, condition: Condition, person: Person, random: Random
) -> list[Background]:
    """Draw the conditions that a patient lives with; those that raise the risk more often."""
    risks = {risk.factor: risk.share for risk in condition.risks}
    found = []
    for key, one in facts.conditions.items():
        if one.role == "presenting" or key == condition.id:
            continue
        usual = prevalence(facts, one, person)
        chance = max(usual, risks.get(key, 0.0)) if usual else 0.0
        if random.random() < chance:
            first = epidemiology_of(facts.diseases[key]).ages[0].low
            longest = max(min(person.age - first, 25.0), 0.2)
            drawn = {**one.vitals, **one.labs} if one.role == "background" else one.labs
            effects = {name: draw_effect(effect, random) for name, effect in drawn.items()}
            years = min(random.uniform(0.3, max(longest, 0.4)), person.age)
            severity = 1.0 if one.role == "background" else CONTROLLED
            found.append(Background(key, min(round(years, 1), person.age), effects, severity))
    return found


def draw_allergies(random: Random) -> list[ReportedAllergy]:
    """Draw what a person says to be allergic to."""
    return [
        ReportedAllergy(allergen, random.choice(reactions))
        for allergen, share, reactions in ALLERGIES
        if random.random() < share
    ]


def draw_medicines(
    facts: Facts,
    conditions: Collection[str],
    allergies: Collection[ReportedAllergy],
    age: float,
    pregnant: bool,
    random: Random,
) -> list[TakenMedicine]:
    """Draw what a person takes: nothing against an allergy, an illness or another medicine."""
    taken: list[TakenMedicine] = []
    forbidden = {one for key in conditions for one in facts.conditions[key].contraindicated}
    for key in conditions:
        for one in facts.conditions[key].medicines:
            if age < ADULT or random.random() >= one.share:
                continue
            if pregnant or any(one.drug == other.drug for other in taken):
                continue
            if _allergic(facts, one.drug, allergies) or forbidden & _references(facts, one.drug):
                continue
            if _clashes(facts, one.drug, taken):
                continue
            taken.append(_taken(facts, key, one, random))
    return taken


def _taken(facts: Facts, condition: str, one: LongTermMedicine, random: Random) -> TakenMedicine:
    effects, blunting = dict[str, DrawnEffect](), 0.0
    for name in facts.drugs[one.drug].classes:
        known = drug_effects().get(name)
        if known is not None:
            blunting = max(blunting, known.blunting)
            effects |= {key: draw_effect(effect, random) for key, effect in known.effects.items()}
    dose = random.choice(one.doses)
    return TakenMedicine(one.drug, dose, one.unit, one.per_day, condition, effects, blunting)


def _allergic(facts: Facts, drug: str, allergies: Collection[ReportedAllergy]) -> bool:
    return any(one.allergen in _references(facts, drug) for one in allergies)


def _clashes(facts: Facts, drug: str, taken: Collection[TakenMedicine]) -> bool:
    """Whether a drug is of the kind of one that is taken, or must not be combined with it."""
    own = facts.drugs[drug].classes
    names = _references(facts, drug)
    for other in taken:
        if own and set(own) == set(facts.drugs[other.drug].classes):
            return True
        theirs = _references(facts, other.drug)
        if any(names & kind and theirs & kind for kind in kinds_of_medicines()):
            return True
        for one in facts.interactions.values():
            if one.severity == "contraindicated" and len(one.between) == 2:
                first, second = one.between
                if (first in names and second in theirs) or (second in names and first in theirs):
                    return True
    return False


@lru_cache(maxsize=1)
def kinds_of_medicines() -> tuple[frozenset[str], ...]:
    """Return each kind of medicine: drugs and classes of which nobody takes two."""
    file = _PLACES / "one_of_a_kind.json"
    kinds: Mapping[str, list[str]] = json.loads(file.read_text(encoding="utf-8"))
    return tuple(frozenset(one) for one in kinds.values())


def _references(facts: Facts, drug: str) -> set[str]:
    """The drug and its classes, as interactions and allergies name them."""
    return {drug, *(CLASS + name for name in facts.drugs[drug].classes)}


@dataclass(frozen=True)
class DrugEffects:
    """What drugs of a class do to measurements.

    Attributes:
        blunting: Share of a rise of the heart rate that they suppress.
        effects: Measurement -> effect.
    """

    blunting: float
    effects: dict[str, Effect]


@lru_cache(maxsize=1)
def drug_effects() -> Mapping[str, DrugEffects]:
    """Return class of drugs -> what its drugs do to measurements."""
    text = (_PLACES / "drug_effects.json").read_text(encoding="utf-8")
    return TypeAdapter(dict[str, DrugEffects]).validate_json(text)


@lru_cache(maxsize=1)
def _names() -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads((_PLACES / "names.json").read_text(encoding="utf-8"))
    if missing := {*get_args(Sex), "family"} - found.keys():
        raise ValueError(f"names.json lacks {sorted(missing)}")
    return found
