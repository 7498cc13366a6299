"""The right level: hand-written cases of the handbook's decision points, and simulated patients."""

from __future__ import annotations

import dataclasses
from collections import Counter

import pytest

from gym_clinic.domains.triage_emergency.acuity import (
    acuity,
    danger_zone,
    early_warning,
    hours_of_findings,
    level,
    names_of,
    values_on_arrival,
)
from gym_clinic.domains.triage_emergency.acuity_table import (
    acuity_table,
    reason_in_words,
    resources_for,
)
from gym_clinic.domains.triage_emergency.placement import pathway_of, pathways_that_hold
from gym_clinic.domains.triage_emergency.tools.references import read_level_guide
from gym_clinic.domains.triage_emergency.world import TriageCase, draw_department
from gym_clinic.facts import load
from gym_clinic.facts.expressions import parse
from gym_clinic.simulate.clinic import draw_patient
from gym_clinic.simulate.clinic.physiology.body import DrawnEffect

WELL = {"age": 40.0, "hr": 76.0, "rr": 14.0, "spo2": 98.0}
NOTHING = {"life_saving": False, "high_risk": False, "confused": False, "severe_pain": False}

CASES = (
    ("an ankle that needs an X-ray", WELL, NOTHING, 1, 4),
    ("a prescription to renew", WELL, NOTHING, 0, 5),
    ("appendicitis: blood, ultrasound, fluids", WELL, NOTHING, 3, 3),
    ("the same with a pulse of 118", {**WELL, "hr": 118.0}, NOTHING, 3, 2),
    ("the same with a saturation of 91", {**WELL, "spo2": 91.0}, NOTHING, 3, 2),
    ("a saturation of 92 is not below 92", {**WELL, "spo2": 92.0}, NOTHING, 3, 3),
    ("one resource: the danger zone is not looked at", {**WELL, "hr": 118.0}, NOTHING, 1, 4),
    ("chest pain that may be cardiac", WELL, {**NOTHING, "high_risk": True}, 3, 2),
    ("new confusion", WELL, {**NOTHING, "confused": True}, 3, 2),
    ("renal colic of 9 of 10", WELL, {**NOTHING, "severe_pain": True}, 2, 2),
    ("apnoea", WELL, {**NOTHING, "life_saving": True}, 3, 1),
    ("an infant of 6 weeks at 170/min", {**WELL, "age": 0.12, "hr": 170.0, "rr": 44.0},
     NOTHING, 2, 3),
    ("an infant of 6 weeks at 186/min", {**WELL, "age": 0.12, "hr": 186.0, "rr": 44.0},
     NOTHING, 2, 2),
    ("a child of 2 years at 150/min", {**WELL, "age": 2.0, "hr": 150.0, "rr": 30.0}, NOTHING, 2, 3),
    ("a child of 5 years at 150/min", {**WELL, "age": 5.0, "hr": 150.0, "rr": 24.0}, NOTHING, 2, 2),
    ("a child of 9 years at 104/min", {**WELL, "age": 9.0, "hr": 104.0, "rr": 18.0}, NOTHING, 2, 2),
)  # fmt: skip


@pytest.mark.parametrize(
    ("values", "asked", "resources", "right"), [one[1:] for one in CASES], ids=[c[0] for c in CASES]
)
def test_levels_of_hand_written_cases(
    values: dict[str, float], asked: dict[str, bool], resources: int, right: int
) -> None:
    assert level(values, resources=resources, **asked) == right


def test_danger_zones_follow_the_age() -> None:
    fast = {"hr": 135.0, "rr": 28.0, "spo2": 97.0}
    assert danger_zone(0.1, fast) == ()
    assert danger_zone(2, fast) == ()
    assert danger_zone(5, fast) == ()
    assert danger_zone(30, fast) == ("hr", "rr")
    assert danger_zone(30, {**fast, "spo2": 91.0}) == ("hr", "rr", "spo2")


def test_the_table_names_conditions_findings_and_values_that_exist() -> None:
    facts, table = load(), acuity_table()
    names = {one.name for one in facts.phenotypes.values()}
    known = {*values_on_arrival(draw_patient(1, "gout")), "finding_hours"}
    for one in (*table.life_saving, *table.high_risk):
        assert {*one.conditions} <= facts.conditions.keys()
        assert one.finding is None or one.finding in names
        assert parse(one.when).names <= known
    for each in table.expected:
        assert {*each.findings, *each.along, *each.without} <= names
        assert parse(each.when).names <= known - {"finding_hours", "severity"}


