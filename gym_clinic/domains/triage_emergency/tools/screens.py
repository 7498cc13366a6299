"""What a triage nurse does at the bedside: observation, pain, glucose and screens.

Each takes minutes. A screen reports what it finds, and never a diagnosis or a level.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from gym_clinic.chart import Chart
from gym_clinic.chart.encounter import minutes_of
from gym_clinic.domains.triage_emergency.acuity import may_retain
from gym_clinic.errors import ToolError
from gym_clinic.facts import with_ancestors
from gym_clinic.instruments import score
from gym_clinic.simulate.clinic import Sample
from gym_clinic.simulate.clinic.problems import SEEN_CLOUDED
from gym_clinic.toolbox import tool

ADULT = 16
"""Age in years from which on NEWS2 and qSOFA are defined."""

SPEAKS = 2
"""Age in years from which on speech is observed instead of crying."""

TALKS = 4
"""Age in years from which on pain can be told on a scale."""

RESPONSES = {
    15: (4, 5, 6), 14: (4, 4, 6), 13: (3, 4, 6), 12: (3, 4, 5), 11: (3, 3, 5), 10: (2, 3, 5),
    9: (2, 2, 5), 8: (2, 2, 4), 7: (1, 2, 4), 6: (1, 2, 3), 5: (1, 1, 3), 4: (1, 1, 2),
    3: (1, 1, 1),
}  # fmt: skip
"""Total of the Glasgow Coma Scale -> best eye, verbal and motor response."""

EYE = {4: "opens the eyes by itself", 3: "opens the eyes when spoken to",
       2: "opens the eyes to pressure", 1: "does not open the eyes"}  # fmt: skip
VERBAL = {5: "talks normally for the age and is oriented", 4: "talks, but is confused",
          3: "says single words", 2: "makes sounds only", 1: "makes no sound"}  # fmt: skip
CRIES = {5: "babbles and coos as usual", 4: "cries, but can be consoled",
         3: "cries to pressure", 2: "moans to pressure", 1: "makes no sound"}  # fmt: skip
"""The same for children who do not speak yet."""

MOTOR = {6: "does what is asked, or moves normally for the age", 5: "reaches towards pressure",
         4: "bends the arm normally to pressure", 3: "bends the arm abnormally to pressure",
         2: "stretches the arm to pressure", 1: "does not move"}  # fmt: skip

STROKE_TESTS = {
    "balance": (("Ataxia", "Unsteady gait"), "unsteady", "steady"),
    "eyes": (
        ("Visual loss", "Visual field defect", "Diplopia", "Amaurosis fugax"),
        "sight is disturbed",
        "sees and follows on both sides",
    ),
    "face": (
        ("Unilateral facial palsy", "Weakness of facial musculature"),
        "one side droops",
        "moves on both sides",
    ),
    "arms": (("Hemiparesis", "Upper limb muscle weakness"), "one arm drifts", "both are held up"),
    "speech": (("Slurred speech", "Dysarthria", "Aphasia"), "slurred or wrong words", "clear"),
}
"""Part of the BE-FAST screen -> findings that it shows, and what is noted with and without."""

GONE = ("transient-ischaemic-attack",)
"""Conditions whose deficits have gone on arrival."""

TESTABLE = 9
"""Least coma score at which a stroke screen can be done."""

SHAPES = Literal["normal", "unspecific change", "ST depression", "ST elevation"]


@tool
def observe_responses(case: Chart) -> dict[str, Any]:
    """Observe eye opening, speech and movement, the parts of the Glasgow Coma Scale."""
    case.spend(minutes_of("calculate"), seen=True)
    case.log("look_up", key="responses")
    total = round(Sample(case.patient, case.minute, case.given()).reading("gcs").value)
    case.show("gcs", total)
    eye, verbal, motor = RESPONSES[total]
    speech = VERBAL if case.patient.person.age >= SPEAKS else CRIES
    return {"eye": EYE[eye], "verbal": speech[verbal], "motor": MOTOR[motor]}


def scored_responses(observed: Mapping[str, str]) -> dict[str, int]:
    """Return the score of each part of the Glasgow Coma Scale, from what was observed."""
    words = {"eye": (EYE,), "verbal": (VERBAL, CRIES), "motor": (MOTOR,)}
    return {
        part: next(score for score, text in one.items() if text == observed[part])
        for part, scales in words.items()
        for one in scales
        if observed[part] in one.values()
    }


@tool
def assess_pain(case: Chart) -> dict[str, Any]:
    """Assess pain: the score from 0 to 10, told or by behaviour, and how the patient looks."""
    case.spend(minutes_of("calculate"), seen=True)
    case.log("look_up", key="pain")
    value = round(Sample(case.patient, case.minute, case.given()).reading("pain").value)
    case.show("pain", value)
    tells = case.patient.person.age >= TALKS and case.state()["gcs"] >= SEEN_CLOUDED
    how = "told on a scale of 0 to 10" if tells else "by behaviour"
    looks = "in distress" if value >= 7 else "uncomfortable" if value >= 4 else "comfortable"
    return {"pain": value, "how": how, "looks": looks}


@tool
def measure_glucose(case: Chart) -> dict[str, Any]:
    """Measure the glucose in a drop of blood at the bedside; it takes a minute.

    After a comment, such as that the finger was not washed, it is measured again.
    """
    case.spend(minutes_of("calculate"), seen=True)
    case.discomfort += 1
    case.log("look_up", key="glucose")
    reading = Sample(case.patient, case.minute, case.given()).reading("glucometer")
    case.show("glucometer", reading.value)
    one = case.patient.facts.measurements["glucometer"]
    found: dict[str, Any] = {"glucose": reading.value, "unit": one.unit, "time": case.clock()}
    found |= {"mmol/L": round(reading.value / 18, 1)} if one.unit == "mg/dL" else {}
    return found if reading.comment is None else {**found, "comment": reading.comment}


@tool
def screen_stroke(case: Chart) -> dict[str, Any]:
    """Do the BE-FAST screen: balance, eyes, face, arms, speech; ask for the time of onset apart."""
    case.spend(minutes_of("examine"), seen=True)
    case.log("look_up", key="stroke screen")
    patient, facts = case.patient, case.patient.facts
    if round(case.state()["gcs"]) < TESTABLE:
        return {"result": "cannot be done: the patient does not follow instructions"}
    there = {
        key
        for problem in patient.problems
        if problem.condition not in GONE
        for key, began in problem.findings.items()
        if began <= case.minute
    }
    has = with_ancestors(there, facts.above)
    found: dict[str, Any] = {}
    for part, (names, yes, no) in STROKE_TESTS.items():
        ids = [facts.finding_ids[name] for name in names if name in facts.finding_ids]
        positive = [one for one in ids if one in has]
        found[part] = yes if positive else no
        for one in positive:
            case.told[f"finding:{one}"] = "yes"
    return found


@tool
def screen_sepsis(case: Chart, suspected_infection: bool) -> dict[str, Any]:
    """Do the sepsis screen on the vital signs that were measured last.

    NEWS2 uses its second scale of oxygen saturation for a lung disease on the record.

    Args:
        suspected_infection: Whether you suspect an infection.
    """
    row = _last_row(case)
    case.spend(minutes_of("calculate"))
    case.log("look_up", key="sepsis screen")
    found: dict[str, Any] = {"suspected_infection": suspected_infection, "measured": row["time"]}
    found["capillary refill (s)"] = row["crt_s"]
    if case.patient.person.age < ADULT:
        return found | {"scores": "NEWS2 and qSOFA are for 16 years and older"}
    vitals = {name: row[name] for name in ("rr", "spo2", "sbp", "temp_c")}
    aware = "A" if row["gcs"] >= 15 else "C"
    scale = "2" if may_retain(case.patient) else "1"
    warning = {**vitals, "pulse": row["hr"], "consciousness": aware, "spo2_scale": scale}
    found["news2"] = score(
        "news2", {**warning, "on_oxygen": "oxygen" in case.given(row["minute"])}
    ).score
    found["qsofa"] = score("qsofa", {key: row[key] for key in ("rr", "sbp", "gcs")}).score
    signs = (not 36 <= row["temp_c"] <= 38, row["hr"] > 90, row["rr"] > 20)
    found["SIRS criteria, of 3 known at the bedside"] = sum(signs)
    for name in ("news2", "qsofa"):
        case.log("calculate", instrument=name, score=found[name])
    return found


@tool
def screen_chest_pain(
    case: Chart, history: int, ecg: SHAPES, risk_factors: int, known_atherosclerosis: bool
) -> dict[str, Any]:
    """Do the chest pain screen: the HEART score as far as it is known without a troponin.

    Args:
        history: How suspicious the history is: 0 slightly, 1 moderately, 2 highly.
        ecg: What the ECG shows.
        risk_factors: Number of cardiovascular risk factors.
        known_atherosclerosis: Whether there is known atherosclerotic disease.
    """
    if not 0 <= history <= 2 or not 0 <= risk_factors <= 10:
        raise ToolError("expected a history of 0 to 2 and 0 to 10 risk factors")
    case.spend(minutes_of("calculate"))
    case.log("look_up", key="chest pain screen")
    if ecg == "ST elevation":
        return {"result": "ST elevation: see the protocol of ST-elevation myocardial infarction"}
    points = score(
        "heart",
        {
            "history": history,
            "ecg": {"normal": 0, "unspecific change": 1, "ST depression": 2}[ecg],
            "age": case.patient.person.age,
            "n_risk_factors": risk_factors,
            "known_atherosclerosis": known_atherosclerosis,
            "troponin_x_uln": 0,
        },
    ).score
    return {"HEART without troponin": points, "of": 8}


@tool
def screen_trauma(case: Chart) -> dict[str, Any]:
    """Do the trauma screen: injuries, their mechanism, and the vital signs measured last."""
    row = _last_row(case)
    case.spend(minutes_of("examine"), seen=True)
    case.log("look_up", key="trauma screen")
    checked = {
        "Glasgow Coma Scale 13 or less": row["gcs"] <= 13,
        "systolic pressure below 90 mmHg": row["sbp"] < 90,
        "respiratory rate below 10 or above 29/min": not 10 <= row["rr"] <= 29,
        "oxygen saturation below 90%": row["spo2"] < 90,
    }
    injuries = [*_findings_among(INJURIES, case)]
    fell = [*_findings_among(("Falls",), case)]
    mechanism = "after a fall" if fell else "no mechanism of injury reported"
    return {
        "injuries": injuries or f"none seen, {mechanism}",
        "abnormal": [name for name, positive in checked.items() if positive] or "none",
    }


INJURIES = ("Animal bite", "Bite marks", "Burned skin", "Rib fracture", "Pathologic fracture",
            "Tongue biting", "Vertebral compression fracture")  # fmt: skip
"""Findings that a trauma screen shows."""


def _findings_among(names: Iterable[str], case: Chart) -> Iterator[str]:
    """Yield which of some findings the patient has by now; they are known from then on."""
    facts = case.patient.facts
    ids = {facts.finding_ids[name]: name for name in names if name in facts.finding_ids}
    for problem in case.patient.problems:
        for key, began in problem.findings.items():
            if began <= case.minute and key in ids:
                case.told[f"finding:{key}"] = "yes"
                yield ids[key]


def _last_row(case: Chart) -> Any:
    if not case.vitals:
        raise ToolError("No vital signs are measured yet; call measure_vital_signs first.")
    return case.vitals[-1]
