"""The rubric of a clinical domain: what is paid for an episode as it was judged."""

from __future__ import annotations

from collections.abc import Callable

from gym_clinic.clinical.judging.judge import DomainJudge, JudgedEpisode
from gym_clinic.clinical.world import ClinicCase
from gym_clinic.episode import Episode
from gym_clinic.rewards import Rubric
from gym_clinic.rewards.clinical import ASSERTION, CAP, CRITICAL, PENALTY, SEVERE, WEIGHTS

PARTS = {"acc": "accuracy", "proc": "process", "safe": "safety", "fmt": "format",
         "coh": "coherence"}  # fmt: skip
"""Dimension of the paper -> name of the reward."""


def judged(judge: DomainJudge, episode: Episode) -> JudgedEpisode:
    """Return the judgement of an episode as it stands; computed once a turn."""
    case = episode.case
    if not isinstance(case, ClinicCase):
        raise TypeError(f"expected the case of open_case, not {type(case).__name__}")
    turn = len(episode.turns)
    if case.judged is None or case.judged[0] != turn:
        case.judged = (turn, JudgedEpisode(judge, episode))
    known: JudgedEpisode = case.judged[1]
    return known


def clinical_rubric(judge: DomainJudge) -> Rubric:
    """Return the rubric of a clinical domain: six parts with the paper's weights, total 0 to 1.

    The price of orders is taken off first, then .3 for severe violations; a critical violation
    caps the total at .1. What would fall below 0 is 0, so that silence is never better than a try.
    """

    def price(episode: Episode, total: float) -> float:
        """Price of too many or too dear orders."""
        return total - judged(judge, episode).economy

    def penalty(episode: Episode, total: float) -> float:
        """A severe violation."""
        return total - PENALTY if SEVERE in judged(judge, episode).severities else total

    def cap(episode: Episode, total: float) -> float:
        """The cap after a critical violation."""
        return min(total, CAP) if CRITICAL in judged(judge, episode).severities else total

    return Rubric(
        rewards={
            "accuracy": lambda episode: judged(judge, episode).accuracy,
            "process": lambda episode: judged(judge, episode).process(),
            "safety": lambda episode: judged(judge, episode).safety(),
            "format": lambda episode: judged(judge, episode).format(),
            "coherence": lambda episode: judged(judge, episode).coherence(),
            "assertion": lambda episode: judged(judge, episode).assertion(),
        },
        weights={**{PARTS[key]: weight for key, weight in WEIGHTS.items()}, "assertion": ASSERTION},
        adjust=(price, penalty, cap),
        total_range=(0.0, 1.0),
    )


def success(judge: DomainJudge) -> Callable[[Episode], bool]:
    """Return the strict success of a domain, for `Domain.success`."""
    return lambda episode: judged(judge, episode).solved