@pytest.mark.parametrize(
    ("condition", "usual"),
    [
        ("anaphylaxis", 1), ("tension-pneumothorax", 1), ("stroke", 2), ("testicular-torsion", 2),
        ("acute-myocardial-infarction", 2), ("deep-vein-thrombosis", 3), ("cystitis", 4),
        ("acute-otitis-media", 5), ("atopic-dermatitis", 5),
    ],
)  # fmt: skip
def test_usual_levels_of_simulated_patients(condition: str, usual: int) -> None:
    found = Counter(acuity(draw_patient(seed, condition)).level for seed in range(5))
    assert found.most_common(1)[0][0] == usual


def test_one_vital_sign_turns_the_level() -> None:
    patient = next(
        one
        for one in (draw_patient(seed, "diverticulitis") for seed in range(40))
        if acuity(one).level == 3
    )
    first, *others = patient.problems
    for sign, more, right in (("hr", 45.0, 2), ("spo2", -12.0, 1)):
        known = first.effects.get(sign, DrawnEffect("add", 0.0))
        if known.kind != "add":
            continue
        worse = DrawnEffect("add", known.amount + more / first.severity)
        moved = dataclasses.replace(first, effects={**first.effects, sign: worse})
        changed = dataclasses.replace(patient, problems=(moved, *others))
        assert acuity(changed).level == right


def test_reasons_are_given() -> None:
    found = acuity(draw_patient(3, "anaphylaxis"))
    assert "adrenaline" in found.life_saving
    assert found.monitor


def with_state(condition: str, seed: int = 3, **values: float) -> int:
    """Level of a patient whose vital signs are those of a well adult, but for some."""
    calm = {"hr": 84.0, "rr": 16.0, "spo2": 97.0, "sbp": 126.0, "temp_c": 37.0, "gcs": 15.0,
            "crt_s": 1.5, "pain": 2.0}  # fmt: skip
    return acuity(draw_patient(seed, condition), {**calm, **values}).level


@pytest.mark.parametrize("condition", ["acute-cholecystitis", "acute-pyelonephritis", "cellulitis"])
def test_possible_sepsis_is_seen_in_the_measured_signs_of_any_infection(condition: str) -> None:
    adult = next(seed for seed in range(40) if 20 < draw_patient(seed, condition).person.age < 60)
    assert with_state(condition, adult) > 2
    ill = {"temp_c": 39.2, "hr": 116.0, "rr": 23.0, "sbp": 104.0}
    assert with_state(condition, adult, **ill) == 2
    assert with_state(condition, adult, crt_s=4.0) == 2


def test_a_mottled_child_with_an_infection_is_level_two() -> None:
    child = next(seed for seed in range(60) if draw_patient(seed, "influenza").person.age < 10)
    assert with_state("influenza", child, hr=100.0, rr=22.0, crt_s=4.0, temp_c=39.0) == 2


def test_the_same_signs_without_an_infection_are_no_sepsis() -> None:
    found = acuity(draw_patient(2, "gout"), {"temp_c": 37.0, "crt_s": 4.0, "hr": 80.0})
    assert "possible sepsis" not in found.high_risk


def test_an_old_patient_with_fever_should_not_wait_among_others() -> None:
    old = next(s for s in range(60) if 65 <= draw_patient(s, "acute-cholecystitis").person.age < 75)
    patient = draw_patient(old, "acute-cholecystitis")
    calm = {"hr": 84.0, "rr": 16.0, "spo2": 97.0, "sbp": 126.0, "gcs": 15.0, "pain": 3.0}
    assert acuity(patient, {**calm, "temp_c": 38.6}).frail
    assert not acuity(patient, {**calm, "temp_c": 37.0}).frail


def test_a_small_child_with_high_fever_and_a_bacterial_infection_is_level_two() -> None:
    condition = "septic-arthritis"
    child = next(seed for seed in range(90) if draw_patient(seed, condition).person.age < 10)
    calm = {"hr": 100.0, "rr": 22.0, "crt_s": 1.0}
    assert with_state(condition, child, temp_c=39.7, **calm) == 2
    assert (
        "possible sepsis"
        not in acuity(
            draw_patient(child, condition), {**calm, "temp_c": 37.4, "sbp": 100.0, "spo2": 98.0}
        ).high_risk
    )


def test_a_second_infection_answers_for_its_own_vital_signs_alone() -> None:
    heart = next(
        one for one in (draw_patient(seed, "cardiac-tamponade") for seed in range(40))
        if one.person.age >= 16 and len(one.problems) == 1
        and early_warning(values_on_arrival(one)) >= 7
    )  # fmt: skip
    cold = next(
        one for one in (draw_patient(seed, "acute-bronchitis") for seed in range(40))
        if one.person.age >= 16 and values_on_arrival(one)["news2"] < 3
    )  # fmt: skip
    both = dataclasses.replace(heart, problems=(*heart.problems, *cold.problems[:1]))
    assert "possible sepsis" not in acuity(both).high_risk
    assert all(one.id != "sepsis" for one in pathways_that_hold(both))
    turned = dataclasses.replace(both, problems=both.problems[::-1])
    assert "possible sepsis" in acuity(turned).high_risk


