"""Protocols that nobody is blamed for, and those that are right beside none."""

from __future__ import annotations

import pytest

from gym_clinic.clinical import JudgedEpisode, MadeTask, TaskDraft
from gym_clinic.clinical.tasks import seed_of, task_of
from gym_clinic.domains.triage_emergency.activations import needless
from gym_clinic.domains.triage_emergency.acuity import (
    acuity,
    early_warning,
    hours_of_findings,
    values_on_arrival,
)
from gym_clinic.domains.triage_emergency.judging import JUDGE
from gym_clinic.domains.triage_emergency.placement import (
    NO_PATHWAY,
    Pathway,
    pathway_of,
    pathways_that_hold,
    places,
)
from gym_clinic.domains.triage_emergency.tasks import SPEC, make_task
from gym_clinic.domains.triage_emergency.tools import make_tools
from gym_clinic.domains.triage_emergency.world import Department, TriageCase
from gym_clinic.episode import Call, Episode, Turn
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient
from gym_clinic.toolbox import Toolbox


def patients(condition: str, count: int = 60) -> list[ClinicPatient]:
    return [draw_patient(4 * seed, condition) for seed in range(count)]


@pytest.mark.parametrize(
    "condition", ["heat-stroke", "febrile-convulsion", "chronic-obstructive-pulmonary-disease"]
)
def test_what_meets_the_criteria_of_sepsis_to_the_letter_may_be_called_one_or_none(
    condition: str,
) -> None:
    ill = {"temp_c": 39.4, "hr": 135.0, "rr": 27.0, "spo2": 91.0, "crt_s": 4.0}
    for patient in (one for one in patients(condition, 8) if len(one.problems) == 1):
        right = pathway_of(patient, ill)
        assert (right.id, right.accepted) == (NO_PATHWAY, (NO_PATHWAY, "sepsis"))
        assert pathway_of(patient, {**ill, "temp_c": 37.0}).accepted == (NO_PATHWAY,)


def blamed(condition: str, label: str, pathway: str, right: bool = True) -> list[tuple[str, ...]]:
    """What is needless in tasks of a condition after a protocol was activated."""
    drafts = (TaskDraft(label, seed_of("train", number), "train") for number in range(60))
    box, found = Toolbox(make_tools()), []
    for one in (made for draft in drafts if (made := make_task(draft, condition)) is not None):
        case = TriageCase(one.record)
        for name, arguments in (
            ("measure_vital_signs", {}),
            ("activate_pathway", {"pathway": pathway}),
        ):
            tool = box.get(name)
            assert tool is not None
            case.writable = tool.writes
            tool.call(dict(arguments), case)
        values = {**values_on_arrival(case.patient), **case.vitals[-1]}
        septic = values["temp_c"] >= 38 and early_warning(values) >= 7
        if values["age"] < 16 or septic is right:
            episode = Episode(task_of(SPEC, one), case, [], dict(one.gold["answer"]), "answered")
            found.append(needless(JudgedEpisode(JUDGE, episode)))
    return found


@pytest.mark.slow
def test_nobody_is_blamed_for_a_sepsis_with_fever_and_a_news2_of_seven() -> None:
    assert {*blamed("tricyclic-antidepressant-poisoning", "1", "sepsis", right=False)} == {
        ("sepsis",)
    }
    heat = blamed("heat-stroke", "1", "sepsis")
    assert heat
    assert {*heat} == {()}


def test_nobody_is_blamed_for_isolating_a_cough_with_fever_nor_for_recent_chest_pain() -> None:
    assert () in blamed("influenza", "4", "isolation", right=False)
    assert {*blamed("gout", "4", "isolation", right=False)} == {("isolation",)}
    pericarditis = blamed("acute-pericarditis", "3", "chest_pain", right=False)
    assert () in pericarditis


def test_covid_is_isolated_and_without_a_lost_smell_none_is_right_as_well() -> None:
    department = Department(3, 2, True)
    seen = set()
    for patient in patients("covid-19", 20):
        found, right = acuity(patient), next(
            one for one in pathways_that_hold(patient) if one.id == "isolation"
        )  # fmt: skip
        lost = "Anosmia" in hours_of_findings(patient)
        assert (NO_PATHWAY in right.accepted) is not lost
        if found.level > 3:
            ordinary = places(found, Pathway(NO_PATHWAY, (NO_PATHWAY,), 0.0), department)
            assert places(found, right, department)[0] == "standard bed"
            assert ({*ordinary} <= {*places(found, right, department)}) is not lost
            seen.add(lost)
    assert seen == {True, False}


