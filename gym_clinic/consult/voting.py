"""How the opinions of a panel become one answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from gym_clinic.consult.discussion import Rounds
from gym_clinic.errors import ConfigError

Scoring: TypeAlias = Callable[[Rounds], Mapping[str, float]]
"""The rounds -> the score of each choice. A choice without a score cannot win."""


class Vote(NamedTuple):
    """The result of a weighted vote.

    Attributes:
        winner: The option with the highest score, the first of several; None if no answer is one
            of the options.
        scores: The score of each option, in the order of the options.
        tie: Whether several options that were voted for share the highest score.
        unanimous: Whether all gave the same answer, and it is one of the options.
    """

    winner: str | None
    scores: tuple[float, ...]
    tie: bool
    unanimous: bool


def vote(
    answers: Sequence[str | None], confidences: Sequence[float], options: Sequence[str]
) -> Vote:
    """Sum the confidence of those who gave each answer.

    Scores that differ by less than 1e-9 of the highest are equal. Only an option that was voted
    for can win, also where all confidences are 0.

    Args:
        answers: The answer of each agent, after the debate; None and anything outside the
            options is no vote.
        confidences: The confidence in the answer of each agent, before the debate; at least 0.
        options: The valid answers, in the order that decides ties.

    Raises:
        ConfigError: If the lengths differ, an option is duplicate, or a confidence is no finite
            number of at least 0.

    Source:
        KACR, eq. 7; that the first of equal options wins is a choice, the paper is silent.

    >>> vote(["B", "A", "B"], [0.9, 0.4, 0.95], "ABC")
    Vote(winner='B', scores=(0.4, 1.85, 0.0), tie=False, unanimous=False)
    """
    if len(answers) != len(confidences):
        raise ConfigError(
            f"each answer needs one confidence: {len(answers)} answers, {len(confidences)} "
            "confidences"
        )
    if len(set(options)) < len(options):
        raise ConfigError(f"options must differ, got {list(options)}")
    for confidence in confidences:
        checked_confidence(confidence, "vote")
    scores = tally(zip(answers, confidences, strict=True))
    tied = best_of(scores, options)
    return Vote(
        winner=tied[0] if tied else None,
        scores=tuple(scores.get(option, 0.0) for option in options),
        tie=len(tied) > 1,
        unanimous=bool(answers) and answers[0] in options and len(set(answers)) == 1,
    )


def checked_confidence(confidence: float, who: str) -> float:
    """Return a confidence.

    Raises:
        ConfigError: If it is no finite number of at least 0.
    """
    number = isinstance(confidence, int | float)
    if not number or not math.isfinite(confidence) or confidence < 0:
        raise ConfigError(f"{who}: confidence must be a number of at least 0; got {confidence!r}")
    return confidence


def best_of(scores: Mapping[str, float], options: Iterable[str]) -> tuple[str, ...]:
    """Return the options that share the highest score, in their order; none without a score."""
    order = [name for name in options if name in scores]
    if not order:
        return ()
    best = max(scores[name] for name in order)
    return tuple(name for name in order if math.isclose(scores[name], best))


def tally(ballots: Iterable[tuple[str | None, float]]) -> dict[str, float]:
    """Return choice -> the sum of its weights; None is no vote."""
    weights: dict[str, list[float]] = {}
    for choice, weight in ballots:
        if choice is not None:
            weights.setdefault(choice, []).append(weight)
    # fsum is exact, so the order of the members does not matter.
    return {choice: math.fsum(parts) for choice, parts in weights.items()}


def majority(rounds: Rounds) -> dict[str, float]:
    """Score each choice by the number of members that make it at the end of the last round."""
    return tally((opinion.choice, 1.0) for opinion in rounds[-1].final)


def weighted_by_confidence(rounds: Rounds) -> dict[str, float]:
    """Score each choice after the debate by the confidence of its members before it.

    Both are of the last round; without a debater they are choice and confidence of one reply.

    Source:
        KACR, eq. 7, as printed: a' is the answer after the debate of round r, c the confidence
        that was assigned in round r before it.
    """
    last = rounds[-1]
    pairs = zip(last.final, last.opinions, strict=True)
    return tally((after.choice, before.confidence) for after, before in pairs)


def weighted_by_first_confidence(rounds: Rounds) -> dict[str, float]:
    """Score each choice of the last round by its members' confidence before any discussion.

    That is the confidence in the first round in which a member replied. No method of the presets
    does this; it shows what discussion does to confidence.
    """
    first: dict[str, float] = {}
    for played in rounds:
        for opinion in played.opinions:
            if not opinion.failure:
                first.setdefault(opinion.member, opinion.confidence)
    final = rounds[-1].final
    return tally((opinion.choice, first.get(opinion.member, 0.0)) for opinion in final)


SCORINGS: Mapping[str, Scoring] = {
    "majority": majority,
    "weighted_by_confidence": weighted_by_confidence,
    "weighted_by_first_confidence": weighted_by_first_confidence,
}
"""Name -> scoring, for presets."""
