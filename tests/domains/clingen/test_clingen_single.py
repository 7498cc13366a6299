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


@pytest.mark.parametrize("read", ["nothing", "an unknown article", "one article"])
def test_the_right_class_is_worth_nothing_unless_an_article_was_opened(single, read):
    task = open_task(single)
    first = task.record["articles"][0]["pmid"]
    if read != "nothing":
        single.step(opened(first if read == "one article" else "SIM0"))
    _, reward, done, _, info = single.step(answer(task, evidence=[]))
    assert done
    assert info["rewards"]["process"] == -1.0
    assert not info["success"]
    assert info["metrics"]["outcome_accuracy"] == 1.0
    assert info["rewards"]["outcome"] == (1.0 if read == "one article" else -1.0)
    assert reward == (0.0 if read == "one article" else -1.0)


def several(single):
    """A task whose evidence comes from several articles, and its pairs by article."""
    for number, task in enumerate(single.unwrapped.tasks):
        pairs = sorted(gold_evidence(task))
        if len({pmid for pmid, _ in pairs}) > 1:
            return number, task, pairs
    raise AssertionError("no task has evidence in two articles")


def test_a_missed_subtype_costs_by_the_cube_of_f1(single):
    number, task, (missed, *rest) = several(single)
    open_task(single, number)
    single.step("\n".join(opened(pmid) for pmid in dict.fromkeys(pmid for pmid, _ in rest)))
    text = answer(task, evidence=[{"type": label, "pmid": pmid} for pmid, label in rest])
    _, _, done, _, info = single.step(text)
    assert done
    assert missed not in rest
    f1 = 2 * len(rest) / (2 * len(rest) + 1)
    assert info["rewards"]["process"] == pytest.approx(2 * (f1**3 - 0.5))


def test_a_claim_about_an_unopened_article_counts_and_matches_nothing(single):
    number, task, pairs = several(single)
    read = pairs[0][0]
    processes = []
    for action in (opened(read), opened("SIM0"), None):
        open_task(single, number)
        if action:
            single.step(action)
        _, _, done, _, info = single.step(answer(task))
        assert done
        processes.append(info["rewards"]["process"])
        assert info["metrics"]["evidence_f1"] == 1.0
    # As many claims as pairs, so precision, recall and F1 are the share that was read.
    share = sum(pmid == read for pmid, _ in pairs) / len(pairs)
    assert processes == pytest.approx([2 * (share**3 - 0.5), -1.0, -1.0])


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
