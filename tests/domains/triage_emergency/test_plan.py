"""The ticket and the reference plan: pregnancy, and scores of what was measured on air."""

from __future__ import annotations

import re
from functools import cache

import pytest

from gym_clinic.chart.tools.reading import measure_vital_signs
from gym_clinic.clinical import MadeTask, TaskDraft, open_world
from gym_clinic.clinical.tasks import seed_of
from gym_clinic.domains.triage_emergency.acuity import main_pain, names_of
from gym_clinic.domains.triage_emergency.complaints import steps_for
from gym_clinic.domains.triage_emergency.judging import COMMON
from gym_clinic.domains.triage_emergency.nurse.notes import NurseNotes
from gym_clinic.domains.triage_emergency.planned import PlannedTriage
from gym_clinic.domains.triage_emergency.questions import has_belly_pain, told_first
from gym_clinic.domains.triage_emergency.tasks import make_task
from gym_clinic.domains.triage_emergency.tools import make_tools
from gym_clinic.domains.triage_emergency.tools.references import read_red_flags
from gym_clinic.domains.triage_emergency.tools.screens import (
    EYE,
    MOTOR,
    RESPONSES,
    screen_trauma,
)
from gym_clinic.domains.triage_emergency.world import TriageCase
from gym_clinic.simulate.clinic.telling.incidental import red_flags
from gym_clinic.simulate.clinic.texts.sections.history import age_words
from gym_clinic.toolbox import Toolbox


@cache
def tasks_of(label: str, condition: str | None = None, count: int = 40) -> list[MadeTask]:
    drafts = (TaskDraft(label, seed_of("train", number), "train") for number in range(count))
    return [one for draft in drafts if (one := make_task(draft, condition)) is not None]


def test_a_ticket_tells_of_a_pregnancy_that_is_seen_and_the_card_asks_those_who_may_be() -> None:
    one = tasks_of("2", "placenta-praevia")[0]
    weeks = TriageCase(one.record).patient.person.pregnant_weeks
    assert weeks is not None
    assert ("visibly pregnant" in one.ticket) is (weeks >= 24)
    man = next(each for each in tasks_of("4") if ", male." in each.ticket)
    assert not any(
        key.startswith("women") for key in read_red_flags(TriageCase(man.record), "pelvic pain")
    )
    assert any(
        key.startswith("women") for key in read_red_flags(TriageCase(one.record), "pelvic pain")
    )


def test_a_ticket_gives_the_age_of_a_small_child_as_the_papers_do() -> None:
    made = [*tasks_of("3", "neonatal-jaundice"), *tasks_of("2", "bronchiolitis")]
    units = set()
    for one in made:
        patient = open_world(one.record).patient
        number, unit, _ = age_words(patient)
        if patient.person.age < 2:
            units.add(unit)
            assert re.search(rf", {number} {unit}s?, (fe)?male\.", one.ticket), one.ticket
            notes = NurseNotes()
            notes.open(one.ticket)
            assert notes.age == pytest.approx(patient.person.age, abs=1 / 12)
    assert {"day", "month"} <= units


def test_a_pain_in_the_belly_that_is_told_later_is_asked_for_a_pregnancy() -> None:
    case = TriageCase(tasks_of("2", "placenta-praevia")[0].record)
    plan = PlannedTriage(case)
    case.told.clear()
    assert not has_belly_pain(plan)
    case.told[f"finding:{case.patient.facts.finding_ids['Pelvic pain']}"] = "yes"
    assert has_belly_pain(plan)


def test_a_news2_of_values_on_air_is_one_without_oxygen() -> None:
    calls = [call for one in tasks_of("1", count=120) for move in one.gold["plan"] for call in move]
    scores = [call["arguments"] for call in calls if call["name"] == "calculate_news2"]
    assert not [one for one in scores if one["on_oxygen"]]


@pytest.mark.slow
def test_an_emergency_is_not_looked_at_for_what_is_of_no_problem_that_brings_it() -> None:
    """An infarction that also tells of a dry skin needs no look at the skin before the team."""
    made = tasks_of("2", "acute-myocardial-infarction", count=60)
    besides = 0
    for one in made:
        case = TriageCase(one.record)
        (first, *others), facts = told_first(case), case.patient.facts
        brings = {key for problem in case.patient.problems for key in problem.findings}
        strange = [key for key in others if key not in brings]
        steps = {step for key in strange for step in steps_for(facts, key)}
        steps -= {step for key in {first, *brings} for step in steps_for(facts, key)}
        besides += len(steps - {"onset"})
        assert not steps & {*one.gold["read"]}
    assert besides >= 3


