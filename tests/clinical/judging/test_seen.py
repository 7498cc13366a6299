"""What the agent has read follows from what its tools did, and from the ticket."""

from __future__ import annotations

from typing import Any

import clinical_domain
import pytest

from gym_clinic.clinical import ClinicCase, open_world
from gym_clinic.clinical.answer import ReadCitation
from gym_clinic.clinical.judging.citations import check_citations, is_true, same_evidence
from gym_clinic.clinical.judging.seen import seen, special_forms
from gym_clinic.clinical.rehearsal import rehearse
from gym_clinic.facts import load
from gym_clinic.toolbox import Toolbox

TOOLS = Toolbox(clinical_domain.domain().tools)
RECORD = {"seed": 11, "condition": "pneumonia"}
FACTS = load()


def read(*plan: tuple[str, dict[str, Any]], record: dict[str, Any] | None = None) -> frozenset[str]:
    done = rehearse(TOOLS, ClinicCase(open_world(record or RECORD)), [[one] for one in plan])
    assert done.failure is None
    return done.read


@pytest.mark.parametrize(
    ("name", "arguments", "key"),
    [
        ("measure_vital_signs", {}, "vital:rr"),
        ("read_allergies", {}, "record:allergies"),
        ("read_medicines", {}, "record:medicines"),
        ("read_patient_record", {}, "record:patient"),
        ("read_history", {"section": "habits"}, "record:history:habits"),
        ("examine_patient", {"system": "chest"}, "site:chest"),
        ("ask_patient", {"question": "Do you take any medicines?"}, "told:medicines"),
        ("ask_patient", {"question": "Any allergies?"}, "told:allergies"),
    ],
)
def test_a_tool_shows_what_it_says(name: str, arguments: dict[str, Any], key: str) -> None:
    assert key not in read()
    assert key in read((name, arguments))


def test_a_result_counts_once_it_was_read() -> None:
    order = ("order_lab", {"tests": ["crp"]})
    wait = ("wait", {"minutes": 120})
    assert "lab:crp" not in read(order, wait)
    assert "lab:crp" in read(order, wait, ("read_results", {}))


def test_an_answer_of_the_patient_counts_for_the_finding_and_what_it_implies() -> None:
    world = open_world(RECORD)
    complaint = world.patient.problems[0].complaint
    assert complaint is not None
    name = FACTS.phenotypes[complaint].name
    found = read(("ask_patient", {"question": f"Do you have {name.lower()}?"}))
    assert f"told:{complaint}" in found
    assert {f"told:{one}" for one in FACTS.above[complaint]} <= found


def test_when_a_finding_began_is_read_by_the_question_for_it() -> None:
    complaint = open_world(RECORD).patient.problems[0].complaint
    assert complaint is not None
    name = FACTS.phenotypes[complaint].name.lower()
    asked = ("ask_patient", {"question": f"Do you have {name}?"})
    dated = ("ask_patient", {"question": f"When did the {name} start?"})
    assert f"onset:{complaint}" not in read(asked)
    assert f"onset:{complaint}" in read(asked, dated)


def test_a_denial_counts_for_special_forms_unless_it_is_too_broad() -> None:
    ids = FACTS.finding_ids
    forms = special_forms(FACTS, ids["Abnormal bleeding"])
    assert {ids["Hematemesis"], ids["Melena"]} <= forms
    assert special_forms(FACTS, ids["Pain"]) == frozenset()
    denied = read(("ask_patient", {"question": "Any seizure?"}))
    assert {f"told:{ids['Seizure']}", f"told:{ids['Status epilepticus']}"} <= denied
    assert f"told:{ids['Hematemesis']}" in read(("ask_patient", {"question": "Any bleeding?"}))
    assert f"told:{ids['Hematemesis']}" not in denied


def test_what_the_ticket_quotes_is_known_from_the_start() -> None:
    quoted = read(record={**RECORD, "ticket": ["opening words", "triage"]})
    assert any(key.startswith("told:") for key in quoted)
    assert not any(key.startswith("told:") for key in read())


def test_a_blank_part_of_the_record_shows_nothing() -> None:
    edit = {"kind": "allergy", "allergen": "class:penicillin", "reaction": "rash"}
    with_allergy = {**RECORD, "edit": [edit]}
    key = "allergy:class:penicillin"
    assert key in read(("read_allergies", {}), record=with_allergy)
    hidden = {**with_allergy, "blank": ["allergies"]}
    assert key not in read(("read_allergies", {}), record=hidden)


def test_citations_are_right_if_true_and_read() -> None:
    world = open_world(RECORD)
    case = ClinicCase(world)
    finding = f"told:{next(iter(sorted(world.patient.problems[0].findings)))}"
    one = ReadCitation(text="x", key=finding)
    assert is_true(case, finding, True)
    assert check_citations(case, [one], frozenset()).wrong == 1
    right = check_citations(case, [one, one], {finding})
    assert (len(right.right), right.wrong) == (1, 0)
    both = [one, ReadCitation(text="x", key=finding, present=False)]
    assert check_citations(case, both, {finding}).wrong == 2


def test_a_measurement_and_its_finding_are_the_same_evidence() -> None:
    fever = f"told:{FACTS.finding_ids['Fever']}"
    assert "vital:temp_c" in same_evidence(FACTS, fever)
    assert fever in same_evidence(FACTS, "vital:temp_c")


def test_nothing_is_seen_of_a_fresh_chart() -> None:
    assert seen(ClinicCase(open_world(RECORD))) == frozenset()


def test_a_finding_that_is_measured_is_true_by_the_values_that_were_shown() -> None:
    """Who read 40.1 degrees is right about a very high temperature, whatever it was before."""
    case = ClinicCase(open_world(RECORD))
    very_high = f"told:{FACTS.finding_ids['Very high body temperature']}"
    assert not is_true(case, very_high, True)
    case.__dict__["shown"] = {"temp_c": (38.4, 40.1)}
    assert is_true(case, very_high, True)
    case.__dict__["shown"] = {"temp_c": (38.4,)}
    assert not is_true(case, very_high, True)
