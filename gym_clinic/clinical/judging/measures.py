"""What is measured of clinical episodes beside the reward: metrics, and means over many."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from gym_clinic.clinical.judging.judge import TAKEN, DomainJudge
from gym_clinic.clinical.judging.rubric import judged
from gym_clinic.episode import Episode, Task


def metrics(judge: DomainJudge) -> Callable[[Episode], dict[str, float]]:
    """Return the metrics of a domain, for `Domain.metrics`: accuracy apart from the total."""

    def measure(episode: Episode) -> dict[str, float]:
        found = judged(judge, episode)
        counts = {f"severity_{level}": 0.0 for level in sorted(TAKEN, reverse=True)}
        for one in found.severities:
            counts[f"severity_{one}"] += 1
        return {
            "accuracy": found.accuracy,
            **{f"accuracy_{name}": value for name, value in found.parts.items()},
            "answered": float(found.raw is not None),
            "findings_read": found.share,
            "citation_precision": found.cited.precision,
            "economy": found.economy,
            "actions_missing": float(len(found.missing)),
            **counts,
            **found.case.metrics(),
        }

    return measure


def aggregate(rows: Sequence[tuple[Task, Mapping[str, float]]]) -> dict[str, float]:
    """Return means over episodes, and accuracy by pair of twins.

    ``twins_accuracy`` is the share of pairs of which both answers are right, over pairs whose
    two tasks are among the episodes; absent if there are none.
    """
    names = rows[0][1] if rows else {}
    found = {name: math.fsum(row[name] for _, row in rows) / len(rows) for name in names}
    right: dict[str, list[float]] = {}
    for task, row in rows:
        right.setdefault(task.id, []).append(row["accuracy"])
    kinds: dict[str, list[float]] = {"turns": [], "neutral": []}
    for task, row in rows:
        twin = task.gold.get("twin")
        if twin and twin["of"] in right:
            other = right[twin["of"]]
            both = row["accuracy"] >= 1 - 1e-9 and all(one >= 1 - 1e-9 for one in other)
            kinds[twin["kind"]].append(float(both))
    pairs = [one for several in kinds.values() for one in several]
    if pairs:
        found["twins_accuracy"] = math.fsum(pairs) / len(pairs)
    for kind, several in kinds.items():
        if several:
            found[f"twins_accuracy_{kind}"] = math.fsum(several) / len(several)
    return found
