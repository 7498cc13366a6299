"""What may have ended lately: courses, what is bought, and what is taken for a known condition.

Nobody ends what a condition is not left without, and nobody took a medicine for an illness that
they never had.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import Any

from gym_clinic.domains.drug_interaction.checks.formulary import (
    HomeRegimen,
    bought,
    home_regimens,
    indications,
)
from gym_clinic.domains.drug_interaction.checks.people import pregnancy_risk
from gym_clinic.domains.drug_interaction.checks.risks import allergy_risk
from gym_clinic.domains.drug_interaction.home import regimens_of
from gym_clinic.domains.drug_interaction.lists.needed import needed
from gym_clinic.domains.drug_interaction.lists.stopping import essential
from gym_clinic.domains.drug_interaction.world import edited
from gym_clinic.facts import load
from gym_clinic.facts.named_drugs import is_a
from gym_clinic.simulate.clinic import ClinicPatient

COURSES = ("cystitis", "pneumonia", "sore throat", "cellulitis", "otitis media", "shingles",
           "tension-type headache", "nausea")  # fmt: skip
"""Indications whose treatment ends by itself."""

ENDED_DAYS = (3, 9, 20, 45, 80)
"""Days since a medicine ended that matters to nobody."""

Edit = dict[str, Any]


@lru_cache(maxsize=1)
def _courses() -> tuple[HomeRegimen, ...]:
    return tuple(
        HomeRegimen(drug, name) for name in COURSES for drug in indications()[name].options
    )


def may_end(drug: str, reason: str) -> bool:
    """Return whether a medicine for a reason may have ended: no lasting one that is needed.

    >>> may_end("amlodipine", "hypertension"), may_end("insulin-aspart", "type-1-diabetes-mellitus")
    (True, False)
    >>> may_end("rifampicin", "tuberculosis"), may_end("clozapine", "schizophrenia")
    (True, False)
    """
    if reason not in load().conditions:
        return True  # a course, or what was taken for a symptom
    kept = [ref for sets in needed().get(reason, ()) for one in sets for ref in one]
    return not essential(drug) and not any(is_a(drug, ref) for ref in kept)


def ended_edits(patient: ClinicPatient, edits: Sequence[Edit], random: Random) -> list[Edit]:
    """Draw a medicine that ended lately: for what the patient lives with, a course, or bought.

    What was bought is on no list of the practice.

    Args:
        patient: The simulated patient.
        edits: What is on the chart beside.
        random: The source of randomness.
    """
    now = edited(patient, edits)
    lived = {one.condition for one in now.background} | {one.condition for one in now.problems}
    taken = {one.drug for one in now.medicines} | {one.what for one in now.past}
    of_conditions = [
        HomeRegimen(row.regimen, row.reason)
        for drug, rows in sorted(home_regimens().items())
        for row in rows
        if row.reason in lived and may_end(drug, row.reason)
    ]
    courses = [one for one in _courses() if one.reason != "cystitis" or now.person.sex == "female"]
    kinds = [
        [one for one in kind if one.regimen.drug not in taken and _was_given(one, now)]
        for kind in (of_conditions, courses, [*bought().values()])
    ]
    (kind,) = random.choices(kinds, weights=[3 * bool(kinds[0]), 2, 1])
    one = random.choice(kind)
    told = "hidden" if kind is kinds[2] or random.random() < 0.5 else "list"
    return [{"kind": "ended", "drug": one.regimen.drug, "days": random.choice(ENDED_DAYS),
             "for": one.reason, "told": told}]  # fmt: skip


def _was_given(one: HomeRegimen, patient: ClinicPatient) -> bool:
    """Whether neither a pregnancy nor an allergy spoke against a medicine."""
    weeks, drug = patient.person.pregnant_weeks, one.regimen.drug
    if weeks is not None and pregnancy_risk(drug, weeks).actions != ("none",):
        return False
    return all(
        allergy_risk(drug, each.allergen, each.reaction) is None for each in patient.allergies
    )


def washout_regimen(drug: str, patient: ClinicPatient, random: Random) -> HomeRegimen | None:
    """Draw what a medicine whose washout is not over was taken for; None for what nobody ends."""
    usual = [one for one in regimens_of(drug, patient) if may_end(drug, one.reason)]
    return random.choice(usual) if usual else None
