"""The reference plan of a patient at the door: carried out while it is made.

The plan looks first, does at once what saves life, asks and screens what the presentation calls
for, gives the orders that cannot wait, activates the right protocol, and looks at the department
last. It is played on a case of its own, so that every value that it passes on is one that it read,
and in an earlier message: oxygen comes after the saturation, a drug after the allergies.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gym_clinic.chart.results import VITALS
from gym_clinic.domains.triage_emergency.acuity import (
    ADULT,
    FEVER,
    Acuity,
    hours_of_findings,
    may_retain,
    names_of,
    values_on_arrival,
)
from gym_clinic.domains.triage_emergency.acuity import acuity as decide
from gym_clinic.domains.triage_emergency.first_orders import urgent_calls
from gym_clinic.domains.triage_emergency.immunity import NEUTROPENIA, weakened_by
from gym_clinic.domains.triage_emergency.judging import ARTEFACT, was_found
from gym_clinic.domains.triage_emergency.placement import NO_PATHWAY, Pathway, protocols
from gym_clinic.domains.triage_emergency.planned import NoPlanError, PlannedTriage
from gym_clinic.domains.triage_emergency.questions import (
    EXPOSURES,
    ask_red_flags,
    date_the_pain,
    follow_up,
    measure_glucose,
    name_of,
    told_first,
)
from gym_clinic.domains.triage_emergency.tools.screens import scored_responses
from gym_clinic.domains.triage_emergency.world import TriageCase

UNAWARE = 8
"""Coma score up to which pain is not asked for, and nothing is read before oxygen."""

HAEMORRHAGE = "major haemorrhage"

CHILD = 12
"""Age in years below which the weight is read before the first dose that goes by it."""

AT_THE_SKIN = "skin"
"""What is looked at before an order where the ticket does not tell that it is due."""

BY_WEIGHT = ("give_medication", "give_fluids")
"""Calls whose dose goes by the weight."""

AT_ONCE = ("anaphylaxis", HAEMORRHAGE)
"""Protocols that are activated before any question but for what must be known."""

LOOKED_UP = {
    "poisoning": ("search_medical_wiki", "topic", "poisoning"),
    "isolation": ("retrieve_evidence", "query", "airborne infection isolation"),
    "diabetic emergency": ("search_pubmed", "query", "diabetic ketoacidosis fluids first hour"),
}
"""Protocol -> what is looked up in the library once the patient is safe."""

VERY_LOW, LOW = 80, 92
"""Oxygen saturation in percent from and below which the record is read before oxygen is given."""

RISKS = ("hypertension", "type-2-diabetes-mellitus", "type-1-diabetes-mellitus", "obesity",
         "familial-hypercholesterolaemia", "hyperlipidaemia")  # fmt: skip
"""Conditions that count as cardiovascular risk factors."""

VESSELS = ("coronary-artery-disease", "acute-myocardial-infarction", "stable-angina-pectoris",
           "stroke", "transient-ischaemic-attack", "peripheral-artery-disease")  # fmt: skip
"""Conditions of atherosclerosis."""

NEUROLOGY = ("Unilateral facial palsy", "Weakness of facial musculature", "Hemiparesis",
             "Slurred speech", "Dysarthria", "Aphasia", "Upper limb muscle weakness",
             "Visual loss", "Vertigo", "Thunderclap headache")  # fmt: skip
COLLAPSE = ("Syncope", "Loss of consciousness", "Seizure", "Status epilepticus", "Presyncope")
BLEEDING = ("Hematemesis", "Melena", "Hematochezia", "Abnormal vaginal bleeding",
            "Antepartum hemorrhage", "Coffee ground vomitus", "Abnormal bleeding",
            "Post-partum hemorrhage")  # fmt: skip


def plan_triage(record: Mapping[str, Any], acuity: Acuity, pathway: Pathway) -> PlannedTriage:
    """Return the reference plan of a record.

    Raises:
        NoPlanError: If it does not work out in this patient.
    """
    plan = PlannedTriage(TriageCase(record))
    patient = plan.case.patient
    names = frozenset(hours_of_findings(patient))
    values = values_on_arrival(patient)
    row = _measure(plan, values)
    plan.turn()
    plan.measured = {key: float(row[key]) for key in VITALS if key in row}
    opened = names_of(patient.facts, told_first(plan.case))
    plan.urgent = urgent_calls(patient, pathway.id, told=opened)
    by_weight = any(one.life and one.name in BY_WEIGHT for one in plan.urgent)
    if by_weight and patient.person.age < CHILD:
        plan.call("read_patient_record")
    rescue = pathway.id == "anaphylaxis" or any(
        one.life and one.name == "perform_procedure" for one in plan.urgent
    )
    asked_first = patient.person.age >= ADULT and row.get("gcs", 15) > UNAWARE
    if asked_first and not rescue and VERY_LOW <= row.get("spo2", 100) < LOW:
        plan.call("read_history", section="past illnesses")
    drowsy = row.get("gcs", 15) < 15 or pathway.id in ("stroke", "diabetic emergency")
    if drowsy and not rescue:
        measure_glucose(plan)
    plan.turn()
    _order(plan, life=True)
    if drowsy and rescue:
        measure_glucose(plan)
    if pathway.id in AT_ONCE:
        if pathway.known_by and not _is_known(plan, pathway):
            plan.turn()
            _learn(plan, pathway)
            plan.turn()
        _activate(plan, pathway)
    plan.turn()
    if not {f"onset:{one}" for one in told_first(plan.case)[:1]} & plan.read:
        plan.call("ask_patient", question="When did it start?")
    if pathway.id == "stroke":
        plan.call("screen_stroke")
        plan.turn()
        _activate(plan, pathway)
        _order(plan, life=False)
    if pathway.known_by and not _activated(plan):
        _learn(plan, pathway)
        plan.turn()
        _activate(plan, pathway)
        if any(one.name == "give_medication" and not one.life for one in plan.urgent):
            plan.call("read_allergies")
            plan.turn()
        _order(plan, life=False)
    ask_red_flags(plan)
    plan.turn()
    if pathway.id == "stemi":
        _read_ecg(plan, names, values)
        _activate(plan, pathway)
        plan.turn()
    if acuity.level > 1:
        _read_what_weakens(plan, values)
    follow_up(plan, acuity.level)
    date_the_pain(plan, acuity)
    _screen(plan, acuity, pathway, names, row)
    plan.turn()
    if any(one.name == "give_medication" for one in plan.urgent):
        if "record:allergies" not in plan.read:
            plan.call("read_allergies")
        if "read_patient_record" not in plan.replies:
            plan.call("read_patient_record")
        plan.turn()
    if any("ecg" in one.accepted and not one.life for one in plan.urgent):
        _read_record(plan)  # what makes weakness one of the potassium
        plan.turn()
    if pathway.id != "stroke":
        _order(plan, life=False)
    if any("ecg" in one.accepted for one in plan.urgent):
        if "study:ecg" not in plan.read:
            _read_ecg(plan, names, values)
        _order(plan, life=False)
    if pathway.id != NO_PATHWAY and not _activated(plan):
        _activate(plan, pathway)
    if acuity.monitor and acuity.level <= 2:
        plan.call("start_monitoring", what="vital signs")
    plan.turn()
    _read_record(plan)
    _read_papers(plan)
    if pathway.id in LOOKED_UP:
        tool, field_name, text = LOOKED_UP[pathway.id]
        plan.call(tool, **{field_name: text})
    if acuity.level == 1:
        plan.call("read_vital_signs_trend")
    if acuity.level >= 3:
        plan.call("read_level_guide")
    _decide(plan, acuity, row)
    plan.turn()
    plan.moves = [move for move in plan.moves if move]
    return plan


def _measure(plan: PlannedTriage, values: Mapping[str, float]) -> Any:
    """Measure the vital signs; again by hand after a poor trace or one that does not fit."""
    row = plan.call("measure_vital_signs")
    shown = row.get("spo2", values["spo2"])
    poor = "trace" in row.get("comment", "") or shown <= values["spo2"] - ARTEFACT
    plan.repeated = bool(poor)
    if not poor:
        return row
    plan.turn()
    return plan.call("measure_vital_signs", blood_pressure="auscultated")


def _order(plan: PlannedTriage, *, life: bool) -> None:
    """Give the orders that come before every question, or the others; those due first are first."""
    for one in sorted(plan.urgent, key=lambda one: one.minutes):
        waits = one.ecg and "study:ecg" not in plan.read
        if one.life is life and one not in plan.ordered and not waits:
            look = one.look or (AT_THE_SKIN if one.untold else None)
            if look is not None and f"site:{look}" not in plan.read:
                plan.call("examine_patient", system=look)
                plan.turn()
            plan.call(one.name, **one.arguments)
            plan.ordered.append(one)


def _activated(plan: PlannedTriage) -> bool:
    return any(event["tool"] == "activate" for event in plan.case.events)


def _activate(plan: PlannedTriage, pathway: Pathway) -> None:
    if pathway.id not in AT_ONCE:
        plan.call("list_protocols")
    plan.call("read_protocol", protocol=pathway.id)
    plan.call("activate_pathway", pathway=protocols()[pathway.id].activates)


def _learn(plan: PlannedTriage, pathway: Pathway) -> None:
    """Ask, examine or read what must be known before a protocol.

    Raises:
        NoPlanError: If nobody can tell, and nothing is to be seen.
    """
    case, facts = plan.case, plan.case.patient.facts
    if pathway.id == "poisoning":
        there = [name for name in EXPOSURES if facts.finding_ids[name] in case.world.findings]
        for name in there or EXPOSURES[:1]:
            plan.call("ask_patient", question=f"Do you have {name.casefold()}?")
        sites = [one for one in _sites(plan) if f"site:{one}" in pathway.known_by]
        for site in sites[:1]:
            if f"site:{site}" not in plan.read:
                plan.call("examine_patient", system=site)
        _read_papers(plan)
    elif pathway.id == HAEMORRHAGE and "pregnancy" not in pathway.known_by:
        bleeds = [one.removeprefix("told:") for one in pathway.known_by if one.startswith("told:")]
        question = ", ".join(name_of(plan, one) for one in bleeds)
        plan.call("ask_patient", question=f"Do you have {question}?")
        if not _is_known(plan, pathway):
            plan.call("examine_patient", system="general")
    elif case.patient.person.pregnant_weeks is not None:
        plan.call("ask_patient", question="How many weeks pregnant are you?")
    else:
        plan.call("ask_patient", question="Do you have recent childbirth?")
    if not _is_known(plan, pathway):
        raise NoPlanError(f"what comes before {pathway.id} cannot be known")


def _is_known(plan: PlannedTriage, pathway: Pathway) -> bool:
    """Whether something that must be known before a protocol was found."""
    return any(key in plan.read and was_found(plan.case, key) for key in pathway.known_by)


def _screen(
    plan: PlannedTriage, acuity: Acuity, pathway: Pathway, names: frozenset[str], row: Any
) -> None:
    """Do the screens and scores that the presentation calls for."""
    adult = plan.case.patient.person.age >= 16
    if row.get("gcs", 15) < 15:
        if "lookup:responses" not in plan.read:
            plan.call("observe_responses")
        plan.turn()
        plan.call("calculate_gcs", **scored_responses(plan.replies["observe_responses"]))
    if row.get("pain", 0) >= 4 and row.get("gcs", 15) > UNAWARE:
        plan.call("assess_pain")
    if acuity.level == 1 and pathway.id != "sepsis":
        return  # nobody looks on where life is in danger
    if names & {*NEUROLOGY} and "lookup:stroke screen" not in plan.read:
        plan.call("screen_stroke")
    collapsed = names & {*COLLAPSE} and "lookup:trauma screen" not in plan.read
    if collapsed and "sbp" in row:
        plan.call("screen_trauma")
    infected = "Fever" in names or pathway.id == "sepsis"
    if infected and "crt_s" in row and "lookup:sepsis screen" not in plan.read:
        plan.call("screen_sepsis", suspected_infection=True)
    if adult and pathway.id == "sepsis":
        plan.call("calculate_qsofa", rr=row["rr"], sbp=row["sbp"], gcs=row["gcs"])
    elif adult and not infected and acuity.level <= 2 and not _is_pregnant(plan):
        plan.call("calculate_news2", **_warning(plan, row))
    if adult and (names & {*BLEEDING} or pathway.id == "major haemorrhage"):
        plan.call("calculate_shock_index", hr=row["hr"], sbp=row["sbp"])
    shown = _sites(plan)
    if not any(f"site:{one}" in plan.read for one in shown):
        for site in shown[:1]:
            plan.call("examine_patient", system=site)


def _is_pregnant(plan: PlannedTriage) -> bool:
    """Whether NEWS2 is not for the patient."""
    return plan.case.patient.person.pregnant_weeks is not None


def _sites(plan: PlannedTriage) -> list[str]:
    """Parts of the examination where something is abnormal, quick ones."""
    quick = ("general", "skin", "chest", "abdomen", "neurology", "limbs", "head and neck",
             "ears nose throat", "eyes", "joints", "heart")  # fmt: skip
    signs = (sign for one in plan.case.patient.problems for sign in one.signs)
    found = [one.site for one in signs if one.abnormal]
    return list(dict.fromkeys(one for one in found if one in quick))


def _warning(plan: PlannedTriage, row: Any) -> dict[str, Any]:
    return {
        "rr": row["rr"], "spo2": row["spo2"],
        "spo2_scale": "2" if may_retain(plan.case.patient) else "1",
        "on_oxygen": "oxygen" in plan.case.given(plan.case.vitals[-1]["minute"]),
        "sbp": row["sbp"], "pulse": row["hr"],
        "consciousness": "A" if row["gcs"] >= 15 else "C", "temp_c": row["temp_c"],
    }  # fmt: skip


def _read_ecg(plan: PlannedTriage, names: frozenset[str], values: Mapping[str, float]) -> None:
    """Wait for the ECG and read it; screen chest pain with it."""
    case = plan.case
    order = case.find_order("ecg")
    if order.due > case.minute:
        plan.call("wait", minutes=max(1, int(order.due - case.minute + 0.999)))
    plan.call("read_results", order="ecg")
    plan.turn()
    if values["age"] >= 35 and names & {"Chest pain", "Chest tightness"}:
        lived = {one.condition for one in case.patient.background}
        plan.call(
            "screen_chest_pain", history=1, ecg=plan.ecg, risk_factors=len(lived & {*RISKS}),
            known_atherosclerosis=bool(lived & {*VESSELS}),
        )  # fmt: skip


def _read_record(plan: PlannedTriage) -> None:
    """Read the medicines and, where there are any, the past illnesses."""
    if "record:medicines" not in plan.read:
        plan.call("read_medicines")
    if plan.case.patient.background and "record:history:past illnesses" not in plan.read:
        plan.call("read_history", section="past illnesses")


def _read_what_weakens(plan: PlannedTriage, values: Mapping[str, float]) -> None:
    """Read what makes a fever dangerous: chemotherapy, HIV, drugs.

    Raises:
        NoPlanError: If nothing tells of a neutropenia.
    """
    patient = plan.case.patient
    neutropenic = patient.problems[0].condition == NEUTROPENIA
    if values["temp_c"] >= FEVER or neutropenic:
        plan.weak = weakened_by(patient)
    if neutropenic and not plan.weak:
        raise NoPlanError("nothing tells of a neutropenia")
    for key in plan.weak:
        section = key.removeprefix("record:history:")
        if key not in plan.read:
            if section != key:
                plan.call("read_history", section=section)
            else:
                plan.call("read_medicines")


def _read_papers(plan: PlannedTriage) -> None:
    """Read what the crew of the ambulance or the referring doctor wrote."""
    written = [
        title
        for title, one in plan.case["documents"].items()
        if one["kind"] in ("handover", "referral") and one["minute"] <= plan.case.minute
    ]
    if written and f"document:{written[0]}" not in plan.read:
        plan.call("list_documents")
        plan.call("read_document", title=written[0])


def _decide(plan: PlannedTriage, acuity: Acuity, row: Any) -> None:
    """Compute the level from what was measured, and look where there is room.

    Raises:
        NoPlanError: If the measured values give another level than the true ones.
    """
    person = plan.case.patient.person
    found = plan.call(
        "calculate_esi",
        lifesaving_intervention=bool(acuity.life_saving),
        high_risk_situation=bool(acuity.high_risk),
        confused_lethargic_disoriented=acuity.confused,
        severe_pain_or_distress=decide(plan.case.patient, plan.measured).severe_pain,
        expected_resources=len(acuity.resources),
        age_years=person.age,
        **{name: row[name] for name in ("hr", "rr", "spo2")},
    )
    if int(found["score"]) != acuity.level:
        raise NoPlanError("measured values give another level")
    plan.call("read_department_state")
