"""Policies without evidence: a chat model at once, a panel, an encoder; and chat as RAG."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import pytest
from chat_server import ChatServer

from gym_clinic import ClinicEnv
from gym_clinic.errors import ConfigError, ServiceError
from gym_clinic.policies import load, play

BALLOT = {"choice": "Gout", "confidence": 0.6, "explanation": "The toe."}


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


def answer(policy: str, **options: Any) -> tuple[tuple[str, ...], Any]:
    env = gym.make("clinic/DxSearch-v0", split="test").unwrapped
    assert isinstance(env, ClinicEnv)
    policy_of = load(policy, env, options)(0)
    outcome = play(env, env.tasks[0], policy_of)
    return outcome.episode.answer, (outcome.info, policy_of)


def test_vanilla_answers_at_once(server: ChatServer) -> None:
    server.script = [
        server.answer(r"<think>a \textbf{b}</think>\textbf{Gout}, \textbf{Lyme disease}")
    ]
    said, (info, policy) = answer("vanilla", url=server.url, model="m")
    assert said == ("Gout", "Lyme disease")
    assert info["metrics"]["steps"] == 0
    assert info["metrics"]["premature_closure"] == 1
    assert policy.usage["completion_tokens"] == 7
    system, user = server.requests[0]["messages"]
    assert r"\textbf{Disease1}" in system["content"]
    assert "year-old" in user["content"]


def test_vanilla_without_a_diagnosis_earns_nothing(server: ChatServer) -> None:
    server.script = [server.answer("Perhaps gout.")]
    said, (info, _) = answer("vanilla", url=server.url, model="m")
    assert not said
    assert info["total"] == 0
    assert any("diagnosis count" in rule for rule in info["broken_rules"])


def test_a_panel_names_what_got_votes(server: ChatServer) -> None:
    other = {**BALLOT, "choice": "Lyme disease", "confidence": 0.9}
    server.script = [server.answer(json.dumps(reply)) for reply in (BALLOT, other, BALLOT)]
    said, (_, policy) = answer("panel", url=server.url, models=["a", "b"], rounds=1)
    assert said == ("Gout", "Lyme disease")
    assert sorted(request["model"] for request in server.requests) == ["a", "a", "b"]
    systems = {
        request["messages"][0]["content"].split(" on a panel")[0] for request in server.requests
    }
    assert len(systems) == 3
    assert policy.usage["completion_tokens"] == 21


def test_a_panel_that_nobody_serves_fails_as_a_service(server: ChatServer) -> None:
    server.script = [server.answer("no")]
    with pytest.raises(ServiceError, match="the quorum is 1"):
        answer("panel", url=server.url, models=["a"])


@pytest.mark.parametrize("models", ["a", []])
def test_a_panel_needs_models(models: Any) -> None:
    with pytest.raises(ConfigError, match="models is a list of names"):
        answer("panel", url="http://localhost:1", models=models)


def test_encoder_ranks_diseases_of_train() -> None:
    said, (info, _) = answer("encoder")
    assert len(set(said)) == 5
    assert info["metrics"]["steps"] == 0
    assert info["total"] <= 0.32 + 1e-9


def test_rag_prompting_has_the_instruction_of_the_environment(server: ChatServer) -> None:
    server.script = [server.answer(r"<reason>r</reason><diagnose>\textbf{Gout}</diagnose>")]
    said, _ = answer("rag-prompting", url=server.url, model="m")
    assert said == ("Gout",)
    assert "<lookup>" in json.dumps(server.requests[0]["messages"])
