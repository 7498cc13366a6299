"""How sure a member is of its answer, if it does not say so itself: the critic, or all alike."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Protocol

from gym_clinic.consult import Question
from gym_clinic.domains.kacr.consulting.references import Reference
from gym_clinic.domains.kacr.state import subgraph_features
from gym_clinic.errors import ConfigError
from gym_clinic.names import import_named

UNREAD = 0.5
"""Confidence in what the debater says: no vote reads it."""


class OpinionCritic(Protocol):
    """A trained critic of step I."""

    def confidence(
        self, graph: Mapping[str, Any], question: str, answer: str = "", rationale: str = ""
    ) -> float:
        """Return how likely an answer is to be right, from 0 to 1."""


class CriticAssessor:
    """The confidence of KACR: the critic reads the member's subgraph, its answer and its reason.

    Args:
        critic: The critic, or the path of its file.

    Raises:
        ConfigError: The path is no text, or there is no critic.
    """

    def __init__(self, critic: OpinionCritic | str | os.PathLike[str]) -> None:
        if isinstance(critic, str | os.PathLike):
            critic = import_named("gym_clinic.domains.kacr.critic:load_critic", "critic")(critic)
        if not callable(getattr(critic, "confidence", None)):
            raise ConfigError(f"critic is the path of a critic, not {critic!r}")
        self.critic: OpinionCritic = critic  # type: ignore[assignment]

    def __call__(self, question: Question[Any], reply: Any) -> float:
        """Return p of a reply.

        Raises:
            ConfigError: There are no references for the critic to read (``graph=False``).
        """
        reference = question.values.get("references")
        if "member" in question.values:
            return UNREAD
        if not isinstance(reference, Reference):
            raise ConfigError("a critic reads the subgraph of a member: use it with graph=True")
        letters = dict(line.split(". ", 1) for line in question.values["options"].splitlines())
        asked = f"{question.values['question']}\n{question.values['options']}"
        answer = letters.get(reply.choice, reply.choice)
        features = subgraph_features(reference.subgraph(), reference.mentions)
        return float(self.critic.confidence(features, asked, answer, reply.explanation))


def equal_confidence(question: Question[Any], reply: Any) -> float:
    """Return 1: every vote weighs the same."""
    return 1.0
