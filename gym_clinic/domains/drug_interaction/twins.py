"""Twins of a review: one fact that turns the decision, or one that must not matter."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from random import Random
from typing import Any

from gym_clinic.clinical import MadeTask
from gym_clinic.clinical.tasks import TwinKind
from gym_clinic.domains.drug_interaction.checks.conditions import condition_risks
from gym_clinic.domains.drug_interaction.checks.formulary import brands
from gym_clinic.domains.drug_interaction.lists.review import LIST, asked_drug
from gym_clinic.domains.drug_interaction.world import review_patient
from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.clinic.people import draw_demographics

Edits = tuple[Mapping[str, Any], ...]


def twin_of(made: MadeTask, kind: TwinKind, random: Random) -> Edits | None:
    """Return the edits that make a twin of a review; None if there are none of this kind."""
    return _neutral(made, random) if kind == "neutral" else _turning(made, random)


def _neutral(made: MadeTask, random: Random) -> Edits | None:
    patient = review_patient(made.record)
    choices: list[Mapping[str, Any]] = []
    basis = patient.person.person
    other = draw_demographics(patient.facts.conditions[made.record["condition"]], (), basis, random)
    choices.append({"kind": "name", "name": other.name})
    named = {
        one.get("drug")
        for one in made.record["edit"]
        if one["kind"] == "product" or one.get("product") or one.get("told") == "hidden"
    }
    choices += [
        {"kind": "product", "drug": one.drug, "name": brands()[one.drug]}
        for one in patient.medicines
        if one.drug in brands() and one.drug not in named
    ]
    choices.append({"kind": "wording", "seed": _another_seed(patient, random)})
    return (random.choice(choices),)


def _another_seed(patient: ClinicPatient, random: Random) -> int:
    """A seed of other words, of a patient who was born on the same day."""
    while True:
        seed = random.randrange(1 << 40)
        if dataclasses.replace(patient, seed=seed).born == patient.born:
            return seed


def _turning(made: MadeTask, random: Random) -> Edits | None:
    """The decisive fact taken away; or one added where nothing stands in the way."""
    problems = made.gold["problems"]
    drug = asked_drug(made.record["question"])
    if len(problems) > 1:
        return None
    if drug == LIST:
        return ({"kind": "stop", "drug": problems[0]["stoppable"][0]},) if (
            problems and problems[0]["stoppable"]) else None  # fmt: skip
    if not problems:
        return ({"kind": "allergy", "allergen": drug, "reaction": random.choice(("rash", "hives")),
                 "told": "list"},)  # fmt: skip
    one = problems[0]
    partners = [each for each in one["drugs"] if each != drug]
    if one["kind"] in ("interaction", "duplicate"):
        return ({"kind": "stop", "drug": partners[0]},) if len(partners) == 1 else None
    if one["kind"] == "allergy":
        edits = review_patient(made.record).allergies
        return tuple({"kind": "no allergy", "allergen": each.allergen} for each in edits)
    if one["kind"] == "renal":
        return ({"kind": "kidneys", "creatinine": 0.8},)
    if one["kind"] == "pregnancy":
        return ({"kind": "pregnancy", "weeks": None},)
    if one["kind"] == "condition":
        lived = {each.condition for each in review_patient(made.record).background}
        gone = condition_risks(drug, lived)
        return tuple({"kind": "lives without", "condition": each} for each in gone)
    return None
