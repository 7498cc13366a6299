"""Rules that read the log of a run and say when it goes wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

FEWER_TURNS = 0.15
EVALUATIONS = 3
KL_DROP = 0.8
KL_ROUNDING = 1e-5
"""A KL up to here is 0 but for the rounding of bf16, so that it cannot drop."""
LEAST_MIXED = 0.2
MOST_FAILED = 0.05
"""Groups with a failed member are dropped, and what fails is seldom independent of the task. One
trajectory in twenty fails a third of all groups of eight: what is trained on is no longer the
distribution of the data."""
GAP_FP32, GAP_BF16 = 1e-4, 0.02
"""Mean difference of a token's probability, rollout against trainer, by the rollout's precision.

In fp32 4e-9 was measured on the CPU. In bf16 vLLM against FSDP2 gives 4e-3 (verl-omni issue 637),
since kernels round differently; five times that is no rounding but other weights, another
temperature or other tokens.
"""

_TURNS = (
    "{0:.2f} turns over the last {2} evaluations, more than {3:.0%} below the {1:.2f} of before: "
    "the policy stops calling tools, as it does when short answers pay or the teacher is too weak"
)
_KL = (
    "the KL fell from {1:.3g} to {0:.3g}, more than {2:.0%} in one step: the student was copied "
    "over the teacher, or almost no turn was left to distil"
)
_MIXED = (
    "{0:.0%} of the groups have mixed outcomes (limit {1:.0%}), so that the others teach nothing: "
    "the tasks are too hard or too easy for this policy"
)
_GAP = "training/rollout_probs_diff_mean"

MOST: Mapping[str, tuple[float, str]] = {
    "clinic/clip_ratio": (
        0.5,
        "{0:.0%} of the trajectories truncated (limit {1:.0%}): responses grow for want of a "
        "length reward, or the token budgets are too small for the tasks",
    ),
    "ttopd/grad_ratio": (
        10.0,
        "the gradient of the KL is {0:.3g} times that of GRPO (limit {1:g}): lambda is too large "
        "for these rewards, or few groups have an advantage to learn from",
    ),
    "clinic/hint_echo": (
        0.0,
        "rollouts repeat hints word for word (clinic/hint_echo {0:.3g}, expected 0): a hint has "
        "reached the student's prompt, or distillation taught it to recite them",
    ),
    "clinic/fault_fraction": (
        MOST_FAILED,
        "the environment failed {0:.0%} of the trajectories (limit {1:.0%}); their groups are "
        "dropped, and the tasks that fail are not learnt: the log has the exceptions",
    ),
    "clinic/failed_fraction": (
        MOST_FAILED,
        "{0:.0%} of the prompts did not come back (limit {1:.0%}): a rollout server died or "
        "refuses requests; the log has the exceptions",
    ),
    _GAP: (
        GAP_BF16,
        "rollouts give their tokens probabilities that differ by {0:.3g} on average from the "
        "trainer's (limit {1:g}): the rollout engine does not serve the policy that is trained, "
        "or changes its probabilities (top_k, a penalty)",
    ),
}
"""Figure -> its largest healthy value, and the alarm."""

WATCHED = ("val/turns", "ttopd/kl", "clinic/mixed_fraction", *MOST)
"""Figures that alarms read; one that a step lacks raises none."""


@dataclass
class Alarms:
    """Says when a run goes wrong, a sentence for each step at which a rule holds.

    Rules: turns over any three evaluations in a row, on average, more than 15% below the highest
    so far (the first evaluation, or any three later ones); a KL that drops by more than 80% from
    one step to the next; less than a fifth of the groups mixed; a figure above its limit in `MOST`;
    a figure that is not finite.

    Attributes:
        probability_gap: The limit of that difference; see :func:`probability_gap`.
        baseline: The highest turns so far; None before the first evaluation.
        recent: Turns of the last evaluations after the first, at most three.
        evaluated: Step of the last evaluation. A resumed run may evaluate it again.
        kl: The last KL, and ``kl_step`` its step.

    Source: TT-OPD paper, sections 5.3, 6.1 and proposition E.3 for what goes wrong; the limits
    are ours.
    """

    probability_gap: float = GAP_BF16
    baseline: float | None = None
    recent: list[float] = field(default_factory=list)
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
        found = [self._alarm(step, key, float(metrics[key])) for key in WATCHED if key in metrics]
        return [f"step {step}: {text}" for text in found if text]

    def begin_stage(self) -> None:
        """Compare with nothing from before: another stage has other tasks and another KL."""
        self.baseline, self.recent, self.kl = None, [], None

    def state_dict(self) -> dict[str, Any]:
        """Return what a checkpoint has to keep, as plain JSON."""
        state = asdict(self)
        del state["probability_gap"]  # from the config, not from the run so far
        return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up where ``state_dict`` left off."""
        for name in self.state_dict():
            setattr(self, name, state[name])

    def _alarm(self, step: int, key: str, value: float) -> str | None:
        if not math.isfinite(value):
            return f"{key} is {value}: the update has diverged, or it was given what is no number"
        if key == "val/turns":
            return self._turns(step, value)
        if key == "ttopd/kl":
            return self._dropped(step, value)
        if key == "clinic/mixed_fraction":
            return _MIXED.format(value, LEAST_MIXED) if value < LEAST_MIXED else None
        limit, text = MOST[key]
        limit = self.probability_gap if key == _GAP else limit
        return text.format(value, limit) if value > limit else None

    def _turns(self, step: int, turns: float) -> str | None:
        if step <= self.evaluated or turns <= 0.0:
            return None
        self.evaluated = step
        if self.baseline is None:
            self.baseline = turns
            return None
        self.recent = [*self.recent, turns][-EVALUATIONS:]
        if len(self.recent) < EVALUATIONS:
            return None
        mean, highest = sum(self.recent) / EVALUATIONS, self.baseline
        self.baseline = max(mean, highest)
        fell = mean < (1.0 - FEWER_TURNS) * highest
        return _TURNS.format(mean, highest, EVALUATIONS, FEWER_TURNS) if fell else None

    def _dropped(self, step: int, kl: float) -> str | None:
        before = self.kl if self.kl_step == step - 1 else None
        self.kl, self.kl_step = kl, step
        if before is None or before <= KL_ROUNDING or kl >= (1.0 - KL_DROP) * before:
            return None
        return _KL.format(kl, before, KL_DROP)


def probability_gap(rollout: Any) -> float:
    """Return how far the probabilities of rollouts may lie from the trainer's, on average.

    verl's engines report probabilities after the cut by ``top_p``, the trainer computes them
    before: that alone is up to 1 - ``top_p``. The rollouts of the CPU report them before.
    """
    if rollout.name == "hf":
        return GAP_FP32
    limit = GAP_FP32 if rollout.dtype in ("float32", "fp32") else GAP_BF16
    return limit + (1.0 - float(rollout.top_p))
