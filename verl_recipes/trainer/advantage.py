"""The weight of a row's advantage in a step: which rows carry one, and their common factor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from gym_clinic import ConfigError

GROUPED = "grpo"
"""The estimator that compares the members of a group; the rules of this module are its own."""

BY_TOKENS = "token-mean"
BY_ROWS = ("seq-mean-token-sum", "seq-mean-token-sum-norm", "seq-mean-token-mean")
UNNORMALISED = "token-sum"


def carrying(tags: Sequence[Mapping[str, Any]], uids: Sequence[str]) -> list[bool]:
    """Return which rows carry an advantage: those of groups that are compared.

    A constant group has none by the rule of dynamic sampling. A row that is alone in its group has
    nothing to be compared with; verl would give it its bare reward.

    Args:
        tags: Of the rows; ``constant`` and ``is_padding`` count.
        uids: The group of each.
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
    its coefficient says. The loss is proportional to the advantages, so the factor goes there.

    Mini-batches share the factor: it holds for the step, not for each of them.

    Args:
        tokens: Policy tokens of each row.
        carries: Of :func:`carrying`.
        mode: ``actor.loss_agg_mode``, which says whether verl counts tokens or rows.

    Returns:
        At least 1; 1 where every row carries one, or none does.

    Raises:
        ConfigError: If the mode is unknown.

    Source: TT-OPD paper, eq. 4 and algorithm 1, line 8: only mixed groups are trained on.
    """
    if mode == UNNORMALISED:
        return 1.0
    if mode == BY_TOKENS:
        counts = list(tokens)
    elif mode in BY_ROWS:
        counts = [1] * len(tokens)
    else:
        known = [BY_TOKENS, *BY_ROWS, UNNORMALISED]
        raise ConfigError(f"actor.loss_agg_mode is one of {known}, not {mode!r}")
    counted = sum(count for count, carried in zip(counts, carries, strict=True) if carried)
    return sum(counts) / counted if counted else 1.0
