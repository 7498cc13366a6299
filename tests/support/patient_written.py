"""A patient who is written down rather than drawn, so that what is recorded of her stays."""

from __future__ import annotations

import dataclasses
from datetime import datetime

from gym_clinic.chart.talk import RulesPatient
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import ClinicPatient, Demographics, draw_patient
from gym_clinic.simulate.clinic.medicines import ReportedAllergy, TakenMedicine
from gym_clinic.simulate.clinic.people import Background
from gym_clinic.simulate.clinic.physiology.body import DrawnEffect
from gym_clinic.simulate.clinic.telling.disclosure import (
    Disclosure,
    Distortion,
    Manner,
    Origin,
    Recollection,
)
from gym_clinic.simulate.clinic.telling.life import FamilyIllness, Life

FACTS = load()
IDS = FACTS.finding_ids
DAY = 24 * 60
Row = tuple[str, Origin, Manner, Distortion | None, int, int, str | None]


def written_patient() -> ClinicPatient:
    """A woman of 58 years with pain under the ribs since yesterday."""
    basis = draw_patient(7, "acute-cholecystitis")
    findings = {
        IDS["Right upper quadrant pain"]: -1500,
        IDS["Vomiting"]: -600,
        IDS["Fever"]: -400,
        IDS["Nausea"]: -1500,
        IDS["Shoulder pain"]: -900,
    }
    problem = dataclasses.replace(
        basis.problems[0], began=-1500, severity=1.0, findings=findings,
        complaint=IDS["Right upper quadrant pain"], effects={"pain": DrawnEffect("set", 6.0)},
    )  # fmt: skip
    return dataclasses.replace(
        basis,
        person=Demographics("Edith Marlow", "female", 58.0, 164, 77.0, ("smoking",)),
        arrived=datetime(2025, 6, 17, 14, 20),
        background=(
            Background("hypertension", 9.0, {}),
            Background("type-2-diabetes-mellitus", 4.0, {}),
            Background("osteoarthritis", 6.0, {}),
        ),
        medicines=(
            TakenMedicine("amlodipine", 10, "mg", 1, "hypertension", {}, 0),
            TakenMedicine("metformin", 500, "mg", 2, "type-2-diabetes-mellitus", {}, 0),
            TakenMedicine("ibuprofen", 400, "mg", 3, "osteoarthritis", {}, 0),
        ),
        allergies=(ReportedAllergy("class:penicillin", "rash"),),
        problems=(problem,),
        past=(),
        arousal={},
    )


def written_talk() -> RulesPatient:
    """That patient with her disclosure plan."""
    rules = RulesPatient(written_patient())
    there: tuple[Row, ...] = (
        ("Right upper quadrant pain", "problem", "told", None, -1500, -1500, None),
        ("Vomiting", "problem", "asked", None, -600, -600, None),
        ("Fever", "problem", "asked", "minimises", -400, -400, None),
        ("Nausea", "problem", "told", None, -1500, -1500, None),
        ("Shoulder pain", "problem", "vague", "wrong", -900, -3 * DAY, None),
        ("Knee pain", "background", "asked", None, -900 * DAY, -900 * DAY, "osteoarthritis"),
        ("Pedal edema", "irrelevant", "told", None, -60 * DAY, -60 * DAY, "amlodipine"),
        ("Insomnia", "irrelevant", "omitted", None, -40 * DAY, -40 * DAY, "noise at night"),
    )
    absent: tuple[tuple[str, Manner], ...] = (
        ("Jaundice", "told"),
        ("Dark urine", "asked"),
        ("Chest pain", "vague"),
        ("Dyspnea", "told"),
        ("Diarrhea", "asked"),
        ("Cough", "omitted"),
    )
    plan = {
        IDS[name]: Disclosure(IDS[name], True, origin, manner, distortion, began, says, cause)
        for name, origin, manner, distortion, began, says, cause in there
    }
    plan |= {
        IDS[name]: Disclosure(IDS[name], False, "absent", manner, None, None)
        for name, manner in absent
    }
    rules.record.plan = plan
    rules.record.recollections = {
        one.fact: one
        for one in (
            Recollection("medicine:amlodipine", "told"),
            Recollection("medicine:metformin", "vague"),
            Recollection("medicine:ibuprofen", "told", "wrong", "paracetamol"),
            Recollection("allergy:class:penicillin", "asked"),
            Recollection("habit:smoking", "told"),
            Recollection("condition:hypertension", "told"),
            Recollection("condition:type-2-diabetes-mellitus", "asked"),
            Recollection("condition:osteoarthritis", "vague", "forgets"),
        )
    }
    rules.record.life = Life(
        work="in a shop", home="partner", meal=-420, journey="Portugal", back=16,
        family=(FamilyIllness("mother", "gout"),), period=None, cigarettes=10, units=4,
        births=2, losses=0, movements=None,
    )  # fmt: skip
    return rules