def test_when_another_complaint_began_is_asked_only_if_it_alarms() -> None:
    """The card says once when it began, and a patient who is asked tells of the first complaint."""
    alarms = red_flags() - COMMON
    several = 0
    for one in (*tasks_of("3"), *tasks_of("4"), *tasks_of("5"), *tasks_of("2")):
        case = TriageCase(one.record)
        facts, others = case.patient.facts, told_first(case)[1:]
        several += any("onset" in steps_for(facts, key) for key in others)
        for key in others:
            if f"onset:{key}" in one.gold["read"] and key != main_pain(case.patient):
                assert names_of(facts, [key]) & alarms, key
    assert several >= 5


def test_where_life_is_in_danger_a_pregnancy_is_asked_only_for_a_protocol_that_needs_it() -> None:
    urgent = [
        *tasks_of("1", count=120),
        *tasks_of("1", "gastrointestinal-haemorrhage-from-peptic-ulcer"),
    ]
    asked = 0
    for one in urgent:
        plan = [call["arguments"] for move in one.gold["plan"] for call in move]
        asked += any("pregnant" in str(given.get("question", "")) for given in plan)
        needed = {key for some in one.gold["assertions"] for key in some.get("known_by", ())}
        assert "pregnancy" not in one.gold["read"] or "pregnancy" in needed
    assert asked >= 2


def test_bicarbonate_waits_until_the_ecg_was_read_and_the_coma_score_is_what_was_observed() -> None:
    made = tasks_of("1", "tricyclic-antidepressant-poisoning", count=60)
    given = scored = 0
    for one in made:
        case, box, read = TriageCase(one.record), Toolbox(make_tools()), False
        observed: dict[str, str] = {}
        for move in one.gold["plan"]:
            for call in move:
                name, arguments = call["name"], dict(call["arguments"])
                if name == "give_medication" and arguments["drug"] == "sodium-bicarbonate":
                    given += 1
                    assert read
                if name == "calculate_gcs":
                    scored += 1
                    right = RESPONSES[round(sum(arguments.values()))]
                    assert tuple(arguments.values()) == right
                    assert observed["eye"] == EYE[arguments["eye"]]
                    assert observed["motor"] == MOTOR[arguments["motor"]]
                tool = box.get(name)
                assert tool is not None
                case.writable = tool.writes
                reply = tool.call(arguments, case)
                observed = reply if name == "observe_responses" else observed
                read |= name == "read_results" and arguments["order"] == "ecg"
    assert given >= 3
    assert scored >= 3


def calls_of(one: MadeTask) -> list[tuple[int, str, dict[str, object]]]:
    """The calls of the reference plan, each with the message that it is in."""
    moves = enumerate(one.gold["plan"])
    return [(number, call["name"], call["arguments"]) for number, move in moves for call in move]


@pytest.mark.slow
def test_the_weight_of_a_child_is_read_before_a_dose_by_weight_and_no_adrenaline_is_a_guess() -> (
    None
):
    made = [*tasks_of("1", "anaphylaxis", count=80)]
    young = untold = 0
    for one in made:
        case, calls = TriageCase(one.record), calls_of(one)
        names = [name for _, name, _ in calls]
        dose = names.index("give_medication")
        assert "measure_glucose" not in names[:dose]
        assert "read_history" not in names[:dose]
        at = next(number for number, _, given in calls if given.get("drug") == "epinephrine")
        before = [(name, given) for number, name, given in calls if number < at]
        due = [each["minutes"] for each in one.gold["assertions"] if "adrenaline" in each["text"]]
        if case.patient.person.age < 12:
            young += 1
            assert "read_patient_record" in [name for name, _ in before]
        if due == [10]:
            untold += 1
            assert ("examine_patient", {"system": "skin"}) in before
    assert young
    assert untold


READ_FIRST = {
    "give_oxygen": ("measure_vital_signs", "read_history"),
    "give_fluids": ("measure_vital_signs",),
    "give_medication": ("measure_vital_signs", "measure_glucose", "read_allergies"),
    "activate_pathway": ("screen_stroke", "read_results"),
    "calculate_gcs": ("observe_responses",),
}
"""Call -> what is read in an earlier message, where the plan reads it before."""


