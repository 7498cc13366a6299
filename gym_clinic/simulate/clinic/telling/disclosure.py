"""The disclosure plan of a patient: what is told, how, and what the patient gets wrong.

The plan is drawn before a word is written. Manners and distortions have the same rates for findings
of the problem, for those that have nothing to do with it, and for those that are absent, so that
neither what is told nor how points to the diagnosis. The complaint is always told; a red flag, and
what nobody overlooks, such as vomiting, is never kept back, nor forgotten, whatever its origin.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Literal

from gym_clinic.facts import Facts, with_ancestors
from gym_clinic.simulate.clinic.beginnings import DAY
from gym_clinic.simulate.clinic.examination.named_signs import named
from gym_clinic.simulate.clinic.finding_lists import alike
from gym_clinic.simulate.clinic.patient import ClinicPatient
from gym_clinic.simulate.clinic.problems import (
    CLOUDED,
    EXPOSURE,
    FORMS_OF_CLOUDED,
    HURTS,
    PAINFUL,
)
from gym_clinic.simulate.clinic.telling.incidental import (
    incidentals,
    is_felt,
    is_sayable,
    may_have,
    red_flags,
    told_from,
)

Manner = Literal["told", "vague", "asked", "omitted"]
Distortion = Literal["forgets", "minimises", "wrong"]
Origin = Literal["problem", "second", "background", "irrelevant", "absent"]

MANNERS: Mapping[Manner, float] = {"told": 0.35, "vague": 0.2, "asked": 0.37, "omitted": 0.08}
"""Manner -> share of the findings."""

STUPOR = 12
"""Coma score below which nobody calls the loss of consciousness slight."""

DISTORTIONS: Mapping[Distortion, float] = {"forgets": 0.04, "minimises": 0.08, "wrong": 0.05}
"""Distortion -> share of what is there."""

SOUGHT = (6, 16, 10)
"""Findings that were looked for and are absent: fewest, most and most usual."""

WRONG_TIME = (0.6, 0.7, 1.5, 2.0)
"""Factors by which a patient is wrong about how long ago something began: days stay days."""

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Disclosure:
    """The plan for one finding.

    Attributes:
        finding: Id of the finding.
        has: Whether the patient has it.
        origin: Where it comes from; "absent" if the patient does not have it.
        manner: Told at once, told vaguely, told only if asked, or not told at all.
        distortion: What the patient gets wrong: "forgets" denies it, "minimises" calls it slight,
            "wrong" gives another time. None for nothing; always None for what is absent.
        began: Minutes from arrival; None if absent.
        says_began: What the patient believes; differs from `began` only in a "wrong" one.
        cause: What an irrelevant finding comes from, or the id of the condition that is lived with.
    """

    finding: str
    has: bool
    origin: Origin
    manner: Manner
    distortion: Distortion | None
    began: int | None
    says_began: int | None = None
    cause: str | None = None


@dataclass(frozen=True)
class Recollection:
    """The plan for a medicine, an allergy, a habit or a past illness.

    Attributes:
        fact: "medicine:ID", "allergy:REFERENCE", "habit:NAME" or "condition:ID", as in the record.
        manner: As for findings; vague: by what it is for, or without a number.
        distortion: "forgets" leaves it out, "minimises" makes it less, "wrong" names `says`.
        says: Id of the drug that a patient names instead; None but for a wrong medicine.
    """

    fact: str
    manner: Manner
    distortion: Distortion | None = None
    says: str | None = None


def disclosures(patient: ClinicPatient) -> tuple[Disclosure, ...]:
    """Draw the plan for the findings that a patient can know, those that are there first."""
    random = told_from(patient)
    facts, complaint, state = patient.facts, patient.problems[0].complaint, patient.state(0)
    born = -round(patient.person.age * 365 * DAY)
    clouded, stuporous = facts.finding_ids[CLOUDED], state["gcs"] < STUPOR
    hurts = state["pain"] >= HURTS
    there = list(_there(patient, random))
    sought = _sought(patient, {one.finding for one in there}, random)
    absent = [Disclosure(one, False, "absent", "told", None, None) for one in sought]
    return tuple(
        _planned(
            one,
            born,
            one.finding == complaint,
            _is_flag(facts, one.finding),
            hurts and PAINFUL.search(facts.phenotypes[one.finding].name) is not None,
            has_no_degree(facts, one.finding)
            or (stuporous and clouded in {one.finding, *facts.above[one.finding]}),
            random,
        )
        for one in (*there, *absent)
    )


def recollections(patient: ClinicPatient) -> tuple[Recollection, ...]:
    """Draw the plan for medicines, allergies, habits and past illnesses.

    A medicine that no list has is told by its name: nobody else could know of it.
    """
    random = Random(f"{patient.seed}:{patient.problems[0].condition}:recollections")
    found: list[Recollection] = []
    unlisted = {f"medicine:{one.drug}" for one in patient.medicines if one.unlisted}
    for kind, key in (
        *(("medicine", one.drug) for one in patient.medicines),
        *(("allergy", one.allergen) for one in patient.allergies),
        *(("habit", one) for one in patient.person.habits),
        *(("condition", one.condition) for one in patient.background),
    ):
        manner, distortion = _drawn(random)
        says = confusions().get(key) if kind == "medicine" and distortion == "wrong" else None
        if distortion == "wrong" and says is None:
            distortion = None
        if any(says == one.drug for one in patient.medicines):
            distortion = says = None
        if f"{kind}:{key}" in unlisted:
            manner, distortion, says = "told", None, None
        found.append(Recollection(f"{kind}:{key}", manner, distortion, says))
    return tuple(found)


def _there(patient: ClinicPatient, random: Random) -> Iterator[Disclosure]:
    """What the patient has and can know, each finding once."""
    facts, found = patient.facts, set[str]()
    for number, problem in enumerate(patient.problems):
        origin: Origin = "second" if number else "problem"
        for key, began in sorted(problem.findings.items()):
            if began <= 0 and key not in found and is_felt(facts, key):
                found.add(key)
                yield Disclosure(key, True, origin, "told", None, began)
    jaundice = facts.finding_ids["Jaundice"]
    if jaundice not in found and patient.findings(0).get(jaundice):
        yield Disclosure(jaundice, True, "problem", "told", None, patient.problems[0].began)
    for one in incidentals(patient, random):
        if one.finding not in found:
            found.add(one.finding)
            origin = "background" if one.lived_with else "irrelevant"
            yield Disclosure(one.finding, True, origin, "told", None, one.began, None, one.cause)


def _sought(patient: ClinicPatient, there: Collection[str], random: Random) -> list[str]:
    """What is absent and would be asked about: findings of the problem and its look-alikes."""
    facts = patient.facts
    begun = {key for problem in patient.problems for key in problem.findings}
    measured = {key for key, has in patient.findings(0).items() if has}
    has = with_ancestors({*there, *begun, *measured}, facts.above)
    if facts.finding_ids[CLOUDED] in has:
        has |= {facts.finding_ids[name] for name in FORMS_OF_CLOUDED}
    signs = (it for one in patient.examination for it in named(one.text))
    seen = {facts.finding_ids[name] for _, name, is_there in signs if is_there}
    has |= with_ancestors(seen, facts.above)
    names = (facts.phenotypes[one].name for one in [*has])
    has |= {facts.finding_ids[it] for name in names for it in alike().get(name, ())}
    disease = facts.diseases[patient.problems[0].condition]
    possible = {
        one.phenotype
        for key in (disease.id, *disease.look_alikes)
        for one in facts.diseases[key].phenotypes
    }
    kept = [
        one for one in sorted(possible - has) if is_sayable(facts, one) and may_have(patient, one)
    ]
    amount = min(round(random.triangular(*SOUGHT)), len(kept))
    return sorted(random.sample(kept, amount))


def _planned(
    one: Disclosure,
    born: int,
    complaint: bool,
    flag: bool,
    hurts: bool,
    plain: bool,
    random: Random,
) -> Disclosure:
    """Draw how a finding is told.

    One that is plain to see, or has no degree, is never called slight; what hurts now is neither
    denied nor forgotten.
    """
    manner, distortion = _drawn(random)
    if complaint:
        manner = "told"
    elif flag and manner == "omitted":
        manner = "asked"
    if not one.has or ((complaint or flag or hurts) and distortion == "forgets"):
        distortion = None
    if plain and distortion == "minimises":
        distortion = None
    says = one.began
    if distortion == "wrong" and one.began is not None:
        says = _another_time(one.began, born, random)
    return Disclosure(
        one.finding, one.has, one.origin, manner, distortion, one.began, says, one.cause
    )


def _is_flag(facts: Facts, finding: str) -> bool:
    return facts.phenotypes[finding].name in red_flags() | not_forgotten()


def _another_time(began: int, born: int, random: Random) -> int:
    """A wrong time of the beginning, in minutes from arrival."""
    times = [round(began * factor) for factor in WRONG_TIME]
    possible = [one for one in times if abs(one - began) >= 10 and born <= one < 0]
    return random.choice(possible) if possible else began - 30


def _drawn(random: Random) -> tuple[Manner, Distortion | None]:
    (manner,) = random.choices(list(MANNERS), weights=list(MANNERS.values()))
    number = random.random()
    for distortion, share in DISTORTIONS.items():
        if number < share:
            return manner, distortion
        number -= share
    return manner, None


@lru_cache(maxsize=1)
def not_forgotten() -> frozenset[str]:
    """Return the findings that nobody who has them forgets or keeps back, like red flags.

    Who vomits knows it. It is so wherever the finding comes from.
    """
    return frozenset(json.loads((_HERE / "not_forgotten.json").read_text(encoding="utf-8")))


def has_no_degree(facts: Facts, finding: str) -> bool:
    """Return whether a finding is there or not, as a seizure or an exposure: none is slight."""
    one = facts.phenotypes[finding]
    return one.group == EXPOSURE or one.name in _no_degree()


@lru_cache(maxsize=1)
def _no_degree() -> frozenset[str]:
    return frozenset(json.loads((_HERE / "no_degree.json").read_text(encoding="utf-8")))


@lru_cache(maxsize=1)
def confusions() -> Mapping[str, str]:
    """Return drug -> the drug that people take it for."""
    found: dict[str, str] = json.loads((_HERE / "confusions.json").read_text(encoding="utf-8"))
    return found
