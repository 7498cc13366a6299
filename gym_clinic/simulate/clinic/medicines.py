"""What a simulated patient takes, has taken and is allergic to."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Literal

from pydantic import TypeAdapter

from gym_clinic.facts import Facts, load
from gym_clinic.facts.records.conditions import Condition
from gym_clinic.facts.records.courses import Cause, LongTermMedicine
from gym_clinic.facts.records.drugs import CLASS
from gym_clinic.facts.records.epidemiology import Person
from gym_clinic.simulate.clinic.drug_rules import MEANT, _of_one_kind, never_together, references
from gym_clinic.simulate.clinic.examination.shown import write_text
from gym_clinic.simulate.clinic.people import ADULT
from gym_clinic.simulate.clinic.physiology.acute import drug_effects
from gym_clinic.simulate.clinic.physiology.body import DrawnEffect, draw_effect

DAY = 24 * 60

GROWN_KG = 50.0
"""Weight from which on a child takes the dose of an adult."""

ALLERGIES = (
    ("class:penicillin", 0.06, ("rash", "rash", "hives", "anaphylaxis")),
    ("class:sulfonamide-antibiotic", 0.02, ("rash", "hives")),
    ("class:nsaid", 0.01, ("wheeze", "hives")),
    ("codeine", 0.02, ("itching", "vomiting")),
)
"""Allergen, share of people who report it, and the reactions they report."""


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
        begun: Minutes from arrival; None where it has been taken for long.
        unlisted: What it is if the list lacks it, so that the patient alone knows; None if listed.
    """

    drug: str
    dose: float
    unit: str
    per_day: float
    condition: str
    effects: Mapping[str, DrawnEffect]
    blunting: float
    begun: int | None = None
    unlisted: Literal["bought", "prescribed"] | None = None


@dataclass(frozen=True)
class ReportedAllergy:
    """An allergy that is reported.

    Attributes:
        allergen: Reference of a drug or class.
        reaction: What happened.
    """

    allergen: str
    reaction: str


@dataclass(frozen=True)
class PastEvent:
    """What happened before an illness and has to do with it.

    Attributes:
        kind: A medicine that is no longer taken, an exposure or a procedure.
        what: Id of the drug, or words.
        minute: When it ended or took place, in minutes from arrival, below 0.
        taken_for: What the medicine was taken for, in words or as the id of a condition.
    """

    kind: Literal["medicine", "exposure", "procedure"]
    what: str
    minute: int
    taken_for: str | None = None


def draw_allergies(age: float, random: Random) -> list[ReportedAllergy]:
    """Draw what a person says to be allergic to; who is small has had few medicines."""
    grown = min(age / ADULT, 1.0) if age >= 1 else 0.0
    return [
        ReportedAllergy(allergen, random.choice(reactions))
        for allergen, share, reactions in ALLERGIES
        if random.random() < share * grown
    ]


def draw_medicines(
    facts: Facts,
    conditions: Collection[str],
    allergies: Collection[ReportedAllergy],
    person: Person,
    weight_kg: float,
    random: Random,
    beside: Sequence[TakenMedicine] = (),
) -> list[TakenMedicine]:
    """Draw what a person takes: nothing against an allergy, an illness or another medicine.

    Who is pregnant takes only what is usually continued then; children take less, by weight.

    Args:
        facts: The fact tables.
        conditions: What the person lives with.
        allergies: What the person reports.
        person: Age, sex and pregnancy.
        weight_kg: Weight.
        random: The source of randomness.
        beside: What is taken already.
    """
    taken: list[TakenMedicine] = [*beside]
    listed = (one for key in conditions for one in facts.conditions[key].contraindicated)
    forbidden = {MEANT.get(one, one) for one in listed}
    pregnant = person.pregnancy is not None
    for key in conditions:
        if any(one.condition == key for one in beside):
            continue
        for one in facts.conditions[key].medicines:
            from_age = ADULT if one.children_from is None else one.children_from
            if person.age < from_age or random.random() >= one.share:
                continue
            if one.until is not None and person.age >= one.until:
                continue
            if any(one.drug == other.drug for other in taken):
                continue
            if pregnant and not references(facts, one.drug) & continued_in_pregnancy():
                continue
            if _allergic(facts, one.drug, allergies) or forbidden & references(facts, one.drug):
                continue
            if _clashes(facts, one.drug, taken):
                continue
            made = _taken(facts, key, one, random)
            taken.append(made if person.age >= ADULT else _of_child(made, weight_kg))
    return [_for_its_reason(facts, one, conditions) for one in taken]


