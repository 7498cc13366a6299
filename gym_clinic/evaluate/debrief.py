"""The debrief of a finished episode as tables: the reward as it adds up, judgement, calls, gold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gym_clinic.env import ClinicEnv
from gym_clinic.episode import Episode
from gym_clinic.evaluate.gold_in_words import call_in_words, clinical_gold, plain_gold
from gym_clinic.evaluate.marks import mark
from gym_clinic.evaluate.report import Grid
from gym_clinic.rewards import scale


@dataclass(frozen=True)
class Ended:
    """A finished episode.

    Attributes:
        episode: It; of one that was read from a trace and not played again, only task, turns and
            answer are there.
        reward: Sum of the rewards of its steps.
        info: The info of its last step, or the line of its trace.
        whole: Whether the case is there as the episode left it, so that it can be judged again.
    """

    episode: Episode
    reward: float
    info: Mapping[str, Any]
    whole: bool = True


def headline(clinic: ClinicEnv, ended: Ended) -> str:
    """Return how an episode ended, in a line."""
    low, high = clinic.reward_range
    solved = "solved" if ended.info.get("success") else "not solved"
    return (
        f"{ended.info.get('stop', 'cut off from outside')}, {solved}; reward {ended.reward:.3f} of "
        f"{low:g} to {high:g}, scaled {scale(ended.reward, (low, high)):.3f}"
    )


def debrief(clinic: ClinicEnv, ended: Ended) -> list[Grid]:
    """Return the tables of a debrief; they show the gold.

    Args:
        clinic: The environment.
        ended: The episode.
    """
    grids = [Grid("Reward", ("part", "value", "weight", "adds"), tuple(_reward(clinic, ended)))]
    metrics = tuple(
        (name, f"{value:.3f}") for name, value in ended.info.get("metrics", {}).items() if value
    )
    grids.append(Grid("Figures", ("figure", "value"), metrics))
    grids += _judgement(clinic, ended)
    grids.append(Grid("Calls", ("mark", "call"), tuple(_calls(clinic, ended.episode))))
    grids += _gold(clinic, ended.episode)
    return [grid for grid in grids if grid.rows]


def _reward(clinic: ClinicEnv, ended: Ended) -> Iterator[tuple[str, str, str, str]]:
    """Yield what adds up to the reward: parts, adjustments, the clip, rewards of turns; the sum."""
    weights = ended.info.get("weights", {})
    added = 0.0
    for name, value in ended.info.get("rewards", {}).items():
        adds = weights[name] * value
        added += adds
        yield name, f"{value:.3f}", f"{weights[name]:g}", f"{adds:+.3f}"
    total = float(ended.info.get("total") or 0.0)
    changes = list(clinic.rubric.score(ended.episode).changes) if weights and ended.whole else []
    rest = total - added - sum(amount for _, amount in changes)
    if abs(rest) > 1e-9:  # it cannot be judged again
        changes.append(("adjustments", rest))
    if abs(turns := ended.reward - total) > 1e-9:
        changes.append(("rewards of the turns", turns))
    for name, amount in changes:
        yield name, "", "", f"{amount:+.3f}"
    yield "reward", "", "", f"{ended.reward:.3f}"


def _judgement(clinic: ClinicEnv, ended: Ended) -> list[Grid]:
    """Return what was found when the episode was judged, item by item."""
    if clinic.domain.explain is not None:
        return [Grid(*table) for table in clinic.domain.explain(ended.episode)]
    found = getattr(ended.episode.case, "judged", None)
    if found is None:
        return []
    from gym_clinic.evaluate.clinical_debrief import explain

    return explain(found[1])


def _gold(clinic: ClinicEnv, episode: Episode) -> list[Grid]:
    """Return what would have been right, in words."""
    if clinic.domain.explain is not None:
        return []  # it is among the tables of the domain
    facts = getattr(getattr(episode.case, "patient", None), "facts", None)
    rows = plain_gold(episode.task.gold) if facts is None else clinical_gold(facts, episode.task)
    return [Grid("What was right", ("what", "right"), tuple(rows))]


def _calls(clinic: ClinicEnv, episode: Episode) -> Iterator[tuple[str, str]]:
    """Yield each call with its mark, then the calls that were missed."""
    made = [
        {"name": call.name, "arguments": call.arguments, "ok": call.ok} for call in episode.calls
    ]
    marked, missed = mark(clinic.domain, episode.task, made)
    for call in marked:
        yield call["mark"], call_in_words(call)
    for call in missed:
        yield "missed", call_in_words(call)
