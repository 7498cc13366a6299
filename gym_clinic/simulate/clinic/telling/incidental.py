"""Findings of a patient that have nothing to do with why the patient comes.

Two kinds: symptoms of the conditions that the patient lives with, and small complaints with a cause
of their own, such as an ankle that swells since a new medicine. None of them is a finding of the
problem or of its look-alikes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random

from pydantic import TypeAdapter

from gym_clinic.facts import Facts, load, with_ancestors
from gym_clinic.facts.records.drugs import CLASS
from gym_clinic.facts.records.epidemiology import Sex
from gym_clinic.simulate.clinic.beginnings import DAY
from gym_clinic.simulate.clinic.finding_lists import not_felt
from gym_clinic.simulate.clinic.patient import ClinicPatient
from gym_clinic.simulate.clinic.problems import EXPOSURE
from gym_clinic.simulate.disease.findings import possible, shares

AMOUNTS = (0.15, 0.55, 0.3)
"""Probabilities of no, one and two irrelevant complaints."""

LIVED_WITH = 0.5
"""Share of the untreated rate with which a symptom of a condition under treatment is felt."""

MOST_LIVED_WITH = 2
"""Symptoms of one condition that is lived with, at most."""

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class SmallComplaint:
    """An irrelevant complaint that people may have.

    Attributes:
        finding: Name of the finding.
        cause: What it comes from.
        common: Of a hundred who may have it, how many have it and would mention it (authored).
        days: For how many days it has been there, from and to.
        medicine: Drug id or reference of a class that must be taken; None for none.
        ages: From and to, in years.
        sex: For one sex alone.
        months: Months in which it occurs; all if empty.
    """

    finding: str
    cause: str
    common: float
    days: tuple[int, int]
    medicine: str | None = None
    ages: tuple[float, float] = (18, 110)
    sex: Sex | None = None
    months: tuple[int, ...] = ()


@dataclass(frozen=True)
class Incidental:
    """A finding beside the problem.

    Attributes:
        finding: Id of the finding.
        began: Minutes from arrival.
        cause: What it comes from: a few words, or the id of a condition that is lived with.
        lived_with: Whether it belongs to such a condition.
    """

    finding: str
    began: int
    cause: str
    lived_with: bool


def told_from(patient: ClinicPatient) -> Random:
    """Return the source of what a patient tells; what is had beside the problems comes first."""
    return Random(f"{patient.seed}:{patient.problems[0].condition}:disclosure")


def names_beside(patient: ClinicPatient) -> list[str]:
    """Return the names of what a patient has beside the problems, as it is told."""
    names = patient.facts.phenotypes
    return [names[one.finding].name for one in incidentals(patient, told_from(patient))]


def incidentals(patient: ClinicPatient, random: Random) -> tuple[Incidental, ...]:
    """Draw what a patient has beside the problems."""
    facts = patient.facts
    taken = {*_of_problems(patient)}
    found: list[Incidental] = []
    for one in (*_lived_with(patient, random), *_irrelevant(patient, random)):
        own = with_ancestors({one.finding}, facts.above)
        if taken.isdisjoint(own | facts.opposites[one.finding]):
            found.append(one)
            taken |= own
    return tuple(found)


def _of_problems(patient: ClinicPatient) -> set[str]:
    """Findings of the problems and their look-alikes, and what is more general than those."""
    facts = patient.facts
    found: set[str] = set()
    for problem in patient.problems:
        disease = facts.diseases[problem.condition]
        for key in (disease.id, *disease.look_alikes):
            found |= {one.phenotype for one in facts.diseases[key].phenotypes}
        found |= problem.findings.keys()
    return with_ancestors(found, facts.above)


def _lived_with(patient: ClinicPatient, random: Random) -> Iterator[Incidental]:
    facts = patient.facts
    for one in patient.background:
        if one.mistaken:
            continue
        known = shares(facts, one.condition)
        felt = [
            key
            for key, share in known.items()
            if random.random() < LIVED_WITH * share
            and is_sayable(facts, key)
            and facts.phenotypes[key].name not in red_flags()
            and may_have(patient, key)
        ]
        random.shuffle(felt)
        for finding in felt[:MOST_LIVED_WITH]:
            days = one.years * 365 * random.uniform(0.3, 1)
            yield Incidental(finding, -round(days * DAY), one.condition, True)


def _irrelevant(patient: ClinicPatient, random: Random) -> Iterator[Incidental]:
    (amount,) = random.choices(range(len(AMOUNTS)), weights=AMOUNTS)
    fitting = [one for one in irrelevant_complaints() if _fits(patient, one)]
    random.shuffle(fitting)
    taken = _of_problems(patient)
    ids, names = patient.facts.finding_ids, set[str]()
    for one in common_first(fitting, Random(f"{patient.seed}:lots")):
        if len(names) == amount:
            return
        if one.finding in names or ids[one.finding] in taken:
            continue
        names.add(one.finding)
        days = random.uniform(*one.days)
        longest = patient.person.age * 365
        yield Incidental(ids[one.finding], -round(min(days, longest) * DAY), one.cause, False)


def common_first(fitting: Iterable[SmallComplaint], lots: Random) -> list[SmallComplaint]:
    """Return the complaints in a random order; the more common one is, the likelier it is first.

    A weighted draw without replacement (Efraimidis and Spirakis 2006).
    """
    drawn = {one: lots.random() ** (1 / one.common) for one in fitting}
    return sorted(drawn, key=drawn.__getitem__, reverse=True)


def _fits(patient: ClinicPatient, one: SmallComplaint) -> bool:
    person = patient.person
    if not one.ages[0] <= person.age < one.ages[1] or one.sex not in (None, person.sex):
        return False
    if one.months and patient.arrived.month not in one.months:
        return False
    if not may_have(patient, patient.facts.finding_ids[one.finding]):
        return False
    if one.medicine is None:
        return True
    drugs = patient.facts.drugs
    names = {CLASS + group for taken in patient.medicines for group in drugs[taken.drug].classes}
    return one.medicine in names | {taken.drug for taken in patient.medicines}


def may_have(patient: ClinicPatient, finding: str) -> bool:
    """Return whether a person of this age and sex can have a finding."""
    return bool(possible(patient.facts, [finding], patient.person.person))


def is_felt(facts: Facts, finding: str) -> bool:
    """Return whether people can know a finding: it is no result of a test or an examination."""
    return facts.phenotypes[finding].name not in not_felt()


def is_sayable(facts: Facts, finding: str) -> bool:
    """Return whether people can know a finding and may be asked about it as a symptom."""
    phenotype = facts.phenotypes[finding]
    return (
        finding in known_findings(facts)
        and is_felt(facts, finding)
        and (phenotype.group != EXPOSURE)
    )


def known_findings(facts: Facts) -> frozenset[str]:
    """Return the ids of the findings that patients of some condition that is drawn may have."""
    return _of_folder(facts.folder)


@lru_cache(maxsize=4)
def _of_folder(folder: Path) -> frozenset[str]:
    facts = load(folder)
    found = {facts.finding_ids[one.finding] for one in irrelevant_complaints()}
    for condition in facts.conditions.values():
        if not condition.drawn:
            continue
        found |= {facts.finding_ids[one.finding] for one in condition.complaints}
        features = facts.diseases[condition.id].phenotypes
        found |= {one.phenotype for one in features if not one.frequency.absent}
    return frozenset(found)


@lru_cache(maxsize=1)
def red_flags() -> frozenset[str]:
    """Return the names of the findings that a patient never keeps back."""
    names: list[str] = json.loads((_HERE / "red_flags.json").read_text(encoding="utf-8"))
    return frozenset(names)


@lru_cache(maxsize=1)
def irrelevant_complaints() -> tuple[SmallComplaint, ...]:
    """Return the irrelevant complaints of the data file."""
    text = (_HERE / "irrelevant.json").read_text(encoding="utf-8")
    return TypeAdapter(tuple[SmallComplaint, ...]).validate_json(text)
