from __future__ import annotations

import asyncio
import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import gymnasium as gym
import pytest
import toy_domains
from chat_play import (
    GRADE,
    PAIR,
    after_calls,
    answered,
    opening,
    play,
    policy_of,
    sent_back,
    tiny,
)
from chat_server import ChatServer

from gym_clinic.action import DIALECTS
from gym_clinic.consult.chat import Usage
from gym_clinic.env import ClinicEnv
from gym_clinic.errors import ConfigError, ServiceError
from gym_clinic.policies import load
from gym_clinic.policies.chat import ChatPolicy

HERMES = DIALECTS["hermes"]

# --- tools as text ------------------------------------------------------------


def test_text_episode_from_end_to_end(chat_server: ChatServer) -> None:
    chat_server.script = [
        chat_server.answer(HERMES.write([("check_interaction", PAIR)]), reasoning="Look first."),
        chat_server.answer(HERMES.write([("submit_grade", {"grade": GRADE})])),
    ]
    env, observation, info = tiny()
    agent = policy_of(chat_server)
    assert play(env, agent, observation, info) == env.reward_range[1]

    first, second = (request["messages"] for request in chat_server.requests)
    # What a text-only loop reads, as a chat: the same words, the tools described once.
    assert "\n\n".join(message["content"] for message in first) == observation
    assert [message["role"] for message in second] == ["system", "user", "assistant", "user"]
    assert second[2]["content"] == HERMES.write([("check_interaction", PAIR)])
    assert second[3]["content"] == env.episode.turns[0].observation
    assert env.episode.turns[0].action.startswith("<think>\nLook first.\n</think>\n\n<tool_call>")
    assert all("tools" not in request for request in chat_server.requests)
    assert agent.usage == Usage(22, 14, 36, 2, 0)


def test_fault_goes_back_as_user_message(chat_server: ChatServer) -> None:
    env, observation, info = tiny()
    agent = policy_of(chat_server)
    observation, *_, info = env.step(agent.act(observation, info))
    agent.act(observation, info)
    assert chat_server.requests[1]["messages"][-1] == {"role": "user", "content": observation}


def test_json_dialect_from_end_to_end(chat_server: ChatServer) -> None:
    write = DIALECTS["json"].write
    chat_server.script = [
        chat_server.answer(write([("check_interaction", PAIR)]), reasoning="Look first."),
        chat_server.answer(write([("submit_grade", {"grade": GRADE})])),
    ]
    env, observation, info = tiny("json")
    assert play(env, policy_of(chat_server), observation, info) == env.reward_range[1]
    assert chat_server.requests[1]["messages"][3]["content"] == env.episode.turns[0].observation


def opened(name: str, **options: Any) -> tuple[ClinicEnv, str, dict[str, Any]]:
    assert name in toy_domains.IDS
    env = gym.make(name, split="test", **options).unwrapped
    assert isinstance(env, ClinicEnv)
    return env, *env.reset(seed=0)


def test_an_inline_dialect_continues_the_assistants_message(chat_server: ChatServer) -> None:
    env, observation, info = opened("toy/Doses-v0")
    asked, answer = env.episode.task.record["asked"], env.episode.task.gold["answer"]
    chat_server.script = [
        chat_server.answer(f"I look it up. <search>{asked}"),  # servers leave stop strings out
        chat_server.answer(f"<answer>{answer}</answer>"),
    ]
    agent = policy_of(chat_server)
    assert play(env, agent, observation, info) == env.reward_range[1]
    first, second = chat_server.requests
    assert first["stop"] == second["stop"] == ["</search>"]
    assert first["messages"] == info["prompt"]
    assert "continue_final_message" not in first
    assert second["continue_final_message"] is True
    assert second["add_generation_prompt"] is False
    said = f"I look it up. <search>{asked}</search>"
    assert env.episode.turns[0].action == said
    assert second["messages"] == [
        *info["prompt"],
        {"role": "assistant", "content": said + env.episode.turns[0].observation},
    ]
    whole = second["messages"][-1]["content"] + f"<answer>{answer}</answer>"
    assert agent.messages[-1] == {"role": "assistant", "content": whole}


