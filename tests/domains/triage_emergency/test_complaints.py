"""The red flags of complaints."""

from __future__ import annotations

from gym_clinic.chart.catalogue import sites
from gym_clinic.domains.triage_emergency.complaints import (
    WORDS,
    complaint_groups,
    flags_of,
    follow_ups,
    steps_for,
    steps_in_words,
)
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


def test_two_complaints_are_asked_for_in_turn_and_the_more_dangerous_comes_first() -> None:
    facts = load()
    ids = [facts.finding_ids[name] for name in ("Vomiting", "Confusion")]
    flags = flags_of(facts, ids).findings
    assert flags[:3] == ("Nuchal rigidity", "Hematemesis", "Overdose of tablets")
    assert flags == flags_of(facts, reversed(ids)).findings


def test_a_complaint_without_a_group_of_its_own_keeps_its_flags_beside_another() -> None:
    facts = load()
    alone, other = (
        [facts.finding_ids[name] for name in names]
        for names in (["Malaise"], ["Malaise", "Insomnia"])
    )
    flags = flags_of(facts, other).findings
    assert flags_of(facts, alone).findings[0] in flags[:2]
    assert "Suicidal ideation" in flags[:2]


def test_what_is_there_is_followed_up_each_finding_in_one_way() -> None:
    facts = load()
    listed = [name for one in follow_ups() for name in one.findings]
    assert {*listed} <= {one.name for one in facts.phenotypes.values()}
    assert len(listed) == len({*listed})
    steps = {step for one in follow_ups() for step in one.then}
    places = {one.removeprefix("site:") for one in steps if one.startswith("site:")}
    assert places <= {*sites()}
    assert {one for one in steps if not one.startswith("site:")} == {*WORDS}
    assert steps_for(facts, facts.finding_ids["Alopecia"]) == ("site:general",)
    assert steps_in_words(["onset", "site:chest"]) == ["when it began", "examination: chest"]


def test_other_complaints_have_flags_too() -> None:
    facts = load()
    assert "Chest pain" in flags_of(facts, [facts.finding_ids["Alopecia"]]).findings
    assert flags_of(facts, []).findings


def test_thirst_and_much_urine_call_for_a_glucose_at_the_bedside() -> None:
    facts = load()
    for name in ("Polyuria", "Polydipsia", "Dehydration", "Kussmaul breathing"):
        assert steps_for(facts, facts.finding_ids[name]) == ("lookup:glucose", "site:general")


def test_any_complaint_without_a_group_is_asked_for_tablets_and_women_for_a_pregnancy() -> None:
    facts = load()
    flags = flags_of(facts, [facts.finding_ids["Malaise"]])
    assert "Overdose of tablets" in flags.findings
    assert flags.pregnancy
