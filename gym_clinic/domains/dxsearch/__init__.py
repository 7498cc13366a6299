"""Agentic retrieval for diagnosis: ``clinic/DxSearch-v0``. `domain` is its data sheet.

Every patient is simulated. Not for patient care.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import orjson

from gym_clinic.domain import Domain

__all__ = ["domain"]


def domain(
    stage: int = 4,
    reward: str = "full",
    guidelines: bool = True,
    patients: str | None = "embedded",
    literature: str | Mapping[str, Any] | None = "embedded",
    summariser: str | Mapping[str, Any] | None = "extract",
    limits: Mapping[str, Any] | None = None,
    passages: int = 2,
    near_duplicates: float | None = None,
    folder: str | None = None,
    own_records: str | None = "tasks",
    irrelevant: int = 0,
    couple_sigma_m: bool = True,
    zero_mode: str = "literal",
    change: str = "paper",
    too_little: float = 0.0,
) -> Domain:
    """A case as free text: look guidelines up, match patients, search literature, diagnose.

    Task:
        The presentation of one patient, as a clinician writes it. Which disease is it?

    Tools:
        ``lookup_guidelines``, ``match_patients``, ``search_literature``, ``submit_diagnoses``; in
        the dialect ``"dxsearch"`` the tags ``<lookup>``, ``<match>``, ``<search>``,
        ``<diagnose>``, with ``<reason>`` between two of them.

    Observation:
        The typical phenotypes of diseases; 20 similar patients with their confirmed diseases;
        passages in short. In tags the answer continues the agent's own message, in ``<guide>``,
        ``<refer>`` or ``<result>``.

    Reward:
        Gate x clip(w_m matching + w_s search + w_d diagnosis) (eq. 3), 0 to what the weights allow:
        .98, .47, 1 and .90 in stages 1 to 4. The gate is 0 where a rule of the format is broken.
        The factor of exploration needs a population of trajectories and is 1 here.

    Episode end:
        A diagnosis. Truncated after 12 actions.

    Splits:
        ``train``, ``dev``, ``test``, ``endless``, and two sites that were held out:
        ``test_vocabulary`` (notes in shorthand) and ``test_sparse`` (little is told).

    Source:
        "End-to-End Agentic RAG System Training for Traceable Diagnostic Reasoning"
        (Deep-DxSearch).

    Version history:
        v0: first version.

    Args:
        stage: Stage of training, 1 to 4, as a preset of the weights.
        reward: ``"full"``, or without a part (section 2.6): ``"no-evidence"``,
            ``"no-diagnosis"``, ``"target-only"``.
        guidelines: Whether guidelines can be looked up.
        patients: ``"embedded"``, the folder of a database of your own, or None for none.
        literature: A knowledge base for all sources, as for `gym_clinic.embedded.open_knowledge`;
            ``{"WIKI": …, "PMC": …, "BOOK": …}``; or None for none.
        summariser: ``"extract"`` (offline), ``{"kind": "chat", "url": …, "model": …}``, or None
            to give passages whole.
        limits: Other limits than the paper's, such as ``{"match": 5, "reason": false}``.
        passages: Passages of one query.
        near_duplicates: Leave out patients of the database from this similarity to the case on
            (extended data table 1), 0.7 to 0.95.
        folder: A folder of your own cases that ``gym-clinic cases import`` made, instead of the
            tasks that ship.
        own_records: What is matched beside the database: ``"tasks"``, the records in the folder
            with which its tasks were proved; ``"site"``, the own records of the site of each task
            that was held out; the folder of a database of your own; or None.
        irrelevant: Patients without a phenotype of the query that a match shows among the similar
            ones, to measure the exclusion of irrelevant references (section 2.4).
        couple_sigma_m: Whether the reward of matching is part of that of the diagnosis (eq. 2).
        zero_mode: ``"literal"`` or ``"positive_only"``; see :func:`.rewards.matching`.
        change: ``"paper"`` or ``"symmetric"``; see :func:`.rewards.matching`.
        too_little: The reward of matching where queries are hardly varied.

    Raises:
        ConfigError: If an option has no such value.
    """
    options = dict(locals())
    return _cached(orjson.dumps(options, option=orjson.OPT_SORT_KEYS))


@lru_cache(maxsize=32)
def _cached(options: bytes) -> Domain:
    # Rooms with tools and sources are needed only by those who play.
    from gym_clinic.domains.dxsearch.settings import make_domain

    return make_domain(**orjson.loads(options))