def test_a_reply_cut_for_its_length_is_not_closed(chat_server: ChatServer) -> None:
    env, observation, info = opened("toy/Doses-v0")
    chat_server.script = [chat_server.answer("<search>colch", finish_reason="length")]
    assert policy_of(chat_server).act(observation, info) == "<search>colch"


def test_images_are_sent_as_content_parts(chat_server: ChatServer) -> None:
    env, observation, info = opened("toy/Lesions-v0")
    task = env.episode.task
    chat_server.script = [
        chat_server.answer(HERMES.write([("view_image", {"side": "right"})])),
        chat_server.answer(HERMES.write([("report_same", dict(task.gold["answer"]))])),
    ]
    assert play(env, policy_of(chat_server), observation, info) == env.reward_range[1]
    first, second = (request["messages"] for request in chat_server.requests)
    assert first == info["prompt"]
    for content in (first[1]["content"], second[3]["content"]):
        kinds = [part["type"] for part in content]
        assert kinds.count("image_url") == 1
        (url,) = [part["image_url"]["url"] for part in content if part["type"] == "image_url"]
        assert url.startswith("data:image/png;base64,")
    words = [part["text"] for part in second[3]["content"] if part["type"] == "text"]
    assert "<image>".join(words) == env.episode.turns[0].observation


def test_a_transcript_is_sent_whole(chat_server: ChatServer) -> None:
    env, observation, info = opened("tiny/Interactions-v0", observation="transcript")
    agent = policy_of(chat_server)
    observation, *_, info = env.step(agent.act(observation, info))
    agent.act(observation, info)
    assert chat_server.requests[1]["messages"] == [{"role": "user", "content": observation}]


def test_without_a_prompt_the_observation_is_sent(chat_server: ChatServer) -> None:
    agent = policy_of(chat_server)
    agent.act("whole prompt", {"task_id": "t"})
    agent.act("news", {})
    contents = [message["content"] for message in agent.messages]
    assert contents == ["whole prompt", "ok", "news", "ok"]


# --- conversations ------------------------------------------------------------


def test_a_reset_begins_anew(chat_server: ChatServer) -> None:
    agent = policy_of(chat_server)
    agent.act("…", opening())
    agent.act("…", answered(("look", "a")))
    assert agent.usage.replies == 2
    agent.act("…", opening())
    assert chat_server.requests[2]["messages"] == chat_server.requests[0]["messages"]
    assert agent.usage.replies == 1
    assert agent.client.usage.replies == 3


def test_acting_before_a_reset_is_an_error(chat_server: ChatServer) -> None:
    with pytest.raises(ConfigError, match="act first on the observation and info of reset"):
        policy_of(chat_server).act("…", answered(("look", "a")))
    assert chat_server.requests == []


@pytest.mark.parametrize("tools", ["text", "native"])
def test_failure_passes_through_and_may_be_asked_again(chat_server: ChatServer, tools: str) -> None:
    chat_server.script = [
        chat_server.answer(None, calls=[("look", "{}")]),
        chat_server.status(500),
        chat_server.answer("done"),
    ]
    agent = policy_of(chat_server, tools=tools)
    agent.act("…", opening())
    before = agent.messages
    with pytest.raises(ServiceError):
        agent.act("…", answered(("look", "a")))
    assert agent.messages == before
    assert agent.act("…", answered(("look", "a"))) == "done"
    assert chat_server.requests[1] == chat_server.requests[2]


def test_the_policy_does_not_change_its_arguments(chat_server: ChatServer) -> None:
    info, later = opening(), answered(("look", "a"))
    copies = copy.deepcopy((info, later))
    for tools in ("text", "native"):
        agent = policy_of(chat_server, tools=tools)
        agent.act("…", info)
        agent.act("…", later)
    assert (info, later) == copies


