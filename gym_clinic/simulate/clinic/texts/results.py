"""Reports of the ECG, of images and other studies, and of the laboratory."""

from __future__ import annotations

import datetime

from gym_clinic.simulate.clinic.measurement import Sample
from gym_clinic.simulate.clinic.patient import ClinicPatient
from gym_clinic.simulate.clinic.texts.document import Document, Fact, Piece
from gym_clinic.simulate.clinic.texts.sections.examination import abbreviated
from gym_clinic.simulate.clinic.texts.sections.history import who
from gym_clinic.simulate.clinic.texts.sections.measured import (
    BEFORE,
    laboratory_table,
    measurements_of,
)
from gym_clinic.simulate.clinic.texts.units import is_reported
from gym_clinic.simulate.clinic.texts.visit import Visit, minute_of
from gym_clinic.simulate.clinic.texts.voice import Voice

NORMAL = ("ecg", "chest-x-ray")
"""Studies that are normal where no problem says what they show."""

IMAGES = ("chest-x-ray",)
"""Images that a first doctor orders; all others are asked for by name."""


def study_document(
    voice: Voice, patient: ClinicPatient, study: str, minute: float, complaint: Piece
) -> Document | None:
    """Return the report of a study; None if the record has none and it is not in `NORMAL`.

    Args:
        voice: Who reports.
        patient: The patient.
        study: Such as "ecg" or "chest-x-ray".
        minute: When it was done, in minutes from arrival.
        complaint: What the request says.
    """
    report = patient.report(study, minute)
    if report is None and study in NORMAL:
        report = voice.say(f"normal_study.{study.replace('-', '_')}").text
        report = patient.ecg(report, minute) if study == "ecg" else report
    if report is None:
        return None
    text = abbreviated(report) if voice.style.short and study == "ecg" else report
    piece = Piece(text, (Fact("study", study, text, minute=minute),))
    name = "ECG" if study == "ecg" else _title(study)
    pool = "report.ecg" if study == "ecg" else "report.image"
    whole = voice.say(pool, report=piece, who=who(voice, patient), c=complaint, study=name)
    at = patient.arrived + datetime.timedelta(minutes=minute)
    kind, author = ("ecg", "ECG technician") if study == "ecg" else ("imaging", "radiologist")
    return Document(
        "ecg" if kind == "ecg" else "imaging", author, minute, f"{name} {_at(patient, at)}",
        whole.text[:1].upper() + whole.text[1:], whole.facts,
    )  # fmt: skip


def _at(patient: ClinicPatient, when: datetime.datetime) -> str:
    """A time of day, with the date where it is not that of the arrival."""
    return f"{when:%H:%M}" if when.date() == patient.arrived.date() else f"{when:%d %b %H:%M}"


def _title(study: str) -> str:
    words = study.replace("-", " ").replace("x ray", "X-ray")
    for name in ("ct", "mri", "pcr", "eeg", "mr"):
        words = " ".join(name.upper() if one == name else one for one in words.split())
    return words[:1].upper() + words[1:]


def laboratory_document(
    patient: ClinicPatient, visit: Visit, sample: Sample, orders: tuple[str, ...]
) -> Document:
    """Return the laboratory's table, with the values of an earlier visit where there was one."""
    american = visit.american
    keys = [key for key in measurements_of(patient, orders) if is_reported(key, american)]
    taken = patient.arrived + datetime.timedelta(minutes=sample.minute)
    columns, only = {}, {}
    day = "%m/%d/%y" if american else "%d/%m/%y"
    earlier = visit.previous
    if earlier is not None and earlier > patient.born:
        heading = f"{earlier:{day}}"
        columns[heading] = Sample(patient, minute_of(patient, earlier))
        only[heading] = [key for key in measurements_of(patient, BEFORE) if key in keys]
    columns[f"{taken:{day} %H:%M}"] = sample
    table = laboratory_table(patient, keys, columns, only, american=american)
    known = patient.facts.measurements
    longest = max((known[key].minutes for key in keys), default=0)
    reported = taken + datetime.timedelta(minutes=longest)
    return Document(
        "laboratory", "laboratory", sample.minute + longest,
        f"Laboratory, collected {_at(patient, taken)}, reported {_at(patient, reported)}",
        table.text, table.facts,
    )  # fmt: skip
