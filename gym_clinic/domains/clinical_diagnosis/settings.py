"""The domain put together: tools, cases, judge, tasks, baselines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gym_clinic.clinical import (
    open_case,
)
from gym_clinic.clinical.assembly import clinical_domain
from gym_clinic.domain import Domain, Menu, Move
from gym_clinic.domains.clinical_diagnosis.judge import JUDGE
from gym_clinic.domains.clinical_diagnosis.rules import rules
from gym_clinic.domains.clinical_diagnosis.tasks import RECORD, SPEC, class_of
from gym_clinic.domains.clinical_diagnosis.tools import tools
from gym_clinic.episode import Task
from gym_clinic.frozen import thaw

MAX_TURNS = 30
"""Assistant messages: enough for a careful clinician call by call."""

QUESTIONS = (
    "What has brought you here?",
    "When did it start?",
    "Have you had a fever?",
    "Have you any pain?",
    "Is there anything else?",
)
"""Questions that fit every patient."""

SITES = ("general", "chest", "heart", "abdomen", "neurology", "skin", "limbs")
"""Parts of the examination that fit every patient."""

PANELS = ("blood-count", "basic-metabolic-panel", "crp", "urinalysis")
"""Tests that fit every patient."""

CONSTANT = {
    "ward": ("Pneumonia", ["amoxicillin", "clarithromycin"]),
    "home": ("Viral gastroenteritis", ["oral rehydration"]),
    "outpatient referral": ("Stable angina pectoris", ["aspirin", "bisoprolol"]),
    "intensive care": ("Sepsis", ["piperacillin-tazobactam", "fluids"]),
    "theatre": ("Acute appendicitis", ["appendicectomy", "ceftriaxone", "metronidazole"]),
    "labour ward": ("Preeclampsia", ["labetalol", "magnesium sulfate"]),
    "psychiatric ward": ("Schizophrenia", ["olanzapine"]),
    "catheter laboratory": ("Acute myocardial infarction", ["aspirin", "coronary angiography"]),
}
"""Disposition -> the disease and treatment of a constant answer."""


def make_domain(knowledge_base: str | Mapping[str, Any]) -> Domain:
    """Return the domain.

    Args:
        knowledge_base: As for :func:`gym_clinic.embedded.open_knowledge`.
    """
    return clinical_domain(
        SPEC,
        JUDGE,
        classes=class_of,
        tools=tools(knowledge_base),
        open_case=open_case,
        solution=solution,
        menu=menu,
        baselines={"rules": rules},
        max_turns=MAX_TURNS,
    )


def solution(task: Task) -> Sequence[Move]:
    """Return the reference plan, then the right answer."""
    plan = [
        tuple((call["name"], thaw(call["arguments"])) for call in batch)
        for batch in task.gold["plan"]
    ]
    return [*plan, (("submit_answer", thaw(task.gold["answer"])),)]


def menu(task: Task) -> Menu:
    """Return what could be done for any patient, and constant answers by disposition."""
    calls = [(name, dict(arguments)) for name, arguments in RECORD]
    calls += [("ask_patient", {"question": one}) for one in QUESTIONS]
    calls += [("examine_patient", {"system": one}) for one in SITES]
    calls += [("order_lab", {"tests": list(PANELS)}), ("order_ecg", {})]
    calls += [("order_study", {"study": "chest-x-ray"}), ("wait", {"minutes": 60})]
    calls += [("read_results", {})]
    return Menu(tuple(calls), {one: _constant(one) for one in CONSTANT})


def _constant(disposition: str) -> Move:
    diagnosis, orders = CONSTANT[disposition]
    answer = {
        "diagnosis": diagnosis,
        "differential": [diagnosis],
        "disposition": disposition,
        "orders": [{"order": one} for one in orders],
        "follow_up": "Review within a week; come back at once if it gets worse.",
        "cited_findings": [
            {"finding": "site:general", "present": False},
            {"finding": "fever", "present": False},
            {"finding": "site:chest", "present": False},
        ],
    }
    return (("submit_answer", answer),)