def _for_its_reason(
    facts: Facts, taken: TakenMedicine, conditions: Collection[str]
) -> TakenMedicine:
    """A medicine that several illnesses may need, for the one in which it is taken most often.

    A statin is for angina, not for the fatty liver beside it, and in a fatty liver alone for what
    often comes with it.
    """
    shares = {
        key: one.share
        for key in conditions
        for one in facts.conditions[key].medicines
        if one.drug == taken.drug
    }
    if taken.begun is not None or taken.condition not in shares:
        return taken
    reason = max(shares, key=lambda key: (shares[key], key == taken.condition))
    words = reasons_in_words().get(reason, {})
    named = (words[one] for one in sorted(references(facts, taken.drug) & words.keys()))
    return dataclasses.replace(taken, condition=next(named, reason))


@lru_cache(maxsize=1)
def reasons_in_words() -> Mapping[str, Mapping[str, str]]:
    """Return condition -> drug or class that is taken in it -> what it is for, in words."""
    text = Path(__file__).with_name("reasons.json").read_text(encoding="utf-8")
    return TypeAdapter(dict[str, dict[str, str]]).validate_json(text)


def _of_child(one: TakenMedicine, weight_kg: float) -> TakenMedicine:
    """A medicine in the dose of a child; what is inhaled is that of everybody."""
    share = min(weight_kg / GROWN_KG, 1.0)
    if one.unit in ("puffs", "mcg") or share == 1:
        return one
    least = 1.0 if one.unit == "units" else 0.1
    step = 25.0 if one.dose * share >= 100 else 5.0 if one.dose * share >= 20 else least
    return dataclasses.replace(one, dose=round(max(round(one.dose * share / step), 1) * step, 1))


def not_against(
    facts: Facts, condition: Condition, taken: Sequence[TakenMedicine]
) -> list[TakenMedicine]:
    """Return the medicines that somebody who lives with a condition takes as well."""
    forbidden = {*condition.contraindicated} - {*condition.allowed_beside}
    return [one for one in taken if not forbidden & references(facts, one.drug)]


def draw_cause(condition: Condition, person: Person, random: Random) -> Cause | None:
    """Draw what has brought a condition about; None for nothing known, or that may be taken."""
    fitting = [one for one in condition.causes if one.ages[0] <= person.age <= one.ages[1]]
    left, whole = (math.fsum(one.share for one in each) for each in (fitting, condition.causes))
    draw = random.random() * (left / whole if whole else 1.0)
    for cause in fitting:
        draw -= cause.share
        if draw < 0:
            lasting = cause.kind == "medicine" and (not cause.ended or cause.together_with)
            grown = person.age >= ADULT and person.pregnancy is None
            return cause if grown or not lasting else None
    return None


def apply_cause(
    facts: Facts,
    cause: Cause,
    began: int,
    allergies: Collection[ReportedAllergy],
    taken: Sequence[TakenMedicine],
    random: Random,
) -> tuple[list[TakenMedicine], list[PastEvent]]:
    """Return the medicines with those of a cause, and what is past.

    Args:
        facts: The fact tables.
        cause: The cause.
        began: When the illness began, in minutes from arrival.
        allergies: What the patient reports; such a drug is no cause.
        taken: What the patient takes.
        random: The source of randomness.
    """
    low, high = cause.days_ago
    minute = began - max(round(random.uniform(low, high) * DAY), 1)
    if cause.kind != "medicine":
        return [*taken], [PastEvent(cause.kind, write_text(cause.what, random), minute)]
    reason = write_text(cause.taken_for or "", random)
    medicines, past = [*taken], list[PastEvent]()
    for reference in (cause.what, *cause.together_with):
        if any(reference in references(facts, one.drug) for one in medicines):
            continue  # it is taken already
        drug = _drug_of(facts, reference, allergies, random)
        if drug is None:
            return [*taken], []
        if cause.ended and reference == cause.what:
            past.append(PastEvent("medicine", drug, minute, reason))
        elif _clashes(facts, drug, taken):
            return [*taken], []
        else:
            usual = random.choice(regimens(facts)[drug])
            made = _taken(facts, reason, usual, random)
            medicines.append(dataclasses.replace(made, begun=minute))
    return medicines, past


