"""The rewards of Deep-DxSearch, as pure functions.

[P] marks a value that the paper states, [R] one that its text copy lost or leaves open and that was
chosen here.

Source:
    "End-to-End Agentic RAG System Training for Traceable Diagnostic Reasoning" (Deep-DxSearch),
    section 4.3, equations 1 to 3, and A.6.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Literal

from gym_clinic.domains.dxsearch.matching import strict_match, token_f1, token_recall
from gym_clinic.domains.dxsearch.transcript import Limits, broken_rules, candidates_of, items
from gym_clinic.errors import ConfigError

TAU = 0.25
"""Share of the population from which a sequence of actions is discounted [R]."""

HIT = 0.5
"""Paid once if a retrieved patient has the disease [P]."""

CHARGE, MOST_CHARGED = 0.1, 0.3
"""Charge of each match, and the most that is charged [P]."""

LEAST_CHANGE = 2
"""Phenotypes that must change between two matches [P]."""

STAGES: Mapping[int, Mapping[str, float]] = {
    1: {"search": 0.9, "matching": 0.05, "diagnosis": 0.05},
    2: {"search": 0.05, "matching": 0.9, "diagnosis": 0.05},
    3: {"search": 0.05, "matching": 0.05, "diagnosis": 0.9},
    4: {"search": 0.3, "matching": 0.3, "diagnosis": 0.4},
}
"""Stage -> the weights of the rewards [P]."""

ZeroMode = Literal["literal", "positive_only"]
Change = Literal["paper", "symmetric"]


def format_gate(text: str, limits: Limits | None = None) -> float:
    """Return 1 for a trajectory that keeps every rule of the format, else 0 [P].

    Args:
        text: The whole trajectory, with the replies of the environment.
        limits: What it may hold; the paper's by default.
    """
    return 0.0 if broken_rules(text, limits) else 1.0


def exploration(r: float, tau: float = TAU) -> float:
    """Return the factor of a sequence of actions by its share of the population (eq. 1).

    Args:
        r: Share of the trajectories that have this sequence, 0 to 1.
        tau: Shares up to this one are not discounted.

    Raises:
        ConfigError: If a share is not from 0 to 1.
    """
    for name, value in (("r", r), ("tau", tau)):
        if not 0 <= value <= 1:
            raise ConfigError(f"{name} is a share from 0 to 1, not {value!r}")
    return 1.0 - r if r > tau else 1.0


def matching(
    queries: Sequence[str | Iterable[str]],
    hits: Sequence[bool | int],
    zero_mode: ZeroMode = "literal",
    change: Change = "paper",
    too_little: float = 0.0,
) -> float:
    """Score the patient matches: a hit, less their number, if the queries were varied.

    `0.5 [a retrieved patient has the disease] - min(0.1 n, 0.3)`. Where two consecutive queries
    differ in less than two phenotypes it is `too_little`.

    Args:
        queries: The phenotypes of each match, as a list or with commas between.
        hits: Whether each of them retrieved a patient with the disease.
        zero_mode: "literal" replaces every value, a negative one too [P]; "positive_only" leaves
            a lower value as it is.
        change: What counts as a change: "paper", the larger of what was added and what was
            removed [R]; "symmetric", both together, as in the authors' released code.
        too_little: What replaces it: 0 [P]; -0.5 in the released code.

    Returns:
        From -0.3 to 0.4 with the defaults; 0 without a match.

    Raises:
        ConfigError: If an option is unknown, or there is not one hit for each query.
    """
    if zero_mode not in ("literal", "positive_only"):
        raise ConfigError(f"zero_mode is 'literal' or 'positive_only', not {zero_mode!r}")
    if change not in ("paper", "symmetric"):
        raise ConfigError(f"change is 'paper' or 'symmetric', not {change!r}")
    if len(queries) != len(hits):
        raise ConfigError(f"{len(queries)} queries and {len(hits)} hits; give one for each")
    value = HIT * any(hits) - min(CHARGE * len(queries), MOST_CHARGED)
    asked = [_phenotypes(query) for query in queries]
    if any(_changed(old, new, change) < LEAST_CHANGE for old, new in pairwise(asked)):
        return float(min(value, too_little) if zero_mode == "positive_only" else too_little)
    return float(value)


def _phenotypes(query: str | Iterable[str]) -> frozenset[str]:
    parts = items(query) if isinstance(query, str) else query
    return frozenset(" ".join(part.casefold().split()) for part in parts if part.strip())


def _changed(old: frozenset[str], new: frozenset[str], change: Change) -> int:
    if change == "symmetric":
        return len(old ^ new)
    return max(len(new - old), len(old - new))


def relevance(terms: Iterable[str], gold: str | Sequence[str]) -> float:
    """Return the cube root of the token recall of the best term [P].

    Args:
        terms: What was searched for.
        gold: The disease, or all its names.
    """
    names = [gold] if isinstance(gold, str) else gold
    best = max((token_recall(term, name) for term in terms for name in names), default=0.0)
    return float(best ** (1 / 3))


def diagnosis(candidates: Iterable[str], gold: str | Sequence[str], sigma_m: float = 0.0) -> float:
    """Score the diagnoses: `0.2 + 0.6 sim + sigma_m` (eq. 2).

    Args:
        candidates: The diagnoses of the answer.
        gold: The disease, or all its names.
        sigma_m: The reward of matching; 0 where the two are not coupled.

    Returns:
        From -0.1 to 1.2 with the default matching reward. `sim` is the best F1 of tokens [R].
    """
    names = [gold] if isinstance(gold, str) else gold
    sim = max((token_f1(word, name) for word in candidates for name in names), default=0.0)
    return 0.2 + 0.6 * sim + sigma_m


def total(
    sf: float,
    sdiv: float,
    sm: float,
    ss: float,
    sd: float,
    stage: int | Mapping[str, float] = 4,
) -> float:
    """Return the total, gated and clipped to 0..1 (eq. 3).

    Args:
        sf: The gate, 0 or 1.
        sdiv: The factor of exploration.
        sm: The reward of matching.
        ss: The reward of search.
        sd: The reward of the diagnosis.
        stage: A stage of training, 1 to 4, or weights by name.

    Raises:
        ConfigError: If there is no such stage.
    """
    if isinstance(stage, Mapping):
        weights = stage
    elif stage in STAGES and not isinstance(stage, bool):
        weights = STAGES[stage]
    else:
        raise ConfigError(f"stage is one of {list(STAGES)}, not {stage!r}")
    weighted = weights["matching"] * sm + weights["search"] * ss + weights["diagnosis"] * sd
    return min(max(sf * sdiv * weighted, 0.0), 1.0)


def acc_at(text: str, gold: str | Sequence[str], n: int) -> float:
    r"""Return 1 if the disease is among the first diagnoses of a trajectory, else 0 (A.6).

    Args:
        text: The trajectory; its diagnoses stand in ``\textbf{}`` of its only ``<diagnose>``.
        gold: The disease, or all its names.
        n: How many diagnoses are looked at.
    """
    return among_first(candidates_of(text), gold, n)


def among_first(candidates: Sequence[str], gold: str | Sequence[str], n: int) -> float:
    """Return 1 if one of the first candidates is the disease by strict matching, else 0."""
    names = [gold] if isinstance(gold, str) else gold
    return float(any(strict_match(word, name) for word in candidates[:n] for name in names))
