"""Treatment without a ground counts, treatment with one does not."""

from __future__ import annotations

import dataclasses

import pytest

from gym_clinic.clinical.judging.groundless import (
    ground_table,
    groundless,
    needless_teams,
    severity,
)
from gym_clinic.clinical.naming import find_action
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import draw_patient
from gym_clinic.simulate.clinic.people import Background

EVERYTHING = (
    "drug:epinephrine@im", "drug:naloxone@iv", "drug:salbutamol", "drug:ceftriaxone@iv",
    "procedure:pericardiocentesis",
)  # fmt: skip


@pytest.mark.parametrize(
    ("condition", "made"),
    [
        ("anaphylaxis", "drug:epinephrine@im"), ("pneumonia", "drug:gentamicin@iv"),
        ("cardiac-tamponade", "procedure:pericardiocentesis"), ("gout", "drug:paracetamol"),
        ("tension-type-headache", "drug:ondansetron"), ("pneumonia", "fluids"),
        ("viral-encephalitis", "drug:ceftriaxone"),
    ],
)  # fmt: skip
def test_an_illness_a_look_alike_and_a_symptom_are_grounds(condition: str, made: str) -> None:
    assert groundless(draw_patient(3, condition), [made], {}) == ()


@pytest.mark.parametrize(
    ("condition", "what", "right"),
    [
        ("tension-type-headache", "oxygen", False), ("tension-type-headache", "fluids", False),
        ("tension-type-headache", "blood", False), ("stroke", "fluids", False),
        ("carbon-monoxide-poisoning", "oxygen", True), ("cluster-headache", "oxygen", True),
        ("viral-gastroenteritis", "fluids", True), ("diabetic-ketoacidosis", "fluids", True),
        ("postpartum-haemorrhage", "blood", True),
    ],
)  # fmt: skip
def test_support_is_given_for_what_fails_or_is_lost(condition: str, what: str, right: bool) -> None:
    found = groundless(draw_patient(3, condition), [what], {})
    assert found == (() if right else (what,))


def test_a_low_value_is_a_ground_as_it_was_shown_and_the_gold_is_one() -> None:
    patient = draw_patient(3, "tension-type-headache")
    assert groundless(patient, ["oxygen"], {}, {"spo2": (97.0,)}) == ("oxygen",)
    assert groundless(patient, ["oxygen"], {}, {"spo2": (97.0, 88.0)}) == ()
    assert groundless(patient, ["fluids"], {}, {"sbp": (84.0,)}) == ()
    assert groundless(patient, ["fluids"], {"acceptable": {"treatments": [["fluids"]]}}) == ()
    assert groundless(patient, ["fluids"], {"acceptable": {"related": ["fluids"]}}) == ("fluids",)


def test_who_may_retain_carbon_dioxide_has_a_lower_target() -> None:
    patient = draw_patient(3, "tension-type-headache")
    lung = Background("chronic-obstructive-pulmonary-disease", 9, {})
    retains = dataclasses.replace(patient, background=(lung,))
    assert groundless(patient, ["oxygen"], {}, {"spo2": (92.0,)}) == ()
    assert groundless(retains, ["oxygen"], {}, {"spo2": (92.0,)}) == ("oxygen",)


def test_the_emergency_drugs_for_everybody_are_groundless() -> None:
    patient = draw_patient(3, "benign-paroxysmal-positional-vertigo")
    found = groundless(patient, EVERYTHING, {})
    assert {"drug:epinephrine", "drug:naloxone", "procedure:pericardiocentesis"} <= {*found}
    assert severity(found) == (4,)


def test_what_the_gold_asks_for_has_a_ground() -> None:
    patient = draw_patient(3, "benign-paroxysmal-positional-vertigo")
    due = {"assertions": [{"check": "done_by", "orders": [["naloxone"]], "minutes": 12}]}
    assert groundless(patient, ["drug:naloxone@iv"], due) == ()


def test_what_needs_no_ground_exists() -> None:
    facts = load()
    for one in ground_table().supportive:
        kind, _, name = one.partition(":")
        known = {"class": facts.drug_classes, "drug": facts.drugs}
        assert name in known[kind] if kind in known else find_action(facts, name), one
    for ids in ground_table().pathways.values():
        assert {*ids} <= facts.conditions.keys()
    for ground in ground_table().support.values():
        assert {*ground.conditions} <= facts.conditions.keys()
        assert {*ground.findings} <= facts.finding_ids.keys()


def test_a_team_is_called_for_what_it_may_be_and_not_for_everybody() -> None:
    teams = ("stroke", "cath_lab", "isolation")
    assert needless_teams(draw_patient(3, "stroke"), teams) == ("cath_lab",)
    assert needless_teams(draw_patient(3, "gout"), teams) == ("stroke", "cath_lab")
    assert needless_teams(draw_patient(3, "acute-pericarditis"), ("cath_lab",)) == ()
