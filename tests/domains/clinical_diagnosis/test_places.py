"""Where patients go: by the condition, its acuity, the vital signs, and an attack that is over."""

from __future__ import annotations

from unittest.mock import MagicMock

import pytest

from gym_clinic.domains.clinical_diagnosis.places import dispositions, place_table
from gym_clinic.facts import load
from gym_clinic.facts.expressions import parse
from gym_clinic.simulate.clinic import draw_patient

WELL = {"hr": 76.0, "sbp": 124.0, "spo2": 98.0, "rr": 14.0, "gcs": 15.0, "temp_c": 36.8,
        "peak_flow_pct": 60.0, "pco2": 38.0, "ph": 7.4, "hb": 12.5}  # fmt: skip


def test_no_emergency_is_sent_home() -> None:
    for one in load().conditions.values():
        if one.role != "background" and (one.triage or 9) <= 2:
            assert "home" not in dispositions(one)


def test_where_more_than_one_place_is_right_each_is_accepted() -> None:
    conditions = load().conditions
    assert dispositions(conditions["diabetic-ketoacidosis"]) == ("intensive care", "ward")
    assert dispositions(conditions["acute-appendicitis"]) == ("theatre", "ward")
    assert dispositions(conditions["ectopic-pregnancy"]) == ("theatre",)
    assert "home" not in dispositions(conditions["lung-cancer"])
    for seed in range(30):
        patient = draw_patient(seed, "acute-myocardial-infarction")
        found = dispositions(conditions["acute-myocardial-infarction"], patient)
        without = patient.problems[0].variant == "without-st-elevation"
        assert found[0] == ("ward" if without else "catheter laboratory")
        assert "catheter laboratory" in found
    assert {"home", "psychiatric ward"} <= {
        place for seed in range(8) for place in dispositions(
            conditions["major-depressive-disorder"], draw_patient(seed, "major-depressive-disorder")
        )
    }  # fmt: skip
    several = [one for one in conditions.values() if one.role != "background"
               and len(dispositions(one)) > 1]  # fmt: skip
    assert len(several) >= 60


@pytest.mark.parametrize(
    ("condition", "state", "right", "wrong"),
    [
        ("pneumonia", {}, {"ward", "home"}, {"intensive care"}),
        ("pneumonia", {"spo2": 88.0}, {"ward", "intensive care"}, {"home"}),
        ("pneumonia", {"spo2": 84.0, "sbp": 82.0}, {"intensive care"}, {"ward", "home"}),
        ("cellulitis", {}, {"home"}, {"ward"}),
        ("cellulitis", {"hr": 126.0, "rr": 27.0}, {"home", "ward"}, {"intensive care"}),
        ("cellulitis", {"sbp": 84.0}, {"ward", "intensive care"}, {"home"}),
        ("sepsis", {}, {"ward", "intensive care"}, {"home"}),
        ("sepsis", {"sbp": 84.0}, {"intensive care"}, {"ward"}),
        ("ectopic-pregnancy", {}, {"theatre", "ward"}, {"home"}),
        ("ectopic-pregnancy", {"sbp": 84.0}, {"theatre"}, {"ward", "home"}),
        ("accidental-hypothermia", {"temp_c": 28.4}, {"ward", "intensive care"}, {"home"}),
        ("opioid-overdose", {"gcs": 7.0}, {"ward", "intensive care"}, {"home"}),
        ("bacterial-meningitis", {"gcs": 7.0}, {"intensive care"}, {"ward"}),
        ("asthma", {}, {"ward"}, {"intensive care"}),
        ("asthma", {"peak_flow_pct": 23.0}, {"ward", "intensive care"}, {"home"}),
        ("chronic-obstructive-pulmonary-disease", {"ph": 7.2}, {"ward", "intensive care"}, set()),
        ("autoimmune-haemolytic-anaemia", {}, {"ward", "outpatient referral"}, {"home"}),
        ("autoimmune-haemolytic-anaemia", {"hb": 7.0}, {"ward"}, {"outpatient referral"}),
    ],
)
def test_vital_signs_decide_which_places_are_right(
    condition: str, state: dict[str, float], right: set[str], wrong: set[str]
) -> None:
    patient = MagicMock(**{"state.return_value": WELL | state})
    patient.usual, patient.problems, patient.person.age = WELL, (), 40.0
    found = {*dispositions(load().conditions[condition], patient)}
    assert right <= found
    assert not wrong & found


@pytest.mark.parametrize(
    ("condition", "medicines", "lives_with", "state", "home"),
    [
        ("hypoglycaemia", ["insulin-glargine"], [], {"gcs": 13.0}, True),
        ("hypoglycaemia", ["insulin-glargine"], [], {"gcs": 9.0}, False),
        ("hypoglycaemia", ["insulin-glargine", "gliclazide"], [], {}, False),
        ("hypoglycaemia", ["insulin-glargine"], ["chronic-kidney-disease"], {}, False),
        ("hypoglycaemia", [], [], {}, False),
        ("epilepsy", ["levetiracetam"], ["epilepsy"], {"gcs": 14.0}, True),
        ("epilepsy", ["levetiracetam"], ["epilepsy"], {"spo2": 84.0}, False),
        ("epilepsy", [], [], {}, False),
        ("paroxysmal-supraventricular-tachycardia", [], [], {"hr": 180.0}, True),
        ("paroxysmal-supraventricular-tachycardia", [], [], {"hr": 180.0, "sbp": 92.0}, False),
        ("paroxysmal-supraventricular-tachycardia", [], ["aortic-stenosis"], {}, False),
        ("asthma", ["salbutamol"], ["asthma"], {"spo2": 93.0}, True),
        ("asthma", ["salbutamol"], ["asthma"], {"spo2": 91.0}, False),
        ("asthma", [], [], {"spo2": 93.0}, False),
    ],
)
def test_an_attack_that_is_over_may_go_home_if_the_record_allows(
    condition: str,
    medicines: list[str],
    lives_with: list[str],
    state: dict[str, float],
    home: bool,
) -> None:
    patient = MagicMock(**{"state.return_value": WELL | state})
    patient.usual, patient.person.age, patient.facts = WELL, 40.0, load()
    patient.person.pregnant_weeks = None
    patient.problems = (MagicMock(condition=condition, variant=None, severity=0.8, findings={}),)
    patient.medicines = tuple(MagicMock(drug=one) for one in medicines)
    patient.background = tuple(MagicMock(condition=one) for one in lives_with)
    found = dispositions(load().conditions[condition], patient)
    assert found[0] == "ward"
    assert ("home" in found) is home


def test_what_an_attack_is_judged_by_is_known() -> None:
    facts = load()
    for one in place_table().over:
        names = {*facts.conditions, *facts.finding_ids}
        assert {*one.lives_with} <= {*facts.conditions}
        assert all(it.startswith("class:") or it in names for it in one.without), one.condition
        assert parse(one.then).names <= {*facts.measurements}
        assert not one.on_arrival or one.then == "True"
    for of in place_table().conditions.values():
        assert parse(of.grave).names | parse(of.stable_when).names <= {*facts.measurements}
