"""What the agent has read follows from what its tools did, and from the ticket."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import clinical_domain
import pytest

from gym_clinic.clinical import ClinicCase, open_world
from gym_clinic.clinical.answer import ReadCitation
from gym_clinic.clinical.judging.calls import ordered_in_place
from gym_clinic.clinical.judging.citations import check_citations, is_true, same_evidence
from gym_clinic.clinical.judging.seen import seen, special_forms, told_alike
from gym_clinic.clinical.rehearsal import rehearse
from gym_clinic.facts import load
from gym_clinic.rewards.clinical import matched
from gym_clinic.simulate.clinic import finding_lists
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


def test_an_image_that_sees_as_much_is_read_cited_and_ordered_in_place_of_another() -> None:
    plan = (("order_study", {"study": "CT abdomen and pelvis"}), ("wait", {"minutes": 180}),
            ("read_results", {}))  # fmt: skip
    found = read(*plan, record={"seed": 11, "condition": "acute-appendicitis"})
    assert {"study:ct-abdomen-pelvis", "study:ct-abdomen", "study:ultrasound-abdomen"} <= found
    assert "study:ct-head" not in found
    assert "study:ct-abdomen-pelvis" in same_evidence(FACTS, "study:ultrasound-abdomen")
    assert "study:ultrasound-abdomen" not in same_evidence(FACTS, "study:ct-abdomen-pelvis")
    assert "study:ct-chest" not in same_evidence(FACTS, "study:ct-pulmonary-angiogram")
    made = [("order_study", {"study": one}) for one in ("ct-abdomen", "ultrasound-abdomen")]
    for wanted, fits in (("ct-abdomen-pelvis", 1), ("ultrasound-abdomen", 2)):
        expected = [("order_study", {"study": wanted})] * 2
        assert matched(ordered_in_place(FACTS, made, expected), expected) == fits


def test_a_single_test_is_ordered_in_place_of_its_panel() -> None:
    expected = [("order_lab", {"test": "blood-count"})]
    for name, fits in (("platelets", 1), ("blood-count", 1), ("creatinine", 0)):
        made = [("order_lab", {"test": name})]
        assert matched(ordered_in_place(FACTS, made, expected), expected) == fits


@pytest.mark.parametrize(
    ("test", "fits"), [("glucometer", 1), ("glucose", 1), ("basic-metabolic-panel", 1), ("crp", 0)]
)
def test_glucose_is_glucose_wherever_it_is_measured(test: str, fits: int) -> None:
    expected = [("order_lab", {"test": "glucometer"})]
    made = [("order_lab", {"test": test})]
    assert matched(ordered_in_place(FACTS, made, expected), expected) == fits


def test_findings_that_clinicians_do_not_tell_apart_serve_for_each_other() -> None:
    names = json.loads(Path(finding_lists.__file__).with_name("alike.json").read_text("utf-8"))
    listed = [name for group in names for name in group]
    assert len(listed) == len({*listed})
    assert {*listed} <= {*FACTS.finding_ids}
    testicle, scrotum = (FACTS.finding_ids[one] for one in ("Testicular pain", "Scrotal pain"))
    assert told_alike(FACTS, f"told:{scrotum}") == (f"told:{scrotum}", f"told:{testicle}")
    world = open_world({"seed": 3, "condition": "testicular-torsion"})
    assert {testicle, scrotum} <= world.findings  # who has the one has the other
    case = ClinicCase(world)
    cited = check_citations(
        case, [ReadCitation(text="scrotal pain", key=f"told:{scrotum}")], {f"told:{testicle}"}
    )
    assert cited.cites(f"told:{testicle}", True, FACTS)
    assert not cited.cites(f"told:{testicle}", False, FACTS)


@pytest.mark.parametrize("condition", ["panic-disorder", "pneumonia"])
def test_an_ecg_with_a_fast_rate_alone_may_be_cited_as_abnormal(condition: str) -> None:
    worlds = (open_world({"seed": seed, "condition": condition}) for seed in range(40))
    world = next(one for one in worlds if one.patient.state(0)["hr"] > 104)
    plan = [[("order_ecg", {})], [("wait", {"minutes": 20})], [("read_results", {})]]
    done = rehearse(TOOLS, ClinicCase(world), plan)
    assert "vital:hr" in done.read  # an ECG names the rate
    fast = next(iter(done.case.shown["hr"]))
    assert fast > 100
    assert not is_true(done.case, "study:ecg", present=True)
    cited = check_citations(
        done.case,
        [ReadCitation(text="ECG", key="study:ecg"), ReadCitation(text="HR", key="vital:hr")],
        done.read,
    )
    assert cited.right == {("study:ecg", False), ("vital:hr", True)}


def test_a_citation_in_the_words_of_a_report_is_of_that_report() -> None:
    world = open_world({"seed": 3, "condition": "deep-vein-thrombosis"})
    sign = next(one for one in world.patient.examination if one.site == "limbs" and one.abnormal)
    said = sign.text.partition(",")[0]
    done = rehearse(TOOLS, ClinicCase(world), [[("examine_patient", {"system": "limbs"})]])

    def cited(text: str, present: bool = True) -> int:
        found = [ReadCitation(text=text, key=None, present=present)]
        return len(check_citations(done.case, found, done.read).right)

    assert len(said.split()) > 2
    assert cited(said) == 1
    assert cited(f"no {said}") == 0
    assert cited(said, present=False) == 0
    assert cited(said.split()[0]) == 0
    assert cited(f"{said} and a pulsating mass") == 0
    unread = [ReadCitation(text=said, key=None)]
    assert not check_citations(ClinicCase(world), unread, frozenset()).right


def test_a_sign_that_is_cited_by_its_name_stands_for_the_part_that_shows_it() -> None:
    world = open_world({"seed": 3, "condition": "acute-appendicitis"})
    tender = f"told:{FACTS.finding_ids['Right lower quadrant tenderness']}"
    done = rehearse(TOOLS, ClinicCase(world), [[("examine_patient", {"system": "abdomen"})]])
    one, denied = (ReadCitation(text="x", key=tender, present=has) for has in (True, False))
    assert check_citations(done.case, [one], done.read).cites("site:abdomen", True, FACTS)
    assert not check_citations(done.case, [one], done.read).cites("site:chest", True, FACTS)
    assert not check_citations(done.case, [one], done.read).cites("site:abdomen", False, FACTS)
    assert not check_citations(done.case, [denied], done.read).also
    unseen = check_citations(ClinicCase(world), [one], {tender})  # told, not examined
    assert not unseen.cites("site:abdomen", True, FACTS)
    pain = ReadCitation(text="x", key=f"told:{FACTS.finding_ids['Abdominal pain']}")
    told = check_citations(done.case, [pain], {pain.keys[0], "site:abdomen"})
    assert not told.cites("site:abdomen", True, FACTS)  # the patient says so, no sign does
