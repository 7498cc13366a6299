from __future__ import annotations

import json

import gymnasium as gym
import pytest

from gym_clinic import ConfigError, ServiceError
from gym_clinic.consult import make_consultant
from gym_clinic.domains.clingen.curation import Curation, gold_calls
from gym_clinic.domains.clingen.evidence import CATEGORIES, SUBTYPES
from gym_clinic.domains.clingen.subagents import (
    OFFLINE,
    EvidenceReport,
    make_question,
    make_report,
)

ID = "clinic/ClinGen-v0"


@pytest.fixture(scope="module")
def tasks():
    return gym.make(ID, split="dev").unwrapped.tasks


def recorded_report(category, case, pmid):
    reply = OFFLINE["recorded"].ask(make_question(category, case, pmid), case)
    return make_report(category, pmid, reply)


def test_the_recorded_annotation_answers_for_every_category(tasks):
    for task in tasks[:50]:
        case = Curation(task)
        wanted = {(call[0], call[1]) for call in gold_calls(task)}
        for article in task.record["articles"]:
            for category in CATEGORIES.values():
                report = recorded_report(category, case, article["pmid"])
                assert report.has_evidence == ((category.agent, article["pmid"]) in wanted)
                assert report.evidence_type == category.key


def test_two_subtypes_of_one_category_come_as_a_list(tasks):
    listed = 0
    for task in tasks:
        case = Curation(task)
        for call in gold_calls(task):
            category = next(one for one in CATEGORIES.values() if one.agent == call[0])
            report = recorded_report(category, case, call[1])
            keys = [
                item["subtype"]
                for item in task.gold["evidence"]
                if item["pmid"] == call[1] and SUBTYPES[item["subtype"]].category == category.key
            ]
            assert sorted(report.labels) == sorted(SUBTYPES[key].label for key in keys)
            assert isinstance(report.evidence_subtype, list) == (len(keys) > 1)
            listed += len(keys) > 1
    assert listed > 0


def report(**change):
    body = {"has_evidence": True, "evidence_subtype": ["patient cells"], "explanation": "Seen."}
    return json.dumps(body | change)


@pytest.fixture(scope="module")
def question(tasks):
    case = Curation(tasks[0])
    pmid = tasks[0].record["articles"][0]["pmid"]
    return make_question(CATEGORIES["FunctionalAlteration"], case, pmid)


@pytest.mark.parametrize(
    "said", ["patient cells", "Patient cells", "Functional Alteration Patient cells"]
)
def test_a_model_may_name_a_subtype_in_its_category(said, question):
    for subtype in (said, [said]):
        reply = question.read(report(evidence_subtype=subtype))
        made = make_report(CATEGORIES["FunctionalAlteration"], "7", reply)
        assert made.labels == ["Functional Alteration Patient cells"]
        assert made.evidence_subtype == "patient cells"
        assert made.pmid == "7"


def test_subtypes_come_in_the_order_of_the_category_and_once(question):
    said = ["non-patient cells", "patient cells", "Patient Cells"]
    reply = question.read(report(evidence_subtype=said))
    assert reply.evidence_subtype == ["patient cells", "non-patient cells"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("yes", "not valid JSON"),
        (report(evidence_subtype=["rescue in human"]), "no subtype of Functional Alteration"),
        (report(evidence_subtype=["A"]), "no subtype of Functional Alteration"),
        (report(has_evidence=False), "contradict"),
        (report(evidence_subtype=[]), "contradict"),
        (report(evidence_subtype=None), "contradict"),
        (report(explanation=""), "explanation"),
        (json.dumps({"has_evidence": True}), "explanation"),
    ],
)
def test_a_model_outside_its_role_is_refused(text, said, question):
    with pytest.raises(ValueError, match=said):
        question.read(text)


def test_the_role_prompt_holds_the_role_its_subtypes_and_the_full_text(tasks):
    case = Curation(tasks[0])
    pmid = tasks[0].record["articles"][0]["pmid"]
    for category in CATEGORIES.values():
        system, user = make_question(category, case, pmid).messages()
        for subtype in category.subtypes:
            assert f'"{subtype.term}"' in system["content"]
        for name in ("has_evidence", "evidence_subtype", "explanation"):
            assert f"- {name} (" in system["content"]
        assert case.full_text(pmid) in user["content"]
        assert case.gene in system["content"]


def play_one_call(env):
    task = env.unwrapped.tasks[0]
    env.reset(options={"task_id": task.id})
    agent, pmid, pmcid, gene, disease = gold_calls(task)[0]
    arguments = {"pmid": pmid, "pmcid": pmcid, "gene": gene, "disease": disease}
    message = json.dumps({"name": agent, "arguments": arguments}, ensure_ascii=False)
    return env.step(f"<tool_call>{message}</tool_call>"), agent


def test_a_model_behind_a_server_is_a_sub_agent(chat_server):
    consultant = {"kind": "chat", "url": chat_server.url, "model": "m", "backoff": 0.01}
    env = gym.make(ID, split="dev", consultant=consultant)
    task = env.unwrapped.tasks[0]
    category = next(one for one in CATEGORIES.values() if one.agent == gold_calls(task)[0][0])
    good = report(evidence_subtype=category.subtypes[0].term)
    chat_server.script = [chat_server.answer("I am not sure."), chat_server.answer(good)]
    (observation, *_), _ = play_one_call(env)
    answered = json.loads(observation.removeprefix("<tool_response>\n").split("\n</tool")[0])
    assert EvidenceReport(**answered).labels == [category.subtypes[0].label]
    asked = chat_server.requests[0]["messages"]
    assert category.label in asked[0]["content"]
    assert "Not readable" in chat_server.requests[1]["messages"][-1]["content"]
    assert env.unwrapped.domain.blocking
    assert env.unwrapped.episode.case.usage["replies"] == 2


def test_a_failing_server_is_no_mistake_of_the_agent(chat_server):
    chat_server.script = [chat_server.status(500)]
    consultant = {
        "kind": "chat", "url": chat_server.url, "model": "m", "backoff": 0.01, "retries": 1,
    }  # fmt: skip
    env = gym.make(ID, split="dev", consultant=consultant)
    with pytest.raises(ServiceError, match="500"):
        play_one_call(env)
    assert env.unwrapped.episode.turns == []  # so that the same step can be tried again


@pytest.mark.parametrize(
    ("consultant", "said"),
    [
        ("oracle", "consultant must be"),
        ({"kind": "human"}, "consultant must be"),
        ({"kind": "chat", "url": "http://127.0.0.1:1", "model": "m", "key": 1}, "'key'"),
        ({"kind": "chat", "model": "m"}, "'url'"),
        (
            {"kind": "chat", "url": "http://127.0.0.1:1", "model": "m", "api_key": "s"},
            "api_key_env",
        ),
    ],
)
def test_a_wrong_consultant_says_what_would_be_right(consultant, said):
    with pytest.raises(ConfigError, match=said):
        make_consultant(consultant, OFFLINE)
