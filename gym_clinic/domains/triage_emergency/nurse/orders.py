"""What the nurse of the rules baseline orders at once, by what it has read."""

from __future__ import annotations

from collections.abc import Iterator

from gym_clinic.domain import CallSpec
from gym_clinic.domains.triage_emergency.nurse.notes import LOW_GLUCOSE, NurseNotes

ADRENALINE = ((6, 0.15), (12, 0.3))
"""Age in years below which -> milligrams of adrenaline (Resuscitation Council UK, 2021)."""

ADULT = 16
"""Age in years from which on doses of adults are given."""

SEVERE = 7
"""Pain from which on a drug is given."""

PENICILLINS = ("penicillin", "cillin")
"""What the record calls an allergy to penicillins."""


def at_once(notes: NurseNotes) -> Iterator[CallSpec]:
    """Yield what saves life by the vital signs and the first words, each once."""
    spo2, gcs = notes.vital("spo2", 99), notes.vital("gcs", 15)
    if notes.retains and spo2 < 88:
        yield from _once(notes, "oxygen", "give_oxygen", device="venturi mask", litres_per_minute=4)
    elif not notes.retains and spo2 < 92:
        yield from _once(notes, "oxygen", "give_oxygen", device="face mask", litres_per_minute=6)
    if notes.allergic:
        dose = next((one for below, one in ADRENALINE if notes.age < below), 0.5)
        yield from _drug(notes, "epinephrine", dose, "mg", "im")
    if notes.vital("rr", 15) < 8 and notes.age >= ADULT and gcs < 15:
        yield from _once(
            notes, "ventilation", "perform_procedure",
            procedure="bag-mask-ventilation", emergency=True,
        )  # fmt: skip
    low = 90 if notes.age >= 10 else 70 + 2 * int(notes.age)
    if notes.vital("sbp", 120) < low:
        volume = 500 if notes.age >= ADULT else round(10 * _weight(notes))
        yield from _once(
            notes, "fluids", "give_fluids", fluid="balanced crystalloid", millilitres=volume
        )
    if notes.has & {"Chest pain", "Palpitations", "Syncope"} and notes.age >= 12:
        yield from _once(notes, "ecg", "order_ecg")


def by_signs(notes: NurseNotes) -> Iterator[CallSpec]:
    """Yield what the examination and the bedside glucose call for, each once."""
    if notes.glucose is not None and notes.glucose < LOW_GLUCOSE and notes.vital("gcs", 15) < 15:
        yield from _drug(notes, "glucose", min(20, round(0.4 * _weight(notes))), "g", "iv")
    if notes.small_pupils:
        yield from _drug(notes, "naloxone", round(min(0.4, 0.01 * _weight(notes)), 2), "mg", "iv")
    chest = notes.seen.get("chest", "")
    silent = "hyperresonant" in chest or "drum" in chest or "no breath sounds" in chest
    if silent and (notes.vital("spo2", 99) < 94 or notes.vital("sbp", 120) < 100):
        yield from _once(
            notes, "decompression", "perform_procedure",
            procedure="needle-decompression", emergency=True,
        )  # fmt: skip
    tight = "wheez" in chest and (notes.vital("spo2", 99) < 94 or notes.vital("rr", 16) > 24)
    if tight:
        yield from _drug(notes, "salbutamol", 5 if notes.age >= 5 else 2.5, "mg", "inhaled")


def of_protocol(notes: NurseNotes, pathway: str) -> Iterator[CallSpec]:
    """Yield what is ordered with a protocol, each once."""
    if pathway == "stroke":
        yield from _once(notes, "ct", "order_study", study="ct-head")
    elif pathway == "sepsis":
        yield from _once(notes, "cultures", "order_study", study="blood-culture")
        yield from _once(notes, "lactate", "order_lab", tests=["lactate"])
        if any(one in notes.allergies for one in PENICILLINS) or notes.age < ADULT:
            dose = round(min(2.0, 0.08 * _weight(notes)), 2)
            yield from _drug(notes, "ceftriaxone", dose, "g", "iv")
        else:
            yield from _drug(notes, "piperacillin-tazobactam", 4.5, "g", "iv")
    elif pathway == "diabetic emergency":
        tests = ["venous-blood-gas", "ketones"]
        yield from _once(notes, "gas", "order_lab", tests=tests)
        volume = 500 if notes.age >= ADULT else round(10 * _weight(notes))
        yield from _once(notes, "fluids", "give_fluids", fluid="saline", millilitres=volume)
    elif pathway == "poisoning" and "Exposure to fumes or smoke" in notes.has:
        yield from _once(
            notes, "mask", "give_oxygen", device="non-rebreather mask", litres_per_minute=15
        )
        yield from _once(notes, "cohb", "order_lab", tests=["cohb"])
        yield from _once(notes, "ecg", "order_ecg")
    elif pathway == "poisoning":
        yield from _once(notes, "ecg", "order_ecg")
        yield from _once(
            notes, "levels", "order_lab", tests=["paracetamol_level", "salicylate_level"]
        )
    elif pathway == "major haemorrhage":
        yield from _once(notes, "blood", "give_blood", product="packed red cells", units=2)
    if pathway in ("obstetric emergency", "major haemorrhage"):
        yield from _once(notes, "group", "order_study", study="blood-group")
        yield from _once(notes, "count", "order_lab", tests=["blood-count"])


def against_pain(notes: NurseNotes, pathway: str) -> Iterator[CallSpec]:
    """Yield paracetamol against severe pain, unless it may be the poison or pain of the heart."""
    heart = pathway in ("poisoning", "stemi", "chest pain", "anaphylaxis")
    if notes.vital("pain", 0) >= SEVERE and not heart and notes.age >= 0.25:
        dose = round(min(1.0, 0.015 * _weight(notes)), 2)
        route = "po" if notes.vital("gcs", 15) >= 15 else "iv"
        yield from _drug(notes, "paracetamol", dose, "g", route)


def _weight(notes: NurseNotes) -> float:
    """Kilograms by age: 70 for adults, else twice the age plus eight (Advanced Life Support)."""
    return 70.0 if notes.age >= ADULT else max(4.0, 2 * (notes.age + 4))


def _drug(notes: NurseNotes, drug: str, dose: float, unit: str, route: str) -> Iterator[CallSpec]:
    notes.medicated = True
    yield from _once(
        notes, drug, "give_medication", drug=drug, dose=float(dose), unit=unit, route=route
    )


def _once(notes: NurseNotes, what: str, tool: str, **arguments: object) -> Iterator[CallSpec]:
    if what not in notes.given:
        notes.given.add(what)
        yield tool, dict(arguments)
