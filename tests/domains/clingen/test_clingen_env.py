from __future__ import annotations

import json
import re

import gymnasium as gym
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic import ConfigError, policies
from gym_clinic.domains.clingen import process_reward
from gym_clinic.domains.clingen.curation import gold_calls
from gym_clinic.domains.clingen.evidence import CATEGORIES, CLASSES
from gym_clinic.policies import Playbook, load, scripted
from gym_clinic.taskset import first

ID, SINGLE = "clinic/ClinGen-v0", "clinic/ClinGenSingle-v0"


@pytest.fixture(scope="module")
def env():
    return gym.make(ID, split="dev")


def open_task(env, number=0):
    task = env.unwrapped.tasks[number]
    env.reset(options={"task_id": task.id})
    return task


def block(call, **change):
    agent, pmid, pmcid, gene, disease = call
    arguments = {"pmid": pmid, "pmcid": pmcid, "gene": gene, "disease": disease} | change
    message = json.dumps({"name": agent, "arguments": arguments}, ensure_ascii=False)
    return f"<tool_call>\n{message}\n</tool_call>"


def responses(observation):
    found = re.findall(r"<tool_response>\n(.*?)\n</tool_response>", observation, re.S)
    return [json.loads(text) if text.startswith("{") else text for text in found]


def test_the_tools_are_the_six_sub_agents_of_the_paper(env):
    _, info = env.reset(seed=0)
    named = [tool["function"]["name"] for tool in info["tools"]]
    assert named == [
        "ExperimentalEvidence_BiochemicalFunction_agent",
        "ExperimentalEvidence_ProteinInteraction_agent",
        "ExperimentalEvidence_GeneExpression_agent",
        "ExperimentalEvidence_FunctionalAlteration_agent",
        "ExperimentalEvidence_ModelSystem_agent",
        "ExperimentalEvidence_Rescue_agent",
    ]
    for tool in info["tools"]:
        assert tool["function"]["parameters"]["required"] == ["pmid", "pmcid", "gene", "disease"]


def test_a_gold_call_brings_back_what_the_curators_recorded(env):
    task = open_task(env)
    (call, *_) = gold_calls(task)
    observation, reward, done, cut, _ = env.step(block(call))
    (report,) = responses(observation)
    assert list(report) == [
        "evidence_type", "has_evidence", "pmid", "evidence_subtype", "explanation",
    ]  # fmt: skip
    assert report["has_evidence"] is True
    assert report["pmid"] == call[1]
    assert CATEGORIES[report["evidence_type"]].agent == call[0]
    assert (reward, done, cut) == (0.0, False, False)


def test_every_report_of_gold_evidence_survives_the_cut_at_2048_characters(env):
    for number, task in enumerate(env.unwrapped.tasks):
        open_task(env, number)
        observation = env.step("\n".join(map(block, gold_calls(task))))[0]
        assert "...(truncated)..." not in observation
        assert all(report["has_evidence"] for report in responses(observation))


def test_a_response_is_cut_in_the_middle():
    env = gym.make(ID, split="dev", response_limit=100)
    task = open_task(env)
    observation = env.step(block(gold_calls(task)[0]))[0]
    body = observation.removeprefix("<tool_response>\n").removesuffix("\n</tool_response>")
    head, tail = body.split("...(truncated)...")
    assert (len(head), len(tail)) == (50, 50)


def test_a_call_that_was_not_needed_finds_nothing_and_tells_no_genetics(env):
    task = open_task(env)
    _, pmid, pmcid, gene, disease = gold_calls(task)[0]
    needed = {call[0] for call in gold_calls(task) if call[1] == pmid}
    agent = next(one.agent for one in CATEGORIES.values() if one.agent not in needed)
    (report,) = responses(env.step(block((agent, pmid, pmcid, gene, disease)))[0])
    assert report["has_evidence"] is False
    assert report["evidence_subtype"] is None
    assert not re.search(r"proband|point|genetic", report["explanation"])


@pytest.mark.parametrize(
    ("argument", "value", "said"),
    [
        ("pmid", "12345678", "no article '12345678'"),
        ("pmcid", "PMC1", "on the ticket it is"),
        ("gene", "NOT1", "on the ticket it is"),
        ("disease", "influenza", "on the ticket it is"),
    ],
)
def test_a_call_about_something_else_fails_and_says_why(env, argument, value, said):
    task = open_task(env)
    observation = env.step(block(gold_calls(task)[0], **{argument: value}))[0]
    assert "Error: " in observation
    assert said in observation
    assert env.unwrapped.episode.calls[0].ok is False


def play(env, *actions):
    for action in actions:
        observation, reward, done, cut, info = env.step(action)
    assert done or cut
    return observation, reward, info


