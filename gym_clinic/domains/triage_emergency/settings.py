"""The domain of triage, put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gym_clinic.clinical.assembly import clinical_domain
from gym_clinic.clinical.naming import evidence_name
from gym_clinic.domain import CallSpec, Domain, Menu, Move
from gym_clinic.domains.triage_emergency.judging import JUDGE
from gym_clinic.domains.triage_emergency.nurse import rules
from gym_clinic.domains.triage_emergency.placement import FOLLOW_UP, NO_PATHWAY
from gym_clinic.domains.triage_emergency.tasks import SPEC
from gym_clinic.domains.triage_emergency.tools import make_tools
from gym_clinic.domains.triage_emergency.world import open_case
from gym_clinic.episode import Task
from gym_clinic.facts import load
from gym_clinic.frozen import thaw

MAX_TURNS = 25
"""Actions before an episode is cut off."""

USUAL = {1: "resuscitation", 2: "monitored bed", 3: "standard bed", 4: "fast track",
         5: "waiting room"}  # fmt: skip
"""Level -> the place that most often goes with it."""

QUESTIONS = (
    "What is wrong?", "When did it start?", "Do you have chest pain, dyspnea or syncope?",
    "Do you have fever, vomiting or bleeding?",
)  # fmt: skip
"""Questions that fit every patient."""

CITATIONS = (("vital:hr", False), ("vital:spo2", False), ("vital:rr", False))
"""What a constant answer cites."""


def solution(task: Task) -> Sequence[Move]:
    """Return the moves of the reference plan, and the right answer."""
    gold = task.gold
    moves: list[Move] = [
        tuple((call["name"], thaw(call["arguments"])) for call in move) for move in gold["plan"]
    ]
    facts = load()
    cited = [{**thaw(one), "finding": evidence_name(facts, one["finding"])} for one in gold["cite"]]
    return [*moves, (_submission(**gold["answer"], cited_findings=cited),)]


def _submission(**fields: Any) -> CallSpec:
    return "submit_answer", {**fields, "follow_up": FOLLOW_UP[fields["level"]]}


def menu(task: Task) -> Menu:
    """Return what could be done for anybody at the door, and constant answers."""
    systems = ("general", "chest", "abdomen", "neurology")
    calls: tuple[CallSpec, ...] = (
        ("measure_vital_signs", {}),
        *(("ask_patient", {"question": one}) for one in QUESTIONS),
        *(("examine_patient", {"system": one}) for one in systems),
        *((name, {}) for name in (
            "assess_pain", "observe_responses", "measure_glucose", "screen_stroke",
            "screen_trauma", "read_patient_record", "read_medicines", "read_allergies",
            "read_department_state", "list_protocols", "read_level_guide", "list_documents",
        )),
        ("read_history", {"section": "past illnesses"}),
        ("screen_sepsis", {"suspected_infection": True}),
        ("order_ecg", {}),
        ("order_lab", {"tests": ["blood-count", "basic-metabolic-panel", "lactate"]}),
        ("give_oxygen", {"device": "nasal cannula", "litres_per_minute": 4}),
        ("start_monitoring", {"what": "vital signs"}),
    )  # fmt: skip
    cited = [{"finding": key, "present": has} for key, has in CITATIONS]
    answers: dict[str, Move] = {
        f"level {level}": (
            _submission(level=level, pathway=NO_PATHWAY, disposition=place, cited_findings=cited),
        )
        for level, place in USUAL.items()
    }
    return Menu(calls, answers)


def level_of(task: Task) -> str:
    """Return the class of a task: its triage level."""
    return str(task.gold["answer"]["level"])


def make_domain(knowledge_base: str | Mapping[str, Any]) -> Domain:
    """Return the domain.

    Args:
        knowledge_base: As for :func:`gym_clinic.embedded.open_knowledge`.
    """
    return clinical_domain(
        SPEC,
        JUDGE,
        classes=level_of,
        tools=make_tools(knowledge_base),
        open_case=open_case,
        solution=solution,
        menu=menu,
        baselines={"rules": rules},
        max_turns=MAX_TURNS,
    )
