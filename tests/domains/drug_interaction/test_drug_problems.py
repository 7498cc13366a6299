"""What matters when a drug is proposed for a patient."""

from __future__ import annotations

import dataclasses

import pytest

from gym_clinic.domains.drug_interaction.checks.formulary import Regimen, indications
from gym_clinic.domains.drug_interaction.checks.instead import alternatives
from gym_clinic.domains.drug_interaction.checks.problems import (
    DrugProblem,
    ReviewProfile,
    Taken,
    acceptable_verdicts,
    excluded,
    find_problems,
    verdict_of,
)
from gym_clinic.domains.drug_interaction.plans import plan_score

WELL = ReviewProfile(age=50, female=True, weight_kg=70, egfr=95, crcl=100)
NAPROXEN = Regimen("naproxen", 500, "mg", 2)
PAIN = indications()["osteoarthritis"]
GOUT = indications()["attack of gout"]


def taking(drug: str, *, bought: bool = False) -> ReviewProfile:
    return dataclasses.replace(WELL, medicines=(Taken(Regimen(drug, 5, "mg", 1), bought),))


def shown(found: list[DrugProblem]) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(one.kind, one.severity, one.actions) for one in found if one.matters]


def test_nothing_stands_in_the_way_of_a_healthy_patient() -> None:
    found = find_problems(NAPROXEN, PAIN, WELL)
    assert shown(found) == []
    assert verdict_of(found) == "start as proposed"
    assert acceptable_verdicts(found) == ["start as proposed"]


@pytest.mark.parametrize(
    ("who", "problem", "verdict"),
    [
        (taking("warfarin"), ("interaction", "major", ("avoid",)), "do not start"),
        (taking("diclofenac"), ("duplicate", "major", ("avoid",)), "do not start"),
        (
            taking("ibuprofen", bought=True),
            ("duplicate", "major", ("change",)),
            "start with change",
        ),
        (
            dataclasses.replace(WELL, allergies=(("class:nsaid", "hives"),)),
            ("allergy", "contraindicated", ("avoid",)),
            "do not start",
        ),
        (
            dataclasses.replace(WELL, weeks=30),
            ("pregnancy", "major", ("avoid",)),
            "do not start",
        ),
        (
            dataclasses.replace(WELL, child_pugh="B"),
            ("hepatic", "major", ("avoid",)),
            "do not start",
        ),
        (
            dataclasses.replace(WELL, age=80),
            ("older adult", "moderate", ("avoid",)),
            "do not start",
        ),
    ],
)
def test_one_fact_turns_the_verdict(
    who: ReviewProfile, problem: tuple[str, str, tuple[str, ...]], verdict: str
) -> None:
    found = find_problems(NAPROXEN, PAIN, who)
    assert shown(found) == [problem]
    assert verdict_of(found) == verdict


def test_a_dose_above_the_greatest_is_lowered() -> None:
    found = find_problems(Regimen("naproxen", 1000, "mg", 2), PAIN, WELL)
    assert shown(found) == [("maximum dose", "major", ("change",))]
    assert found[0].remedies[0].most == 1500


def test_a_greatest_dose_that_is_kept_is_no_problem() -> None:
    cholesterol = indications()["cholesterol"]
    who = taking("amiodarone")
    high = find_problems(Regimen("simvastatin", 40, "mg", 1), cholesterol, who)
    assert shown(high) == [("interaction", "major", ("change",))]
    assert shown(find_problems(Regimen("simvastatin", 20, "mg", 1), cholesterol, who)) == []


def test_a_value_too_near_to_a_limit_decides_nothing() -> None:
    metformin, diabetes = Regimen("metformin", 500, "mg", 2), indications()["type 2 diabetes"]
    near = dataclasses.replace(WELL, egfr=30.5, crcl=30)
    assert all(len(one.actions) > 1 for one in find_problems(metformin, diabetes, near))


def test_an_alternative_treats_the_same_and_brings_less() -> None:
    who = taking("warfarin")
    instead = alternatives(GOUT, "naproxen", who)
    assert "colchicine" in instead
    assert not {"naproxen", "indometacin", "diclofenac"} & set(instead)


def test_where_the_table_leaves_the_choice_both_verdicts_hold() -> None:
    antibiotic, cystitis = Regimen("ciprofloxacin", 500, "mg", 2), indications()["cystitis"]
    found = find_problems(antibiotic, cystitis, taking("warfarin"))
    assert acceptable_verdicts(found) == ["do not start", "start with change"]


SULFA = Regimen("trimethoprim-sulfamethoxazole", 960, "mg", 2)


@pytest.mark.parametrize("blocker", ["ramipril", "lisinopril", "candesartan", "losartan"])
@pytest.mark.parametrize(
    ("fields", "verdict"),
    [
        ({}, "start with change"),
        ({"potassium": 5.3}, "do not start"),
        ({"egfr": 45, "crcl": 45}, "do not start"),
        ({"age": 88}, "do not start"),
    ],
)
def test_potassium_kidneys_and_age_decide_on_trimethoprim_beside_a_blocker(
    blocker: str, fields: dict[str, float], verdict: str
) -> None:
    who = dataclasses.replace(taking(blocker), **fields)
    found = find_problems(SULFA, indications()["cystitis"], who)
    assert verdict_of(found) == verdict
    assert [one.severity for one in found if one.kind == "interaction"] == ["major"]