def test_nothing_is_given_in_the_message_in_which_what_decides_it_is_read() -> None:
    made = (
        *tasks_of("1", count=120),
        *tasks_of("2", "heart-failure-with-preserved-ejection-fraction"),
        *tasks_of("2", "acute-pyelonephritis"),
        *tasks_of("2", "acute-myocardial-infarction", count=60),
    )
    seen = set()
    for move in (move for one in made for move in one.gold["plan"]):
        names = [call["name"] for call in move]
        for name, earlier in READ_FIRST.items():
            if name in names:
                seen.add(name)
                assert not {*earlier} & {*names[: names.index(name)]}, names
    assert seen == {*READ_FIRST}


def test_the_score_of_the_plan_says_severe_pain_where_it_was_measured() -> None:
    made = tasks_of("2", "acute-myocardial-infarction", count=60)
    severe = 0
    for one in made:
        calls = calls_of(one)
        case, tool = TriageCase(one.record), Toolbox(make_tools()).get("measure_vital_signs")
        assert tool is not None
        pain = tool.call({}, case).get("pain", 0)
        recent = -case.patient.problems[0].began <= 24 * 60
        if recent and "Poor trace" not in str(case.vitals[-1]):
            (score,) = [given for _, name, given in calls if name == "calculate_esi"]
            assert score["severe_pain_or_distress"] is (pain >= 7)
            severe += pain >= 7
    assert severe


def test_the_catheter_laboratory_is_alerted_as_soon_as_the_ecg_is_read() -> None:
    made = tasks_of("2", "acute-myocardial-infarction", count=60)
    alerts = [one for one in made if one.gold["answer"]["pathway"] == "stemi"]
    assert alerts
    for one in alerts:
        names = [name for _, name, _ in calls_of(one)]
        assert "examine_patient" not in names[: names.index("activate_pathway")]


@pytest.mark.slow
def test_the_chest_pain_screen_is_told_what_the_ecg_shows() -> None:
    told = set()
    for one in (*tasks_of("2", "takotsubo-cardiomyopathy"), *tasks_of("2", "unstable-angina")):
        ecg = open_world(one.record).patient.problems[0].studies["ecg"]
        for _, name, given in calls_of(one):
            if name == "screen_chest_pain":
                told.add(given["ecg"])
                assert (given["ecg"] != "normal") is ecg.shows
                assert given["ecg"] == "unspecific change" or not re.search("TWI|Wellens", ecg.text)
    assert told == {"normal", "unspecific change", "ST depression", "ST elevation"}


@pytest.mark.slow
def test_no_score_is_computed_of_a_patient_whom_it_is_not_for() -> None:
    pregnant = (*tasks_of("2", "preeclampsia"), *tasks_of("2", "placenta-praevia"))
    young = [one for label in "23" for one in tasks_of(label, "immune-thrombocytopenia")
             if age_of(one) < 16]  # fmt: skip
    assert len(pregnant) >= 5
    assert young
    assert "calculate_news2" not in {name for one in pregnant for _, name, _ in calls_of(one)}
    assert "calculate_shock_index" not in {name for one in young for _, name, _ in calls_of(one)}


def age_of(made: MadeTask) -> float:
    return open_world(made.record).patient.person.age


def test_the_trauma_screen_knows_of_a_fall() -> None:
    screened = set()
    for seed in range(40):
        record = {"seed": seed, "condition": "syndrome-of-inappropriate-antidiuresis",
                  "split": "train", "ticket": ["opening words"],
                  "department": {"waiting": 3, "standard_beds": 2, "fast_track": True}}  # fmt: skip
        case = TriageCase(record)
        facts, findings = case.patient.facts, case.patient.problems[0].findings
        measure_vital_signs.call({}, case)
        shown = screen_trauma.call({}, case)["injuries"]
        fell = findings.get(facts.finding_ids["Falls"], 1) <= 0
        screened.add(fell)
        assert ("after a fall" in shown) is fell
    assert screened == {True, False}


def test_naloxone_in_time_leaves_an_opioid_overdose_unharmed() -> None:
    made = tasks_of("1", "opioid-overdose", 12)
    assert len(made) >= 5
    for one in made:
        case, box = TriageCase(one.record), Toolbox(make_tools())
        for _, name, given in calls_of(one):
            tool = box.get(name)
            assert tool is not None
            case.writable = tool.writes
            tool.call(dict(given), case)
        assert not case.outcome().harmed
