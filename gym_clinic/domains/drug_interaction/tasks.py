"""Reviews made from seeds: a patient, a proposed drug, and what makes it right or wrong.

The class of a task is what decides it. A fourth of the classes have no problem that matters: their
drugs are drawn as those of the other classes, and the patients carry the same extras (a bought
medicine, an allergy, failing kidneys, a medicine that ended), which do no harm there. What is right
is computed from the patient (:mod:`.gold`). Some classes propose nothing: their whole list is
reviewed (:mod:`.lists.charts`). A patient who does not give the class is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from gym_clinic.clinical import DomainSpec, MadeTask, TaskDraft
from gym_clinic.domains.drug_interaction.candidates import (
    ALLERGENS,
    CLASSES,
    KINDS_OF_NOTHING,
    PREGNANT,
    WEEKS,
    ReviewCandidate,
    common,
    drawn,
)
from gym_clinic.domains.drug_interaction.charting import (
    EXTRAS,
    REACTIONS,
    Edit,
    brand_names,
    failing_kidneys,
    lived_with,
    lived_with_treated,
    pregnancy_edit,
    protected,
    setting_of,
    taken_edits,
    told_how,
    with_medicine,
)
from gym_clinic.domains.drug_interaction.checks.conditions import (
    condition_risks,
    listed_conditions,
)
from gym_clinic.domains.drug_interaction.checks.formulary import (
    bought,
)
from gym_clinic.domains.drug_interaction.checks.given_beside import MISSING, beside_risk
from gym_clinic.domains.drug_interaction.checks.problems import (
    DrugProblem,
    Taken,
    find_problems,
)
from gym_clinic.domains.drug_interaction.checks.risks import pair_risk, ungraded
from gym_clinic.domains.drug_interaction.checks.watching import always_watched
from gym_clinic.domains.drug_interaction.ended import ended_edits
from gym_clinic.domains.drug_interaction.gold import gold_of
from gym_clinic.domains.drug_interaction.home import (
    fits_weight,
    goes_with,
    may_live_with,
    suits,
    taken_by,
)
from gym_clinic.domains.drug_interaction.lists.charts import LIST_CLASSES, list_record
from gym_clinic.domains.drug_interaction.lists.needed import completing
from gym_clinic.domains.drug_interaction.lists.review import LIST, MOST_ASKED, asked_drug
from gym_clinic.domains.drug_interaction.plausibility import plausible
from gym_clinic.domains.drug_interaction.solution import can_be_read, is_perfect
from gym_clinic.domains.drug_interaction.ticket import ticket_of
from gym_clinic.domains.drug_interaction.twins import twin_of
from gym_clinic.domains.drug_interaction.world import (
    drawn_patient,
    edited,
    open_world,
    profile_of,
    reported,
    review_patient,
)
from gym_clinic.frozen import thaw
from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.clinic.people import ADULT

VERSION = 1

TRIES = 14
"""Requests that are tried for one seed."""


def make(draft: TaskDraft) -> MadeTask | None:
    """Return the review of a class and a seed; None if the seed gives none."""
    kind = kind_of(draft.label, draft.seed)
    drawn_of = draft._replace(label=kind)
    random = Random(f"{draft.seed}:{kind}:review")
    for _ in range(TRIES):
        record = (list_record if kind in LIST_CLASSES else _record)(drawn_of, random)
        if record is None:
            continue
        patient = review_patient(record)
        gold = gold_of(record, patient)
        if gold["decided"] != {**CLASSES, **LIST_CLASSES}[draft.label] or not _fair(record, gold):
            continue
        if not plausible(record, patient):
            continue
        if not _beside(kind, record, patient):
            continue
        made = _written(record, draft.label)
        if made is not None and draft.edit:
            edits = [*record["edit"], *(thaw(one) for one in draft.edit)]
            return _written({**record, "edit": edits}, draft.label)
        if made is not None:
            return made
    return None


def kind_of(label: str, seed: int) -> str:
    """Return the kind of a class that a seed draws: of nothing, what is there and does no harm."""
    return Random(f"{seed}:kind").choice(KINDS_OF_NOTHING.get(label, (label,)))


def _written(record: dict[str, Any], label: str) -> MadeTask | None:
    """The task of a record; None if something that must be read is not told or written anywhere."""
    world = open_world(record)
    gold = gold_of(record, world.patient, {one.kind for one in world.texts})
    if not _fair(record, gold) or not plausible(record, world.patient):
        return None
    if not can_be_read(world, gold):
        return None
    made = MadeTask(record, {**gold, "class": label}, ticket_of(record, world.patient))
    return made if is_perfect(made) else None


def _beside(label: str, record: Mapping[str, Any], patient: ClinicPatient) -> bool:
    """Whether what a class of nothing has beside the request is still there."""
    _, _, beside = label.partition(", ")
    edits = record["edit"]
    if label.startswith("list"):
        buys = any(one.bought for one in profile_of(patient, edits).medicines)
        return buys or not label.endswith("bought medicine")
    if not label.startswith("nothing") or not beside:
        return True
    drug = record["question"]["drug"]
    return {
        "bought": lambda: any(one.get("bought") for one in edits),
        "allergy": lambda: bool(patient.allergies),
        "kidneys": lambda: reported(patient, "egfr") < 60,
        "ended": lambda: any(one.kind == "medicine" for one in patient.past),
        "liver": lambda: any(one.condition == "cirrhosis" for one in patient.background),
        "dose": lambda: bool(drug),
        "pregnant": lambda: patient.person.pregnant_weeks is not None,
        "condition": lambda: any(
            one.condition in listed_conditions() for one in patient.background
        ),
        "not graded": lambda: any(ungraded(drug, one.drug) for one in patient.medicines),
    }[beside]()


def _fair(record: Mapping[str, Any], gold: Mapping[str, Any]) -> bool:
    """Whether the decision is clear, and there is something that can be done.

    A drug that is never given without monitoring is not started as proposed.
    """
    problems = gold["problems"]
    if asked_drug(record["question"]) == LIST:
        answered = all(one["stoppable"] or one["remedies"] for one in problems)
        return len(problems) <= MOST_ASKED and answered
    if not problems and record["question"]["drug"] in always_watched():
        return False
    clear = all(len(one["actions"]) == 1 for one in problems[:1])
    instead = gold["acceptable"]["alternatives"]
    helped = gold["answer"]["verdict"] != "do not start" or bool(instead)
    return clear and helped and len(problems) <= 3 and bool(gold["answer"]["plan"] or not problems)


def _record(draft: TaskDraft, random: Random) -> dict[str, Any] | None:
    """A record in which the problem of the class is set, and nothing else should be in the way."""
    chosen = drawn(draft.label, random)
    indication = chosen.indication
    condition = random.choice(indication.presents)
    patient = drawn_patient(draft.seed, condition)
    if not _suits(chosen, patient, draft.label):
        return None
    edits = setting_of(chosen, patient, random)
    if indication.lives_with not in (None, condition):
        edits += lived_with_treated(indication.lives_with or "", edited(patient, edits), random)
    documents = ["letter", "medicines"] if random.random() < EXTRAS["pharmacist"] else ["letter"]
    edits += _extras(chosen, draft.label, patient, edits, random)
    edits = _cleared(chosen, patient, edits)
    who = profile_of(edited(patient, edits), edits)
    edits += completing(replace(who, medicines=(*who.medicines, Taken(chosen.drug))), random)
    edits += brand_names(patient, edits, random)
    edits.append(
        {"kind": "shown", "documents": documents, "egfr": random.random() < EXTRAS["egfr"]}
    )
    drug = chosen.drug
    question = {
        "drug": drug.drug, "dose": drug.dose, "unit": drug.unit, "per_day": drug.per_day,
        "route": drug.route, "indication": indication.name,
    }  # fmt: skip
    return {"seed": draft.seed, "condition": condition, "split": draft.split, "edit": edits,
            "question": question}  # fmt: skip


def _suits(chosen: ReviewCandidate, patient: ClinicPatient, label: str) -> bool:
    """Whether the request makes sense for a person of this age and sex."""
    person = patient.person
    female = person.sex == "female"
    if person.age < ADULT or person.pregnant_weeks is not None or person.postpartum:
        return False
    if chosen.kind == "older adult" and person.age < 66:
        return False
    pregnant = chosen.kind == "pregnancy" or label == PREGNANT
    if pregnant and not (female and 18 <= person.age <= 44):
        return False
    drugs = [one for one in (chosen.partner, chosen.drug.drug) if one]
    if not all(suits(one, patient) and fits_weight(one, patient) for one in drugs):
        return False
    if chosen.condition is not None and (
        chosen.condition == patient.problems[0].condition
        or not may_live_with(chosen.condition, patient)
    ):
        return False
    lives_with = chosen.indication.lives_with
    if lives_with is not None and not goes_with(lives_with, patient):
        return False
    known = chosen.partner is None or chosen.bought
    return known or taken_by(chosen.partner or "", patient)


def _extras(
    chosen: ReviewCandidate,
    label: str,
    patient: ClinicPatient,
    edits: Sequence[Edit],
    random: Random,
) -> list[Edit]:
    """What else is on the chart, drawn at the same rates in every class of problems."""
    found: list[Edit] = []
    kinds = {one["kind"] for one in edits}
    beside = label.partition("nothing, ")[2]

    def has(name: str) -> bool:
        return random.random() < EXTRAS[name] or beside == name

    if has("bought") and not any(one.get("bought") for one in edits):
        found += taken_edits(random.choice(sorted(bought())), True, patient, random)
    if has("allergy") and "allergy" not in kinds:
        found.append({"kind": "allergy", "allergen": random.choice(ALLERGENS),
                      "reaction": random.choice(REACTIONS), "told": told_how(random)})  # fmt: skip
    pregnant = label == PREGNANT or "pregnancy" in kinds
    if has("kidneys") and "kidneys" not in kinds and not pregnant:
        found += failing_kidneys(random)
    if label == PREGNANT:
        found.append(pregnancy_edit(random.choice(WEEKS), random))
    if beside == "liver":
        found.append(lived_with("cirrhosis", patient, random))
    if beside == "condition":
        harmless = [one for one in sorted(listed_conditions())
                    if not condition_risks(chosen.drug.drug, [one], chosen.drug.daily_mg)
                    and may_live_with(one, patient)]  # fmt: skip
        found += with_medicine(random.choice(harmless), patient, random) if harmless else []
    if beside == "not graded":
        minor = [one for one in sorted(common()) if ungraded(chosen.drug.drug, one)
                 and pair_risk(chosen.drug.drug, one) is None
                 and taken_by(one, patient)]  # fmt: skip
        found += taken_edits(random.choice(minor), False, patient, random) if minor else []
    if has("ended") and "ended" not in kinds:
        found += ended_edits(patient, [*edits, *found], random)
    return found


def _cleared(chosen: ReviewCandidate, patient: ClinicPatient, edits: Sequence[Edit]) -> list[Edit]:
    """The edits without extras and medicines that bring another problem than the one wanted."""
    kept = list(edits)
    for _ in range(3):
        now = edited(patient, kept)
        problems = find_problems(chosen.drug, chosen.indication, profile_of(now, kept))
        wrong = [one for one in problems if one.actions != ("none",) and not chosen.means(one)]
        if not wrong:
            break
        for one in wrong:
            kept = _without(one, chosen, now, kept)
    taken = {one.drug for one in edited(patient, kept).medicines}
    if chosen.drug.drug in taken and chosen.kind != "duplicate":
        kept.append({"kind": "stop", "drug": chosen.drug.drug})
    for drug in sorted(taken - {chosen.drug.drug}):
        kept += protected(drug) if beside_risk(drug, taken) else []
    return kept


def _without(
    problem: DrugProblem, chosen: ReviewCandidate, patient: ClinicPatient, edits: Sequence[Edit]
) -> list[Edit]:
    """The edits changed so that one problem goes away, where that can be."""
    others = problem.drugs - {chosen.drug.drug, chosen.partner}
    if problem.kind == MISSING:
        return [*edits, *protected(chosen.drug.drug, days=1)]
    if problem.kind in ("interaction", "duplicate"):
        gone = others or problem.drugs - {chosen.partner}
        products_of = {one.get("product") for one in edits if one.get("drug") in gone} - {None}
        kept = [one for one in edits if one.get("drug") not in gone
                and not (products_of and one.get("product") in products_of)]  # fmt: skip
        return [*kept, *({"kind": "stop", "drug": one} for one in sorted(gone))]
    if problem.kind == "allergy":
        kept = [one for one in edits if one["kind"] != "allergy" or chosen.kind == "allergy"]
        allergens = [one.allergen for one in patient.allergies]
        return [
            *kept,
            *(
                {"kind": "no allergy", "allergen": one}
                for one in allergens
                if one != chosen.allergen
            ),
        ]
    if problem.kind == "condition":
        lived = [one.condition for one in patient.background]
        ends = condition_risks(chosen.drug.drug, lived)
        return [*(one for one in edits if one.get("condition") not in ends),
                *({"kind": "lives without", "condition": one} for one in ends)]  # fmt: skip
    if problem.kind == "renal" and chosen.kind != "renal":
        return [*(one for one in edits if one["kind"] != "kidneys"
                  and one.get("condition") != "chronic-kidney-disease"),
                {"kind": "kidneys", "creatinine": 0.8}]  # fmt: skip
    return list(edits)


SPEC = DomainSpec(
    name="drug_interaction",
    classes=(*CLASSES, *LIST_CLASSES),
    make=make,
    twin=twin_of,
    version=VERSION,
)
"""How the tasks are made."""
