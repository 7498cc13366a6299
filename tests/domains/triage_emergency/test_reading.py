"""What must be read depends on the patient, and a triage ends in time."""

from __future__ import annotations

import math
from contextlib import suppress
from functools import cache
from statistics import fmean
from typing import Any

import pytest

from gym_clinic.chart.results import VITALS
from gym_clinic.clinical import JudgedEpisode, MadeTask, TaskDraft
from gym_clinic.clinical.judging.equivalents import share_found
from gym_clinic.clinical.judging.seen import seen
from gym_clinic.clinical.tasks import seed_of, task_of
from gym_clinic.domains.triage_emergency.acuity import (
    DAY,
    SEVERE_PAIN,
    acuity,
    main_pain,
    values_on_arrival,
)
from gym_clinic.domains.triage_emergency.acuity import level as level_of
from gym_clinic.domains.triage_emergency.acuity_table import resources_for
from gym_clinic.domains.triage_emergency.complaints import steps_for
from gym_clinic.domains.triage_emergency.judging import JUDGE, LONG, LONG_FOR_OTHERS
from gym_clinic.domains.triage_emergency.placement import pathway_of
from gym_clinic.domains.triage_emergency.plan import plan_triage
from gym_clinic.domains.triage_emergency.questions import told_first
from gym_clinic.domains.triage_emergency.tasks import (
    LEVELS,
    SPEC,
    deciding,
    findings_read,
    make_task,
    told_besides,
)
from gym_clinic.domains.triage_emergency.tools import make_tools
from gym_clinic.domains.triage_emergency.tools.references import read_level_guide, read_red_flags
from gym_clinic.domains.triage_emergency.world import TriageCase
from gym_clinic.episode import Episode
from gym_clinic.errors import ToolError
from gym_clinic.toolbox import Toolbox

QUESTIONS = (
    "fever, dyspnea and chest pain", "syncope, confusion and melena",
    "vomiting blood, abdominal pain and headache",
    "an overdose of tablets, suicidal thoughts and a stiff neck",
    "seizures, one-sided weakness and slurred speech", "petechiae, vomiting and palpitations",
    "urinary retention, visual loss and back pain",
    "contact with an allergen, drooling and stridor",
)  # fmt: skip
"""The same questions for everybody, of three findings each."""


@cache
def several() -> tuple[MadeTask, ...]:
    found = []
    for label in LEVELS:
        drafts = (TaskDraft(label, seed_of("dev", number), "dev") for number in range(200))
        made = (one for one in map(make_task, drafts) if one is not None)
        found += [next(made) for _ in range(5)]
    return tuple(found)


def share(one: MadeTask, questions: tuple[str, ...]) -> float:
    """Share of what must be read that the vital signs and some questions read."""
    case, box = TriageCase(one.record), Toolbox(make_tools())
    calls = [("ask_patient", {"question": f"Do you have {each}?"}) for each in questions]
    for name, arguments in [("measure_vital_signs", {}), *calls]:
        tool = box.get(name)
        assert tool is not None
        with suppress(ToolError):  # who is dying does not live to the end of the questions
            tool.call(dict(arguments), case)
    read, wanted = seen(case), dict.fromkeys(one.gold["read"], True)
    return share_found(wanted, one.gold["instead"], lambda key, _: key in read)


def test_the_same_questions_for_everybody_read_little_more_than_half() -> None:
    assert fmean(share(one, QUESTIONS) for one in several()) < 0.62


def test_what_must_be_read_holds_more_than_what_is_asked() -> None:
    kinds = [{key.partition(":")[0] for key in one.gold["read"]} for one in several()]
    assert fmean(bool(one & {"site", "lookup", "onset", "study", "record"}) for one in kinds) > 0.9


def test_an_overdose_that_is_there_is_asked_for_its_time() -> None:
    drafts = (TaskDraft("2", seed_of("train", number), "train") for number in range(80))
    made = (make_task(draft, "paracetamol-poisoning") for draft in drafts)
    one = next(one for one in made if one is not None)
    assert "onset:sym-overdose-of-tablets" in one.gold["read"]
    case = TriageCase(one.record)
    case.ask("When did the overdose of tablets start?")
    assert "onset:sym-overdose-of-tablets" in seen(case)
    case = TriageCase(one.record)
    case.ask("Do you have an overdose of tablets?")
    assert "onset:sym-overdose-of-tablets" not in seen(case)


def test_the_card_of_a_complaint_says_what_its_flags_call_for() -> None:
    case = TriageCase(several()[0].record)
    card = read_red_flags(case, "chest pain")
    assert "when it began" in card["look at"]
    assert card["where it is there"].keys() == {*card["ask for"]}
    assert card["where it is there"]["Syncope"] == ["trauma screen", "medicines on the record"]


def harms(one: MadeTask, minutes: float) -> list[int]:
    case = TriageCase(one.record)
    case.minute = minutes
    answer = dict(one.gold["answer"])
    episode = Episode(task_of(SPEC, one), case, [], answer, "answered")
    return [one.severity for one in JUDGE.harms(JudgedEpisode(JUDGE, episode))]


@pytest.mark.parametrize("number", [0, 7, 12, 17, 22])
def test_a_triage_that_takes_too_long_is_a_harm(number: int) -> None:
    one = several()[number]
    limit = one.gold["desk"]
    urgent = one.gold["answer"]["level"] <= 2
    assert limit >= 20
    assert harms(one, limit) == []
    assert harms(one, limit + 1) == [LONG if urgent else LONG_FOR_OTHERS]