@pytest.mark.parametrize(
    "condition",
    [
        "bell-palsy", "benign-prostatic-hyperplasia", "gastroesophageal-reflux-disease", "gout",
        "irritable-bowel-syndrome", "lyme-disease", "osteoarthritis", "streptococcal-pharyngitis",
        "tension-type-headache", "viral-gastroenteritis",
    ],
)  # fmt: skip
def test_levels_four_and_five_go_by_findings_and_not_by_the_condition(condition: str) -> None:
    found = Counter(acuity(draw_patient(seed, condition)).level for seed in range(60))
    assert min(found[4], found[5]) >= 3


@pytest.mark.parametrize(
    ("condition", "finding", "most"),
    [
        ("bronchiolitis", "Chest recession", 4),
        ("bronchiolitis", "Apnea", 2),
        ("urticaria", "Angioedema", 4),
    ],
)
def test_what_threatens_airway_or_breathing_is_never_level_five(
    condition: str, finding: str, most: int
) -> None:
    patients = [draw_patient(seed, condition) for seed in range(80)]
    there = [one for one in patients if finding in hours_of_findings(one)]
    assert len(there) >= 3
    assert max(acuity(one).level for one in there) <= most


def test_an_infant_with_chest_recession_does_not_wait() -> None:
    small = [
        one for one in (draw_patient(seed, "bronchiolitis") for seed in range(150))
        if one.person.age < 0.25 and "Chest recession" in hours_of_findings(one)
    ]  # fmt: skip
    assert small
    assert all(acuity(one).level <= 2 for one in small)


@pytest.mark.parametrize(
    ("condition", "usual"),
    [
        ("acute-appendicitis", 3), ("renal-colic", 3), ("miscarriage", 3), ("cirrhosis", 3),
        ("type-1-diabetes-mellitus", 3), ("immune-thrombocytopenia", 3),
        ("type-2-diabetes-mellitus", 4), ("hypothyroidism", 4), ("rheumatoid-arthritis", 4),
        ("panic-disorder", 4), ("vasovagal-syncope", 4), ("varicella", 5), ("osteoarthritis", 5),
    ],
)  # fmt: skip
def test_the_guide_leads_to_what_a_nurse_would_expect_of_a_patient(
    condition: str, usual: int
) -> None:
    found = Counter(acuity(draw_patient(seed, condition)).level for seed in range(60))
    assert max((3, 4, 5), key=lambda one: found[one]) == usual


def test_severe_chest_pain_of_three_days_is_level_two_from_35_years_on() -> None:
    young, old = 0, 0
    for seed in range(120):
        patient = draw_patient(4 * seed, "acute-pericarditis")
        hours = hours_of_findings(patient).get("Chest pain", 999.0)
        if not 26 <= hours <= 70 or len(patient.problems) > 1:
            continue
        calm = {"hr": 84.0, "rr": 16.0, "spo2": 97.0, "sbp": 126.0, "gcs": 15.0, "temp_c": 37.0}
        level = acuity(patient, {**calm, "pain": 8.0}).level
        assert level == (2 if patient.person.age >= 35 else 3)
        assert acuity(patient, {**calm, "pain": 4.0}).level == 3
        young, old = young + (patient.person.age < 35), old + (patient.person.age >= 35)
    assert young >= 2
    assert old >= 2


LOOKS_GRAVE = (
    ("croup", "Stridor", {}),
    ("migraine", "Photophobia", {"temp_c": 38.4}),
    ("tension-type-headache", "Photophobia", {"temp_c": 38.4}),
    ("immune-thrombocytopenia", "Purpura", {"temp_c": 38.4}),
    ("epilepsy", "Seizure", {"temp_c": 38.4}),
    ("peptic-ulcer-disease", "Hematemesis", {}),
    ("pyloric-stenosis", "Projectile vomiting", {"crt_s": 3.0}),
)
"""A condition, a finding and measured values that no nurse lets wait, whatever the illness is."""