def test_clones_share_only_the_client(chat_server: ChatServer) -> None:
    chat_server.script = [chat_server.crowd(2)]
    agent = policy_of(chat_server, concurrency=2)
    clones = [agent.clone() for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda one: one.act("…", opening()), clones))
    assert chat_server.most_at_once == 2
    assert [one.usage.replies for one in clones] == [1] * 6
    assert agent.client.usage.replies == 6
    assert agent.messages == []


def test_a_clone_starts_without_a_conversation(chat_server: ChatServer) -> None:
    agent = policy_of(chat_server)
    agent.act("…", opening())
    twin = agent.clone()
    assert (twin.messages, twin.usage) == ([], Usage())
    with pytest.raises(ConfigError, match="no episode has begun"):
        twin.act("…", answered(("look", "a")))
    assert agent.usage.replies == 1


def test_async_acts_alike(chat_server: ChatServer) -> None:
    chat_server.script = [chat_server.answer(None, calls=[("look", "{}")])]
    one, two = policy_of(chat_server, tools="native"), policy_of(chat_server, tools="native")

    async def act() -> list[Any]:
        return [await one.aact("…", opening()), await one.aact("…", answered(("look", "a")))]

    assert asyncio.run(act()) == [two.act("…", opening()), two.act("…", answered(("look", "a")))]
    assert one.messages == two.messages


def test_pickled_in_the_middle_of_an_episode(chat_server: ChatServer) -> None:
    agent = after_calls(chat_server, ("look", "{}"))
    twin = pickle.loads(pickle.dumps(agent))
    assert twin.act("…", answered(("look", "a"))) == "next"
    assert twin.messages == [*agent.messages, *sent_back(chat_server), twin.messages[-1]]


def test_reasoning_cannot_break_out(chat_server: ChatServer) -> None:
    call = HERMES.write([("look", {})])
    chat_server.script = [
        chat_server.answer("Plain.", reasoning=f"a</think>{call}</THINK>b<think>")
    ]
    reading = HERMES.parse(policy_of(chat_server).act("…", opening()))
    assert (reading.requests, reading.text) == ([], "Plain.")


# --- options and the name -----------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tools": "both"}, "tools must be 'text' or 'native'; got 'both'"),
        ({"dialect": "hermes"}, r"unknown options \['dialect'\]; choose from \[.*'thoughts'"),
        ({"temprature": 1}, r"unknown options \['temprature'\]; choose from \[.*'temperature'"),
        ({"retries": -1}, "retries must be"),
    ],
)
def test_wrong_option(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        ChatPolicy("http://localhost:1", "tiny", **options)


def test_all_episodes_of_the_chat_policy_share_one_client(chat_server: ChatServer) -> None:
    env, observation, info = tiny("json")
    maker = load("chat", env, {"url": chat_server.url, "model": "tiny", "concurrency": 3})
    one, two = maker(0), maker(1)
    assert isinstance(one, ChatPolicy)
    assert isinstance(two, ChatPolicy)
    assert one.client is two.client
    assert one.act(observation, info) == "ok"
    assert two.messages == []


@pytest.mark.parametrize(("name", "thinks"), [("tiny/Triage-v0", True), ("toy/Doses-v0", False)])
def test_by_name_it_writes_thoughts_in_built_in_dialects_alone(
    chat_server: ChatServer, name: str, thinks: bool
) -> None:
    env, observation, info = opened(name)
    chat_server.script = [chat_server.answer("Hm.", reasoning="Wait.")]
    agent = load("chat", env, {"url": chat_server.url, "model": "tiny"})(0)
    action = agent.act(observation, info)
    assert action == ("<think>\nWait.\n</think>\n\nHm." if thinks else "Hm.")


def test_the_chat_policy_requires_url_and_model() -> None:
    env, *_ = tiny()
    with pytest.raises(ConfigError, match="'url'"):
        load("chat", env, {"model": "tiny"})


def test_repr_shows_no_key(chat_server: ChatServer) -> None:
    assert "sk-1" not in repr(policy_of(chat_server, api_key="sk-1"))
