"""The figures that a trainer logs of the trajectories of a step."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Record = Mapping[str, float]

MEANS = (
    "calls", "distinct_tools", "malformed", "dropped_turns", "success", "hint_echo", "retries",
)  # fmt: skip
"""Fields of a record of which the mean says enough."""

ROUNDING = 1e-12
"""Spread up to which values count as equal: sums of the same parts may differ in their last bits.
Absolute, and relative to values above 1."""


def step_metrics(
    records: Sequence[Record],
    groups: Sequence[str],
    weights: Mapping[str, Any],
    environments: Sequence[str] | None = None,
) -> dict[str, float]:
    """Return the figures of one step, from every trajectory that was rolled out for it.

    Give all of them, those of groups that dynamic sampling left out included. Trajectories that
    their environment failed are counted in ``fault_fraction`` and in nothing else. Every value is
    finite: a mean over nothing is 0.0, and ``n`` beside it is 0; a share of no variance is 0.0.

    Args:
        records: One a trajectory, as the agent loop makes it; their parts and metrics may differ.
        groups: The group of each: trajectories of the same prompt.
        weights: Of the parts ``reward/<name>``, by environment; a part left out weighs 0. Without
            ``environments``: of the parts alone.
        environments: The environment of each.

    Returns:
        Under ``clinic/``: counts, fractions, means and percentiles of turns, tokens and calls, of
        all and of ``correct/`` and ``incorrect/`` ones; of each part ``reward/<name>/`` ``mean``,
        ``std``, ``std_share`` w_j sd_j / sd_R and ``cov_share`` w_j cov(r_j, R) / var(R), where R
        is the record's ``total``. Deviations divide by n - 1, as verl's advantages do. With
        several environments the figures of each as well, under ``clinic/<id>/``.

    Raises:
        ValueError: If a figure is not finite, if there is no record, or if there are not as many
            groups or environments.

    Source: TT-OPD paper, proposition E.2 (``std_share``; it calls it a signal-to-noise ratio).
    """
    if environments is None:
        environments, weights = [""] * len(records), {"": weights}
    if not records or not len(records) == len(groups) == len(environments):
        raise ValueError(
            f"{len(records)} records, {len(groups)} groups and {len(environments)} environments; "
            "expected as many of each, at least one"
        )
    for number, record in enumerate(records):
        if wrong := {key: value for key, value in record.items() if not math.isfinite(value)}:
            raise ValueError(f"record {number} has {wrong}; expected finite numbers")
    rows = list(zip(records, groups, (weights[name] for name in environments), strict=True))
    found = _figures(rows)
    if len({*environments, *weights}) > 1:
        for name in sorted(set(environments)):
            own = [row for row, where in zip(rows, environments, strict=True) if where == name]
            found |= {f"{name}/{key}": value for key, value in _figures(own).items()}
    return {f"clinic/{key}": value for key, value in found.items()}


def _figures(rows: Sequence[tuple[Record, str, Mapping[str, float]]]) -> dict[str, float]:
    """Return the figures of some trajectories: of each the record, the group and the weights."""
    names = dict.fromkeys(key for record, _, _ in rows for key in record)
    valid = [row for row in rows if not row[0]["fault"]]
    records = [record for record, _, _ in valid]

    def column(name: str) -> Values:
        return np.array([record[name] for record in records if name in record], np.float64)

    turns, total, score = column("turns"), column("total"), column("score")
    own, response = column("policy_tokens"), column("response_tokens")
    lengths = {
        "policy_tokens": own,
        "response_tokens": response,
        "total_tokens": column("prompt_tokens") + response,
    }
    found = {"n": float(len(valid)), "fault_fraction": 1.0 - len(valid) / len(rows)}
    found |= {name: _mean(column(name)) for name in MEANS}
    found |= {"single_turn": _mean(turns <= 1.0), "clip_ratio": _mean(column("truncated"))}
    found |= {"turns/mean": _mean(turns), "turns/p10": _percentile(turns, 10)}
    for name, values in lengths.items():
        found |= {f"{name}/mean": _mean(values), f"{name}/p95": _percentile(values, 95)}
    for name, values in (("score", score), ("total", total)):
        found |= {f"{name}/mean": _mean(values), f"{name}/std": _std(values)}
    correct = column("correct") > 0.0
    for name, chosen in (("correct", correct), ("incorrect", ~correct)):
        found[f"{name}/n"] = float(chosen.sum())
        found[f"{name}/turns"] = _mean(turns[chosen])
        found[f"{name}/policy_tokens"] = _mean(own[chosen])
    found |= _of_groups([group for _, group, _ in valid], correct, score)
    for name in names:
        if name.startswith("reward/"):
            part = name.removeprefix("reward/")
            paid = [weights.get(part, 0.0) * record.get(name, 0.0) for record, _, weights in valid]
            negative = sum(weights.get(part, 0.0) for _, _, weights in valid) < 0.0
            found |= {f"{name}/mean": _mean(column(name)), f"{name}/std": _std(column(name))}
            found |= _shares(name, np.array(paid, np.float64), total, -1.0 if negative else 1.0)
    return found | {name: _mean(column(name)) for name in names if name.startswith("metric/")}


def _of_groups(
    groups: Sequence[str], correct: NDArray[np.bool_], scores: Values
) -> dict[str, float]:
    members: dict[str, list[int]] = {}
    for index, group in enumerate(groups):
        members.setdefault(group, []).append(index)
    mixed = [bool(correct[of].any() and not correct[of].all()) for of in members.values()]
    flat = [_constant(scores[of]) for of in members.values()]
    return {
        "groups": float(len(members)),
        "kept_groups": float(sum(mixed)),
        "mixed_fraction": _mean(np.array(mixed)),
        "zero_std_fraction": _mean(np.array(flat)),
    }


def _shares(name: str, paid: Values, total: Values, sign: float) -> dict[str, float]:
    """Return how much of the total's variation comes from what one part pays."""
    std_share = cov_share = 0.0
    if not _constant(total) and not _constant(paid):
        std_share = sign * _std(paid) / _std(total)
        cov_share = float(np.cov(paid, total)[0, 1]) / _std(total) ** 2
    return {f"{name}/std_share": std_share, f"{name}/cov_share": cov_share}


def _mean(values: Values | NDArray[np.bool_]) -> float:
    return float(np.mean(values)) if values.size else 0.0


def _std(values: Values) -> float:
    return 0.0 if _constant(values) else float(np.std(values, ddof=1))


def _percentile(values: Values, percent: float) -> float:
    return float(np.percentile(values, percent)) if values.size else 0.0


def _constant(values: Values) -> bool:
    if not values.size:
        return True
    return bool(np.ptp(values) <= ROUNDING * max(1.0, float(np.max(np.abs(values)))))
