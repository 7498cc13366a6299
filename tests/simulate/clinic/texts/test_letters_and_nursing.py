"""Clinic letters and notes of nurses: what they say follows from the record."""

from __future__ import annotations

import dataclasses
import re

import pytest

from gym_clinic.facts import load
from gym_clinic.simulate.clinic import ClinicPatient, Sample, draw_patient
from gym_clinic.simulate.clinic.physiology.body import DrawnEffect
from gym_clinic.simulate.clinic.telling.life import draw_life
from gym_clinic.simulate.clinic.texts import Document, documents, draw_visit, phrasebook
from gym_clinic.simulate.clinic.texts.letters import AS_TODAY, NO_WORK
from gym_clinic.simulate.clinic.texts.nursing import _walks, nursing
from gym_clinic.simulate.clinic.texts.phrasebook import splits
from gym_clinic.simulate.clinic.texts.sections.assessment import _is_unwell

FEW = 25
PENDING = re.compile(r"(?:Not yet (?:back|reported)|Pending|Result awaited): ([^.]+)\.")


def written(seed: int, kind: str) -> tuple[ClinicPatient, list[Document]]:
    patient = draw_patient(seed)
    return patient, [one for one in documents(patient) if one.kind == kind]


def test_every_illness_that_is_lived_with_has_advice_and_requests() -> None:
    for condition in phrasebook.condition_words():
        name = condition.replace("-", "_")
        assert {f"topic.{name}", f"task.{name}"} <= phrasebook.phrases().keys()


def test_what_nurses_do_is_for_findings_of_the_facts() -> None:
    named = {name for names in nursing().comforts.values() for name in names}
    assert named | set(nursing().helped) <= load().finding_ids.keys()
    assert set(nursing().unsteady) <= load().diseases.keys()


def test_dev_and_test_both_have_phrases_of_large_pools() -> None:
    large = {pool: of for pool, of in splits().items() if len(of) >= 12}
    without = [pool for pool, of in large.items() if not {"dev", "test"} <= set(of.values())]
    assert len(without) <= 0.02 * len(large), without


def test_a_letter_awaits_no_value_that_it_quotes() -> None:
    awaited = 0
    for seed in range(4 * FEW):
        patient, letters = written(seed, "letter")
        for letter in letters:
            quoted = {fact.of for fact in letter.facts if fact.kind == "reading"}
            shorts = {patient.facts.measurements[key].short for key in quoted}
            for found in PENDING.findall(letter.text):
                awaited += 1
                assert found not in shorts, letter.text
    assert awaited


def test_no_letter_asks_for_the_same_twice() -> None:
    twice = re.compile(r"(?:Two requests|Two things|Actions|To do): (.+?)[;,] (?:and )?(.+?)\.")
    asked = 0
    for seed in range(4 * FEW):
        for letter in written(seed, "letter")[1]:
            for first, second in twice.findall(letter.text):
                asked += 1
                assert first != second, letter.text
    assert asked


def test_an_earlier_value_of_a_letter_is_of_an_earlier_day() -> None:
    compared = 0
    for seed in range(FEW):
        for letter in written(seed, "letter")[1]:
            minutes = [fact.minute for fact in letter.facts if fact.kind == "reading"]
            assert max(one for one in minutes if one is not None) == letter.minute
            compared += len(set(minutes)) > 1
    assert compared


@pytest.mark.parametrize("treated", [True, False])
def test_who_has_oxygen_is_not_on_air(treated: bool) -> None:
    air = re.compile(r"\b(?:on air|RA|room air|breathing air|without oxygen|on O2|oxygen)\b")
    seen = 0
    for seed in range(FEW):
        patient = draw_patient(seed)
        if draw_visit(patient).setting != "emergency":
            continue
        actions = {"oxygen": 1.0} if treated else None
        for one in documents(patient, actions=actions, kinds={"nursing note"}):
            for said in air.findall(one.text):
                seen += 1
                assert (said in ("oxygen", "on O2")) == treated, one.text
    assert seen


OF_DRUGS = re.compile(r"drug|medicine|NKDA|ADR", re.IGNORECASE)


def test_nobody_is_said_to_have_no_allergy_but_to_drugs() -> None:
    """The record has allergies to drugs alone; food or a sting may do harm all the same."""
    pools = [one for key, one in phrasebook.phrases().items() if key.startswith("allergies.none")]
    said = [" ".join(way) for pool in pools for one in pool for way in phrasebook.runs(one)]
    assert len(said) > 30
    assert [one for one in said if not OF_DRUGS.search(one)] == []
    assert not OF_DRUGS.search("No known allergies")


@pytest.mark.parametrize(
    ("age", "finding", "expected"),
    [
        (45.0, "Cough", "mobile"),
        (81.0, "Cough", "helped"),
        (45.0, "Melena", "helped"),
        (45.0, "Abnormal vaginal bleeding", "helped"),
    ],
)
def test_the_old_and_those_who_bleed_do_not_walk_alone(
    age: float, finding: str, expected: str
) -> None:
    patient = draw_patient(3, "acute-bronchitis")
    first = patient.problems[0]
    first = dataclasses.replace(first, findings={patient.facts.finding_ids[finding]: first.began})
    person = dataclasses.replace(patient.person, age=age)
    made = dataclasses.replace(patient, person=person, problems=(first,), background=())
    assert _walks(made, Sample(made, 30)) == expected


def test_what_is_over_is_not_said_to_go_on() -> None:
    """Else a transient attack is a stroke."""
    over = re.compile(
        r"gone since|settled before|resolved|back to normal|over by now"
        r"|passed off|went before|cleared|nothing of it is left",
        re.IGNORECASE,
    )
    told = 0
    for seed in range(12):
        patient = draw_patient(seed, "transient-ischaemic-attack")
        own = patient.problems[0].findings
        for one in documents(patient):
            findings = {fact.of for fact in one.facts if fact.kind == "finding" and fact.has}
            if one.kind == "nursing note":
                assert findings.isdisjoint(own), one.text
            elif one.kind == "note" and patient.problems[0].complaint in findings:
                told += 1
                assert over.search(one.text), one.text
    assert told > 3


@pytest.mark.parametrize(("age", "expected"), [(40.0, False), (90.0, True)])
def test_the_old_are_not_sent_home_untested(age: float, expected: bool) -> None:
    patient = draw_patient(3, "tension-type-headache")
    person = dataclasses.replace(patient.person, age=age)
    made = dataclasses.replace(patient, person=person, background=())
    assert _is_unwell(made, 10) is expected
    if not expected:
        short = {"spo2": DrawnEffect("add", -8)}
        first = dataclasses.replace(made.problems[0], effects=short)
        assert _is_unwell(dataclasses.replace(made, problems=(first,)), 10)


def test_an_old_letter_tells_no_work_of_today() -> None:
    told: dict[bool, list[bool]] = {True: [], False: []}
    for seed in range(60):
        patient, letters = written(seed, "letter")
        work = draw_life(patient).work
        if work in NO_WORK or work == "retired":
            continue
        for one in letters:
            told[one.minute < -AS_TODAY * 24 * 60].append(work in one.text)
    assert any(told[False])
    assert told[True]
    assert not any(told[True])
