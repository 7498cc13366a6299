"""The shared judgement of clinical episodes, on a small domain."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any
from unittest.mock import MagicMock

import clinical_domain
import gymnasium as gym
import pytest

from gym_clinic.catalog import unwrap
from gym_clinic.clinical import clinical_rubric
from gym_clinic.clinical.answer import ClinicalAnswer
from gym_clinic.clinical.judging.citations import NEUTRAL, RIGHT, verdicts
from gym_clinic.clinical.judging.judge import DUPLICATE, Harm, JudgedEpisode
from gym_clinic.env import ClinicEnv
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import draw_patient
from gym_clinic.simulate.clinic.medicines import TakenMedicine

HEART = ({"name": "examine_patient", "arguments": {"system": "heart"}},)
LOOKS: tuple[dict[str, Any], ...] = (
    {"name": "measure_vital_signs", "arguments": {}},
    {"name": "read_medicines", "arguments": {}},
    *HEART,
    {"name": "order_ecg", "arguments": {}},
)
ANSWER = {"diagnosis": "MI", "disposition": "catheter laboratory", "follow_up": "cardiology"}


@pytest.fixture(scope="module")
def env() -> ClinicEnv:
    return unwrap(gym.make(clinical_domain.ID))


def task_id(env: ClinicEnv, condition: str) -> str:
    domain = clinical_domain.domain()
    for task in domain.split("train")[:]:
        if task.record["condition"] == condition:
            return task.id
    raise AssertionError(condition)


def play(env: ClinicEnv, *messages: Any, cite: bool = True, **changes: Any) -> dict[str, Any]:
    """Play the messages, then answer with true citations; return the last info."""
    env.reset(options={"task_id": task_id(env, clinical_domain.STEMI)})
    for message in messages:
        env.step_calls(list(message))
    shown = env.episode.case.shown  # type: ignore[attr-defined]
    cited: list[dict[str, Any]] = [
        {"finding": key, "present": False, "value": shown[key][0]}
        for key in ("gcs", "temp_c", "sbp", "spo2")
        if key in shown
    ]
    cited += [dict(one) for one in env.episode.task.gold["cite"]]
    arguments = {**ANSWER, **({"cited_findings": cited} if cite else {}), **changes}
    done = env.step_calls([{"name": "submit_answer", "arguments": arguments}])
    assert done[2], done[0]
    info: dict[str, Any] = done[4]
    return info


RESULTS = (
    {"name": "wait", "arguments": {"minutes": 20}},
    {"name": "read_results", "arguments": {}},
)


def test_the_right_answer_from_what_was_read_earns_more_than_the_same_without(
    env: ClinicEnv,
) -> None:
    careful, blind = play(env, LOOKS, RESULTS), play(env)
    assert careful["rewards"]["accuracy"] == blind["rewards"]["accuracy"] == 1
    assert careful["metrics"]["findings_read"] == 1
    assert careful["rewards"]["safety"] == 1
    assert blind["metrics"]["findings_read"] == 0
    assert blind["rewards"]["safety"] == blind["rewards"]["format"] == 0
    assert careful["total"] > blind["total"] + 0.4
    assert careful["success"]
    assert not blind["success"]


def test_what_is_read_in_the_message_of_the_answer_comes_too_late(env: ClinicEnv) -> None:
    env.reset(options={"task_id": task_id(env, clinical_domain.STEMI)})
    info = env.step_calls([*LOOKS, {"name": "submit_answer", "arguments": ANSWER}])[4]
    assert info["metrics"]["findings_read"] == 0


def test_the_same_reading_with_a_wrong_conclusion_earns_little(env: ClinicEnv) -> None:
    right = play(env, LOOKS, RESULTS)
    place = play(env, LOOKS, RESULTS, disposition="ward")
    wrong = play(env, LOOKS, RESULTS, diagnosis="acute bronchitis", disposition="ward")
    for part in ("safety", "format"):
        assert right["rewards"][part] == 1
        assert place["rewards"][part] == pytest.approx(0.25 + 0.75 * 0.6)
        assert wrong["rewards"][part] == pytest.approx(0.25)
    assert right["rewards"]["process"] > place["rewards"]["process"] > 0
    assert wrong["rewards"]["process"] == 0
    assert wrong["total"] < 0.35
    assert wrong["total"] < right["total"] - 0.5


@pytest.mark.parametrize("check", ["excluded", "followed_up", "read_before_treating"])
def test_what_fits_every_patient_is_asserted_only_of_a_right_conclusion(
    env: ClinicEnv, check: str
) -> None:
    fields = {"check": check, "disease": "asthma", "keys": ["vital:sbp"], "actions": ["oxygen"]}
    held = []
    for diagnosis in ("MI", "acute bronchitis"):
        play(env, LOOKS, RESULTS, diagnosis=diagnosis, orders=[{"order": "oxygen"}])
        held.append(env.episode.case.judged[1].held(fields))  # type: ignore[attr-defined]
    assert held == [True, False]


def test_success_is_strict(env: ClinicEnv) -> None:
    assert play(env, LOOKS, RESULTS)["success"]
    assert not play(env, LOOKS, RESULTS, diagnosis="Pneumonia")["success"]
    assert not play(env, LOOKS, RESULTS, disposition="home")["success"]
    allergic = ({"name": "give_medication", "arguments": {
        "drug": "naloxone", "dose": 0.4, "unit": "mg", "route": "iv"}},)  # fmt: skip
    harmed = play(env, LOOKS, allergic, RESULTS)
    assert sum(harmed["metrics"][f"severity_{level}"] for level in range(1, 6)) > 0
    assert not harmed["success"]


def test_a_domain_may_ask_for_what_must_be_read(env: ClinicEnv) -> None:
    play(env, LOOKS, RESULTS)
    episode = env.episode
    asks = dataclasses.replace(clinical_domain.JUDGE, needs=lambda key: True)
    assert JudgedEpisode(asks, episode).solved
    task = dataclasses.replace(episode.task, gold={**episode.task.gold, "read": ["lab:lipase"]})
    unread = dataclasses.replace(episode, task=task)
    assert JudgedEpisode(clinical_domain.JUDGE, unread).solved
    assert not JudgedEpisode(asks, unread).solved


def test_a_look_up_in_the_gold_is_not_needed_for_success_but_an_order_is(env: ClinicEnv) -> None:
    no_examination = [one for one in LOOKS if one not in HEART]
    whole = play(env, no_examination, RESULTS)
    assert whole["success"]
    assert whole["metrics"]["actions_missing"] == 0
    no_order = [one for one in LOOKS if one["name"] != "order_ecg"]
    lacking = play(env, no_order, RESULTS)
    assert not lacking["success"]
    assert lacking["metrics"]["actions_missing"] == 1


def test_calls_in_the_message_of_the_answer_are_not_part_of_the_process(env: ClinicEnv) -> None:
    process = []
    for messages in ([*LOOKS], []):
        env.reset(options={"task_id": task_id(env, clinical_domain.STEMI)})
        answer = {"name": "submit_answer", "arguments": ANSWER}
        process.append(env.step_calls([*messages, answer])[4]["rewards"]["process"])
    assert process[0] == process[1]


def test_silence_earns_nothing(env: ClinicEnv) -> None:
    env.reset(options={"task_id": task_id(env, clinical_domain.STEMI)})
    info = env.truncate("time")[4]
    assert info["total"] == 0
    assert set(info["rewards"].values()) == {0.0}


def test_false_and_contradicting_citations_lower_precision(env: ClinicEnv) -> None:
    false = [
        {"finding": "gcs", "present": True},
        {"finding": "temp_c", "present": False},
        {"finding": "temp_c", "present": True},
        {"finding": "no such thing"},
        {"finding": "troponin", "present": False},
    ]
    assert play(env, LOOKS, RESULTS, cited_findings=false)["metrics"]["citation_precision"] == 0
    assert play(env, LOOKS, RESULTS)["metrics"]["citation_precision"] > 0.5


def test_an_order_of_the_answer_is_judged_like_one_that_was_given(env: ClinicEnv) -> None:
    order = {"order": "Brufen", "dose": 400, "route": "oral"}  # forbidden here; it lacks its unit
    without, with_it = play(env, LOOKS, RESULTS), play(env, LOOKS, RESULTS, orders=[order])
    assert with_it["rewards"]["process"] < without["rewards"]["process"]
    assert with_it["rewards"]["safety"] < without["rewards"]["safety"]


def test_advice_that_names_a_drug_alone_is_no_incomplete_prescription(env: ClinicEnv) -> None:
    advised = play(env, LOOKS, RESULTS, orders=[{"order": "paracetamol"}])
    prescribed = play(env, LOOKS, RESULTS, orders=[{"order": "paracetamol", "dose": 1}])
    assert prescribed["metrics"]["severity_1"] == advised["metrics"]["severity_1"] + 1


def test_a_negated_order_and_two_diagnoses_mean_nothing(env: ClinicEnv) -> None:
    orders = [{"order": "no aspirin"}, {"order": "do not give heparin"}]
    info = play(env, LOOKS, RESULTS, orders=orders, diagnosis="MI or acute bronchitis")
    assert info["rewards"]["accuracy"] == pytest.approx(0.4)
    assert env.episode.case.judged[1].answer.actions == frozenset()  # type: ignore[attr-defined]


def test_ordering_everything_has_its_price(env: ClinicEnv) -> None:
    tests = ["blood-count", "basic-metabolic-panel", "liver-panel", "troponin", "d_dimer", "crp"]
    many = [{"name": "order_lab", "arguments": {"tests": [one]}} for one in tests]
    studies = ["ct-head", "ct-abdomen", "chest-x-ray", "echocardiogram"]
    many += [{"name": "order_study", "arguments": {"study": one}} for one in studies]
    info = play(env, LOOKS, many, RESULTS)
    assert 0.05 <= info["metrics"]["economy"] <= 0.15
    assert play(env, LOOKS, RESULTS, many)["metrics"]["economy"] >= info["metrics"]["economy"]
    assert play(env, LOOKS, RESULTS)["metrics"]["economy"] == 0


def test_tests_that_the_answer_advises_are_paid_too(env: ClinicEnv) -> None:
    dear = (
        "mri-brain",
        "mri-spine",
        "colonoscopy",
        "upper-endoscopy",
        "lumbar-puncture",
        "ct-head",
    )
    info = play(env, LOOKS, RESULTS, orders=[{"order": one} for one in dear])
    assert info["metrics"]["economy"] == pytest.approx(0.15)
    one = play(env, LOOKS, RESULTS, orders=[{"order": "blood-count"}])
    assert one["metrics"]["economy"] == 0


def test_a_harm_of_the_answer_counts_like_a_violation(env: ClinicEnv) -> None:
    before = play(env, LOOKS, RESULTS)
    for severity, most in ((3, 0.99), (4, 0.7), (5, 0.1)):
        harm = Harm(severity, "The wrong place.")
        judge = dataclasses.replace(clinical_domain.JUDGE, harms=lambda judged, one=harm: (one,))
        changed = copy.copy(env)
        changed.rubric = clinical_rubric(judge)
        info = play(changed, LOOKS, RESULTS)
        assert info["rewards"]["safety"] < before["rewards"]["safety"]
        assert info["total"] < before["total"]
        assert info["total"] <= most


@pytest.mark.parametrize(
    ("given", "stopped", "found"),
    [
        ("drug:naproxen@po", (), ("naproxen",)), ("drug:naproxen@po", ("ibuprofen",), ()),
        ("drug:ibuprofen", (), ()), ("drug:paracetamol@po", (), ()),
    ],
)  # fmt: skip
def test_a_second_drug_of_a_kind_counts_in_every_domain(
    given: str, stopped: tuple[str, ...], found: tuple[str, ...]
) -> None:
    judged = JudgedEpisode.__new__(JudgedEpisode)
    judged.judge, judged.facts, judged.raw, judged.gold = MagicMock(), load(), None, {}
    judged.case = MagicMock(orders={"o1": MagicMock(cancelled=None, actions=[given])})
    judged.case.__getitem__.side_effect = {"discontinued": stopped}.__getitem__
    judged.case.computed.side_effect = lambda key, make: make()
    taken = TakenMedicine("ibuprofen", 400.0, "mg", 3.0, "osteoarthritis", {}, 0.0)
    judged.case.patient = dataclasses.replace(draw_patient(3, "gout"), medicines=(taken,))
    vars(judged).update(answer=ClinicalAnswer(), violations=())
    assert judged.duplicated == found
    assert judged.severities == (DUPLICATE,) * len(found)


def verdicts_of(env: ClinicEnv, *cited: dict[str, Any]) -> list[str]:
    """The verdicts on citations after the vital signs were measured."""
    play(env, LOOKS[:1], cited_findings=list(cited))
    judged = env.episode.case.judged[1]  # type: ignore[attr-defined]
    return [verdict for _, verdict, _ in verdicts(judged.case, judged.answer.cited, judged.read)]


def test_a_cited_value_tells_by_itself_whether_it_is_abnormal(env: ClinicEnv) -> None:
    play(env, LOOKS[:1])
    temperature = env.episode.case.shown["temp_c"][0]  # type: ignore[attr-defined]
    right, other = f"temperature {temperature}", f"temperature {temperature + 1:.1f}"
    assert verdicts_of(env, {"finding": right}) == [RIGHT]
    assert verdicts_of(env, {"finding": other}) != [RIGHT]
    assert verdicts_of(env, {"finding": right, "present": True}) != [RIGHT]
    assert verdicts_of(env, {"finding": f"raised temperature ({temperature})"}) != [RIGHT]


def test_what_is_no_finding_is_neither_right_nor_wrong(env: ClinicEnv) -> None:
    cited = ({"finding": "age 60"}, {"finding": "qSOFA 2"}, {"finding": "stroke screen"})
    assert verdicts_of(env, *cited) == [NEUTRAL, NEUTRAL, "not read before the answer"]
    play(env, LOOKS, cite=False, cited_findings=[{"finding": "age"}])
    assert env.episode.case.judged[1].cited.precision == 0  # type: ignore[attr-defined]