def test_golden_trajectory(env):
    task = open_task(env, 3)
    calls, label = gold_calls(task), task.gold["classification"]
    _, reward, info = play(
        env,
        "<think>The abstracts say enough.</think>\n" + "\n".join(map(block, calls)),
        f"<think>CLASSIFICATION: Limited?</think>The points decide.\nCLASSIFICATION: {label}",
    )
    assert reward == 1.0
    assert info["rewards"] == {"outcome": 1.0, "process": 1.0}
    assert info["weights"] == {"outcome": 0.5, "process": 0.5}
    assert info["total"] == 1.0
    assert info["success"] is True
    assert info["stop"] == "answered"
    assert info["metrics"] == {
        "outcome_accuracy": 1.0,
        "agent_call_accuracy": 1.0,
        "agent_call_f1": 1.0,
        "evidence_accuracy": 1.0,
        "evidence_f1": 1.0,
        "malformed_blocks": 0.0,
    }


def test_a_false_call_costs_call_accuracy_but_not_evidence_accuracy(env):
    task = open_task(env)
    calls = gold_calls(task)
    agents = {call[0] for call in calls if call[1] == calls[0][1]}
    extra = next(one.agent for one in CATEGORIES.values() if one.agent not in agents)
    sprayed = [*calls, (extra, *calls[0][1:])]
    right = f"CLASSIFICATION: {task.gold['classification']}"
    _, _, info = play(env, "\n".join(map(block, sprayed)), right)
    assert info["metrics"]["agent_call_accuracy"] == 0.0
    assert info["metrics"]["evidence_accuracy"] == 1.0
    assert info["rewards"]["process"] == pytest.approx(process_reward(sprayed, calls))


def test_unknown_agents_and_failed_calls_count_as_made(env):
    task = open_task(env)
    calls = gold_calls(task)
    answer = f"CLASSIFICATION: {task.gold['classification']}"
    made = [*calls, ("NoSuch_agent", *calls[0][1:])]
    _, _, info = play(env, "\n".join(map(block, made)), answer)
    assert info["rewards"]["process"] == pytest.approx(process_reward(made, calls))
    open_task(env)
    wrong = (*calls[0][:3], "OTHER", calls[0][4])
    _, _, info = play(env, "\n".join(map(block, [*calls, wrong])), answer)
    assert info["rewards"]["process"] == pytest.approx(process_reward([*calls, wrong], calls))


def test_malformed_blocks_are_charged_without_a_floor(env):
    task = open_task(env)
    calls = gold_calls(task)
    broken = ['<tool_call>{"name": "x", }</tool_call>', block(calls[0], pmid=None)] * 15
    answer = f"CLASSIFICATION: {task.gold['classification']}"
    _, reward, info = play(env, "\n".join([*map(block, calls), *broken]), answer)
    assert info["rewards"]["process"] == pytest.approx(1 - 0.1 * 30)
    assert info["metrics"]["malformed_blocks"] == 30.0
    assert reward == pytest.approx(0.5 * 1 + 0.5 * (1 - 3))


@pytest.mark.parametrize(
    "action",
    [
        "",
        "Definitive",
        "CLASSIFICATION: Disputed",
        "CLASSIFICATION: Definitive or Strong",
        "CLASSIFICATION: Definitive\nCLASSIFICATION: Strong",
        "CLASSIFICATION: Definitive\nCLASSIFICATION: Definitive",
        "<think>CLASSIFICATION: Definitive</think>",
        "<think>CLASSIFICATION: Definitive",
        "\n".join(f"CLASSIFICATION: {label}" for label in CLASSES),
    ],
)
def test_an_unreadable_classification_is_answered_and_earns_the_minimum(env, action):
    open_task(env)
    observation, reward, done, cut, _ = env.step(action)
    assert observation.startswith("Error: ")
    assert "CLASSIFICATION: <one of" in observation
    assert not done
    _, _, info = play(env, action)
    assert info["rewards"]["outcome"] == -1.0
    assert info["stop"] == "max_turns"
    assert info["success"] is False


def test_a_classification_beside_a_call_does_not_count(env):
    task = open_task(env)
    action = block(gold_calls(task)[0]) + f"\nCLASSIFICATION: {task.gold['classification']}"
    _, _, done, _, _ = env.step(action)
    assert not done


@pytest.mark.parametrize(
    "said",
    [
        "CLASSIFICATION: {}",
        "classification: {}.",
        "**CLASSIFICATION: {}**",
        "Because of this:\n  CLASSIFICATION:{}\n",
        "</think>CLASSIFICATION: {}",
    ],
)
def test_harmless_ways_of_writing_a_classification(env, said):
    task = open_task(env)
    _, _, done, _, info = env.step(said.format(task.gold["classification"].lower()))
    assert done
    assert info["rewards"]["outcome"] == 1.0
    assert info["rewards"]["process"] == -1.0


