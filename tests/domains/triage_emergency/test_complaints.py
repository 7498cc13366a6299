"""The red flags of complaints."""

from __future__ import annotations

import pytest

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

AGE = 30.0
"""Years of those who are asked."""


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
    headache = flags_of(facts, [facts.finding_ids["Headache"]], AGE)
    assert headache.findings[:2] == ("Thunderclap headache", "Nuchal rigidity")
    assert not headache.pregnancy
    assert flags_of(facts, [facts.finding_ids["Pelvic pain"]], AGE).pregnancy


def test_an_itch_and_a_sore_temple_have_cards_of_their_own() -> None:
    facts = load()
    itch = flags_of(facts, [facts.finding_ids["Pruritus"]], AGE).findings
    assert itch[:2] == ("Dyspnea", "Angioedema")
    assert "Hematemesis" not in itch
    temple = flags_of(facts, [facts.finding_ids["Jaw claudication"]], AGE).findings
    assert {"Visual loss", "Diplopia", "Amaurosis fugax"} <= {*temple[:3]}


def test_a_runny_nose_or_a_bark_is_asked_for_a_stridor_before_blood_in_the_sputum() -> None:
    facts = load()
    for name in ("Barking cough", "Hoarse voice", "Rhinorrhea"):
        flags = flags_of(facts, [facts.finding_ids[name]], AGE).findings
        assert flags[:2] == ("Dyspnea", "Stridor")
        assert "Hemoptysis" not in flags
    assert "Hemoptysis" in flags_of(facts, [facts.finding_ids["Cough"]], AGE).findings


def test_two_complaints_are_asked_for_in_turn_and_the_more_dangerous_comes_first() -> None:
    facts = load()
    ids = [facts.finding_ids[name] for name in ("Vomiting", "Confusion")]
    flags = flags_of(facts, ids, AGE).findings
    assert flags[:3] == ("Nuchal rigidity", "Hematemesis", "Overdose of tablets")
    assert flags == flags_of(facts, reversed(ids), AGE).findings


def test_a_complaint_without_a_group_of_its_own_keeps_its_flags_beside_another() -> None:
    facts = load()
    alone, other = (
        [facts.finding_ids[name] for name in names]
        for names in (["Malaise"], ["Malaise", "Insomnia"])
    )
    flags = flags_of(facts, other, AGE).findings
    assert flags_of(facts, alone, AGE).findings[0] in flags[:2]
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
    assert "Chest pain" in flags_of(facts, [facts.finding_ids["Alopecia"]], AGE).findings
    assert flags_of(facts, [], AGE).findings


def test_thirst_and_much_urine_call_for_a_glucose_at_the_bedside() -> None:
    facts = load()
    for name in ("Polyuria", "Polydipsia", "Dehydration", "Kussmaul breathing"):
        assert steps_for(facts, facts.finding_ids[name]) == ("lookup:glucose", "site:general")


def test_disturbed_behaviour_calls_for_a_glucose_at_the_bedside_and_a_low_mood_does_not() -> None:
    facts = load()
    for name, glucose in (("Aggressive behavior", True), ("Agitation", True), ("Guilt", False)):
        steps = steps_for(facts, facts.finding_ids[name])
        assert steps[0] == "site:mental state"
        assert ("lookup:glucose" in steps) is glucose


def test_any_complaint_without_a_group_is_asked_for_tablets_and_women_for_a_pregnancy() -> None:
    facts = load()
    flags = flags_of(facts, [facts.finding_ids["Malaise"]], AGE)
    assert "Overdose of tablets" in flags.findings
    assert flags.pregnancy


@pytest.mark.parametrize("name", ["Restless legs", "Polyphagia", "Salt craving", "Pica", "Snoring"])
def test_a_bodily_complaint_is_not_asked_for_suicide(name: str) -> None:
    """They stand below sleep and behaviour in the phenotypes, and are no low mood."""
    facts = load()
    assert "Suicidal ideation" not in flags_of(facts, [facts.finding_ids[name]], AGE).findings
    assert "site:mental state" not in steps_for(facts, facts.finding_ids[name])


def test_a_paralysis_is_screened_for_a_stroke_and_a_swollen_face_is_not_of_the_limbs() -> None:
    facts = load()
    assert steps_for(facts, facts.finding_ids["Paralysis"])[0] == "lookup:stroke screen"
    for name in ("Facial edema", "Periorbital edema"):
        assert steps_for(facts, facts.finding_ids[name]) == ("site:general",)
        flags = flags_of(facts, [facts.finding_ids[name]], AGE).findings
        assert flags[0] == "Contact with an allergen"


def test_each_complaint_is_looked_at_where_it_is() -> None:
    facts = load()
    for name, site in (
        ("Lymphadenopathy", "head and neck"),
        ("Abnormal vaginal discharge", "abdomen"),
        ("Weak urine stream", "abdomen"),
        ("Bone pain", "limbs"),
        ("Photophobia", "eyes"),
        ("Hoarse voice", "chest"),  # nobody looks down the throat of a child with a croup
    ):
        assert steps_for(facts, facts.finding_ids[name])[0] == f"site:{site}"


def test_a_discharge_is_asked_for_fever_and_pain_and_not_for_a_birth() -> None:
    facts = load()
    flags = flags_of(facts, [facts.finding_ids["Abnormal vaginal discharge"]], AGE)
    assert flags.findings[:2] == ("Fever", "Pelvic pain")
    assert flags.pregnancy
