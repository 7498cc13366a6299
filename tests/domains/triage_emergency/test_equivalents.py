"""What serves as well as the citations and the reading of the reference plan."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from triage_judged import judged, moves_of

from gym_clinic.clinical import JudgedEpisode, MadeTask, TaskDraft
from gym_clinic.clinical.judging.citations import is_true
from gym_clinic.clinical.tasks import seed_of
from gym_clinic.domains.triage_emergency.acuity import names_of, values_on_arrival
from gym_clinic.domains.triage_emergency.acuity_table import calling_for_resources
from gym_clinic.domains.triage_emergency.complaints import flags_of
from gym_clinic.domains.triage_emergency.gold import OFTEN_OFF
from gym_clinic.domains.triage_emergency.judging import JUDGE, alarming, reasons_of
from gym_clinic.domains.triage_emergency.questions import told_first
from gym_clinic.domains.triage_emergency.tasks import LEVELS, make_task
from gym_clinic.domains.triage_emergency.world import TriageCase
from gym_clinic.facts import load

Call = tuple[str, dict[str, Any]]

SUICIDE = f"told:{load().finding_ids['Suicidal ideation']}"
"""What serves beside the card where the patient has a low mood."""


@cache
def some(label: str) -> tuple[MadeTask, ...]:
    drafts = (TaskDraft(label, seed_of("dev", number), "dev") for number in range(200))
    made = (one for one in map(make_task, drafts) if one is not None)
    return tuple(next(made) for _ in range(5))


@pytest.mark.parametrize("label", LEVELS)
def test_what_serves_as_well_is_of_this_patient_and_never_what_the_ticket_tells(label: str) -> None:
    for one in some(label):
        case = TriageCase(one.record)
        facts, age = case.patient.facts, case.patient.person.age
        flags = {f"told:{facts.finding_ids[name]}"
                 for name in flags_of(facts, told_first(case), age).findings}  # fmt: skip
        for group in one.gold["instead"]:
            for fact in group["of"]:
                key = fact["finding"]
                assert key in group["keys"] or key.startswith("vital:") or is_true(
                    case, key, fact["present"]
                )  # fmt: skip
                if not fact["present"] and key.startswith("told:"):
                    assert key in flags | {*group["keys"], SUICIDE}


def test_another_red_flag_of_the_complaint_serves_and_one_of_no_concern_does_not() -> None:
    one, group = next(
        (one, group) for one in some("5") for group in one.gold["instead"]
        if group["keys"][0].startswith("told:") and not group["of"][0]["present"]
        and len(group["of"]) > len(group["keys"])
    )  # fmt: skip
    case = TriageCase(one.record)
    names = case.patient.facts.phenotypes
    others = [fact["finding"] for fact in group["of"] if fact["finding"] not in group["keys"]]

    def read(finding: str) -> float:
        question = f"Do you have {names[finding.removeprefix('told:')].name.casefold()}?"
        return judged(one, [[("ask_patient", {"question": question})]], []).share

    nothing = judged(one, [], []).share
    assert read(others[0]) > nothing
    assert read(f"told:{case.patient.facts.finding_ids['Alopecia']}") == nothing


def test_a_red_flag_that_is_absent_is_a_reason_at_levels_four_and_five_alone() -> None:
    def reasons(label: str, present: bool = False) -> list[str]:
        one = some(label)[0]
        question = "Do you have hemoptysis, a seizure or urinary retention?"
        facts = TriageCase(one.record).patient.facts
        key = f"told:{facts.finding_ids['Hemoptysis']}"
        cited = [{"finding": key, "present": present}]
        found = judged(one, [[("ask_patient", {"question": question})]], cited)
        return reasons_of(found, [])

    assert reasons("4")
    assert reasons("5")
    assert not reasons("3")
    assert not reasons("5", present=True)


def test_the_vital_sign_that_decides_is_cited_first() -> None:
    drafts = (TaskDraft("1", seed_of("dev", number), "dev") for number in range(120))
    made = [one for one in map(make_task, drafts) if one is not None]
    shocked = 0
    for one in made:
        patient = TriageCase(one.record).patient
        values = values_on_arrival(patient)
        vitals = [
            each["finding"] for each in one.gold["cite"] if each["finding"].startswith("vital:")
        ]
        if values["sbp"] < values["low_sbp"] - 8 and round(values["gcs"]) == 15:
            assert vitals[0] == "vital:sbp"
            shocked += 1
    assert shocked >= 2


@pytest.mark.slow
def test_a_pressure_a_saturation_or_a_pain_that_alarms_nobody_is_not_cited_as_abnormal() -> None:
    drafts = (TaskDraft("2", seed_of("dev", number), "dev") for number in range(160))
    made = [one for one in map(make_task, drafts) if one is not None]
    harmless = 0
    for one in made:
        case = judged(one, moves_of(one), []).case
        keys = [key for key in OFTEN_OFF if not alarming(case, key)]
        assert not {*keys} & {each["finding"] for each in one.gold["cite"] if each["present"]}
        harmless += any(is_true(case, key, present=True) for key in keys)
    assert harmless >= 5


def test_a_general_examination_alarms_only_beside_a_vital_sign_that_does() -> None:
    case = TriageCase(some("5")[0].record)
    assert not alarming(case, "site:general")
    case.show("sbp", 70.0)
    assert alarming(case, "site:general")
    smoke = case.patient.facts.finding_ids["Exposure to fumes or smoke"]
    assert alarming(case, f"told:{smoke}")


def test_hives_alarm_beside_what_is_more_than_skin() -> None:
    severe, mild = (
        next(
            case
            for seed in range(60)
            if (case := TriageCase({"seed": seed, "condition": condition, "split": "dev",
                                    "department": some("5")[0].record["department"]}))
            and has(case, "Urticaria")
            and has(case, "Dyspnea", "Vomiting", "Angioedema") is grave
        )
        for condition, grave in (("anaphylaxis", True), ("urticaria", False))
    )  # fmt: skip
    hives = f"told:{severe.patient.facts.finding_ids['Urticaria']}"
    assert alarming(severe, hives)
    assert alarming(severe, "site:skin")
    assert not alarming(mild, hives)
    assert not alarming(mild, "site:skin")


def has(case: TriageCase, *names: str) -> bool:
    return any(case.patient.facts.finding_ids[one] in case.world.findings for one in names)


def test_a_complaint_that_calls_for_a_resource_is_a_reason_at_level_three() -> None:
    counted = 0
    for one in some("3"):
        case = TriageCase(one.record)
        key = f"told:{case.patient.problems[0].complaint}"
        calls = names_of(case.patient.facts, [key[5:]]) & calling_for_resources()
        if calls and key[5:] in told_first(case):
            counted += 1
            assert reasons_of(judged(one, [], [{"finding": key, "present": True}]), []) == [key]
    assert counted


def test_any_red_flags_of_the_card_are_looked_for_and_suicide_in_a_low_mood() -> None:
    drafts = (TaskDraft("4", seed_of("train", number), "train") for number in range(80))
    made = (make_task(draft, "major-depressive-disorder") for draft in drafts)
    one = next(one for one in made if one is not None and "Suicidal ideation" not in card_of(one))
    check = next(each for each in one.gold["assertions"] if each["check"] == "activated_by")
    others = [name.casefold() for name in card_of(one)[-2:]]

    def asked(*flags: str) -> JudgedEpisode:
        question = f"Do you have {' or '.join(flags)}?"
        return judged(one, [[("ask_patient", {"question": question})]], [])

    assert asked(*others).held(check)
    assert asked("suicidal ideation", others[0]).held(check)
    few = asked("alopecia", others[0])
    assert not few.held(check)
    assert JUDGE.lacking(few, check) == "Of these, 1 was looked for."
    assert check["text"].startswith("At least 2 of these were looked for, and no protocol")
    assert check["text"].count(".") == 1  # the flags are named once
    assert any(
        SUICIDE in {fact["finding"] for fact in group["of"]} for group in one.gold["instead"]
    )


def card_of(one: MadeTask) -> tuple[str, ...]:
    case = TriageCase(one.record)
    return flags_of(case.patient.facts, told_first(case), case.patient.person.age).findings
