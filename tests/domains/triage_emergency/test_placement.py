"""Protocols and places: criteria, windows and the state of the department."""

from __future__ import annotations

import pytest

from gym_clinic.clinical.edits import apply_edits
from gym_clinic.domains.triage_emergency.acuity import Acuity
from gym_clinic.domains.triage_emergency.placement import (
    NO_PATHWAY,
    Pathway,
    pathway_of,
    pathways_that_hold,
    places,
    protocols,
)
from gym_clinic.domains.triage_emergency.tools.activation import known_pathways
from gym_clinic.domains.triage_emergency.world import Department, draw_department
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import draw_patient

NONE = Pathway(NO_PATHWAY, (NO_PATHWAY,), 0.0)
FREE, FULL = Department(3, 2, True), Department(20, 0, False)


def of_level(
    level: int, *, monitor: bool = False, danger: tuple[str, ...] = (), frail: bool = False
) -> Acuity:
    return Acuity(level, (), (), False, False, (), danger, monitor, frail)


def of_protocol(name: str) -> Pathway:
    return Pathway(name, (name,), 20.0)


@pytest.mark.parametrize(
    ("found", "pathway", "department", "right"),
    [
        (of_level(1), NONE, FULL, ["resuscitation"]),
        (of_level(2, monitor=True), NONE, FULL, ["monitored bed"]),
        (
            of_level(2, monitor=True),
            of_protocol("stroke"),
            FULL,
            ["monitored bed", "resuscitation"],
        ),
        (of_level(2, monitor=True), of_protocol("poisoning"), FULL, ["monitored bed"]),
        (of_level(2, danger=("hr",)), NONE, FREE, ["monitored bed", "standard bed"]),
        (of_level(2, danger=("spo2",)), NONE, FREE, ["monitored bed", "resuscitation"]),
        (of_level(2, danger=("hr", "rr")), NONE, FREE, ["monitored bed", "resuscitation"]),
        (of_level(2), NONE, FULL, ["standard bed", "monitored bed"]),
        (of_level(3), NONE, FREE, ["standard bed"]),
        (of_level(3), NONE, Department(9, 1, True), ["standard bed", "waiting room"]),
        (of_level(3), NONE, FULL, ["waiting room", "standard bed"]),
        (of_level(3, frail=True), NONE, FULL, ["standard bed", "monitored bed"]),
        (of_level(4), NONE, FREE, ["fast track", "waiting room"]),
        (of_level(4, frail=True), NONE, FREE, ["fast track", "standard bed"]),
        (of_level(4, frail=True), NONE, FULL, ["standard bed", "waiting room"]),
        (of_level(4), NONE, Department(3, 1, False), ["waiting room", "standard bed"]),
        (of_level(5), NONE, FREE, ["fast track", "waiting room"]),
        (of_level(5), NONE, Department(3, 1, False), ["waiting room"]),
        (of_level(5), NONE, Department(3, 2, False), ["waiting room", "standard bed"]),
        (of_level(5), of_protocol("isolation"), FULL, ["standard bed"]),
    ],
)
def test_places(found: Acuity, pathway: Pathway, department: Department, right: list[str]) -> None:
    assert list(places(found, pathway, department)) == right


@pytest.mark.parametrize(
    ("condition", "right"),
    [
        ("anaphylaxis", "anaphylaxis"), ("intracerebral-haemorrhage", "stroke"),
        ("febrile-neutropenia", "sepsis"), ("diabetic-ketoacidosis", "diabetic emergency"),
        ("opioid-overdose", "poisoning"), ("varicella", "isolation"),
        ("placental-abruption", "obstetric emergency"), ("gout", NO_PATHWAY),
        ("unstable-angina", "chest pain"),
    ],
)  # fmt: skip
def test_protocols_of_patients(condition: str, right: str) -> None:
    assert {pathway_of(draw_patient(seed, condition)).id for seed in range(3)} == {right}


def test_an_onset_out_of_the_window_activates_nothing() -> None:
    patient = draw_patient(4, "stroke")
    assert pathway_of(patient).id == "stroke"
    late = apply_edits(patient, {"kind": "onset", "minutes": 30 * 60})
    assert pathway_of(late).id == NO_PATHWAY


def test_st_elevation_is_the_form_that_needs_the_catheter_laboratory() -> None:
    found = {
        (one.problems[0].variant, pathway_of(one).id)
        for one in (draw_patient(seed, "acute-myocardial-infarction") for seed in range(12))
    }
    assert ("without-st-elevation", "chest pain") in found
    assert {name for form, name in found if form in ("inferior", "anterior")} == {"stemi"}


def test_st_elevation_of_another_heart_disease_alerts_the_catheter_laboratory_as_well() -> None:
    drawn = [draw_patient(seed, "takotsubo-cardiomyopathy") for seed in range(24)]
    found = {(raises_st(one.problems[0].studies["ecg"].text), pathway_of(one).id) for one in drawn}
    assert found == {(True, "stemi"), (False, "chest pain")}


def test_nobody_is_blamed_for_the_catheter_laboratory_where_a_pericarditis_raises_st() -> None:
    found = set()
    for one in (draw_patient(seed, "acute-pericarditis") for seed in range(30)):
        shown = one.problems[0].studies["ecg"].text.casefold()
        raised = any(word in shown for word in ("concave", "saddle"))
        held = [each for each in pathways_that_hold(one) if each.id == "stemi"]
        assert [each.tolerated for each in held] == [True] * raised
        assert pathway_of(one).id != "stemi"
        found.add(raised)
    assert found == {True, False}


def raises_st(report: str) -> bool:
    return "ST elevation" in report.replace("No ST elevation", "") or "STE V" in report


def test_every_protocol_is_known_to_the_tool_and_to_the_tables() -> None:
    facts = load()
    names = {one.name for one in facts.phenotypes.values()}
    for one in protocols().values():
        assert one.activates in known_pathways()
        assert one.criteria
        assert one.clock
        for rule in one.rules:
            assert {*rule.conditions, *rule.or_none_for} <= facts.conditions.keys()
            assert rule.finding is None or rule.finding in names
            forms = {form for key in rule.conditions for form in facts.conditions[key].variants}
            assert {*rule.variants} <= forms


def test_the_department_does_not_know_the_patient() -> None:
    assert draw_department(8, 3) == draw_department(8, 3)
    assert not draw_department(8, 3).fast_track
    states = [draw_department(seed, 12) for seed in range(60)]
    assert 0.6 < sum(one.fast_track for one in states) / 60 < 1
    assert 0.4 < sum(one.standard_beds > 0 for one in states) / 60 < 0.9
