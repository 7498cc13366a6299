"""What a trainer logs of its trajectories, and the alarms that read the log."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gym_clinic import ConfigError

Values = NDArray[np.float64]

MEANS = (
    "calls", "distinct_tools", "malformed", "dropped_turns", "success", "hint_echo", "retries",
)  # fmt: skip
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


Weights = Mapping[str, float] | Mapping[str, Mapping[str, float]]
"""Weights of the parts of the reward; or, by environment, its weights."""


def step_metrics(
    records: Sequence[Mapping[str, float]],
    groups: Sequence[str],
    weights: Weights,
    environments: Sequence[str] | None = None,
) -> dict[str, float]:
    """Return the figures of one step, from every trajectory that was rolled out for it.

    Give all of them, those of groups that dynamic sampling left out included. Trajectories that
    their environment failed are counted in ``fault_fraction`` and in nothing else. Every value is
    finite: a mean over nothing is 0.0, and ``n`` beside it is 0; a share of no variance is 0.0.

    Args:
        records: One a trajectory; each has the keys in `NEEDED`, further ones may differ.
        groups: The group of each: trajectories of the same prompt.
        weights: Of the parts ``reward/<name>``; a part left out weighs 0. Where environments
            differ in them: environment -> weights.
        environments: The environment of each; None where there is one.

    Returns:
        Under ``clinic/``: counts, fractions, means and percentiles of turns, tokens and calls, of
        all and of ``correct/`` and ``incorrect/`` ones; of each part ``reward/<name>/`` ``mean``,
        ``std``, ``std_share`` w_j sd_j / sd_R and ``cov_share`` w_j cov(r_j, R) / var(R), where R
        is the record's ``total``. Deviations divide by n - 1, as verl's advantages do. With
        several environments the figures of each as well, under ``clinic/<id>/``.

    Raises:
        ValueError: If a record lacks a needed key or has a value that is not finite, if there is
            no record, or if there are not as many groups or environments.
        ConfigError: If a weight names no part of its environment.

    Source: TT-OPD paper, proposition E.2 (``std_share``; it calls it a signal-to-noise ratio).
    """
    table = _table(records, groups)
    ids = [""] * len(records) if environments is None else list(environments)
    if len(ids) != len(records):
        raise ValueError(f"{len(records)} records and {len(ids)} environments; expected as many")
    nested = _by_environment(weights, ids)
    found = _figures(table, groups, _weight_columns(table, ids, nested))
    if len({*ids, *nested}) > 1:
        for name in sorted(set(ids)):
            rows = np.array([one == name for one in ids])
            own = {key: values[rows] for key, values in table.items()}
            own = {key: values for key, values in own.items() if not np.isnan(values).all()}
            members = [group for group, mine in zip(groups, rows, strict=True) if mine]
            columns = _weight_columns(own, [name] * len(members), {name: nested.get(name, {})})
            figures = _figures(own, members, columns)
            found |= {f"{name}/{key}": value for key, value in figures.items()}
    return {f"clinic/{key}": value for key, value in found.items()}


def _figures(
    table: Mapping[str, Values], groups: Sequence[str], weights: Mapping[str, Values]
) -> dict[str, float]:
    """Return the figures of some trajectories; ``weights`` holds those of each part by record."""
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
    for name, column in weights.items():
        found |= _of_part(name, column[valid], of[f"reward/{name}"], of["total"])
    metrics = [key for key in table if key.startswith("metric/")]
    return found | {key: _mean(_known(of[key])) for key in metrics}


def _by_environment(weights: Weights, ids: Sequence[str]) -> dict[str, Mapping[str, float]]:
    """Return the weights of each environment."""
    nested = {name: one for name, one in weights.items() if isinstance(one, Mapping)}
    if nested:
        return nested
    flat = {name: one for name, one in weights.items() if not isinstance(one, Mapping)}
    return dict.fromkeys(ids, flat)


def _weight_columns(
    table: Mapping[str, Values], ids: Sequence[str], nested: Mapping[str, Mapping[str, float]]
) -> dict[str, Values]:
    """Return the weight of every part in every record, by the part's name."""
    parts = [key.removeprefix("reward/") for key in table if key.startswith("reward/")]
    for name in dict.fromkeys(ids):
        if unknown := sorted(set(nested.get(name, {})) - set(parts)):
            raise ConfigError(
                f"weights name unknown rewards {unknown}; choose from {sorted(parts)}"
            )
    return {
        part: np.array([nested.get(name, {}).get(part, 0.0) for name in ids], np.float64)
        for part in parts
    }


def _table(records: Sequence[Mapping[str, float]], groups: Sequence[str]) -> dict[str, Values]:
    """Return the records by column; what a record lacks is nan."""
    if not records or len(records) != len(groups):
        raise ValueError(f"{len(records)} records and {len(groups)} groups; expected as many, "
                         "at least one")  # fmt: skip
    for number, record in enumerate(records):
        if missing := [key for key in NEEDED if key not in record]:
            raise ValueError(f"a record lacks {missing}; record {number} has {list(record)}")
        for key, value in record.items():
            if not abs(value) < LARGEST:  # false for what is not a number
                raise ValueError(f"record {number} has {key} {value}; expected a finite number")
    keys = dict.fromkeys(key for record in records for key in record)
    return {
        key: np.array([record.get(key, math.nan) for record in records], np.float64) for key in keys
    }


def _known(values: Values) -> Values:
    return values[~np.isnan(values)]


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


def _of_part(name: str, weights: Values, values: Values, total: Values) -> dict[str, float]:
    """Return what one part is, and how much of the total's variation comes from it."""
    std_share = cov_share = 0.0
    paid = np.where(np.isnan(values), 0.0, weights * values)
    values = _known(values)
    if not _constant(total) and not _constant(paid):
        sign = -1.0 if float(weights.sum()) < 0.0 else 1.0
        std_share = sign * _std(paid) / _std(total)
        cov_share = float(np.cov(paid, total)[0, 1]) / _std(total) ** 2
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
