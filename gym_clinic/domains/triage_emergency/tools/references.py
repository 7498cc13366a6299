"""What a triage nurse looks up: the state of the department, protocols, and the levels."""

from __future__ import annotations

from typing import Any

from gym_clinic.case import Case
from gym_clinic.chart import Chart
from gym_clinic.chart.catalogue import find_among
from gym_clinic.chart.encounter import minutes_of
from gym_clinic.clinical.naming import findings_named
from gym_clinic.domains.triage_emergency.acuity import SEVERE_PAIN
from gym_clinic.domains.triage_emergency.acuity_table import acuity_table
from gym_clinic.domains.triage_emergency.complaints import (
    CHILDBEARING,
    flags_of,
    steps_for,
    steps_in_turn,
    steps_in_words,
)
from gym_clinic.domains.triage_emergency.placement import DISPOSITIONS, protocols
from gym_clinic.domains.triage_emergency.world import TriageCase
from gym_clinic.errors import ToolError
from gym_clinic.toolbox import tool

KINDS = (
    "laboratory (any number of blood and urine tests)",
    "x-ray or ecg",
    "imaging by ct mri or ultrasound",
    "intravenous fluids",
    "medicine iv im or nebulised",
    "specialist consultation",
    "simple procedure",
)
"""Kinds of resources, as the handbook counts them."""

NOT_COUNTED = (
    "history and examination", "tests at the bedside", "medicines by mouth", "prescriptions",
    "a saline lock", "splints and simple dressings",
)  # fmt: skip
"""What the handbook does not count as a resource."""


@tool
def read_department_state(case: Case) -> dict[str, Any]:
    """Read how full the department is: waiting room, free beds, fast track."""
    if not isinstance(case, TriageCase):
        raise ToolError("There is no department in this case.")
    case.spend(minutes_of("read_list"))
    case.log("look_up", key="department")
    now = case.department
    return {
        "time": case.clock(),
        "waiting": now.waiting,
        "resuscitation": "free",
        "monitored beds": "free",
        "standard beds free": now.standard_beds,
        "fast track": "open" if now.fast_track else "closed",
    }


@tool
def list_protocols(case: Chart) -> dict[str, Any]:
    """List the protocols that can be activated at the door."""
    case.spend(minutes_of("read_list"))
    case.log("look_up", key="protocols")
    return {"protocols": [{"id": one.id, "name": one.name} for one in protocols().values()]}


@tool
def read_protocol(case: Chart, protocol: str) -> dict[str, Any]:
    """Read a protocol: when it is activated, under which name, and its clock.

    Args:
        protocol: Its id, as listed.
    """
    one = protocols()[find_among(protocol, protocols(), "protocol")]
    case.spend(minutes_of("read_list"))
    case.log("look_up", key=f"protocol {one.id}")
    before = {"know before": one.first} if one.first else {}
    return {
        "id": one.id,
        "activate if": one.criteria,
        "activate_pathway": one.activates,
        "activate within": f"{one.minutes:g} minutes of arrival",
        "clock": one.clock,
        **before,
    }


@tool
def read_red_flags(case: Chart, complaint: str) -> dict[str, Any]:
    """Read what to ask for with a complaint that would make it dangerous, and what to look at.

    Args:
        complaint: What the patient comes with, such as "headache", or several complaints, such as
            "headache and vomiting"; the chief complaint first.
    """
    told = findings_named(complaint)
    if not told:
        raise ToolError(f"No finding '{complaint[:80]}'; name a complaint, such as 'headache'.")
    case.spend(minutes_of("read_list"))
    case.log("look_up", key="red flags")
    facts = case.patient.facts
    named = [key for key, _ in told]
    found = flags_of(facts, named, case.patient.person.age)
    each = {name: steps_for(facts, facts.finding_ids[name]) for name in found.findings}
    person, (first, last) = case.patient.person, CHILDBEARING
    fertile = person.sex == "female" and first <= person.age <= last
    asked = found.pregnancy and fertile
    pregnancy = {"women from 12 to 55 years": ["weeks of pregnancy"]} if asked else {}
    return {
        "look at": steps_in_words(steps_in_turn(facts, named)),
        "ask for": list(found.findings),
        "where it is there": {name: steps_in_words(some) for name, some in each.items()},
        **pregnancy,
    }


@tool
def read_level_guide(case: Chart) -> dict[str, Any]:
    """Read what counts for the decision points of the Emergency Severity Index here."""
    case.spend(minutes_of("read_list"))
    case.log("look_up", key="levels")
    table = acuity_table()
    return {
        "A. life-saving interventions": list(dict.fromkeys(one.what for one in table.life_saving)),
        "B. high-risk situations": list(dict.fromkeys(one.what for one in table.high_risk)),
        "B. high risk by itself": [
            f"{one.finding}{f', {one.said}' if one.said else ''}"
            for one in table.high_risk
            if one.finding and not one.conditions
        ],
        "B. severe pain": f"from {SEVERE_PAIN:g} of 10, if it began within 24 hours or a vital "
        "sign is in the danger zone",
        "C. resources": list(KINDS),
        "C. called for by": {
            kind: [
                f"{' or '.join(one.findings)}{f', {one.said}' if one.said else ''}"
                for one in table.expected
                if kind in one.of
            ]
            for kind in dict.fromkeys(kind for one in table.expected for kind in one.of)
        },
        "C. not counted": list(NOT_COUNTED),
        "D. danger zone": "as calculate_esi has it; with two or more resources it makes level 2",
        "places": list(DISPOSITIONS),
    }
