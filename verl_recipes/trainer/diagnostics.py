"""What a trainer logs of its trajectories, and the alarms that read the log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gym_clinic import ConfigError

Values = NDArray[np.float64]

MEANS = ("calls", "distinct_tools", "malformed", "dropped_turns", "success", "hint_echo")
"""Fields of a record of which the mean says enough."""

LENGTHS = ("policy_tokens", "response_tokens", "total_tokens")
SPREADS = ("score", "total")
NEEDED = (
    *MEANS, *SPREADS, "fault", "truncated", "turns", "prompt_tokens", "policy_tokens",
    "response_tokens",
)  # fmt: skip

ROUNDING = 1e-12
"""Spread up to which values count as equal: sums of the same parts may differ in their last bits.
Absolute, and relative to values above 1."""

LARGEST = 1e100
"""Values from here on cannot be squared and summed."""


def step_metrics(
    records: Sequence[Mapping[str, float]], groups: Sequence[str], weights: Mapping[str, float]
) -> dict[str, float]:
    """Return the figures of one step, from every trajectory that was rolled out for it.

    Give all of them, those of groups that dynamic sampling left out included. Trajectories that
    their environment failed are counted in ``fault_fraction`` and in nothing else.

    The keys depend on the keys of the records alone, and every value is finite. Where a mean is
    over nothing it is 0.0, and ``n`` beside it is 0: ``clinic/n`` for all, ``clinic/correct/n``
    and ``clinic/incorrect/n`` for those, ``clinic/groups`` for fractions of groups. A share of no
    variance is 0.0.

    Args:
        records: One a trajectory, all with the same keys.
        groups: The group of each: trajectories of the same prompt.
        weights: Of the parts ``reward/<name>``; a part left out weighs 0.

    Returns:
        Under ``clinic/``: counts ``n``, ``groups``, ``kept_groups`` (outcome not constant);
        fractions ``fault_fraction``, ``single_turn``, ``clip_ratio`` (truncated),
        ``mixed_fraction``, ``zero_std_fraction`` (groups whose score is constant); means of
        the fields in `MEANS`; ``turns/mean`` and ``turns/p10``; ``<tokens>/mean`` and ``/p95``;
        ``score`` and ``total``, each ``/mean`` and ``/std``; ``n``, ``turns`` and
        ``policy_tokens`` of ``correct/`` and ``incorrect/``; ``reward/<name>/`` ``mean``, ``std``,
        ``std_share`` w_j sd_j / sd_R and ``cov_share`` w_j cov(r_j, R) / var(R), where R is the
        record's ``total``; ``metric/<name>``. Deviations divide by n - 1, as verl's advantages do.
        Shares of covariance sum to 1 where the total is the weighted sum of the parts.

    Raises:
        ValueError: If a record lacks a key, has another one or a value that is not finite, or
            if there is no record.
        ConfigError: If a weight names no part.

    Source: TT-OPD paper, proposition E.2 (``std_share``; it calls it a signal-to-noise ratio).
    """
    table = _table(records, groups)
    parts = [key.removeprefix("reward/") for key in table if key.startswith("reward/")]
    if unknown := sorted(set(weights) - set(parts)):
        raise ConfigError(f"weights name unknown rewards {unknown}; choose from {sorted(parts)}")
    valid = table["fault"] == 0.0
    found = {"n": float(valid.sum()), "fault_fraction": _mean(~valid)}
    of = {key: values[valid] for key, values in table.items()}
    of["total_tokens"] = of["prompt_tokens"] + of["response_tokens"]
    found |= {name: _mean(of[name]) for name in MEANS}
    found |= {"single_turn": _mean(of["turns"] <= 1.0), "clip_ratio": _mean(of["truncated"])}
    found |= {"turns/mean": _mean(of["turns"]), "turns/p10": _percentile(of["turns"], 10)}
    for name in LENGTHS:
        found |= {f"{name}/mean": _mean(of[name]), f"{name}/p95": _percentile(of[name], 95)}
    for name in SPREADS:
        found |= {f"{name}/mean": _mean(of[name]), f"{name}/std": _std(of[name])}
    correct = of["success"] > 0.0
    for name, chosen in (("correct", correct), ("incorrect", ~correct)):
        found[f"{name}/n"] = float(chosen.sum())
        for field in ("turns", "policy_tokens"):
            found[f"{name}/{field}"] = _mean(of[field][chosen])
    found |= _of_groups(
        [g for g, ok in zip(groups, valid, strict=True) if ok], correct, of["score"]
    )
    for name in parts:
        found |= _of_part(name, weights.get(name, 0.0), of[f"reward/{name}"], of["total"])
    found |= {key: _mean(of[key]) for key in table if key.startswith("metric/")}
    return {f"clinic/{key}": value for key, value in found.items()}


def _table(records: Sequence[Mapping[str, float]], groups: Sequence[str]) -> dict[str, Values]:
    """Return the records by column."""
    if not records or len(records) != len(groups):
        raise ValueError(f"{len(records)} records and {len(groups)} groups; expected as many, "
                         "at least one")  # fmt: skip
    first = records[0]
    if missing := [key for key in NEEDED if key not in first]:
        raise ValueError(f"a record lacks {missing}; it has {list(first)}")
    for number, record in enumerate(records):
        if record.keys() != first.keys():
            other = sorted(record.keys() ^ first.keys())
            raise ValueError(f"record {number} differs from the first in {other}; all records of "
                             "a run have the same keys")  # fmt: skip
    table = {key: np.array([record[key] for record in records], np.float64) for key in first}
    for key, values in table.items():
        usable = np.abs(values) < LARGEST  # false for what is not a number
        if not usable.all():
            number = int(np.argmin(usable))
            raise ValueError(
                f"record {number} has {key} {values[number]}; expected a finite number"
            )
    return table


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


def _of_part(name: str, weight: float, values: Values, total: Values) -> dict[str, float]:
    """Return what one part is, and how much of the total's variation comes from it."""
    std_share = cov_share = 0.0
    if not _constant(total) and not _constant(values):
        std_share = weight * _std(values) / _std(total)
        cov_share = weight * float(np.cov(values, total)[0, 1]) / _std(total) ** 2
    return {
        f"reward/{name}/mean": _mean(values),
        f"reward/{name}/std": _std(values),
        f"reward/{name}/std_share": std_share,
        f"reward/{name}/cov_share": cov_share,
    }


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
