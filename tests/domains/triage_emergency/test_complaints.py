"""The red flags of complaints."""

from __future__ import annotations

from gym_clinic.domains.triage_emergency.complaints import complaint_groups, flags_of
from gym_clinic.facts import load


def test_the_table_names_findings_that_exist_each_complaint_once() -> None:
    names = {one.name for one in load().phenotypes.values()}
    listed = [name for one in complaint_groups() for name in one.complaints]
    assert {*listed} <= names
    assert len(listed) == len(set(listed))
    for one in complaint_groups():
        assert {*one.ask} <= names
        assert len(one.ask) >= 3
    assert sum(not one.complaints for one in complaint_groups()) == 1


def test_a_headache_is_asked_for_its_red_flags_and_pain_in_the_belly_for_a_pregnancy() -> None:
    facts = load()
    headache = flags_of(facts, [facts.finding_ids["Headache"]])
    assert headache.findings[:2] == ("Thunderclap headache", "Nuchal rigidity")
    assert not headache.pregnancy
    assert flags_of(facts, [facts.finding_ids["Pelvic pain"]]).pregnancy


def test_the_more_dangerous_of_two_complaints_comes_first() -> None:
    facts = load()
    ids = [facts.finding_ids[name] for name in ("Vomiting", "Confusion")]
    flags = flags_of(facts, ids).findings
    assert flags[:2] == ("Nuchal rigidity", "Overdose of tablets")
    assert "Hematemesis" in flags[:4]
    assert flags == flags_of(facts, reversed(ids)).findings


def test_other_complaints_have_flags_too() -> None:
    facts = load()
    assert "Chest pain" in flags_of(facts, [facts.finding_ids["Alopecia"]]).findings
    assert flags_of(facts, []).findings
