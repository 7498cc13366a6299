"""The debrief of a clinical episode says item by item what the judge found."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import clinical_domain
import gymnasium as gym
import pytest

from gym_clinic.catalog import unwrap
from gym_clinic.clinical import JudgedEpisode
from gym_clinic.evaluate.clinical_debrief import NO, YES, _in_words, explain
from gym_clinic.facts import load

CITED = [
    {"finding": "systolic blood pressure", "present": False, "value": 1},
    {"finding": "examination of the heart", "present": True},
    {"finding": "aura of doom", "present": True},
    {"finding": "chest pain", "present": True},
]


def tables(*calls: tuple[str, dict[str, Any]], cited: Any = CITED) -> dict[str, Any]:
    """Title -> rows of the debrief of an infarction after calls and a wrong answer."""
    return {one.title: one.rows for one in explain(judged_of(*calls, cited=cited))}


def judged_of(*calls: tuple[str, dict[str, Any]], cited: Any = CITED) -> JudgedEpisode:
    """The judgement of an infarction after calls and a wrong answer."""
    env = unwrap(gym.make(clinical_domain.ID, split="train"))
    task = next(one for one in env.tasks if one.record["condition"] == clinical_domain.STEMI)
    env.reset(options={"task_id": task.id})
    answer = {"diagnosis": "acute bronchitis", "disposition": "catheter laboratory",
              "cited_findings": cited,
              "orders": [{"order": "ibuprofen 400 mg"}]}  # fmt: skip
    for name, arguments in (*calls, ("submit_answer", answer)):
        call = json.dumps({"name": name, "arguments": arguments})
        over = env.step(f"<tool_call>{call}</tool_call>")[2]
    assert over
    judged = env.episode.case.judged[1]  # type: ignore[attr-defined]
    assert isinstance(judged, JudgedEpisode)
    return judged


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return tables(("measure_vital_signs", {}))


def test_each_part_of_the_answer_has_its_share(found: dict[str, Any]) -> None:
    assert found["The answer"] == (
        ("diagnosis", "0.00", "0.6", "+0.000"),
        ("disposition", "1.00", "0.4", "+0.400"),
        ("accuracy", "", "", "0.400"),
    )


def test_what_was_read_and_what_was_not(found: dict[str, Any]) -> None:
    assert found["To be read before the answer"] == (
        (YES, "systolic blood pressure"), (NO, "examination of the heart"), (NO, "ecg"),
    )  # fmt: skip


def test_a_wrong_citation_is_told_with_its_reason_and_a_missing_one_is_named(
    found: dict[str, Any],
) -> None:
    verdicts = {row[1]: row[0] for row in found["Citations"]}
    assert verdicts["systolic blood pressure"] == "not so in this patient"
    assert verdicts["examination of the heart"] == "not read before the answer"
    assert verdicts["aura of doom"] == "unknown name"
    assert verdicts["ecg"] == "missing"
    both = tables(("measure_vital_signs", {}), cited=[{"finding": "pulse", "present": one}
                                                       for one in (True, False)])  # fmt: skip
    assert {row[0] for row in both["Citations"]} == {
        "cited both as there and as not there", "missing"
    }  # fmt: skip


def test_assertions_and_harms_are_told(found: dict[str, Any]) -> None:
    assert found["Assertions"] == ((YES, "Looked."),)
    assert tables()["Assertions"] == ((NO, "Looked."),)
    assert ("", "wrong in this patient", "drug:ibuprofen") in found["Harms"]


def test_what_success_lacks_is_named() -> None:
    ecg = ("order_ecg", {})
    assert tables()["Missing for success"] == (("not ordered", "order_study: ecg"),)
    assert "Missing for success" not in tables(ecg)
    judged = judged_of(ecg)
    asks = dataclasses.replace(judged.judge, needs=lambda key: key == "vital:sbp")
    rows = {one.title: one.rows for one in explain(JudgedEpisode(asks, judged.episode))}
    assert rows["Missing for success"] == (("not read", "systolic blood pressure"),)


def test_what_waits_for_a_right_conclusion_is_not_called_wrong() -> None:
    judged, text = judged_of(("measure_vital_signs", {})), "not counted: the diagnosis is wrong"
    assertions = [{"check": "followed_up", "text": "Seen again."}]
    gold = {**judged.gold, "assertions": assertions}
    task = dataclasses.replace(judged.episode.task, gold=gold)

    def accuracy(one: JudgedEpisode) -> dict[str, float]:
        right, place = judged.judge.accuracy(one).values()
        return {"diagnosis": right, "disposition": right * place}

    judge = dataclasses.replace(judged.judge, accuracy=accuracy)
    sound = {"finding": "systolic blood pressure"}
    for follow_up, place, answer, assertion in (
        ("In a week.", "catheter laboratory", text, text),
        ("", "ward", "0.00", NO),  # wrong by themselves
    ):
        raw = {**(judged.raw or {}), "follow_up": follow_up, "disposition": place,
               "cited_findings": [sound]}  # fmt: skip
        episode = dataclasses.replace(judged.episode, task=task, answer=raw)
        rows = {one.title: one.rows for one in explain(JudgedEpisode(judge, episode))}
        assert [row[:3] for row in rows["The answer"]][:2] == [
            ("diagnosis", "0.00", "0.6"), ("disposition", answer, "0.4"),
        ]  # fmt: skip
        assert rows["Assertions"] == ((assertion, "Seen again."),)


@pytest.mark.parametrize("read", [True, False])
def test_who_read_before_a_treatment_that_is_not_right_is_told_so(read: bool) -> None:
    judged = judged_of(*((("read_allergies", {}),) if read else ()))
    asked = {"check": "read_before_treating", "keys": ["record:allergies"],
             "actions": ["drug:aspirin"], "text": "Read first."}  # fmt: skip
    gold = {**judged.gold, "assertions": [asked]}
    task = dataclasses.replace(judged.episode.task, gold=gold)
    episode = dataclasses.replace(judged.episode, task=task)
    rows = {one.title: one.rows for one in explain(JudgedEpisode(judged.judge, episode))}
    ((holds, text),) = rows["Assertions"]
    assert (holds, "no treatment that is right was recognised" in text) == (NO, read)


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("told:medicines", "asked: all medicines"),
        ("lookup:interaction:amlodipine", "looked up: interaction, amlodipine"),
        ("record:history:habits", "record: habits"),
        ("kind:letter", "document: letter"),
        ("site:abdomen", "examination of the abdomen"),
        ("site:obstetric", "obstetric examination"),
    ],
)
def test_what_was_to_be_read_is_told_in_words(key: str, words: str) -> None:
    assert _in_words(load(), key) == words
    onset = f"onset:{load().finding_ids['Fever']}"
    assert _in_words(load(), onset) == "when it began: Fever"
