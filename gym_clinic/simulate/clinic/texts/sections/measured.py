"""Measured values in words: lines of vital signs, and the laboratory's table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gym_clinic.simulate.clinic.measurement import Reading, Sample
from gym_clinic.simulate.clinic.patient import ClinicPatient
from gym_clinic.simulate.clinic.physiology.body import reference
from gym_clinic.simulate.clinic.problems import SEEN_CLOUDED
from gym_clinic.simulate.clinic.texts.document import Fact, Piece, joined
from gym_clinic.simulate.clinic.texts.units import local_unit, written_value
from gym_clinic.simulate.clinic.texts.voice import Voice, lowered

TRIAGE = ("hr", "bp", "rr", "spo2", "temp_c")
"""The vital signs that everyone measures at first; "bp" is both pressures."""

BEFORE = ("blood-count", "basic-metabolic-panel", "liver-panel")
"""Panels that were measured at the earlier visit, where there was one."""

ORDER = (
    "hb", "hct", "mcv", "wbc", "neutrophils", "neutrophil_pct", "lymphocyte_pct", "eosinophil_pct",
    "platelets", "na", "k", "cl", "hco3", "urea", "bun", "creatinine", "egfr", "anion_gap",
    "glucose", "crp", "bilirubin", "bilirubin_direct", "alt", "ast", "alp", "ggt", "albumin",
)  # fmt: skip
"""Rows of the laboratory's table, in order; all others follow."""

PAIN_FROM = 5
"""Age in years from which pain is scored by number."""


def vital_signs(voice: Voice, sample: Sample, keys: Sequence[str], *, lead: bool = True) -> Piece:
    """Return a line of vital signs, in an order of the writer's own.

    Args:
        voice: The writer.
        sample: Who measured when.
        keys: The vital signs.
        lead: Whether it begins with a word such as "Obs".
    """
    order = [key for key in keys if key not in ("gcs", "pain", "glucometer")]
    voice.random.shuffle(order)
    if voice.random.random() < 0.5:  # many begin with pulse and pressure
        order.sort(key=lambda key: key not in ("hr", "bp"))
    order += [key for key in keys if key not in order]
    items = [vital_sign(voice, sample, key) for key in order]
    separator = voice.random.choice((", ", ", ", " ")) if voice.style.short else ", "
    line = joined(items, separator)
    return voice.say_by_habit("vitals", line=line) if lead else line


def vital_sign(voice: Voice, sample: Sample, key: str) -> Piece:
    """Return one vital sign with its name, such as "HR 78", in the unit of the country."""
    if key == "bp":
        first, second = sample.reading("sbp"), sample.reading("dbp")
        text = f"{first.value:.0f}/{second.value:.0f}"
        return voice.say_by_habit(
            "vital.bp",
            v=Piece(text, (reading_fact(first, text), reading_fact(second, text))),
        )
    reading = sample.reading(key)
    one, american = sample.patient.facts.measurements[key], voice.style.american
    text = written_value(one, reading.value, american)
    value = Piece(text, (reading_fact(reading, text),))
    sign = voice.say_by_habit(f"vital.{key}", v=value, unit=local_unit(one, american).unit)
    noticed = f" ({lowered(reading.comment.rstrip('.'))})" if reading.comment else ""
    return Piece(f"{sign.text}{noticed}", sign.facts)


def reading_fact(reading: Reading, text: str) -> Fact:
    """Return the fact that a reading was written as a text."""
    return Fact("reading", reading.measurement, text, minute=reading.minute, value=reading.value)


def usual_keys(patient: ClinicPatient) -> tuple[str, ...]:
    """Return the vital signs that are measured on arrival; pain of who can give it a number."""
    pain = ("pain",) if scores_pain(patient, 0) else ()
    return (*TRIAGE, "gcs", *pain)


def scores_pain(
    patient: ClinicPatient, minute: float, actions: Mapping[str, float] | None = None
) -> bool:
    """Return whether a patient can say how much it hurts, by age and consciousness."""
    awake = patient.state(minute, actions)["gcs"] >= SEEN_CLOUDED
    return patient.person.age >= PAIN_FROM and awake


def measurements_of(patient: ClinicPatient, orders: Iterable[str]) -> list[str]:
    """Return the measurements that orders include, for the age, in the order of the table."""
    known = dict(sorted(patient.facts.measurements.items(), key=lambda one: _row(one[0])))
    found: list[str] = []
    for order in orders:
        found += [
            key for key, one in known.items()
            if order in (one.panel, key) and one.kind != "other" and key not in found
            and one.from_age <= patient.person.age
        ]  # fmt: skip
    return found


def _row(key: str) -> int:
    return ORDER.index(key) if key in ORDER else len(ORDER)


def laboratory_table(
    patient: ClinicPatient,
    measurements: Sequence[str],
    columns: Mapping[str, Sample],
    only: Mapping[str, Sequence[str]] | None = None,
    *,
    american: bool,
) -> Piece:
    """Return a table of values with flags: a row a measurement, a column a sample.

    Args:
        patient: The patient.
        measurements: The rows, in order.
        columns: Heading -> sample, the earlier first.
        only: Heading -> the measurements that were taken then; all where it says nothing.
        american: Whether the units are American.
    """
    facts: list[Fact] = []
    rows = [["", *columns]]
    for key in measurements:
        one = patient.facts.measurements[key]
        unit = local_unit(one, american).unit
        cells = [f"{one.short.removesuffix(unit).strip()} {unit}".strip()]
        for heading, sample in columns.items():
            if only and heading in only and key not in only[heading]:
                cells.append("-")
                continue
            reading = sample.reading(key)
            text = written_value(one, reading.value, american)
            facts.append(reading_fact(reading, text))
            cells.append(f"{text} {flag(patient, reading)}".rstrip())
        rows.append(cells)
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = [
        row[0].ljust(widths[0])
        + "".join(f"  {cell.rjust(width)}" for cell, width in zip(row[1:], widths[1:], strict=True))
        for row in rows
    ]
    comments = sorted(
        {
            reading.comment
            for sample in columns.values()
            for reading in (sample.reading(key) for key in measurements)
            if reading.comment is not None
        }
    )
    return Piece("\n".join(line.rstrip() for line in [*lines, *comments]), tuple(facts))


def flag(patient: ClinicPatient, reading: Reading) -> str:
    """Return "L" or "H" for a reading outside the reference range; else nothing."""
    one = patient.facts.measurements[reading.measurement]
    limits = reference(one, *patient.person.measured_by)
    if limits is not None and limits.low is not None and reading.value < limits.low:
        return "L"
    if limits is not None and limits.high is not None and reading.value > limits.high:
        return "H"
    return ""
