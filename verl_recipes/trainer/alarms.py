"""Rules that read the log of a run and say when it goes wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from gym_clinic import ConfigError

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
            "student was copied over the teacher, or almost no turn was left to distil"
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
