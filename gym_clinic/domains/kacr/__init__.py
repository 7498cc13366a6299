"""A walk over the clinical graph, and a consultation of disciplines (KACR).

`domain` is the data sheet of ``clinic/DisciplineGraph-v0``, `consultation` that of
``clinic/Consultation-v0``. Every case is simulated. Not for patient care.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import orjson

from gym_clinic.domain import Domain

__all__ = ["consultation", "domain"]


def domain(
    disciplines: int = 5,
    nodes: int = 10,
    iterations: int = 3,
    explored: int = 60,
    graph: str = "embedded",
    questions: str = "embedded",
    description: str = "full",
    order: int = 0,
    annotator_noise: float = 0.0,
) -> Domain:
    """A question; walk over the clinical graph to the disciplines that should deal with it.

    Task:
        A question as patients or examinations ask it. One to three disciplines are right: those of
        its diseases, and those of a differential that the findings leave as likely.

    Tools:
        ``select_nodes``; in the dialect ``"select"`` the tag ``<select>Cough; Fever</select>``.

    Observation:
        The question and its extracted symptoms; at each step the reasoning subgraph in text and the
        candidates: first-order neighbours, at most ``explored``, in an order drawn by seed.
        ``info["graph"]`` is the subgraph for a value model.

    Reward:
        On each of the N steps on disciplines 1 if a right one is among those selected, else 0; so 0
        to N.

    Episode end:
        Terminated by the last of the T = 3N steps. A selection that is refused uses a message and
        no step; truncated after T + 6 messages.

    Splits:
        ``train``, ``dev``, ``test``, ``endless``.

    Source:
        "Knowledge-Aware Co-Reasoning for Multidisciplinary Collaboration" (KACR), step I.

    Version history:
        v0: first version.

    Args:
        disciplines: Disciplines selected in a step at most: K.
        nodes: Symptoms or diseases selected in a step at most: K'.
        iterations: Times that the walk comes to disciplines: N.
        explored: Candidates shown in a step at most.
        graph: ``"embedded"``, or the path of a graph of your own
            (``gym-clinic kb graph build``).
        questions: ``"embedded"``, or the folder of labelled questions of your own
            (``gym-clinic tasks import disciplines``).
        description: The subgraph in text: ``"full"`` as in the paper, ``"sets"`` without the
            explanations, or ``"none"``.
        order: Seed of the order in which candidates are shown.
        annotator_noise: How often each of three simulated annotators errs, 0 to 1; the label is
            what two of them agree on.

    Raises:
        ConfigError: If an option has no such value.
    """
    options = dict(locals())
    return _cached(orjson.dumps(options, option=orjson.OPT_SORT_KEYS))


@lru_cache(maxsize=32)
def _cached(options: bytes) -> Domain:
    # The graph and its linker are needed only by those who play.
    from gym_clinic.domains.kacr.settings import make_domain

    return make_domain(**orjson.loads(options))


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