@given(st.data())
def test_the_reward_of_any_choice_of_calls_is_the_formula(data):
    env = gym.make(ID, split="dev")
    task = open_task(env, data.draw(st.integers(0, 50)))
    menu = env.unwrapped.domain.menu(task).calls
    every = [(name, *arguments.values()) for name, arguments in menu]
    made = data.draw(st.lists(st.sampled_from(every), max_size=8))
    label = data.draw(st.sampled_from(CLASSES))
    actions = ["\n".join(map(block, made))] if made else []
    _, reward, info = play(env, *actions, f"CLASSIFICATION: {label}")
    distance = abs(CLASSES.index(label) - CLASSES.index(task.gold["classification"]))
    process = process_reward(made, gold_calls(task))
    assert reward == pytest.approx(0.5 * (1 - distance / 2) + 0.5 * process)


@pytest.mark.parametrize("name", [ID, SINGLE])
def test_the_classes_of_the_domain_are_those_of_the_sop(name):
    clinic = gym.make(name, split="dev").unwrapped
    named = {clinic.domain.classes(task) for task in clinic.tasks}
    assert named == set(CLASSES)


@pytest.mark.parametrize(
    ("options", "weights"),
    [
        ({"reward": "outcome"}, {"outcome": 1.0, "process": 0.0}),
        ({"reward": "process"}, {"outcome": 0.0, "process": 1.0}),
        ({"process_weight": 0.25}, {"outcome": 0.75, "process": 0.25}),
        ({"weights": {"outcome": 2.0}}, {"outcome": 2.0, "process": 0.0}),
    ],
)
@pytest.mark.parametrize("name", [ID, SINGLE])
def test_rewards_are_chosen_by_name_and_weight(name, options, weights):
    env = gym.make(name, split="dev", **options)
    task = env.unwrapped.tasks[0]
    maker = load("oracle", env.unwrapped)
    observation, info = env.reset(options={"task_id": task.id})
    policy, over = maker(0), False
    while not over:
        observation, reward, over, _, info = env.step(policy.act(observation, info))
    assert info["weights"] == weights
    assert reward == env.unwrapped.reward_range[1] == sum(weights.values())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"reward": "hybird"}, "reward must be one of"),
        ({"process_weight": 2}, "from 0 to 1"),
        ({"consultant": "oracle"}, "consultant must be 'recorded'"),
        ({"constants": {"penalty": 1}}, "choose from"),
        ({"masked": True}, "did you mean 'masked_names'"),
        ({"masked_names": "False"}, "masked_names is true or false, not 'False'"),
        ({"split": "validation"}, "no split 'validation'"),
        ({"dialect": "xml"}, "no dialect 'xml'"),
        ({"max_turns": 0}, "whole number from 1"),
        ({"weights": {"acuracy": 1}}, "unknown rewards"),
    ],
)
def test_a_wrong_option_says_what_would_be_right(options, said):
    with pytest.raises(ConfigError, match=re.escape(said)):
        gym.make(ID, **options)


@pytest.mark.population
@pytest.mark.parametrize("name", [ID, SINGLE])
def test_masked_names_hide_gene_and_disease_everywhere(name, some):
    plain = gym.make(name, split="dev").unwrapped
    masked = gym.make(name, split="dev", masked_names=True).unwrapped
    maker = load("oracle", masked)
    for task in some(list(plain.tasks)):
        gene = re.compile(rf"(?<![A-Za-z0-9]){re.escape(task.record['gene'])}(?![A-Za-z0-9])", re.I)
        observation, info = masked.reset(options={"task_id": task.id})
        seen, over, policy = [observation, json.dumps(info)], False, maker(0)
        while not over:
            observation, reward, over, _, info = masked.step(policy.act(observation, info))
            seen.append(observation)
        seen += [masked.episode.case.full_text(one["pmid"]) for one in task.record["articles"]]
        assert reward == 1.0
        for text in seen:
            assert not gene.search(text)
            assert task.record["disease"].casefold() not in text.casefold()


def test_the_rules_sub_agents_read_the_full_text():
    env = gym.make(ID, split="dev", consultant="rules")
    found = 0
    for number in range(6):
        task = open_task(env, number)
        observation = env.step("\n".join(map(block, gold_calls(task))))[0]
        for report in responses(observation):
            if isinstance(report, dict):
                assert report["has_evidence"] == (report["evidence_subtype"] is not None)
                found += report["has_evidence"]
    assert found > 0


@pytest.mark.parametrize("name", [ID, SINGLE])
def test_success_needs_the_evidence_and_not_just_the_class(name):
    """The right class with no call, and with every call, is right in the outcome alone."""
    env = gym.make(name, split="test").unwrapped
    for task in first(env.tasks, 5):
        menu = env.domain.menu(task)
        label = task.gold["classification"]
        answer = next(move for key, move in menu.answers.items() if key.startswith(label))
        for calls in ((), menu.calls):
            played = policies.play(env, task, scripted(Playbook(env).plan(calls, answer)))
            assert not played.info["success"]
        assert played.info["metrics"]["outcome_accuracy"] == 1.0
        assert policies.play(env, task, load("oracle", env)(0)).info["success"]