def _drug_of(
    facts: Facts, reference: str, allergies: Collection[ReportedAllergy], random: Random
) -> str | None:
    """A drug of a class, one with a known regimen if there is any; or the drug itself."""
    if not reference.startswith(CLASS):
        possible = [reference]
    else:
        members = [key for key in facts.drugs if reference in references(facts, key)]
        possible = [key for key in members if key in regimens(facts)] or members
    possible = [one for one in possible if not _allergic(facts, one, allergies)]
    return random.choice(possible) if possible else None


@lru_cache(maxsize=2)
def _regimens(folder: Path) -> Mapping[str, tuple[LongTermMedicine, ...]]:
    found: dict[str, tuple[LongTermMedicine, ...]] = {}
    for condition in load(folder).conditions.values():
        for one in condition.regimens():
            found[one.drug] = (*found.get(one.drug, ()), one)
    return found


def regimens(facts: Facts) -> Mapping[str, tuple[LongTermMedicine, ...]]:
    """Return drug -> how people take it for long, in any of the conditions."""
    return _regimens(facts.folder)


def effects_of(facts: Facts, drug: str, random: Random) -> tuple[dict[str, DrawnEffect], float]:
    """Draw what a medicine does to measurements, and what of a fast heart it suppresses."""
    effects, blunting = dict[str, DrawnEffect](), 0.0
    for name in facts.drugs[drug].classes:
        known = drug_effects().get(name)
        if known is not None:
            blunting = max(blunting, known.blunting)
            effects |= {key: draw_effect(effect, random) for key, effect in known.effects.items()}
    return effects, blunting


def _taken(facts: Facts, condition: str, one: LongTermMedicine, random: Random) -> TakenMedicine:
    effects, blunting = effects_of(facts, one.drug, random)
    dose = random.choice(one.doses)
    return TakenMedicine(one.drug, dose, one.unit, one.per_day, condition, effects, blunting)


@lru_cache(maxsize=1)
def of_countries() -> Mapping[str, Mapping[str, float | None]]:
    """Return country -> drug -> its strength there; None for a drug that is not sold there."""
    text = Path(__file__).with_name("of_countries.json").read_text(encoding="utf-8")
    return TypeAdapter(dict[str, dict[str, float | None]]).validate_json(text)


def of_one_country(taken: Sequence[TakenMedicine], american: bool) -> list[TakenMedicine]:
    """Return the medicines in the strengths of one country: British where one has no other."""
    table = of_countries()
    abroad = {drug for drug, strength in table["american"].items() if strength is None}
    british = not american or not abroad.isdisjoint(one.drug for one in taken)
    own = table["british" if british else "american"]
    return [
        dataclasses.replace(one, dose=own[one.drug] or one.dose)
        if one.dose in strengths_of(one.drug)
        else one
        for one in taken
    ]


def strengths_of(drug: str) -> set[float]:
    """Return the strengths of a drug that is sold in another one in each country."""
    return {strength for known in of_countries().values() if (strength := known.get(drug))}


def _allergic(facts: Facts, drug: str, allergies: Collection[ReportedAllergy]) -> bool:
    return any(one.allergen in references(facts, drug) for one in allergies)


def _clashes(facts: Facts, drug: str, taken: Collection[TakenMedicine]) -> bool:
    """Whether a drug is of the kind of one that is taken, or must not be combined with it."""
    return any(
        _of_one_kind(facts, drug, one.drug) or never_together(facts, drug, one.drug)
        for one in taken
    )


@lru_cache(maxsize=1)
def continued_in_pregnancy() -> frozenset[str]:
    """Return the drugs and classes that are usually continued in pregnancy."""
    file = Path(__file__).with_name("continued_in_pregnancy.json")
    return frozenset(json.loads(file.read_text(encoding="utf-8")))
