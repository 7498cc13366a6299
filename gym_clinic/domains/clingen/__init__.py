"""ClinGen gene-disease validity curation: ``clinic/ClinGen-v0`` and ``clinic/ClinGenSingle-v0``.

The pairs and their published classes are ClinGen's (CC0); the articles are simulated and say
nothing about the real literature. Not for patient care. `domain` and `single` are the data
sheets of the two settings.

Source:
    "Process-Supervised Multi-Agent Reinforcement Learning for Reliable Clinical Reasoning" (in
    this folder "the supervisor paper");
    ClinGen gene-disease validity curations; see tasks/clingen/SOURCE.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import orjson

from gym_clinic.domain import Domain
from gym_clinic.domains.clingen.blocks import parse_tool_blocks
from gym_clinic.domains.clingen.rewards import (
    hybrid_reward,
    outcome_reward,
    process_reward,
    subtype_reward,
)

__all__ = [
    "domain",
    "hybrid_reward",
    "outcome_reward",
    "parse_tool_blocks",
    "process_reward",
    "single",
    "subtype_reward",
]


def domain(
    consultant: str | Mapping[str, Any] = "recorded",
    reward: str = "hybrid",
    process_weight: float = 0.5,
    constants: Mapping[str, float] | None = None,
    masked_names: bool = False,
    folder: str | None = None,
    policy: str | None = None,
    edition: str | None = None,
) -> Domain:
    """ClinGen gene-disease validity curation: a supervisor and its six evidence sub-agents.

    Task:
        A gene, a disease and three to eight articles, of which title and abstract are shown. Which
        kinds of experimental evidence do the articles hold, and how valid is the relationship?

    Tools:
        Six sub-agents, one for each category of experimental evidence, each sent to one article
        by pmid, pmcid, gene and disease.

    Observation:
        Each sub-agent answers evidence_type, has_evidence, pmid, evidence_subtype, explanation,
        cut in the middle at 2,048 characters (1,024 without human genetics). What human genetics
        an article reports comes back with its evidence, without points; abstracts tell of it too.

    Reward:
        ``hybrid`` = (1 - w) outcome + w process, w = 0.5, in -1..1 (eq. 9). ``outcome``: ordinal
        distance of the class (eq. 6). ``process``: cubed F1 of the calls, less 0.1 a malformed
        block, without a floor (eq. 7 and 8).

    Episode end:
        One classification, stated exactly once in an action without calls and outside thoughts.
        Truncated after two actions.

    Version history:
        v0: first version; since 0.3 with articles drawn from dossiers of genes and diseases.

    Args:
        consultant: Who the sub-agents are: ``"recorded"``, ``"rules"``, or
            ``{"kind": "chat", "url": …, "model": …}``.
        reward: ``"hybrid"``, ``"outcome"`` or ``"process"``.
        process_weight: Weight on process in the hybrid (the supervisor paper, eq. 9: 0.5).
        constants: Other constants of the rewards: ``scale``, ``center``, ``power``,
            ``malformed_penalty``, ``floor``.
        masked_names: Hide gene and disease names, against memorised classes.
        folder: A task folder made by the importer, instead of the embedded one.
        policy: What the prompts ask for. ``"matrix"``: points of experiments and of human
            genetics, and a class calculated from both. ``"paper"``: experimental evidence, and a
            class judged from it, as in the supervisor paper. By default ``"paper"`` with a folder
            and ``"matrix"`` without.
        edition: A file of ``gym-clinic tasks rewrite``: articles are read in its words.

    Raises:
        ConfigError: If an option has no such value.
    """
    return _make("supervisor", consultant=consultant, reward=reward,
                 process_weight=process_weight, constants=constants or {},
                 masked_names=masked_names, folder=folder, policy=policy,
                 edition=edition)  # fmt: skip


def single(
    reward: str = "hybrid",
    process_weight: float = 0.5,
    constants: Mapping[str, float] | None = None,
    masked_names: bool = False,
    folder: str | None = None,
    policy: str | None = None,
    edition: str | None = None,
) -> Domain:
    """ClinGen gene-disease validity curation by a single agent that reads the full texts.

    Task:
        As in ``clinic/ClinGen-v0``; the agent itself names the subtypes of evidence.

    Tools:
        ``get_full_text``.

    Observation:
        Title and sections of the article, whole.

    Reward:
        As in ``clinic/ClinGen-v0``, with the F1 over (pmid, subtype) pairs (eq. 13). A claim about
        an article whose text was not opened counts as made and matches nothing.

    Episode end:
        One JSON object with the class and the evidence, in an action without calls and outside
        thoughts. Truncated after two actions.

    Version history:
        v0: first version; since 0.3 with articles drawn from dossiers of genes and diseases.

    Args:
        reward: ``"hybrid"``, ``"outcome"`` or ``"process"``.
        process_weight: Weight on process in the hybrid (the supervisor paper, eq. 9: 0.5).
        constants: Other constants of the rewards, as in `domain`.
        masked_names: Hide gene and disease names, against memorised classes.
        folder: A task folder made by the importer, instead of the embedded one.
        policy: What the prompts ask for. ``"matrix"``: points of experiments and of human
            genetics, and a class calculated from both. ``"paper"``: experimental evidence, and a
            class judged from it, as in the supervisor paper. By default ``"paper"`` with a folder
            and ``"matrix"`` without.
        edition: A file of ``gym-clinic tasks rewrite``: articles are read in its words.

    Raises:
        ConfigError: If an option has no such value.
    """
    return _make("single", reward=reward, process_weight=process_weight,
                 constants=constants or {}, masked_names=masked_names, folder=folder,
                 policy=policy, edition=edition)  # fmt: skip


def _make(setting: str, **options: Any) -> Domain:
    return _cached(setting, orjson.dumps(options, option=orjson.OPT_SORT_KEYS))


@lru_cache(maxsize=32)
def _cached(setting: str, options: bytes) -> Domain:
    # Rooms with tools and readers are needed only by those who play.
    from gym_clinic.domains.clingen import settings

    make = settings.supervisor if setting == "supervisor" else settings.single_agent
    made: Domain = make(**orjson.loads(options))
    return made
