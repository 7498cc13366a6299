"""The record that a chart opens with: what is known of a patient on arrival."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from random import Random
from typing import Any

from gym_clinic.facts.records.drugs import CLASS
from gym_clinic.frozen import Frozen, freeze
from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.clinic.texts import Document
from gym_clinic.simulate.clinic.texts.document import DocumentKind
from gym_clinic.simulate.split import Split

BEFORE_CARE: frozenset[DocumentKind] = frozenset(
    {"opening words", "triage", "handover", "referral", "letter", "medicines"}
)
"""Kinds of documents that do not depend on what is done here."""

TOLD = ("finding", "medicine", "allergy", "condition", "habit", "pregnancy")
"""Kinds of facts of a document that whoever reads it is told."""


def chart_record(
    patient: ClinicPatient,
    documents: Mapping[str, str] | Iterable[Document] | None = None,
    split: Split = "train",
) -> Frozen:
    """Return the record of a patient, frozen: one serves any number of episodes.

    It holds what a registry, a pharmacy and the patient's own doctor know. The problems that bring
    the patient are not in it.

    Args:
        patient: The patient.
        documents: Title -> text of notes and letters, or documents of the patient, which can be
            read from their minute on. Of those, the ones are kept that stand before care begins
            here (:data:`BEFORE_CARE`): notes and results of this visit come from what is done on
            the chart, and would tell of another course.
        split: Whose phrases the patient uses in answers: "train", "dev" or "test".
    """
    person, facts = patient.person, patient.facts
    names = {key: one.name for key, one in facts.diseases.items()}
    history = {
        "past": [
            {"condition": names[one.condition], "years": _plain(one.years)}
            for one in patient.background
        ],
        "procedures": [
            {"procedure": one.what, "date": _day(patient, one.minute)}
            for one in patient.past
            if one.kind == "procedure"
        ],
        "habits": list(person.habits),
        "pregnancy": _pregnancy(patient),
    }
    record: dict[str, Any] = {
        "person": {
            "patient_id": patient_id(patient.seed),
            "name": person.name,
            "sex": person.sex,
            "age": _plain(person.age),
            "born": patient.born.isoformat(),
            "height_cm": person.height_cm,
            "weight_kg": _plain(person.weight_kg),
        },
        "arrived": patient.arrived.isoformat(timespec="minutes"),
        "history": history,
        "medicines": [
            {
                "drug": facts.drugs[one.drug].name,
                "dose": _plain(one.dose),
                "unit": one.unit,
                "per_day": _plain(one.per_day),
                "for": names.get(one.condition, one.condition),
                **({} if one.begun is None else {"since": _day(patient, one.begun)}),
            }
            for one in patient.medicines
        ],
        "ended_medicines": [
            {
                "drug": facts.drugs[one.what].name,
                "for": names.get(one.taken_for or "", one.taken_for),
                "ended": _day(patient, one.minute),
            }
            for one in patient.past
            if one.kind == "medicine"
        ],
        "allergies": [
            {"substance": _substance(patient, one.allergen), "reaction": one.reaction}
            for one in patient.allergies
        ],
        "documents": _documents(documents or {}),
        "split": split,
        "orders": {},
        "discontinued": {},
    }
    frozen = freeze(record)
    assert isinstance(frozen, Frozen)
    return frozen


def _plain(number: float) -> float:
    """The number as a prescriber writes it: without a trailing zero, which is read as tenfold."""
    return int(number) if number == int(number) else number


def _documents(given: Mapping[str, str] | Iterable[Document]) -> dict[str, dict[str, Any]]:
    """Title -> text, kind, the minute from which on it can be read, and what it tells."""
    if isinstance(given, Mapping):
        return {
            title: {"text": text, "kind": "", "minute": 0.0, "readings": (), "facts": ()}
            for title, text in given.items()
        }
    found: dict[str, dict[str, Any]] = {}
    for one in given:
        if one.kind not in BEFORE_CARE:
            continue
        title, number = one.title, 2
        while title in found:
            title, number = f"{one.title} ({number})", number + 1
        readings = [
            (fact.of, fact.value)
            for fact in one.facts
            if fact.kind == "reading" and fact.value is not None
        ]
        found[title] = {
            "text": one.text,
            "kind": one.kind,
            "minute": max(one.minute, 0.0),
            "readings": readings,
            "facts": [
                (f"{fact.kind}:{fact.of}", "yes" if fact.has else "no")
                for fact in one.facts
                if fact.kind in TOLD
            ],
        }
    return found


def patient_id(seed: int) -> str:
    """Return the hospital number of a patient, which tells nothing of the seed's condition."""
    return f"H{Random(f'{seed}:hospital number').randrange(100_000, 1_000_000)}"


def _day(patient: ClinicPatient, minute: int) -> str:
    return (patient.arrived + datetime.timedelta(minutes=minute)).date().isoformat()


def _substance(patient: ClinicPatient, allergen: str) -> str:
    facts = patient.facts
    if allergen.startswith(CLASS):
        return facts.drug_classes[allergen.removeprefix(CLASS)].name
    return facts.drugs[allergen].name


def _pregnancy(patient: ClinicPatient) -> str | None:
    person = patient.person
    if person.pregnant_weeks is not None:
        return f"{person.pregnant_weeks} weeks pregnant"
    return "gave birth within the last year" if person.postpartum else None