def test_a_potassium_too_near_to_its_limit_decides_nothing() -> None:
    who = dataclasses.replace(taking("ramipril"), potassium=4.9)
    found = find_problems(SULFA, indications()["cystitis"], who)
    assert set(acceptable_verdicts(found)) == {"start with change", "do not start"}


@pytest.mark.parametrize(
    ("indication", "dose", "per_day", "problems"),
    [
        ("deep vein thrombosis", 15, 2, []),
        ("atrial fibrillation, stroke", 20, 1, [("renal", "moderate", ("change",))]),
        ("atrial fibrillation, stroke", 15, 1, []),
    ],
)
def test_a_rule_of_the_kidneys_holds_for_its_indication_and_up_to_its_dose(
    indication: str, dose: float, per_day: float, problems: list[object]
) -> None:
    who = dataclasses.replace(WELL, egfr=30, crcl=24.5)
    drug = Regimen("rivaroxaban", dose, "mg", per_day)
    assert shown(find_problems(drug, indications()[indication], who)) == problems


def test_the_greatest_dose_follows_the_indication() -> None:
    drug = Regimen("metoclopramide", 20, "mg", 3)
    found = find_problems(drug, indications()["nausea"], WELL)
    assert shown(found) == [("maximum dose", "major", ("change",))]
    assert found[0].remedies[0].most == 30


def test_no_opioid_instead_of_morphine_beside_buprenorphine() -> None:
    pain, who = indications()["severe joint pain"], taking("buprenorphine")
    instead = alternatives(pain, "morphine", who)
    assert not {"tramadol", "codeine", "oxycodone"} & {*instead}


def test_no_opioid_instead_of_another_soon_after_an_irreversible_mao_inhibitor() -> None:
    pain = indications()["severe joint pain"]
    opioids = {one.drug for one in pain.options}
    for days, fit in ((4.0, False), (20.0, True)):
        who = dataclasses.replace(WELL, ended=(("phenelzine", days),))
        assert bool(opioids & {*alternatives(pain, "buprenorphine", who)}) == fit


def test_a_simple_painkiller_is_no_alternative_where_none_holds() -> None:
    instead = alternatives(indications()["severe joint pain"], "morphine", WELL)
    assert instead
    assert "paracetamol" not in instead


@pytest.mark.parametrize(("female", "age", "offered"), [
    (True, 30, False), (True, 60, True), (False, 30, False), (False, 60, True),
])  # fmt: skip
def test_valproate_is_no_alternative_in_who_may_have_a_child(
    female: bool, age: float, offered: bool
) -> None:
    mania = indications()["bipolar disorder"]
    who = dataclasses.replace(WELL, female=female, age=age, egfr=25, crcl=22)
    assert ("valproate" in alternatives(mania, "lithium", who)) == offered


def test_a_drug_that_is_contraindicated_in_a_condition_is_no_choice() -> None:
    failing = frozenset({"heart-failure-with-reduced-ejection-fraction"})
    assert excluded("verapamil", dataclasses.replace(WELL, conditions=failing))
    assert not excluded("verapamil", WELL)


def test_a_prodrug_is_no_alternative_to_its_drug() -> None:
    thyroid, who = indications()["overactive thyroid"], dataclasses.replace(WELL, age=24, weeks=6)
    found = find_problems(Regimen("thiamazole", 20, "mg", 1), thyroid, who)
    assert verdict_of(found) == "do not start"
    assert alternatives(thyroid, "thiamazole", who) == []
    assert alternatives(thyroid, "thiamazole", WELL) == ["propranolol"]
    other = find_problems(Regimen("carbimazole", 20, "mg", 1), thyroid, who)
    assert verdict_of(other) == "do not start"


def test_a_bought_product_is_stopped_or_watched_and_an_antacid_taken_apart_or_stopped() -> None:
    diazepam = next(one for one in indications()["anxiety"].options if one.drug == "diazepam")
    found = find_problems(
        diazepam, indications()["anxiety"], taking("diphenhydramine", bought=True)
    )
    assert [each.kind for each in found[0].remedies] == ["stop", "monitor"]
    doxycycline = indications()["pneumonia"].options[1]
    found = find_problems(
        doxycycline, indications()["pneumonia"], taking("aluminium-hydroxide", bought=True)
    )
    assert [each.kind for each in found[0].remedies] == ["apart", "stop"]


@pytest.mark.parametrize(("plan", "score"), [
    ({"stop": ["ibuprofen"]}, 1), ({"stop": ["ibuprofen", "lisinopril"]}, 0),
    ({"stop": ["ibuprofen"], "doses": [{"drug": "losartan", "daily_dose": 25},
                                       {"drug": "losartan", "daily_dose": 50}]}, 0),
])  # fmt: skip
def test_a_plan_that_stops_all_or_gives_every_dose_is_wrong(plan: object, score: float) -> None:
    problem = {"kind": "interaction", "drugs": ["ibuprofen", "losartan"], "actions": ["change"],
               "remedies": [{"kind": "stop", "drugs": ["ibuprofen"]}]}  # fmt: skip
    gold = {"problems": [problem], "acceptable": {"verdicts": ["start with change"]}}
    assert isinstance(plan, dict)
    assert plan_score("start with change", plan, gold) == score
