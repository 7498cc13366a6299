"""The weight of a row's advantage in a step: which rows carry one, and their common factor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

GROUPED = "grpo"
"""The estimator that compares the members of a group; the rules of this module are its own."""


def carrying(tags: Sequence[Mapping[str, Any]], uids: Sequence[str]) -> list[bool]:
    """Return which rows carry an advantage: those of groups that are compared.

    A constant group has none by the rule of dynamic sampling. A row that is alone in its group has
    nothing to be compared with; verl would give it its bare reward.
    """
    members = Counter(uids)
    return [
        not tag.get("constant") and not tag.get("is_padding") and members[uid] > 1
        for tag, uid in zip(tags, uids, strict=True)
    ]


def policy_scale(tokens: Sequence[int], carries: Sequence[bool], mode: str) -> float:
    """Return the factor that makes the policy loss a mean over the rows that carry an advantage.

    verl divides by all rows of the step. Where refills run out, constant groups fill it: they add
    nothing to the policy loss and are counted all the same, while the KL to the teacher is a mean
    over the rows that have one. With two of four groups constant the KL would weigh twice what
    its coefficient says. Mini-batches share the factor: it holds for the step.

    Args:
        tokens: Policy tokens of each row.
        carries: Of :func:`carrying`.
        mode: ``actor.loss_agg_mode``, which says whether verl counts tokens or rows.

    Source: TT-OPD paper, eq. 4 and algorithm 1, line 8: only mixed groups are trained on.
    """
    if mode == "token-sum":  # verl divides by nothing
        return 1.0
    counts = list(tokens) if mode == "token-mean" else [1] * len(tokens)
    counted = sum(count for count, carried in zip(counts, carries, strict=True) if carried)
    return sum(counts) / counted if counted else 1.0
