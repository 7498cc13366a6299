"""Charts for reviews of a whole list: what is taken, and what is wrong with it.

A third of the classes has no problem, and as many pregnant patients have one as have none. Every
chart starts as a simulated patient with more conditions and their medicines, so that lists with and
without problems are equally long.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from random import Random
from typing import Any

from gym_clinic.clinical import TaskDraft
from gym_clinic.domains.drug_interaction.candidates import ALLERGENS, WEEKS
from gym_clinic.domains.drug_interaction.charting import (
    EXTRAS,
    REACTIONS,
    Edit,
    brand_names,
    failing_kidneys,
    lived_with,
    pregnancy_edit,
    protected,
    taken_edits,
    told_how,
    usual_for,
    with_medicine,
)
from gym_clinic.domains.drug_interaction.checks.conditions import (
    condition_risks,
    listed_conditions,
)
from gym_clinic.domains.drug_interaction.checks.doses import renal_risks
from gym_clinic.domains.drug_interaction.checks.formulary import bought, home_regimens, indications
from gym_clinic.domains.drug_interaction.checks.given_beside import MISSING
from gym_clinic.domains.drug_interaction.checks.people import older_risks, pregnancy_risk
from gym_clinic.domains.drug_interaction.checks.risks import Action, duplicate_risk, pair_risk
from gym_clinic.domains.drug_interaction.home import may_live_with, suits, taken_by
from gym_clinic.domains.drug_interaction.lists.needed import completing
from gym_clinic.domains.drug_interaction.lists.review import (
    CHANGE,
    FEWEST,
    KEEP,
    MOST_ASKED,
    list_problems,
)
from gym_clinic.domains.drug_interaction.world import drawn_patient, edited, profile_of
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.clinic.people import ADULT, prevalence

LIST_CLASSES: Mapping[str, str] = {
    "list, interaction": f"{CHANGE}/interaction",
    "list, duplicate": f"{CHANGE}/duplicate",
    "list, kidneys": f"{CHANGE}/renal",
    "list, older adult": f"{CHANGE}/older adult",
    "list, condition": f"{CHANGE}/condition",
    "list, pregnancy": f"{CHANGE}/pregnancy",
    "list, nothing": f"{KEEP}/none",
    "list, nothing, pregnant": f"{KEEP}/none",
    "list, nothing but a bought medicine": f"{KEEP}/none",
}
"""Class -> its verdict, and the kind of the gravest problem."""

PREGNANT = ("list, pregnancy", "list, nothing, pregnant")

CLEARED = 0.5
"""Share of the lists with a problem of which all others are taken away, where that can be."""

NEW = (1, 5, 20, 45, 80)
"""Days since what was begun lately was begun."""

OLD, FERTILE = 66, (18, 44)
"""Ages in years of who is old, and of who is pregnant."""


def list_record(draft: TaskDraft, random: Random) -> dict[str, Any] | None:
    """Return a record of a class of lists; None if this patient gives none."""
    kind = LIST_CLASSES[draft.label].partition("/")[2]
    known = load().conditions
    condition = random.choice([one for one in _chronic() if known[one].role == "both"])
    patient = drawn_patient(draft.seed, condition)
    person = patient.person
    if person.age < (OLD if kind == "older adult" else ADULT):
        return None
    if person.pregnant_weeks is not None or person.postpartum:
        return None
    edits: list[Edit] = []
    if draft.label in PREGNANT:
        if person.sex != "female" or not FERTILE[0] <= person.age <= FERTILE[1]:
            return None
        edits.append(pregnancy_edit(random.choice(WEEKS), random))
    now = edited(patient, edits)
    for _ in range(8):
        if len(now.medicines) >= FEWEST + random.randint(0, 3):
            break
        lived = {condition, *(one.condition for one in now.background)}
        free = [one for one in _chronic() if one not in lived and may_live_with(one, now)
                and usual_for(one, now)]  # fmt: skip
        often = [prevalence(patient.facts, known[one], person.person) for one in free]
        if not any(often):
            return None
        edits += with_medicine(random.choices(free, weights=often)[0], now, random)
        now = edited(patient, edits)
    found = _WRONG[kind](now, random)
    if found is None:
        return None
    wanted = {one["drug"] for one in found if one["kind"] == "take"}
    edits += [*found, *_beside(draft.label, found, now, random)]
    edits += completing(profile_of(edited(patient, edits), edits), random)
    edits += _also_new(wanted, edited(patient, edits), random)
    clears = kind == "none" or random.random() < CLEARED
    cleared = _cleared(kind, clears, wanted, patient, edits)
    if cleared is None:
        return None
    cleared += brand_names(patient, cleared, random)
    documents = ["letter", "medicines"] if random.random() < EXTRAS["pharmacist"] else ["letter"]
    reported = random.random() < EXTRAS["egfr"]
    cleared.append({"kind": "shown", "documents": documents, "egfr": reported})
    return {"seed": draft.seed, "condition": condition, "split": draft.split, "edit": cleared,
            "question": {"review": "list"}}  # fmt: skip


@lru_cache(maxsize=1)
def _chronic() -> tuple[str, ...]:
    """Conditions that people live with and take something for, and come to a review with."""
    treated = {row.reason for rows in home_regimens().values() for row in rows}
    asked = {name for one in indications().values() for name in one.presents}
    return tuple(sorted(treated & asked | treated & listed_conditions()))


def _beside(
    label: str, found: Iterable[Edit], patient: ClinicPatient, random: Random
) -> list[Edit]:
    """What else is on the chart, at the rates of the other reviews."""
    extra: list[Edit] = []
    buys = label.endswith("bought medicine") or random.random() < EXTRAS["bought"]
    if buys and not any(one.get("bought") for one in found):
        extra += taken_edits(random.choice(sorted(bought())), True, patient, random)
    if random.random() < EXTRAS["allergy"]:
        extra.append({"kind": "allergy", "allergen": random.choice(ALLERGENS),
                      "reaction": random.choice(REACTIONS), "told": told_how(random)})  # fmt: skip
    fails = random.random() < EXTRAS["kidneys"] and patient.person.pregnant_weeks is None
    if fails and all(one["kind"] != "kidneys" for one in found):
        extra += failing_kidneys(random)
    return extra


def _also_new(wanted: set[str], patient: ClinicPatient, random: Random) -> list[Edit]:
    """The edits by which other medicines were begun lately too, so that the date tells nothing."""
    others = [one for one in patient.medicines
              if one.drug not in wanted and one.condition in load().conditions
              and one.drug not in started_low()]  # fmt: skip
    chosen = random.sample(others, min(len(others), random.choice((1, 2, 2))))
    return [{"kind": "take", "drug": one.drug, "dose": one.dose, "unit": one.unit,
             "per_day": one.per_day, "for": one.condition, "days": random.choice(NEW)}
            for one in chosen]  # fmt: skip


@lru_cache(maxsize=1)
def started_low() -> frozenset[str]:
    """Return the drugs that nobody is started on at the dose that is taken for long."""
    file = Path(__file__).with_name("started_low.json")
    return frozenset(json.loads(file.read_text(encoding="utf-8")))


def _cleared(
    kind: str, clears: bool, wanted: set[str], patient: ClinicPatient, edits: list[Edit]
) -> list[Edit] | None:
    """The edits without what brings a problem that is not wanted, or that is too much."""
    kept = list(edits)
    for _ in range(8):
        problems = list_problems(profile_of(edited(patient, kept), kept))
        matter = [one for one in problems if one.matters]
        wrong = [one for one in problems if one.undecided]
        if clears or len(matter) > MOST_ASKED:
            wrong += [one for one in matter if one.kind != kind or not one.drugs & wanted][::-1]
        if not wrong:
            return kept
        if wrong[0].kind == MISSING:
            drug = min(wrong[0].drugs)
            begun = (one.get("days") for one in kept[::-1] if one.get("drug") == drug)
            kept += protected(drug, next(begun, None))
            continue
        free = sorted(wrong[0].drugs - wanted)
        if not free:
            return None
        kept.append({"kind": "stop", "drug": free[0]})
    return None


def add_drug(drug: str, patient: ClinicPatient, random: Random) -> list[Edit]:
    """Return the edits of a medicine that is bought or prescribed, and then on the list or not.

    Combination products are left out. What is taken for a reason in words is on the list, since
    nothing else on record would tell it.
    """
    prescribed = drug in home_regimens() and taken_by(drug, patient)
    without = drug in bought() and (not prescribed or random.random() < 0.5)
    for _ in range(6):
        made = taken_edits(drug, without, patient, random)
        if not any(one.get("product") for one in made):
            known = any(one.get("for") in load().conditions for one in made)
            lately = known and not without and drug not in started_low()
            if lately and random.random() < EXTRAS["begun"]:
                days = random.choice(NEW)
                made = [{**one, "days": days} if one["kind"] == "take" else one for one in made]
            in_words = not known and not without
            kept = told_how(random) == "list" or in_words or any("days" in one for one in made)
            return made if kept else [{**one, "told": "hidden"} if one["kind"] == "take" else one
                                      for one in made]  # fmt: skip
    return []


def _beside_taken(
    asks: Callable[[str, str], bool], patient: ClinicPatient, random: Random
) -> list[Edit] | None:
    """A second drug for one that is taken, of those that a check asks something about."""
    taken = sorted(one.drug for one in patient.medicines)
    known = sorted({*home_regimens(), *bought()} - {*taken})
    fits = [one for one in known
            if suits(one, patient) and (one in bought() or taken_by(one, patient))]  # fmt: skip
    pairs = [pair for pair in itertools.product(taken, fits) if asks(*pair)]
    return add_drug(random.choice(pairs)[1], patient, random) or None if pairs else None


def _interacts(one: str, other: str) -> bool:
    risk = pair_risk(one, other)
    return risk is not None and "none" not in risk.actions and duplicate_risk(one, other) is None


def _doubles(one: str, other: str) -> bool:
    risk = duplicate_risk(one, other)
    return risk is not None and risk.actions == ("avoid",)


def _in_pregnancy(drug: str, patient: ClinicPatient) -> tuple[Action, ...]:
    """What a pregnancy asks of a drug; nothing where there is none."""
    weeks = patient.person.pregnant_weeks
    return ("none",) if weeks is None else pregnancy_risk(drug, weeks).actions


def _own(asks: Callable[[str], bool], patient: ClinicPatient, random: Random) -> list[Edit] | None:
    """A medicine that a check asks something about on its own."""
    taken = {one.drug for one in patient.medicines}
    free = [one for one in sorted(home_regimens())
            if one not in taken and suits(one, patient) and taken_by(one, patient)
            and asks(one)]  # fmt: skip
    return add_drug(random.choice(free), patient, random) or None if free else None


def _with_kidneys(patient: ClinicPatient, random: Random) -> list[Edit] | None:
    added = _own(lambda drug: any(renal_risks(drug, 25, 25, indication=())), patient, random)
    return None if added is None else [*failing_kidneys(random), *added]


def _with_condition(patient: ClinicPatient, random: Random) -> list[Edit] | None:
    known = [one for one in sorted(listed_conditions()) if may_live_with(one, patient)]
    condition = random.choice(known)
    if condition == patient.problems[0].condition:
        return None
    forbidden = partial(condition_risks, conditions=[condition], daily_mg=0, age=0)  # at any dose
    added = _own(
        lambda drug: any(one.actions == ("avoid",) for one in forbidden(drug).values()),
        patient, random,
    )  # fmt: skip
    return None if added is None else [lived_with(condition, patient, random), *added]


_WRONG: Mapping[str, Callable[[ClinicPatient, Random], list[Edit] | None]] = {
    "interaction": lambda patient, random: _beside_taken(_interacts, patient, random),
    "duplicate": lambda patient, random: _beside_taken(_doubles, patient, random),
    "renal": _with_kidneys,
    "older adult": lambda patient, random: _own(
        lambda drug: any(one.actions == ("avoid",) for one in older_risks(drug, 75)),
        patient, random,
    ),
    "condition": _with_condition,
    "pregnancy": lambda patient, random: _own(
        lambda drug: _in_pregnancy(drug, patient) == ("avoid",), patient, random
    ),
    "none": lambda patient, random: _own(
        lambda drug: _in_pregnancy(drug, patient) == ("none",), patient, random
    ),
}  # fmt: skip
"""Kind of problem -> what brings it into a list; for none, a medicine that is drawn alike."""
