"""What clinicians ask for in single illnesses: treatment, tests, places, what is looked at."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from gym_clinic.clinical.tasks import TaskDraft, seed_of
from gym_clinic.clinical.world import open_world
from gym_clinic.domains.clinical_diagnosis.besides import stopped_medicines
from gym_clinic.domains.clinical_diagnosis.deciding import discriminators
from gym_clinic.domains.clinical_diagnosis.judge import JUDGE
from gym_clinic.domains.clinical_diagnosis.places import dispositions, place_table
from gym_clinic.domains.clinical_diagnosis.tasks import make_task, try_plan
from gym_clinic.facts import load
from gym_clinic.facts.expressions import parse
from gym_clinic.facts.named_drugs import is_a
from gym_clinic.simulate.clinic import draw_patient

PPI, ANTIBIOTIC = "class:proton-pump-inhibitor", "class:antibiotic"


@cache
def golds(condition: str) -> tuple[dict[str, Any], ...]:
    """The golds of some tasks of a condition, whose reference plan is perfect."""
    drafts = (TaskDraft(condition, seed_of("dev", n), "dev") for n in range(6))
    found = tuple(dict(one.gold) for one in map(make_task, drafts) if one is not None)
    assert found
    return found


@pytest.mark.parametrize(
    ("condition", "needed"),
    [
        ("gastrointestinal-haemorrhage-from-peptic-ulcer", {PPI}),
        ("acute-cholecystitis", {
            ANTIBIOTIC, "drug:piperacillin-tazobactam", "drug:amoxicillin-clavulanate",
            "drug:ceftriaxone", "drug:cefuroxime", "drug:ciprofloxacin",
        }),
    ],
)  # fmt: skip
def test_no_treatment_is_complete_without(condition: str, needed: set[str]) -> None:
    course = load().conditions[condition].course
    assert course is not None
    assert all(needed & {*one} for one in course.treated_by)


def test_an_ulcer_that_is_treated_through_the_endoscope_shows_a_reason_for_it() -> None:
    """Flat spots and clean bases (Forrest IIc and III) need a proton pump inhibitor alone."""
    condition = load().conditions["gastrointestinal-haemorrhage-from-peptic-ulcer"]
    (study,) = (one for one in condition.studies if one.study == "upper-endoscopy")
    shown = " ".join(one.text for one in study.results if one.shows)
    assert "Forrest IIb" in shown
    assert not any(one in shown for one in ("Forrest IIc", "Forrest III", "flat", "pigmented"))


@pytest.mark.parametrize(
    ("condition", "key"),
    [
        ("hepatitis-b", "lab:inr"),
        ("kawasaki-disease", "study:echocardiogram"),
        ("pulmonary-embolism", "lab:creatinine"),
    ],
)
def test_what_treatment_and_danger_ask_for_is_ordered(condition: str, key: str) -> None:
    for gold in golds(condition):
        assert key in gold["read"]


@pytest.mark.parametrize(
    ("condition", "key"),
    [
        ("giant-cell-arteritis", "site:eyes"),
        ("influenza", "site:chest"),
        ("kawasaki-disease", "told:HP:0001945"),
        ("panic-disorder", "site:chest"),
    ],
)
def test_what_must_not_be_missed_is_looked_at(condition: str, key: str) -> None:
    """The eyes of a giant cell arteritis, fever, the chest of who breathes fast and goes home."""
    assert any(key in gold["read"] for gold in golds(condition))
    for gold in golds(condition):
        serves = {one for group in gold["instead"] for one in group["keys"]}
        assert key not in gold["read"] or key not in serves  # nothing stands for it


@pytest.mark.parametrize(
    ("age", "egfr", "due"), [(30.0, 95.0, False), (72.0, 95.0, True), (50.0, 38.0, True)]
)
def test_kidneys_are_known_before_a_zoster_of_the_old_is_treated(
    age: float, egfr: float, due: bool
) -> None:
    (rule,) = discriminators()["herpes-zoster"].ordered
    assert rule.tests == ("lab:creatinine",)
    assert bool(parse(rule.when).compute({"age": age, "egfr": egfr})) is due


@pytest.mark.parametrize(
    ("hr", "crt_s", "grave"), [(150.0, 2.0, False), (199.0, 2.0, True), (150.0, 4.0, True)]
)
def test_a_kawasaki_in_shock_may_go_to_intensive_care(hr: float, crt_s: float, grave: bool) -> None:
    rule = place_table().conditions["kawasaki-disease"].grave
    assert bool(parse(rule).compute({"hr": hr, "crt_s": crt_s})) is grave


def test_a_pericarditis_with_high_fever_stays_in_hospital() -> None:
    pericarditis, places = load().conditions["acute-pericarditis"], set()
    for seed in range(40):
        patient = draw_patient(seed, "acute-pericarditis")
        hot, found = patient.state(0)["temp_c"] >= 38.2, dispositions(pericarditis, patient)
        assert ("home" not in found) if hot else ("ward" in found)
        places.add((hot, found[0]))
    assert places >= {(True, "ward"), (False, "home")}


def test_an_ace_inhibitor_is_stopped_where_lips_or_tongue_swell() -> None:
    angioedema = load().finding_ids["Angioedema"]
    for seed in range(4, 480, 4):
        world = open_world({"seed": seed, "condition": "urticaria", "split": "train"})
        taken = [one.drug for one in world.patient.medicines]
        culprits = [one for one in taken if is_a(one, "class:ace-inhibitor")]
        swollen = angioedema in world.patient.problems[0].findings
        assert [*stopped_medicines(world)] == (culprits if swollen else [])
        if not culprits or not swollen:
            continue
        assert "ward" in dispositions(load().conditions["urticaria"], world.patient)
        one = make_task(TaskDraft("urticaria", seed, "train"))
        assert one is not None
        plan = [[(call["name"], call["arguments"]) for call in each] for each in one.gold["plan"]]
        left = [[call for call in each if call[0] != "discontinue_medication"] for each in plan]
        for each, holds in ((plan, True), (left, False)):
            done = try_plan(one.record, each).judged(JUDGE, one.gold, one.gold["answer"])
            assert (done.assertion() == 1) is holds
        return
    raise AssertionError("nobody takes one and swells")


def test_a_full_dose_for_failing_kidneys_is_a_violation_and_in_no_plan() -> None:
    edit = {"kind": "usual", "measurement": "creatinine", "value": 4.6}
    made = [make_task(TaskDraft("herpes-zoster", 4 * n, "train", (edit,))) for n in range(1, 9)]
    one = made[0]
    assert one is not None
    assert None not in made  # no further step of a plan is such a dose
    plan = [[(call["name"], call["arguments"]) for call in each] for each in one.gold["plan"]]
    order = {"order": "valaciclovir", "unit": "g", "route": "po"}
    for dose, per_day, right in ((0.5, 1.0, True), (1.0, 3.0, False)):
        answer = {**one.gold["answer"], "orders": [{**order, "dose": dose, "per_day": per_day}]}
        done = try_plan(one.record, plan).judged(JUDGE, one.gold, answer)
        assert ("S3-16" not in {each.rule for each in done.violations}) is right
        assert done.solved is right


@pytest.mark.parametrize(("condition", "clouded"), [("heat-stroke", True), ("gout", False)])
def test_of_who_is_not_awake_the_glucose_is_known(condition: str, clouded: bool) -> None:
    made = (make_task(TaskDraft(condition, seed_of("train", n), "train")) for n in range(9))
    one = next(one for one in made if one is not None)
    assert ("vital:glucometer" in one.gold["read"]) is clouded
    if not clouded:
        return
    plan = [[(call["name"], call["arguments"]) for call in each] for each in one.gold["plan"]]
    glucose = ("order_lab", {"tests": ["glucometer"]})
    for tests, minutes, found in ((["glucometer"], 7, 1), (["glucose"], 65, 1), (["crp"], 65, 0)):
        changed: dict[str, Any] = {"order_lab": {"tests": tests}, "wait": {"minutes": minutes}}
        tried = [[(name, changed.get(name, given)) for name, given in each] for each in plan]
        done = try_plan(one.record, tried).judged(JUDGE, one.gold, one.gold["answer"])
        assert (done.share == 1) is bool(found), tests
    treated = next(each for each in plan if any(name == "perform_procedure" for name, _ in each))
    assert glucose in treated  # at once, and nothing waits for it