@pytest.mark.parametrize(("condition", "finding", "grave"), LOOKS_GRAVE)
def test_what_looks_grave_is_level_two_whatever_it_turns_out_to_be(
    condition: str, finding: str, grave: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    calm = {"hr": 84.0, "rr": 18.0, "spo2": 98.0, "sbp": 126.0, "temp_c": 37.0, "gcs": 15.0,
            "crt_s": 1.5, "pain": 2.0}  # fmt: skip
    patient = next(
        one
        for one in (draw_patient(seed, condition) for seed in range(400))
        if finding in hours_of_findings(one)
        and len(one.problems) == 1
        and "Chest recession" not in hours_of_findings(one)
    )
    assert acuity(patient, {**calm, **grave}).level == 2
    if grave:
        assert acuity(patient, calm).level > 2
    table = acuity_table()
    named = tuple(one for one in table.high_risk if one.conditions)
    less = table.model_copy(update={"high_risk": named})
    monkeypatch.setattr("gym_clinic.domains.triage_emergency.acuity.acuity_table", lambda: less)
    assert acuity(patient, {**calm, **grave}).level > 2


def test_weak_legs_with_a_weak_bladder_or_upgoing_plantars_are_level_two_by_themselves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    by_itself = tuple(one for one in acuity_table().high_risk if one.finding == "Babinski sign"
                      or one.finding == "Lower limb muscle weakness")  # fmt: skip
    less = acuity_table().model_copy(update={"high_risk": by_itself})
    monkeypatch.setattr("gym_clinic.domains.triage_emergency.acuity.acuity_table", lambda: less)
    found = set()
    for patient in (draw_patient(seed, "spinal-cord-compression") for seed in range(60)):
        names = {key for key, hours in hours_of_findings(patient).items() if hours <= 504}
        sphincters = names & {"Urinary retention", "Bowel incontinence", "Babinski sign"}
        cord = "Babinski sign" in names or ("Lower limb muscle weakness" in names and sphincters)
        assert bool(acuity(patient).high_risk) is bool(cord)
        found.add(bool(cord))
    assert found == {True, False}


def test_a_stiff_neck_with_fever_activates_the_protocol_of_sepsis_in_any_meningitis() -> None:
    hot, cool = {"temp_c": 38.6}, {"temp_c": 37.2, "hr": 80.0, "rr": 14.0, "spo2": 98.0}
    for condition in ("bacterial-meningitis", "viral-meningitis"):
        stiff = next(
            one for one in (draw_patient(seed, condition) for seed in range(40))
            if one.person.age >= 16 and "Nuchal rigidity" in hours_of_findings(one)
        )  # fmt: skip
        assert pathway_of(stiff, hot).id == "sepsis"
    assert pathway_of(stiff, cool).id == "none"


def test_the_guide_says_which_findings_are_a_high_risk_by_themselves() -> None:
    own = [one for one in acuity_table().high_risk if one.finding and not one.conditions]
    assert [bool(one.along or one.when != "True") for one in own] == [bool(one.said) for one in own]
    record = {"seed": 3, "condition": "gout", "split": "train"}
    department = draw_department(3, 12).to_json()
    listed = read_level_guide(TriageCase({**record, "department": department}))[
        "B. high risk by itself"
    ]
    assert "Stridor" in listed
    assert "Photophobia, with headache and a temperature from 38 on" in listed
    assert len(listed) == len(own)


def test_an_arteritis_that_takes_the_sight_is_urgent() -> None:
    ids = load().finding_ids
    found = {True: 0, False: 0}
    for seed in range(40):
        patient = draw_patient(seed, "giant-cell-arteritis")
        blind = bool({ids["Visual loss"], ids["Amaurosis fugax"]} & {*patient.problems[0].findings})
        found[blind] += 1
        assert not blind or acuity(patient).level <= 2
        jaw = {ids["Jaw claudication"], ids["Scalp tenderness"]} & {*patient.problems[0].findings}
        if jaw and ids["Diplopia"] in patient.problems[0].findings:
            assert acuity(patient).level <= 2
    assert all(found.values())


def test_a_red_skin_with_chills_calls_for_blood_tests_and_an_antibiotic() -> None:
    values = values_on_arrival(draw_patient(0, "cellulitis"))
    afebrile = {**values, "temp_c": 37.0}
    needed = ("laboratory", "medicine iv im or nebulised")
    assert resources_for({"Erythema", "Chills"}, afebrile) == needed
    assert resources_for({"Erythema", "Pain"}, afebrile) == ()


def test_the_pain_of_a_cellulitis_is_where_the_skin_is_red() -> None:
    patients = [draw_patient(seed, "cellulitis") for seed in range(20)]
    names = [names_of(one.facts, one.problems[0].findings) for one in patients]
    assert any("Lower limb pain" in one for one in names)
    assert all("Lower limb pain" in one or "Pain" not in one for one in names)


def test_the_reason_of_a_level_is_said_in_words() -> None:
    reasons = {"high risk": ["poisoning"], "confused": True, "danger zone": ["hr"]}
    said = "poisoning; confused; heart rate in the danger zone"
    assert reason_in_words(2, reasons) == said
    assert reason_in_words(1, {"life-saving": ["naloxone"]}) == "naloxone"
    assert reason_in_words(5, {"resources": []}) == "no resource"
