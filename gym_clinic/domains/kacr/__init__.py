"""Disciplines for a question by a walk over the clinical graph, and their consultation (KACR)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import orjson

from gym_clinic.domain import Domain

__all__ = ["consultation"]


def consultation(
    role: str = "debater",
    confidence: str | Mapping[str, Any] | None = "self",
    graph: bool = True,
    rounds: int = 3,
    reasoning: int = 3,
    k: int = 5,
    members: str | Mapping[str, Any] = "recorded",
    debater: str | Mapping[str, Any] = "recorded",
) -> Domain:
    """A panel of disciplines answers a question: who is to be believed?

    Task:
        A question about one simulated patient with four diagnoses to choose from, and a panel of
        three to five disciplines that disagree.

    Tools:
        ``hear_panel``, ``read_references``, ``give_opinion`` and ``calibrate_answer`` by role,
        ``submit_diagnosis``.

    Observation:
        What the members said in each round, with confidences, reasons and votes.

    Reward:
        Ours, since the paper trains nothing here: for one agent half its own final answer and
        half the panel's vote; for the debater and for all, the vote. 0 to 1.

    Episode end:
        A diagnosis, agreement of all, or the last round. Truncated after 24 actions.

    Source:
        "Knowledge-Aware Co-Reasoning for Multidisciplinary Collaboration" (KACR), section 3.2.

    Version history:
        v0: first version.

    Args:
        role: Whom the policy plays: ``"agent"`` (one member), ``"debater"``, or ``"all"``.
        confidence: ``"self"`` for what members state, None for equal votes, or
            ``{"critic": path}`` for the critic of step I.
        graph: Whether there are references from the clinical graph.
        rounds: Rounds of discussion at most (R).
        reasoning: Iterations of step I behind the references (N); with 1 they hold the linked
            symptoms only.
        k: Members at most (K).
        members: ``"recorded"``, or ``{"kind": "chat", "url": …, "model": …}``.
        debater: The same for the debater, where the policy does not play it.

    Raises:
        ConfigError: If an option has no such value.
    """
    options = dict(locals())
    return _consultation(orjson.dumps(options, option=orjson.OPT_SORT_KEYS))


@lru_cache(maxsize=32)
def _consultation(options: bytes) -> Domain:
    # Rooms with tools and tables are needed only by those who play.
    from gym_clinic.domains.kacr.consulting.settings import make_domain

    return make_domain(**orjson.loads(options))
