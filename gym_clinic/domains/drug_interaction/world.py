"""The patient of a review and the chart that it opens with.

The record of a task has ``seed``, ``condition`` and ``split`` as every clinical domain,
``question`` (what is proposed) and ``edit``: facts that are added to the simulated patient. An edit
is an object with ``kind``:

* ``take``: ``drug``, ``dose``, ``unit``, ``per_day``, ``for``; ``bought`` if without prescription;
  ``days`` since it was begun, else it has been taken for long; ``told`` "hidden" if the list lacks
  it, as what is bought or prescribed elsewhere; ``product`` if the list has it under that name.
* ``stop``: a ``drug`` of the simulated patient that is not taken.
* ``ended``: a ``drug`` taken ``for`` something until ``days`` ago; ``told`` as for ``take``.
* ``allergy``: ``allergen``, ``reaction``, ``told``. ``no allergy``: ``allergen``.
* ``lives with``: ``condition``, ``years``. ``lives without``: ``condition``.
* ``kidneys``: ``creatinine`` in mg/dL.
* ``pregnancy``: ``weeks`` or null, ``told``. ``age``: ``years``.
* ``name``: ``name``. ``wording``: ``seed``. ``product``: ``drug``, ``name`` on the list.
* ``shown``: which ``documents`` are on the chart, and whether ``egfr`` is reported.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any, Literal

import orjson

from gym_clinic.chart import chart_record
from gym_clinic.chart.record import patient_id
from gym_clinic.clinical import ClinicCase
from gym_clinic.clinical.world import ClinicWorld
from gym_clinic.domains.drug_interaction.checks.formulary import ChildPugh, Regimen
from gym_clinic.domains.drug_interaction.checks.problems import ReviewProfile, Taken
from gym_clinic.domains.drug_interaction.home import lives_with, with_a_purpose
from gym_clinic.episode import Task
from gym_clinic.errors import TaskError
from gym_clinic.facts import load
from gym_clinic.frozen import Frozen, freeze, thaw
from gym_clinic.instruments import score
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient
from gym_clinic.simulate.clinic.medicines import (
    DAY,
    PastEvent,
    ReportedAllergy,
    TakenMedicine,
    effects_of,
)
from gym_clinic.simulate.clinic.people import CONTROLLED, Background
from gym_clinic.simulate.clinic.physiology.body import draw_effect, reference
from gym_clinic.simulate.clinic.texts import documents
from gym_clinic.simulate.split import Split

KEPT = 64
"""Patients that are kept in memory."""

LABS = ("creatinine", "egfr", "na", "k", "alt", "bilirubin", "albumin", "inr", "hb", "platelets")
"""Laboratory values on record, of this morning."""

BOUGHT_SINCE = -20 * DAY
"""When what is bought without a prescription was begun, in minutes from arrival."""

LONG = 365.0
"""Days since a medicine was begun that has been taken for long."""

INR_OF_TREATMENT = (2.0, 3.0)

MOST_SEVERE = 1.6
"""How severe a chronic kidney disease of a review is at most; 1 is usual."""

Edit = Mapping[str, Any]


def edited(patient: ClinicPatient, edits: Iterable[Edit]) -> ClinicPatient:
    """Return a patient with the edits; those that are about the chart alone change nothing.

    Raises:
        TaskError: If an edit is unknown.
    """
    for one in edits:
        kind = str(one["kind"])
        if kind in ("shown", "product"):
            continue
        if kind not in _EDITS:
            raise TaskError(f"no edit {kind!r}; expected one of {sorted(_EDITS)}")
        patient = _EDITS[kind](patient, one)
    return patient


def _take(patient: ClinicPatient, one: Edit) -> ClinicPatient:
    random = Random(f"{patient.seed}:{one['drug']}:since")
    known = [each.years for each in patient.background if each.condition == one["for"]]
    longest = max(math.floor(365 * min(known, default=4)), 90)
    begun = BOUGHT_SINCE if one.get("bought") else -min(random.randint(90, 1400), longest) * DAY
    begun = -round(one["days"] * DAY) if "days" in one else begun
    effects, blunting = effects_of(patient.facts, one["drug"], random)
    taken = TakenMedicine(one["drug"], float(one["dose"]), one["unit"], float(one["per_day"]),
                          one["for"], effects, blunting, begun)  # fmt: skip
    kept = tuple(each for each in patient.medicines if each.drug != one["drug"])
    return dataclasses.replace(patient, medicines=(*kept, taken))


def _stop(patient: ClinicPatient, one: Edit) -> ClinicPatient:
    kept = tuple(each for each in patient.medicines if each.drug != one["drug"])
    past = tuple(each for each in patient.past if each.what != one["drug"])
    return with_a_purpose(dataclasses.replace(patient, medicines=kept, past=past))


def _ended(patient: ClinicPatient, one: Edit) -> ClinicPatient:
    event = PastEvent("medicine", one["drug"], -round(one["days"] * DAY), one["for"])
    return dataclasses.replace(patient, past=(*patient.past, event))


def _allergy(patient: ClinicPatient, one: Edit) -> ClinicPatient:
    kept = tuple(each for each in patient.allergies if each.allergen != one["allergen"])
    added = ReportedAllergy(one["allergen"], one["reaction"])
    return dataclasses.replace(patient, allergies=(*kept, added))


def _no_allergy(patient: ClinicPatient, one: Edit) -> ClinicPatient:
    kept = tuple(each for each in patient.allergies if each.allergen != one["allergen"])
    return dataclasses.replace(patient, allergies=kept)


def _lives_with(patient: ClinicPatient, one: Edit) -> ClinicPatient:
    if any(each.condition == one["condition"] for each in patient.background):
        return patient
    random = Random(f"{patient.seed}:{one['condition']}:lived with")
    known = patient.facts.conditions[one["condition"]]
    both = known.role != "background"
    drawn = known.labs if both else {**known.vitals, **known.labs}
    effects = {name: draw_effect(effect, random) for name, effect in drawn.items()}
    severity = CONTROLLED if both else 1.0
    lived = Background(one["condition"], float(one["years"]), effects, severity)
    return dataclasses.replace(patient, background=(*patient.background, lived))


def _lives_without(patient: ClinicPatient, one: Edit) -> ClinicPatient:
    """Take a condition away, with what is or was taken for it."""
    gone = one["condition"]
    return dataclasses.replace(
        patient,
        background=tuple(each for each in patient.background if each.condition != gone),
        medicines=tuple(each for each in patient.medicines if each.condition != gone),
        past=tuple(each for each in patient.past if each.taken_for != gone),
    )


CKD = "chronic-kidney-disease"
FATTY_LIVER = "metabolic-dysfunction-associated-steatotic-liver-disease"

KIDNEYS_WORK = 1.2
"""Creatinine in mg/dL up to which the kidneys of a review work."""


def _kidneys(patient: ClinicPatient, one: Edit) -> ClinicPatient:
    """Move the kidneys until the creatinine of today is the one that is wanted.

    In chronic kidney disease its severity moves, so that urea, potassium and haemoglobin follow.
    Kidneys that work have no such disease, and nothing is taken for it.
    """
    if one["creatinine"] <= KIDNEYS_WORK:
        patient = _lives_without(patient, {"condition": CKD})
    for _ in range(6):
        now = patient.state(0)["creatinine"]
        patient = dataclasses.replace(
            patient, background=tuple(_graver(each, one["creatinine"] / now)
                                      for each in patient.background))  # fmt: skip
    for _ in range(4):
        factor = one["creatinine"] / patient.state(0)["creatinine"]
        healthy = {**patient.healthy, "creatinine": patient.healthy["creatinine"] * factor}
        patient = dataclasses.replace(patient, healthy=healthy)
    return patient


def _graver(lived: Background, factor: float) -> Background:
    """A chronic kidney disease that multiplies creatinine by a factor more; others as they are."""
    if lived.condition != CKD:
        return lived
    amount = max(float(lived.effects["creatinine"].amount), 1.2)
    severity = lived.severity + math.log(factor) / math.log(amount)
    return dataclasses.replace(lived, severity=min(max(severity, 0.2), MOST_SEVERE))


def _pregnancy(patient: ClinicPatient, one: Edit) -> ClinicPatient:
    person = dataclasses.replace(patient.person, pregnant_weeks=one["weeks"])
    return dataclasses.replace(patient, person=person)


def _name(patient: ClinicPatient, one: Edit) -> ClinicPatient:
    person = dataclasses.replace(patient.person, name=one["name"])
    return dataclasses.replace(patient, person=person)


def _wording(patient: ClinicPatient, one: Edit) -> ClinicPatient:
    return dataclasses.replace(patient, seed=one["seed"])


_EDITS: Mapping[str, Callable[[ClinicPatient, Edit], ClinicPatient]] = {
    "take": _take,
    "stop": _stop,
    "ended": _ended,
    "allergy": _allergy,
    "no allergy": _no_allergy,
    "lives with": _lives_with,
    "lives without": _lives_without,
    "kidneys": _kidneys,
    "pregnancy": _pregnancy,
    "name": _name,
    "wording": _wording,
}


@lru_cache(maxsize=KEPT)
def drawn_patient(seed: int, condition: str, split: Split | None = None) -> ClinicPatient:
    """Return the simulated patient of a seed, in surgery hours, in the wordings of a split."""
    drawn = draw_patient(seed, condition, split=split)
    hour = 9 + Random(f"{seed}:surgery").randrange(8)
    arrived = drawn.arrived.replace(hour=hour)
    return with_a_purpose(dataclasses.replace(drawn, arrived=arrived))


def review_patient(record: Mapping[str, Any]) -> ClinicPatient:
    """Return the patient of a review: the simulated one with the edits.

    What is taken and lived with comes in an order that tells nothing, edited or not.
    """
    drawn = drawn_patient(record["seed"], record["condition"], record.get("split"))
    edits = record.get("edit", ())
    patient, off = edited(drawn, edits), _unlisted(edits)

    def place(key: str) -> float:
        return Random(f"{record['seed']}:{key}:place").random()

    return dataclasses.replace(
        patient,
        medicines=tuple(
            dataclasses.replace(one, unlisted=off.get(one.drug))
            for one in sorted(patient.medicines, key=lambda one: place(one.drug))
        ),
        background=tuple(sorted(patient.background, key=lambda one: place(one.condition))),
    )


def _unlisted(edits: Iterable[Edit]) -> dict[str, Literal["bought", "prescribed"]]:
    """Drug that the list lacks -> whether it is bought or prescribed."""
    bought = {one["drug"] for one in edits if one["kind"] == "take" and one.get("bought")}
    return {drug: "bought" if drug in bought else "prescribed"
            for drug in hidden(edits, "take", "drug")}  # fmt: skip


def reported(patient: ClinicPatient, name: str) -> float:
    """Return a laboratory value of today as it is reported."""
    return round(patient.state(0)[name], patient.facts.measurements[name].decimals)


def clearance(age: float, sex: str, weight_kg: float, creatinine: float) -> float:
    """Return the creatinine clearance in mL/min, by Cockcroft and Gault."""
    inputs = {"age": age, "sex": sex, "weight_kg": weight_kg, "creatinine": creatinine}
    return float(score("cockcroft_gault", inputs).score)


def profile_of(patient: ClinicPatient, edits: Iterable[Edit] = ()) -> ReviewProfile:
    """Return what decides whether a drug may be given, from the hidden patient."""
    person = patient.person
    bought = {one["drug"] for one in edits if one["kind"] == "take" and one.get("bought")}
    creatinine = reported(patient, "creatinine")
    conditions = lives_with(patient)
    return ReviewProfile(
        age=person.age,
        female=person.sex == "female",
        weight_kg=person.weight_kg,
        egfr=reported(patient, "egfr"),
        crcl=clearance(person.age, person.sex, person.weight_kg, creatinine),
        potassium=reported(patient, "k"),
        drinks="alcohol" in person.habits,
        creatinine=creatinine,
        bmi=person.weight_kg / (person.height_cm / 100) ** 2,
        liver_well=_steady(patient, "alt") and FATTY_LIVER not in conditions,
        steady=frozenset(name for name in LABS if _steady(patient, name)),
        weeks=person.pregnant_weeks,
        child_pugh=child_pugh(patient) if "cirrhosis" in conditions else None,
        conditions=conditions,
        known=frozenset(one.condition for one in patient.background),
        history=frozenset(
            {one.condition for one in patient.medicines}
            | {one.taken_for for one in patient.past if one.taken_for is not None}
        ),
        medicines=tuple(
            Taken(
                Regimen(one.drug, one.dose, one.unit, one.per_day),
                one.drug in bought,
                one.condition,
                LONG if one.begun is None else -one.begun / DAY,
            )
            for one in patient.medicines
        ),
        ended=tuple(
            (one.what, round(-one.minute / DAY, 1))
            for one in patient.past
            if one.kind == "medicine"
        ),
        allergies=tuple((one.allergen, one.reaction) for one in patient.allergies),
    )


def _steady(patient: ClinicPatient, name: str) -> bool:
    """Whether a laboratory value of today is right; an INR of treatment has a range of its own."""
    value, person = reported(patient, name), patient.person
    limits = reference(patient.facts.measurements[name], *person.measured_by)
    if name == "inr" and any("inr" in one.effects for one in patient.medicines):
        return INR_OF_TREATMENT[0] <= value <= INR_OF_TREATMENT[1]
    low, high = (None, None) if limits is None else (limits.low, limits.high)
    return (low is None or value >= low) and (high is None or value <= high)


def child_pugh(patient: ClinicPatient) -> ChildPugh:
    """Return the class of cirrhosis by bilirubin, albumin and INR, without ascites or confusion.

    An INR that a medicine sets says nothing of the liver.
    """
    bilirubin, albumin = reported(patient, "bilirubin"), reported(patient, "albumin")
    thinned = any("inr" in one.effects for one in patient.medicines)
    inr = 1.0 if thinned else reported(patient, "inr")
    points = 2
    points += 1 + (bilirubin >= 2) + (bilirubin > 3)
    points += 1 + (albumin <= 3.5) + (albumin < 2.8)
    points += 1 + (inr >= 1.7) + (inr > 2.3)
    return "A" if points < 7 else "B" if points < 10 else "C"


def hidden(edits: Iterable[Edit], kind: str, field: str) -> frozenset[str]:
    """Return what edits of a kind keep off the structured record."""
    return frozenset(
        one[field] for one in edits if one["kind"] == kind and one.get("told") == "hidden"
    )


@lru_cache(maxsize=KEPT)
def _world(key: bytes) -> ClinicWorld:
    record = orjson.loads(key)
    edits: Sequence[Edit] = record.get("edit", ())
    patient = review_patient(record)
    split = record["split"]
    shown: dict[str, Any] = {}
    for one in edits:
        if one["kind"] == "shown":
            shown |= one
    kinds = shown.get("documents", ("letter",))
    texts = documents(patient, split, kinds=frozenset(kinds))
    opening = thaw(chart_record(patient, texts, split))
    opening["person"]["patient_id"] = patient_id(record["seed"])  # as on the ticket
    facts = load()
    drugs = {one.name: key for key, one in facts.drugs.items()}
    products = {one["drug"]: one["product"] for one in edits if one.get("product")}
    products |= {one["drug"]: one["name"] for one in edits if one["kind"] == "product"}
    off = hidden(edits, "take", "drug")
    listed = [one for one in opening["medicines"] if drugs[one["drug"]] not in off]
    for one in listed:
        if drugs[one["drug"]] in products:
            one["product"] = products[drugs[one["drug"]]]
    opening["medicines"] = listed
    ended = hidden(edits, "ended", "drug")
    opening["ended_medicines"] = [
        one for one in opening["ended_medicines"] if drugs[one["drug"]] not in ended
    ]
    secret = hidden(edits, "allergy", "allergen")
    named = zip(patient.allergies, opening["allergies"], strict=True)
    opening["allergies"] = [line for one, line in named if one.allergen not in secret]
    if any(one["kind"] == "pregnancy" and one.get("told") == "hidden" for one in edits):
        opening["history"]["pregnancy"] = None
    opening["reports_egfr"] = bool(shown.get("egfr", True))
    opening["question"] = record["question"]
    frozen = freeze(opening)
    assert isinstance(frozen, Frozen)
    return ClinicWorld(patient, frozen, texts, {}, {})


def open_world(record: Mapping[str, Any]) -> ClinicWorld:
    """Return the world of a review; drawn once and kept."""
    return _world(orjson.dumps(record, option=orjson.OPT_SORT_KEYS))


class ReviewCase(ClinicCase):
    """The chart of a review. Nobody dies of it or leaves: time passes, and nothing else."""

    def spend(self, minutes: float, *, seen: bool = False) -> None:
        """Let time pass; see `Chart.spend`."""
        self.minute += minutes


def open_case(task: Task) -> ReviewCase:
    """Open the chart of a review, for `Domain.open_case`."""
    return ReviewCase(open_world(task.record))
