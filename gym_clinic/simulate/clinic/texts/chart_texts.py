"""All documents of a patient up to a time."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import get_args

from gym_clinic.facts.phrases import ParsedPhrase
from gym_clinic.simulate.clinic.measurement import Sample
from gym_clinic.simulate.clinic.patient import ClinicPatient
from gym_clinic.simulate.clinic.telling.lay_words import BY_ACCIDENT
from gym_clinic.simulate.clinic.texts.arrival import handover, referral, triage
from gym_clinic.simulate.clinic.texts.document import Document, DocumentKind, Piece
from gym_clinic.simulate.clinic.texts.knowledge import told_to
from gym_clinic.simulate.clinic.texts.letters import earlier_letter
from gym_clinic.simulate.clinic.texts.notes import note
from gym_clinic.simulate.clinic.texts.nursing import nursing_note
from gym_clinic.simulate.clinic.texts.results import IMAGES, laboratory_document, study_document
from gym_clinic.simulate.clinic.texts.sections.assessment import orders_of
from gym_clinic.simulate.clinic.texts.sections.history import finding
from gym_clinic.simulate.clinic.texts.sections.treatment_lists import reconciliation
from gym_clinic.simulate.clinic.texts.speech import opening_words
from gym_clinic.simulate.clinic.texts.visit import SURGERY_HOURS, Visit, draw_visit, minute_of
from gym_clinic.simulate.clinic.texts.voice import Voice, draw_style, source, spelled
from gym_clinic.simulate.split import Split

TELEGRAPHIC: Mapping[str, float] = {
    "triage nurse": 0.95,
    "ED doctor": 0.75,
    "doctor": 0.6,
    "doctor on call": 0.8,
    "GP": 0.4,
    "nurse": 0.8,
    "paramedic": 0.85,
    "pharmacist": 0.9,
    "ECG technician": 0.5,
}
"""Author -> share of those who write telegraphically."""


KINDS: frozenset[DocumentKind] = frozenset(get_args(DocumentKind))
"""Every kind of document."""

ORDERED: frozenset[DocumentKind] = frozenset({"ecg", "imaging", "laboratory"})
"""Kinds of documents of what was ordered."""


def documents(
    patient: ClinicPatient,
    split: Split = "train",
    minute: float | None = None,
    actions: Mapping[str, float] | None = None,
    kinds: AbstractSet[DocumentKind] | None = None,
) -> tuple[Document, ...]:
    """Return the documents of a patient in the order of their times.

    A document holds only what its author was told, saw or measured by then. The same arguments give
    the same documents in every process. A simulation, not for patient care.

    Args:
        patient: The patient.
        split: Which phrases they may use: some occur in dev or in test only.
        minute: Up to when, in minutes from arrival; all of the first hours if None.
        actions: What was done -> when, as `ClinicPatient.state` takes it.
        kinds: The kinds of documents that are written; all if None.
    """
    died = patient.death(actions)
    found = [
        one
        for one in _all(patient, split, actions, KINDS if kinds is None else kinds)
        if (minute is None or one.minute <= minute) and (died is None or one.minute < died)
    ]
    return tuple(sorted(found, key=lambda one: one.minute))


def study_report(
    patient: ClinicPatient, study: str, minute: float, split: Split = "train"
) -> Document | None:
    """Return the report of a study that was asked for; None if the record has none.

    Args:
        patient: The patient.
        study: Such as "ct-head".
        minute: When it was done, in minutes from arrival.
        split: Which phrases it may use.
    """
    return _study(patient, draw_visit(patient), study, minute, split)


def _study(
    patient: ClinicPatient, visit: Visit, study: str, minute: float, split: Split
) -> Document | None:
    author = "ECG technician" if study == "ecg" else "radiologist"
    voice = _voice(patient, visit, split, author, f"{study} {minute:g}")
    report = study_document(voice, patient, study, minute, _complaint(voice, patient, visit))
    return None if report is None else _spelled(report, voice)


def _all(
    patient: ClinicPatient, split: Split, actions: Mapping[str, float] | None,
    kinds: AbstractSet[DocumentKind],
) -> Iterator[Document]:  # fmt: skip
    visit = draw_visit(patient)
    times, ward = visit.times, visit.setting == "emergency"

    def made(
        kind: DocumentKind, author: str, title: str, at: float,
        write: Callable[[Voice], Piece],
    ) -> Document:  # fmt: skip
        voice = _voice(patient, visit, split, author, f"{kind} {at:g}")
        piece = write(voice)
        when = patient.arrived + datetime.timedelta(minutes=at)
        day = f"{when:%d %b} " if when.date() != patient.arrived.date() else ""
        document = Document(kind, author, at, f"{title} {day}{when:%H:%M}", piece.text, piece.facts)
        return _spelled(document, voice)

    if visit.letter is not None and "letter" in kinds:
        day, department = visit.letter
        at = minute_of(patient, day)
        voice = _voice(patient, visit, split, "consultant", "letter")
        piece = earlier_letter(voice, patient, visit, day)
        title = f"Letter, {department}, {day:%d %b %Y}"
        yield _spelled(Document("letter", "consultant", at, title, piece.text, piece.facts), voice)
    if visit.mode == "referred" and "referral" in kinds:
        at = times["referral"]
        yield made("referral", "GP", "Referral letter", at,
                   lambda voice: referral(voice, patient, visit, at))  # fmt: skip
    if "opening words" in kinds:
        yield made("opening words", visit.speaker, "In their own words", 0,
                   lambda voice: opening_words(voice, patient, visit))  # fmt: skip
    if visit.mode == "ambulance" and "handover" in kinds:
        yield made("handover", "paramedic", "Ambulance handover", times["handover"],
                   lambda voice: handover(voice, patient, visit, times["handover"]))  # fmt: skip
    if ward and "triage" in kinds:
        yield made("triage", "triage nurse", "Triage", times["triage"],
                   lambda voice: triage(voice, patient, visit, times["triage"]))  # fmt: skip
    author, title = ("ED doctor", "ED note") if ward else ("doctor", "Clinic note")
    if not ward and patient.arrived.hour not in SURGERY_HOURS:
        author, title = "doctor on call", "Out-of-hours note"
    if "note" in kinds:
        yield made("note", author, title, times["note"],
                   lambda voice: note(voice, patient, visit, times["note"]))  # fmt: skip
    if ward:
        yield from _hospital(patient, visit, split, actions, made, kinds)


def _hospital(
    patient: ClinicPatient,
    visit: Visit,
    split: Split,
    actions: Mapping[str, float] | None,
    made: Callable[..., Document],
    kinds: AbstractSet[DocumentKind],
) -> Iterator[Document]:
    """What an emergency department adds: ECG, image, laboratory, pharmacist, nurses."""
    times = visit.times
    orders = () if not kinds & ORDERED else orders_of(patient, visit)
    for study in ("ecg", *IMAGES):
        at = times["ecg" if study == "ecg" else "imaging"]
        kind: DocumentKind = "ecg" if study == "ecg" else "imaging"
        if (
            kind in kinds
            and study in orders
            and (report := _study(patient, visit, study, at, split)) is not None
        ):
            yield report
    if "laboratory" in kinds:
        sample = Sample(patient, times["laboratory"], actions)
        yield laboratory_document(patient, visit, sample, orders)
    if "medicines" in kinds:
        yield made("medicines", "pharmacist", "Medicines reconciliation", times["medicines"],
                   lambda voice: reconciliation(voice, patient, visit))  # fmt: skip
    before, said = times["triage"], list[ParsedPhrase]()
    for number in (1, 2, 3) if "nursing note" in kinds else ():
        now = times[f"nursing note {number}"]
        yield made(
            "nursing note", "nurse", "Nursing note", now,
            lambda voice, now=now, before=before: nursing_note(
                voice, patient, visit, now, before, actions, said
            ),
        )  # fmt: skip
        before = now


def _voice(patient: ClinicPatient, visit: Visit, split: Split, author: str, name: str) -> Voice:
    """The voice of an author in one document."""
    male = patient.person.sex == "male"
    words = {
        "he": "he" if male else "she",
        "his": "his" if male else "her",
        "him": "him" if male else "her",
        "tells": _teller(patient, visit),
        "asked": {"patient": "pt", "parent": visit.parent}.get(visit.speaker, "family"),
    }
    style = draw_style(patient, author, TELEGRAPHIC.get(author, 0.0), visit.american)
    habits = f"{patient.seed}:{split}:{author}"
    voice = Voice(source(patient, f"{split}:{author}:{name}"), style, split, words, habits)
    voice.speaks_for = visit.speaker != "patient"
    voice.of_child = patient.person.age < BY_ACCIDENT
    return voice


def _teller(patient: ClinicPatient, visit: Visit) -> str:
    """Who tells the history, as a note has it."""
    if visit.speaker == "parent":
        return visit.parent
    if visit.speaker == "crew":
        return "the crew"
    return "he" if patient.person.sex == "male" else "she"


def _complaint(voice: Voice, patient: ClinicPatient, visit: Visit) -> Piece:
    return finding(voice, told_to(patient, visit, 0, "triage")[0])


def _spelled(document: Document, voice: Voice) -> Document:
    piece = spelled(Piece(document.text, document.facts), voice.style)
    return dataclasses.replace(document, text=piece.text, facts=piece.facts)
