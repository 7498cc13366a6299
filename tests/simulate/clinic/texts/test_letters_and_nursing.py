"""Clinic letters and notes of nurses: what they say follows from the record."""

from __future__ import annotations

import re

import pytest

from gym_clinic.facts import load
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient
from gym_clinic.simulate.clinic.texts import Document, documents, draw_visit, phrasebook
from gym_clinic.simulate.clinic.texts.nursing import nursing
from gym_clinic.simulate.clinic.texts.phrasebook import splits

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