def test_a_febrile_leukaemia_may_be_called_a_sepsis_or_not() -> None:
    found = {
        (patient.state(0)["temp_c"] >= 38, pathway_of(patient).accepted)
        for patient in patients("acute-myeloid-leukaemia", 20)
    }
    assert {(True, (NO_PATHWAY, "sepsis")), (False, (NO_PATHWAY,))} <= found


def test_skin_signs_alone_are_no_anaphylaxis() -> None:
    calm = {"sbp": 124.0, "spo2": 98.0, "hr": 84.0, "rr": 15.0, "gcs": 15.0, "pain": 0.0}
    breath = {"Dyspnea", "Wheezing", "Stridor", "Throat tightness", "Syncope"}
    kinds = set()
    for patient in patients("anaphylaxis"):
        within = bool(breath & hours_of_findings(patient).keys())
        assert (pathway_of(patient, calm).id == "anaphylaxis") is within
        assert ("adrenaline" in acuity(patient, calm).life_saving) is within
        kinds.add(within)
    assert kinds == {True, False}


def test_a_bleed_in_the_brain_without_a_deficit_is_no_stroke_call() -> None:
    deficits = {"Hemiparesis", "Facial palsy", "Aphasia", "Dysarthria", "Visual loss"}
    for patient in patients("intracerebral-haemorrhage"):
        there = bool(deficits & hours_of_findings(patient).keys())
        assert (pathway_of(patient).id == "stroke") is (
            there and values_on_arrival(patient)["hours"] <= 24
        )


def test_a_hyperosmolar_state_meets_its_own_criteria() -> None:
    for patient in patients("hyperosmolar-hyperglycaemic-state", 20):
        values = values_on_arrival(patient)
        met = values["glucose"] > 540 or (values["glucose"] >= 450 and values["gcs"] < 15)
        assert (pathway_of(patient).id == "diabetic emergency") is met


def isolating(one: MadeTask, **changed: str) -> JudgedEpisode:
    """The reference plan, an isolation besides, and the right answer but for what is changed."""
    case, box, turns = TriageCase(one.record), Toolbox(make_tools()), []
    isolation = {"name": "activate_pathway", "arguments": {"pathway": "isolation"}}
    for move in (*one.gold["plan"], [isolation]):
        for call in move:
            tool = box.get(call["name"])
            assert tool is not None
            case.writable = tool.writes
            tool.call(dict(call["arguments"]), case)
        case.end_turn()
        turns.append(
            Turn("", calls=tuple(Call(each["name"], each["arguments"], ok=True) for each in move))
        )
    answer = {**one.gold["answer"], "cited_findings": one.gold["cite"], **changed}
    turns.append(Turn("", calls=(Call("submit_answer", answer, ok=True),), answer=answer))
    return JudgedEpisode(JUDGE, Episode(task_of(SPEC, one), case, turns, answer, "answered"))


@pytest.mark.parametrize(
    ("condition", "label"),
    [
        ("viral-gastroenteritis", "5"),
        ("hand-foot-and-mouth-disease", "5"),
        ("influenza", "4"),
        ("febrile-neutropenia", "2"),
    ],
)
def test_isolating_who_may_infect_is_neither_asked_for_nor_blamed(
    condition: str, label: str
) -> None:
    drafts = (TaskDraft(label, seed_of("train", number), "train") for number in range(60))
    made = (made for draft in drafts if (made := make_task(draft, condition)) is not None)
    one = next(each for each in made if isolating(each).perfect)
    if label > "2":
        assert isolating(one, pathway="isolation").perfect
        assert isolating(one, disposition="standard bed").perfect
    assert not isolating(one, disposition="fast track" if label == "2" else "resuscitation").perfect


def test_isolating_who_infects_nobody_is_blamed() -> None:
    drafts = (TaskDraft("4", seed_of("train", number), "train") for number in range(60))
    one = next(made for each in drafts if (made := make_task(each, "gout")) is not None)
    assert not isolating(one).perfect
    assert JUDGE.accuracy(isolating(one, pathway="isolation"))["pathway"] == 0
