"""The single agent: it opens full texts and answers with class and evidence."""

from __future__ import annotations

import json

import gymnasium as gym
import pytest

from gym_clinic.domains.clingen.curation import gold_evidence
from gym_clinic.domains.clingen.evidence import CLASSES


@pytest.fixture(scope="module")
def single():
    return gym.make("clinic/ClinGenSingle-v0", split="dev")


def open_task(env, number=0):
    task = env.unwrapped.tasks[number]
    env.reset(options={"task_id": task.id})
    return task


def answer(task, **change):
    items = [{"type": label, "pmid": pmid} for pmid, label in sorted(gold_evidence(task))]
    body = {"classification": task.gold["classification"], "evidence": items} | change
    return json.dumps(body)


def opened(pmid):
    return f'<tool_call>{{"name": "get_full_text", "arguments": {{"pmid": "{pmid}"}}}}</tool_call>'


def test_full_text_then_the_structured_answer(single):
    task = open_task(single)
    calls = [opened(one["pmid"]) for one in task.record["articles"]]
    observation = single.step("\n".join(calls))[0]
    assert observation.count("<tool_response>") == len(calls)
    for one in task.record["articles"]:
        assert one["title"] in observation
    fenced = "```json\n" + answer(task) + "\n```"
    _, reward, done, _, info = single.step(f"<think>…</think>{fenced}")
    assert done
    assert reward == 1.0
    assert info["metrics"]["evidence_f1"] == 1.0


def test_a_missed_subtype_costs_by_the_cube_of_f1(single):
    number, task = next(
        (number, task)
        for number, task in enumerate(single.unwrapped.tasks)
        if len(gold_evidence(task)) == 2
    )
    open_task(single, number)
    (pmid, label), _ = sorted(gold_evidence(task))
    single.step(opened(pmid))
    text = answer(task, evidence=[{"type": label, "pmid": pmid}])
    _, _, done, _, info = single.step(text)
    assert done
    assert info["rewards"]["process"] == pytest.approx(2 * ((2 / 3) ** 3 - 0.5))


def test_a_claim_about_an_unopened_article_counts_and_matches_nothing(single):
    number, task = next(
        (number, task)
        for number, task in enumerate(single.unwrapped.tasks)
        if len(gold_evidence(task)) == 2 and len({pmid for pmid, _ in gold_evidence(task)}) == 2
    )
    (pmid, _), _ = sorted(gold_evidence(task))
    processes = []
    for action in (opened(pmid), opened("SIM0"), None):
        open_task(single, number)
        if action:
            single.step(action)
        _, reward, done, _, info = single.step(answer(task))
        assert done
        processes.append(info["rewards"]["process"])
        assert info["metrics"]["evidence_f1"] == 1.0
    # One of two claims was read; then none: precision and recall are each a half, then nought.
    assert processes == pytest.approx([2 * (0.5**3 - 0.5), -1.0, -1.0])


@pytest.mark.parametrize(
    "change",
    [
        {"classification": "Certain"},
        {"classification": None},
        {"evidence": "none"},
        {"evidence": [{"type": "Rescue in a dream", "pmid": "1"}]},
        {"evidence": [{"type": "Rescue in human"}]},
        {"note": "extra"},
    ],
)
def test_a_wrong_answer_is_told_what_was_expected(single, change):
    task = open_task(single)
    observation, _, done, _, _ = single.step(answer(task, **change))
    assert not done
    assert observation.startswith("Error: ")


def test_an_answer_with_every_class_is_refused(single):
    task = open_task(single)
    both = "\n".join(answer(task, classification=label) for label in CLASSES)
    observation, _, done, _, _ = single.step(both)
    assert not done
    assert "not valid JSON" in observation
