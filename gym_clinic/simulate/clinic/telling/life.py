"""What a patient's life is like, as it is asked in a history: work, home, family, travel, food.

Drawn apart from the problem and at rates that do not depend on it; a stay in the tropics, a missed
period and heavy drinking follow the record.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Literal

from pydantic import TypeAdapter

from gym_clinic.facts import Facts
from gym_clinic.simulate.clinic.patient import ClinicPatient
from gym_clinic.simulate.clinic.people import ADULT

Home = Literal["alone", "partner", "family", "parents", "care home"]
Movements = Literal["usual", "fewer"]

BEARS = 14
"""Age in years from which pregnancies are asked about."""

FELT = 20
"""Weeks of pregnancy from which the baby is felt to move."""

SCHOOL, RETIRED = 5, 67
FEWER = 0.1
"""Share of unborn babies that are felt to move less than before."""

FEWER_IN = {"placental-abruption": 0.7, "preeclampsia": 0.25}
"""Condition that harms the unborn baby -> that share."""

TRAVELLED = 0.12
"""Share of people who came back from a journey within weeks."""

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class FamilyIllness:
    """An illness of a relative.

    Attributes:
        relative: Such as "mother".
        condition: Id of the disease.
    """

    relative: str
    condition: str


@dataclass(frozen=True)
class Life:
    """What a patient tells of the life outside.

    Attributes:
        work: Such as "in an office"; "school", "nursery", "retired" or "none".
        home: With whom the patient lives.
        meal: Minutes from arrival of the last meal, below 0.
        journey: Where the patient came back from; None for no journey.
        back: Days since then; None for no journey.
        family: Illnesses of relatives.
        period: Days since the last period began; None where there is none.
        cigarettes: A day; 0 for those who do not smoke.
        units: Units of alcohol a week.
        births: Children that a woman has had; None for men and girls.
        losses: Pregnancies that ended early.
        movements: How the unborn baby moves; None before it is felt.
    """

    work: str
    home: Home
    meal: int
    journey: str | None
    back: int | None
    family: tuple[FamilyIllness, ...]
    period: int | None
    cigarettes: int
    units: int
    births: int | None
    losses: int
    movements: Movements | None


@dataclass(frozen=True)
class _Choices:
    work: list[str]
    holidays: list[str]
    tropics: list[str]
    relatives: list[str]
    family: dict[str, float]
    forbidden: dict[str, list[str]]


def draw_life(patient: ClinicPatient) -> Life:
    """Draw the life of a patient; always the same."""
    random = Random(f"{patient.seed}:{patient.problems[0].condition}:life")
    person, ids, choices = patient.person, patient.facts.finding_ids, _choices()
    has = {key for problem in patient.problems for key in problem.findings}
    abroad = ids["Stay in the tropics"] in has
    journey, back = None, None
    if random.random() < TRAVELLED or abroad:
        journey = random.choice(choices.tropics if abroad else choices.holidays)
        back = random.randint(3, 28)
    units = (
        random.randint(30, 80) if "alcohol" in person.habits else random.choice((0, 2, 4, 8, 12))
    )
    if person.age < ADULT or person.pregnant_weeks is not None:
        units = 0
    smokes = "smoking" in person.habits
    births, losses, movements = _pregnancies(patient)
    return Life(
        work=_work(patient, choices, random),
        home=_home(person.age, random),
        meal=-random.randint(1, 5) * 60 if person.age < 2 else -random.randint(1, 14) * 60,
        journey=journey,
        back=back,
        family=_family(patient, choices, random),
        period=_period(patient, ids["Amenorrhea"] in has, random),
        cigarettes=random.choice((5, 10, 15, 20, 25)) if smokes else 0,
        units=units,
        births=births,
        losses=losses,
        movements=movements,
    )


def _pregnancies(patient: ClinicPatient) -> tuple[int | None, int, Movements | None]:
    """Children, lost pregnancies and the movements of an unborn baby."""
    person = patient.person
    random = Random(f"{patient.seed}:{patient.problems[0].condition}:pregnancies")
    if person.sex == "male" or person.age < BEARS:
        return None, 0, None
    most = min(int((person.age - BEARS) / 4), 4)
    births = min(random.choices(range(5), weights=(30, 25, 28, 12, 5))[0], most)
    if person.postpartum:
        births = max(births, 1)
    losses = min(random.choices(range(3), weights=(75, 20, 5))[0], most)
    weeks = person.pregnant_weeks
    if weeks is None or weeks < FELT:
        return births, losses, None
    fewer = max(FEWER, FEWER_IN.get(patient.problems[0].condition, 0.0))
    return births, losses, "fewer" if random.random() < fewer else "usual"


def _work(patient: ClinicPatient, choices: _Choices, random: Random) -> str:
    """Where the patient works: nowhere that is forbidden in what is lived with."""
    lived = [one.condition for one in patient.background]
    forbidden = {place for key in lived for place in choices.forbidden.get(key, ())}
    place = random.choice([one for one in choices.work if one not in forbidden])
    age = patient.person.age
    if age < SCHOOL:
        return "nursery" if age >= 1 else "none"
    if age < ADULT:
        return "school"
    return "retired" if age >= RETIRED else place


def _home(age: float, random: Random) -> Home:
    drawn = random.random()
    if age < ADULT:
        return "parents"
    if age >= 80 and drawn < 0.2:
        return "care home"
    return "alone" if drawn < 0.45 else "partner" if drawn < 0.8 else "family"


def _family(patient: ClinicPatient, choices: _Choices, random: Random) -> tuple[FamilyIllness, ...]:
    """Common illnesses of relatives; none that is or looks like a problem of the patient."""
    alike: set[str] = set()
    for problem in patient.problems:
        alike |= {problem.condition, *patient.facts.diseases[problem.condition].look_alikes}
    found = []
    for condition, share in choices.family.items():
        relative = random.choice(choices.relatives)
        if random.random() < share and condition not in alike:
            found.append(FamilyIllness(relative, condition))
    return tuple(found[:2])


def _period(patient: ClinicPatient, missed: bool, random: Random) -> int | None:
    person, days = patient.person, random.randint(1, 28)
    if person.sex == "male" or not 13 <= person.age < 51:
        return None
    if person.pregnant_weeks is not None:
        return 7 * person.pregnant_weeks + days % 7
    if person.postpartum:
        return None
    return days + 40 if missed else days


@lru_cache(maxsize=1)
def _choices() -> _Choices:
    read = json.loads((_HERE / "lives.json").read_text(encoding="utf-8"))
    read |= {"family": read.pop("in the family"), "forbidden": read.pop("no work with")}
    return TypeAdapter(_Choices).validate_python(read)


@lru_cache(maxsize=1)
def lay_names() -> Mapping[str, tuple[str, ...]]:
    """Return condition that people live with -> how they call it."""
    text = (_HERE / "lay_names.json").read_text(encoding="utf-8")
    return TypeAdapter(dict[str, tuple[str, ...]]).validate_json(text)


def illness_names(facts: Facts, condition: str) -> tuple[str, ...]:
    """Return how people call what a medicine is for or what they live with.

    Args:
        facts: The fact tables.
        condition: Id of a disease, or words.
    """
    names = lay_names().get(condition)
    if names is not None:
        return names
    known = facts.diseases.get(condition)
    return (condition if known is None else known.name.lower(),)
