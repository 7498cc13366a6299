"""Tables, past history, allergies, habits and pregnancy, read back from texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gym_clinic.instruments.units import convert
from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.clinic.measurement import Sample
from gym_clinic.simulate.clinic.physiology.body import reference
from gym_clinic.simulate.clinic.telling.disclosure import recollections
from gym_clinic.simulate.clinic.telling.life import draw_life
from gym_clinic.simulate.clinic.texts import Document, draw_visit
from gym_clinic.simulate.clinic.texts.document import Fact
from gym_clinic.simulate.clinic.texts.units import local_units

Found = Iterator[str]

_CELL = re.compile(r"(?<=\s\s)(-|-?\d+(?:\.\d+)?)(?: ([HL]))?(?=\s|$)")


def tables_are_read_back(patient: ClinicPatient, documents: Sequence[Document]) -> Found:
    """Each row of a laboratory table has the values and the flags of its samples."""
    known = patient.facts.measurements
    units = local_units()["american" if draw_visit(patient).american else "british"]
    rows = {
        f"{one.short} {(units.get(key) or one).unit}".strip(): key for key, one in known.items()
    }
    for one in documents:
        if one.kind != "laboratory":
            continue
        minutes = sorted({fact.minute for fact in one.facts if fact.minute is not None})
        samples = [Sample(patient, minute) for minute in minutes]
        for line in one.text.splitlines()[1:]:
            name = next((name for name in sorted(rows, key=len, reverse=True)
                         if line.startswith(f"{name} ")), None)  # fmt: skip
            if name is None:
                continue  # a comment on the sample
            cells = _CELL.findall(line[len(name) :])
            if len(cells) != len(samples):
                yield f"{one.title}: {len(cells)} values in {line!r}"
            for (value, flag), sample in zip(cells, samples, strict=False):
                if value == "-":
                    continue
                reading = sample.reading(rows[name])
                limits = reference(known[rows[name]], *patient.person.measured_by)
                low = limits is not None and limits.low is not None and reading.value < limits.low
                high = (
                    limits is not None and limits.high is not None and reading.value > limits.high
                )
                wanted = "L" if low else "H" if high else ""
                local = units.get(rows[name])
                true = reading.value if local is None else convert(
                    reading.value, known[rows[name]].unit, local.unit, local.analyte
                )  # fmt: skip
                # a half of the last digit that is written
                apart = 0.51 * 10 ** -len(value.partition(".")[2])
                if abs(float(value) - true) > apart or flag != wanted:
                    yield f"{one.title}: {line!r}, measured {reading.value} {wanted}"


def past_is_of_the_record(patient: ClinicPatient, documents: Sequence[Document]) -> Found:
    """Past illnesses, their years and allergies are those of the record."""
    visit = draw_visit(patient)
    lived = {one.condition for one in patient.background}
    lived |= {one.condition for one in patient.medicines}  # what a medicine was begun for
    allergic = {one.allergen for one in patient.allergies}
    plan = {one.fact: one for one in recollections(patient)}
    for one in documents:
        for fact in one.facts:
            if fact.kind == "condition" and fact.has and fact.of not in lived:
                yield f"{one.title}: {fact.says!r} is not lived with"
            year = visit.began[fact.of].year if fact.of in visit.began else None
            if fact.kind == "date" and len(fact.says) == 4 and fact.says != str(year or fact.says):
                yield f"{one.title}: {fact.of} since {fact.says}, not {year}"
            if fact.kind == "allergy" and fact.has and fact.of not in allergic:
                yield f"{one.title}: no allergy to {fact.says}"
            if fact.kind == "allergy" and not fact.has and allergic:
                forgot = [plan[f"allergy:{key}"] for key in allergic]
                kept_back = all(
                    each.distortion == "forgets" or each.manner == "omitted" for each in forgot
                )
                if not (fact.denied and kept_back):
                    yield f"{one.title}: says no allergies, has {sorted(allergic)}"


def habits_are_of_the_record(patient: ClinicPatient, documents: Sequence[Document]) -> Found:
    """Smoking, alcohol and weeks of pregnancy are those of the record, or denied as planned."""
    plan = {one.fact: one for one in recollections(patient)}
    for one in documents:
        for fact in one.facts:
            if fact.kind == "habit":
                there = fact.of in patient.person.habits
                forgets = there and plan[f"habit:{fact.of}"].distortion == "forgets"
                if fact.has != there and not (fact.denied and forgets):
                    yield f"{one.title}: {fact.of} {fact.has}"
            if fact.kind == "pregnancy" and not _of_pregnancy(patient, fact):
                yield f"{one.title}: {fact.of} {fact.says}"


def _of_pregnancy(patient: ClinicPatient, fact: Fact) -> bool:
    if fact.of == "postpartum":
        return patient.person.postpartum
    life = draw_life(patient)
    births = life.births or 0
    said = {
        "weeks": str(patient.person.pregnant_weeks),
        "gravida": str(births + life.losses + 1),
        "para": str(births),
    }
    if fact.of == "movements":
        return life.movements == ("usual" if fact.has else "fewer")
    return fact.says == said[fact.of]
