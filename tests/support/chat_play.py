"""Episodes and policies that tests of the chat policy share."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import tiny_domain
from chat_server import ChatServer

from gym_clinic.env import ClinicEnv
from gym_clinic.policies import ChatPolicy, take

TOOLS = [
    {
        "type": "function",
        "function": {"name": name, "description": "Looks.", "parameters": {"type": "object"}},
    }
    for name in ("look", "grade")
]
TASK = tiny_domain.INTERACTIONS.tasks["test"][0]
GRADE = TASK.gold["answer"]["grade"]
PAIR = dict(TASK.gold["calls"][0]["arguments"])


def policy_of(server: ChatServer, **options: Any) -> ChatPolicy:
    return ChatPolicy(server.url, "tiny", **{"retries": 0, "timeout": 20.0, **options})


def opening() -> dict[str, Any]:
    return {
        "task_id": "t1",
        "tools": TOOLS,
        "messages": [
            {"role": "system", "content": "You grade."},
            {"role": "user", "content": "How bad?"},
        ],
        "prompt": [
            {"role": "system", "content": "You grade. Tools: look, grade."},
            {"role": "user", "content": "How bad?"},
        ],
    }


def answered(*pairs: tuple[str, str]) -> dict[str, Any]:
    """The info of a step whose calls had the ids that the chat server gives."""
    return {
        "messages": [
            {"role": "tool", "tool_call_id": f"id-{number}", "name": name, "content": text}
            for number, (name, text) in enumerate(pairs)
        ]
    }


def tiny(dialect: str = "hermes") -> tuple[ClinicEnv, str, dict[str, Any]]:
    env = gym.make("tiny/Interactions-v0", split="test", dialect=dialect).unwrapped
    assert isinstance(env, ClinicEnv)
    observation, info = env.reset(options={"task_id": TASK.id})
    return env, observation, info


def play(env: ClinicEnv, agent: ChatPolicy, observation: str, info: dict[str, Any]) -> float:
    total, over = 0.0, False
    while not over:
        action = agent.act(observation, info)
        observation, reward, terminated, truncated, info = take(env, action)
        total, over = total + reward, terminated or truncated
    return total


def after_calls(server: ChatServer, *calls: tuple[str, str], **message: Any) -> ChatPolicy:
    """A policy whose model has just made these calls."""
    server.script = [server.answer(None, calls=calls, **message), server.answer("next")]
    agent = policy_of(server, tools="native")
    agent.act("…", opening())
    return agent


def sent_back(server: ChatServer) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = server.requests[1]["messages"][3:]
    return messages
