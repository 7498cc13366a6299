from __future__ import annotations

import json
from typing import Any

import pytest
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
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.action import as_request
from gym_clinic.consult.chat import NativeCall, Reply, Usage
from gym_clinic.policies import ChatPolicy, take

# --- native tools -------------------------------------------------------------


def test_native_episode_from_end_to_end(chat_server: ChatServer) -> None:
    chat_server.script = [
        chat_server.answer(
            None,
            calls=[("check_interaction", json.dumps(PAIR)), ("read_allergies", "")],
            reasoning_content="Look first.",
        ),
        chat_server.answer("Done.", calls=[("submit_grade", json.dumps({"grade": GRADE}))]),
    ]
    env, observation, info = tiny()
    agent = policy_of(chat_server, tools="native")
    play(env, agent, observation, info)
    assert env.episode.answer == {"grade": GRADE}
    assert [(call.name, call.arguments) for call in env.episode.calls] == [
        ("check_interaction", PAIR),
        ("read_allergies", {}),
        ("submit_grade", {"grade": GRADE}),
    ]
    first, second = chat_server.requests
    assert first["tools"] == second["tools"] == info["tools"]
    assert first["messages"] == info["messages"]
    said, *answers = second["messages"][2:]
    assert said["content"] == ""
    assert [call["id"] for call in said["tool_calls"]] == ["id-0", "id-1"]
    assert said["tool_calls"][1]["function"] == {"name": "read_allergies", "arguments": "{}"}
    assert [(a["role"], a["tool_call_id"], a["name"]) for a in answers] == [
        ("tool", "id-0", "check_interaction"),
        ("tool", "id-1", "read_allergies"),
    ]
    assert [a["content"] for a in answers] == [c.response for c in env.episode.calls[:2]]


def test_answers_are_matched_by_their_ids(chat_server: ChatServer) -> None:
    agent = after_calls(chat_server, ("look", "{}"), ("grade", "{}"), ("look", "{}"))
    info = answered(("look", "l"), ("grade", "g"))
    info["messages"].reverse()
    info["messages"].append({"role": "user", "content": "One call too many."})
    agent.act("…", info)
    assert [m.get("tool_call_id") for m in sent_back(chat_server)] == ["id-0", "id-1", "id-2", None]
    assert [m["content"] for m in sent_back(chat_server)] == [
        "l",
        "g",
        "(not run)",  # servers insist on an answer to every call
        "One call too many.",
    ]


def test_native_calls_in_text_mode_are_calls_too(chat_server: ChatServer) -> None:
    chat_server.script = [chat_server.answer("So:", calls=[("look", '{"a": 1}')])]
    agent = policy_of(chat_server)
    assert agent.act("…", opening()) == [{"id": "id-0", "name": "look", "arguments": '{"a": 1}'}]
    agent.act("…", answered(("look", "l")))
    assert [message["role"] for message in chat_server.requests[1]["messages"]] == [
        "system", "user", "assistant", "tool",
    ]  # fmt: skip


@pytest.mark.parametrize("ids", [["", ""], ["same", "same"], [None, 7]])
def test_unusable_ids_are_replaced(chat_server: ChatServer, ids: list[Any]) -> None:
    calls = [{"id": i, "function": {"name": "look", "arguments": "{}"}} for i in ids]
    agent = after_calls(chat_server, tool_calls=calls)
    entries = agent.messages[-1]["tool_calls"]
    given = [call["id"] for call in entries]
    assert len(set(given)) == 2
    news = [{"role": "tool", "tool_call_id": i, "name": "look", "content": i} for i in given]
    agent.act("…", {"messages": news})
    assert [m["tool_call_id"] for m in sent_back(chat_server)] == given


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("check_interaction", '{"drug_a": '),
        ("check_interaction", "[1]"),
        ("check_interaction", '{"drug_a": "x", "drug_a": "y"}'),
        ("check_interaction", '{"drug_a": NaN}'),
        ("check_interaction", f'{json.dumps(PAIR)}, "x": {{}}'),
        ("", "{}"),
        ("check interaction?", "{}"),
    ],
)
def test_broken_call_is_judged_by_the_environment(
    chat_server: ChatServer, name: str, arguments: str
) -> None:
    chat_server.script = [chat_server.answer(None, calls=[(name, arguments)])]
    env, observation, info = tiny()
    agent = policy_of(chat_server, tools="native")
    observation, *_, info = take(env, agent.act(observation, info))
    assert not any(call.ok for call in env.episode.calls)
    agent.act(observation, info)
    said, answer = chat_server.requests[1]["messages"][2:]
    # Servers refuse broken calls as history; as text the model still sees what it wrote.
    assert set(said) == {"role", "content"}
    assert answer == {"role": "user", "content": observation}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=5,
)
tags = st.sampled_from(["</tool_call>", "<tool_call>", "<think>", "</think>", "p < 0.05", "\\"])


@given(
    calls=st.lists(st.dictionaries(st.text(max_size=4) | tags, json_values | tags), min_size=1),
    ascii_only=st.booleans(),
)
def test_environment_reads_what_the_model_called(
    calls: list[dict[str, Any]], ascii_only: bool
) -> None:
    written = tuple(
        NativeCall("", "look", json.dumps(arguments, ensure_ascii=ascii_only))
        for arguments in calls
    )
    agent = ChatPolicy("http://localhost:1", "tiny", tools="native")
    said = agent._accept([{"role": "user", "content": "?"}], Reply("", written, Usage(), None))
    assert isinstance(said, list)
    assert [as_request(call).arguments for call in said] == calls