def test_what_is_told_besides_and_would_decide_is_not_drawn() -> None:
    assert {"Palpitations", "Chest pain"} <= deciding()
    one = several()[-1]
    patient = TriageCase(one.record).patient
    plan = plan_triage(one.record, acuity(patient), pathway_of(patient))
    assert not told_besides(plan)
    finding = patient.facts.finding_ids["Palpitations"]  # of an older illness
    plan.case.told[f"finding:{finding}"] = "no"
    assert not told_besides(plan)
    plan.case.told[f"finding:{finding}"] = "yes"
    assert told_besides(plan) == {"Palpitations"}


@pytest.mark.population
def test_levels_three_to_five_follow_from_the_guide_by_what_the_plan_reads() -> None:
    """By the printed lines, what was told or seen, and what was measured: no condition."""
    for one in several():
        level = one.gold["answer"]["level"]
        if level <= 2:
            continue
        case, box = TriageCase(one.record), Toolbox(make_tools())
        for name, arguments in calls_of(one):
            tool = box.get(name)
            assert tool is not None
            case.writable = tool.writes
            tool.call(dict(arguments), case)
        measured = {
            name: float(case.vitals[-1][name]) for name in VITALS if name in case.vitals[-1]
        }
        values = {**values_on_arrival(case.patient, measured=measured), "severity": math.nan}
        lines = read_level_guide(case)["C. called for by"]
        needed = resources_for(findings_read(case), values)
        assert {*needed} <= lines.keys()
        asked = {"life_saving": False, "high_risk": False, "confused": False, "severe_pain": False}
        assert level_of(values, resources=len(needed), **asked) == level
        # A finding that nobody read changes nothing, and one more that calls for much does.
        more = resources_for(findings_read(case) | {"Oliguria", "Urinary retention"}, values)
        assert level_of(values, resources=len(more), **asked) <= 3


def test_a_level_that_rests_on_what_the_plan_did_not_read_is_not_drawn() -> None:
    one = next(made for made in several() if made.gold["answer"]["level"] == 4)
    case = TriageCase(one.record)
    assert acuity(case.patient).level == 4
    assert acuity(case.patient, read=frozenset()).level == 5


def test_where_life_is_in_danger_only_the_chief_complaint_is_followed_up() -> None:
    for one in several()[:5]:
        assert one.gold["answer"]["level"] == 1
        case = TriageCase(one.record)
        facts = case.patient.facts
        others = [step for each in told_first(case)[1:] for step in steps_for(facts, each)]
        own = steps_for(facts, told_first(case)[0])
        sites = {key for key in one.gold["read"] if key.startswith("site:")}
        assert sites <= {*own, "site:eyes", "site:chest"} | ({*LOOKED} - {*others})
        assert not {key[5:] for key in one.gold["read"] if key.startswith("told:")} - cited(one)


def cited(one: MadeTask) -> set[str]:
    """Findings of the answer's citations, and of what the protocol needs."""
    known = {key[5:] for each in one.gold["assertions"] for key in each.get("known_by", ())}
    return known | {each["finding"].removeprefix("told:") for each in one.gold["cite"]}


LOOKED = ("site:skin", "site:general")


def calls_of(one: MadeTask) -> list[tuple[str, dict[str, Any]]]:
    return [(call["name"], call["arguments"]) for move in one.gold["plan"] for call in move]


def tasks_of(label: str, condition: str, count: int = 30) -> list[MadeTask]:
    drafts = (TaskDraft(label, seed_of("train", number), "train") for number in range(count))
    return [one for draft in drafts if (one := make_task(draft, condition)) is not None]


def test_no_blood_is_called_for_before_a_bleeding_is_known() -> None:
    some = [
        one for one in tasks_of("1", "oesophageal-varices")
        if one.gold["answer"]["pathway"] == "major haemorrhage"
    ]  # fmt: skip
    assert len(some) >= 3
    for one in some:
        (due,) = (each for each in one.gold["assertions"] if each["check"] == "activated_by")
        names = [name for name, _ in calls_of(one)]
        before = {*names[: names.index("activate_pathway")]}
        opened = {f"told:{each}" for each in told_first(TriageCase(one.record))}
        assert opened & {*due["known_by"]} or before & {"ask_patient", "examine_patient"}


def test_who_tells_of_a_low_mood_is_asked_for_thoughts_of_suicide() -> None:
    some = [one for level in "34" for one in tasks_of(level, "major-depressive-disorder")]
    assert len(some) >= 3
    for one in some:
        asked = " ".join(str(given.get("question")) for _, given in calls_of(one))
        assert "suicidal ideation" in asked or "anhedonia" not in asked


def test_where_the_level_turns_on_the_hours_of_a_pain_its_onset_is_read() -> None:
    made = tasks_of("2", "gout", 50) + tasks_of("3", "migraine")
    turning = []
    for one in made:
        patient, reasons = TriageCase(one.record).patient, one.gold["reasons"]
        other = any(reasons[name] for name in ("life-saving", "high risk", "danger zone"))
        began = patient.problems[0].began
        if round(patient.state(0)["pain"]) > SEVERE_PAIN and not other and began < -24 * 60:
            turning.append(one)
            pain = main_pain(patient)
            ticket = seen(TriageCase(one.record))
            assert f"onset:{pain}" in {*one.gold["read"], *ticket}
            hours = -patient.problems[0].findings[pain or ""] / 60
            assert (hours <= DAY) is (one.gold["answer"]["level"] == 2)
    assert len({one.gold["answer"]["level"] for one in turning}) == 2
