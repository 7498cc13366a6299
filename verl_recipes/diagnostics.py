"""What a trainer logs of its trajectories, and the alarms that read the log."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

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


FEWER_TURNS = 0.15
EVALUATIONS = 3
MOST_CLIPPED = 0.5
KL_DROP = 0.8
KL_ROUNDING = 1e-5
"""A KL up to here is 0 but for the rounding of bf16, so that it cannot drop."""
LEAST_MIXED = 0.2
GRADIENT_RATIO = 10.0

WATCHED = (
    "val/turns", "clinic/clip_ratio", "ttopd/kl", "clinic/mixed_fraction", "ttopd/grad_ratio",
    "clinic/hint_echo",
)  # fmt: skip
"""Keys of the metrics that alarms read; a key that a step lacks raises none."""

_DIVERGED = "the update has diverged, or it was given what is no number"


@dataclass
class Alarms:
    """Says when a run goes wrong, a sentence for each step at which a rule holds.

    Rules: turns at evaluation more than 15% below those of the first, three evaluations in a row;
    more than half of the trajectories truncated; a KL that drops by more than 80% from one step
    to the next; less than a fifth of the groups mixed; a gradient of the KL term more than ten
    times that of the GRPO term; any echo of a hint; a figure that is not finite.

    Attributes:
        baseline: Turns of the first evaluation; None before it.
        low: Evaluations in a row that lay below it.
        evaluated: Step of the last evaluation. A resumed run may evaluate it again.
        kl: The last KL; None before there is one.
        kl_step: Its step.

    Source: TT-OPD paper, sections 5.3, 6.1 and proposition E.3 for what goes wrong; the limits
    are ours.
    """

    baseline: float | None = None
    low: int = 0
    evaluated: int = -1
    kl: float | None = None
    kl_step: int = -1

    def check(self, step: int, metrics: Mapping[str, float]) -> list[str]:
        """Return the alarms of a step, in the order of `WATCHED`.

        Args:
            step: Training steps done.
            metrics: Of this step. ``val/turns`` at evaluations only; 0 means that nothing was
                evaluated.
        """
        rules = (
            self._turns, self._clipped, self._dropped, self._mixed, self._gradients, self._echo,
        )  # fmt: skip
        said = []
        for key, rule in zip(WATCHED, rules, strict=True):
            if key not in metrics:
                continue
            value = float(metrics[key])
            text = rule(step, value) if math.isfinite(value) else f"{key} is {value}: {_DIVERGED}"
            if text:
                said.append(f"step {step}: {text}")
        return said

    def state_dict(self) -> dict[str, Any]:
        """Return what a checkpoint has to keep, as plain JSON."""
        return asdict(self)

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up where ``state_dict`` left off.

        Raises:
            ConfigError: If the state is not of that form.
        """
        names = [one.name for one in fields(self)]
        if sorted(state) != sorted(names):
            raise ConfigError(f"the state of alarms has the keys {names}, not {sorted(state)}")
        for one in fields(self):
            value, optional = state[one.name], one.default is None
            kinds = (int, float, type(None)) if optional else (int,)
            if isinstance(value, bool) or not isinstance(value, kinds):
                kind = "a number or null" if optional else "a whole number"
                raise ConfigError(f"{one.name!r} in the state of alarms is {kind}, not {value!r}")
        for name in names:
            setattr(self, name, state[name])

    def _turns(self, step: int, turns: float) -> str | None:
        if step <= self.evaluated or turns <= 0.0:
            return None
        self.evaluated = step
        if self.baseline is None:
            self.baseline = turns
        self.low = self.low + 1 if turns < (1.0 - FEWER_TURNS) * self.baseline else 0
        if self.low < EVALUATIONS:
            return None
        return (
            f"{turns:.2f} turns at evaluation, more than {FEWER_TURNS:.0%} below the "
            f"{self.baseline:.2f} of the first, {self.low} evaluations in a row: the policy stops "
            "calling tools, as it does when short answers pay or the teacher is too weak"
        )

    def _clipped(self, step: int, ratio: float) -> str | None:
        if ratio <= MOST_CLIPPED:
            return None
        return (
            f"{ratio:.0%} of the trajectories truncated (limit {MOST_CLIPPED:.0%}): responses grow "
            "for want of a length reward, or the token budgets are too small for the tasks"
        )

    def _dropped(self, step: int, kl: float) -> str | None:
        before = self.kl if self.kl_step == step - 1 else None
        self.kl, self.kl_step = kl, step
        if before is None or before <= KL_ROUNDING or kl >= (1.0 - KL_DROP) * before:
            return None
        return (
            f"the KL fell from {before:.3g} to {kl:.3g}, more than {KL_DROP:.0%} in one step: the "
            "student was copied over the teacher, or hardly a turn was left to distil"
        )

    def _mixed(self, step: int, fraction: float) -> str | None:
        if fraction >= LEAST_MIXED:
            return None
        return (
            f"{fraction:.0%} of the groups have mixed outcomes (limit {LEAST_MIXED:.0%}), so that "
            "the others teach nothing: the tasks are too hard or too easy for this policy"
        )

    def _gradients(self, step: int, ratio: float) -> str | None:
        if ratio <= GRADIENT_RATIO:
            return None
        return (
            f"the gradient of the KL is {ratio:.3g} times that of GRPO (limit {GRADIENT_RATIO:g}): "
            "lambda is too large for these rewards, or few groups have an advantage to learn from"
        )

    def _echo(self, step: int, share: float) -> str | None:
        if share <= 0.0:
            return None
        return (
            f"rollouts repeat hints word for word (clinic/hint_echo {share:.3g}, expected 0): a "
            "hint has reached the student's prompt, or distillation taught it to recite them"
        )
