"""What ended lately, what no list has, and a pregnancy that shows, on the charts of reviews."""

from __future__ import annotations

import dataclasses
from collections import Counter
from random import Random
from typing import Any

import pytest

from gym_clinic.chart.talk.history import History
from gym_clinic.chart.talk.medicine_history import SEVERAL
from gym_clinic.chart.talk.own_record import OwnRecord
from gym_clinic.chart.talk.speech import Speech
from gym_clinic.domains.drug_interaction.candidates import candidates
from gym_clinic.domains.drug_interaction.charting import SHOWS, pregnancy_edit, setting_of
from gym_clinic.domains.drug_interaction.checks.formulary import bought
from gym_clinic.domains.drug_interaction.ended import COURSES, ended_edits, may_end, washout_regimen
from gym_clinic.domains.drug_interaction.lists.needed import needed
from gym_clinic.domains.drug_interaction.lists.stopping import essential
from gym_clinic.domains.drug_interaction.world import drawn_patient, edited, review_patient
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.clinic.telling.disclosure import recollections

QUESTION = {"drug": "amoxicillin", "dose": 500, "unit": "mg", "per_day": 3, "route": "po",
            "indication": "Lyme disease"}  # fmt: skip


@pytest.mark.parametrize("condition", ["osteoarthritis", "type-2-diabetes-mellitus", "migraine"])
def test_what_ended_was_for_an_illness_of_the_patient_or_ends_by_itself(condition: str) -> None:
    kinds = {"condition": 0, "course": 0, "bought": 0}
    for seed in range(60):
        patient = drawn_patient(seed, condition)
        (one,) = ended_edits(patient, [], Random(seed))
        lived = {each.condition for each in (*patient.background, *patient.problems)}
        if one["for"] in COURSES:
            kinds["course"] += 1
        elif one["for"] in load().conditions:
            kinds["condition"] += 1
            assert one["for"] in lived
            assert not essential(one["drug"])
        else:
            kinds["bought"] += 1
            assert one["drug"] in bought()
            assert one["told"] == "hidden"
        assert one["drug"] not in {each.drug for each in patient.medicines}
    assert min(kinds.values()) > 0


def test_nobody_ends_what_a_condition_is_not_left_without() -> None:
    for condition in needed():
        assert not may_end("insulin-aspart", condition)
    assert not may_end("clozapine", "schizophrenia")
    patient = drawn_patient(1, "type-1-diabetes-mellitus")
    assert washout_regimen("carbamazepine", patient, Random(1)) is None


@pytest.mark.parametrize("bought_too", [False, True])
def test_the_patient_names_a_medicine_that_no_list_has(bought_too: bool) -> None:
    take = {"kind": "take", "drug": "metformin", "dose": 500, "unit": "mg", "per_day": 2,
            "for": "type-2-diabetes-mellitus", "bought": bought_too}  # fmt: skip
    shown = {"kind": "shown", "documents": ["letter"], "egfr": True}
    record: dict[str, Any] = {"condition": "osteoarthritis", "split": "train", "question": QUESTION}
    listed = 0
    for seed in range(60):
        for told in ("hidden", "list"):
            edits = [{**take, "told": told}, shown]
            patient = review_patient({**record, "seed": seed, "edit": edits})
            (plan,) = (one for one in recollections(patient) if one.fact == "medicine:metformin")
            plain = (plan.manner, plan.distortion, plan.says) == ("told", None, None)
            assert plain or told == "list"
            listed += told == "list" and plan.distortion is not None
    assert listed > 0


def test_the_condition_of_a_medicine_that_still_acts_is_on_record() -> None:
    known = 0
    for one in candidates("washout")[::7]:
        patient = drawn_patient(3, "osteoarthritis")
        edits = setting_of(one, patient, Random(3))
        for each in edits:
            if each["kind"] == "ended" and each["for"] in load().conditions:
                known += 1
                lived = {own.condition for own in edited(patient, edits).background}
                assert each["for"] in {*lived, patient.problems[0].condition}
    assert known > 0


def test_a_pregnancy_that_shows_is_on_record() -> None:
    told = {weeks: {pregnancy_edit(weeks, Random(seed))["told"] for seed in range(30)}
            for weeks in (6, SHOWS, SHOWS + 1, 33)}  # fmt: skip
    assert told == {6: {"hidden", "list"}, SHOWS: {"hidden", "list"}, SHOWS + 1: {"list"},
                    33: {"list"}}  # fmt: skip


def test_a_medicine_that_is_unlisted_keeps_the_plan_of_the_others() -> None:
    patient = drawn_patient(11, "type-2-diabetes-mellitus")
    marked = tuple(dataclasses.replace(one, unlisted="prescribed") for one in patient.medicines[:1])
    changed = dataclasses.replace(patient, medicines=(*marked, *patient.medicines[1:]))
    before, after = recollections(patient), recollections(changed)
    assert [one for one in after if one.fact != f"medicine:{marked[0].drug}"] == [
        one for one in before if one.fact != f"medicine:{marked[0].drug}"
    ]


def test_what_is_bought_is_told_apart_and_two_of_one_reason_are_joined() -> None:
    bought_too = {"kind": "take", "drug": "ibuprofen", "dose": 400, "unit": "mg", "per_day": 3,
                  "for": "aches", "bought": True, "told": "hidden"}  # fmt: skip
    shown = {"kind": "shown", "documents": ["letter"], "egfr": True}
    record: dict[str, Any] = {"condition": "osteoarthritis", "split": "train", "question": QUESTION}
    for seed in range(30):
        patient = review_patient({**record, "seed": seed, "edit": [bought_too, shown]})
        named = [text for text in told(patient) if "ibuprofen" in text.casefold()]
        assert len(named) == 1
        others = {one.drug for one in patient.medicines} - {"ibuprofen"}
        assert not any(one in named[0].casefold() for one in others)


def test_what_ended_is_told_before_what_is_bought() -> None:
    """Said after the chemist, it would sound as if it had been bought as well."""
    bought_too = {"kind": "take", "drug": "ibuprofen", "dose": 400, "unit": "mg", "per_day": 3,
                  "for": "aches", "bought": True, "told": "hidden"}  # fmt: skip
    ends = {"kind": "ended", "drug": "amoxicillin", "days": 9, "for": "a chest infection",
            "told": "hidden"}  # fmt: skip
    shown = {"kind": "shown", "documents": ["letter"], "egfr": True}
    record: dict[str, Any] = {"condition": "osteoarthritis", "split": "train", "question": QUESTION}
    for seed in range(10):
        edits = [bought_too, ends, shown]
        texts = told(review_patient({**record, "seed": seed, "edit": edits}))
        assert "ibuprofen" in texts[-1].casefold()
        assert any("amoxicillin" in one.casefold() for one in texts[:-1])


def test_two_vague_medicines_of_one_reason_are_joined() -> None:
    joined = 0
    for seed in range(40):
        patient = drawn_patient(seed, "heart-failure-with-reduced-ejection-fraction")
        plans = {one.fact: one for one in recollections(patient)}
        vague = Counter(
            one.condition for one in patient.medicines
            if plans[f"medicine:{one.drug}"].manner == "vague"
            and plans[f"medicine:{one.drug}"].distortion != "forgets"
        )  # fmt: skip
        several = any(words in text.casefold() for text in told(patient) for words in SEVERAL)
        assert several is (max(vague.values(), default=0) > 1)
        joined += several
    assert joined > 0


def told(patient: ClinicPatient) -> list[str]:
    speech = Speech("key", "patient", patient.person.sex, "train")
    return [text for text, _ in History(OwnRecord(patient), speech).medicines(0)]
