"""Rules that read the log of a run and say when it goes wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
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

WATCHED = (
    "val/turns", "clinic/clip_ratio", "ttopd/kl", "clinic/mixed_fraction", "ttopd/grad_ratio",
    "clinic/hint_echo", "clinic/fault_fraction", "clinic/failed_fraction",
    "training/rollout_probs_diff_mean",
)  # fmt: skip
"""Keys of the metrics that alarms read; a key that a step lacks raises none."""

_DIVERGED = "the update has diverged, or it was given what is no number"


@dataclass
class Alarms:
    """Says when a run goes wrong, a sentence for each step at which a rule holds.

    Rules: turns over any three evaluations in a row, on average, more than 15% below the highest
    so far (the first evaluation, or any three later ones); more than half of the trajectories
    truncated; a KL that drops by more than 80% from one step to the next; less than a fifth of the
    groups mixed; a gradient of the KL term more than ten times that of the GRPO term; any echo of
    a hint; more than one in twenty trajectories failed by the environment, or prompts that did not
    come back; a rollout engine whose probabilities are not the trainer's; a figure that is not
    finite.

    Attributes:
        probability_gap: The limit of that difference; see :func:`probability_gap`.
        baseline: The highest turns so far; None before the first evaluation.
        recent: Turns of the last evaluations after the first, at most three.
        evaluated: Step of the last evaluation. A resumed run may evaluate it again.
        kl: The last KL; None before there is one.
        kl_step: Its step.

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
        rules = (
            self._turns, self._clipped, self._dropped, self._mixed, self._gradients, self._echo,
            self._faults, self._failed, self._probabilities,
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

    def begin_stage(self) -> None:
        """Compare with nothing from before: another stage has other tasks and another KL."""
        self.baseline, self.recent, self.kl = None, [], None

    def state_dict(self) -> dict[str, Any]:
        """Return what a checkpoint has to keep, as plain JSON."""
        state = asdict(self)
        del state["probability_gap"]  # from the config, not from the run so far
        return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up where ``state_dict`` left off.

        Raises:
            ConfigError: If the state is not of that form.
        """
        known = self.state_dict()
        if sorted(state) != sorted(known):
            raise ConfigError(f"the state of alarms has the keys {[*known]}, not {sorted(state)}")
        for name in ("evaluated", "kl_step"):
            if type(state[name]) is not int:
                raise ConfigError(
                    f"{name!r} in the state of alarms is a whole number, not {state[name]!r}"
                )
        for name in ("baseline", "kl"):
            if state[name] is not None and not _is_number(state[name]):
                raise ConfigError(
                    f"{name!r} in the state of alarms is a number or null, not {state[name]!r}"
                )
        recent = state["recent"]
        if not isinstance(recent, list) or not all(map(_is_number, recent)):
            raise ConfigError(f"'recent' in the state of alarms is a list, not {recent!r}")
        for name in known:
            setattr(self, name, state[name])
        self.recent = list(recent)

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
        if mean >= (1.0 - FEWER_TURNS) * highest:
            return None
        return (
            f"{mean:.2f} turns over the last {EVALUATIONS} evaluations, more than "
            f"{FEWER_TURNS:.0%} below the {highest:.2f} of before: the policy stops calling "
            "tools, as it does when short answers pay or the teacher is too weak"
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

    def _faults(self, step: int, share: float) -> str | None:
        if share <= MOST_FAILED:
            return None
        return (
            f"the environment failed {share:.0%} of the trajectories (limit {MOST_FAILED:.0%}); "
            "their groups are dropped, and the tasks that fail are not learnt: the log has the "
            "exceptions"
        )

    def _failed(self, step: int, share: float) -> str | None:
        if share <= MOST_FAILED:
            return None
        return (
            f"{share:.0%} of the prompts did not come back (limit {MOST_FAILED:.0%}): a rollout "
            "server died or refuses requests; the log has the exceptions"
        )

    def _probabilities(self, step: int, gap: float) -> str | None:
        if gap <= self.probability_gap:
            return None
        return (
            f"rollouts give their tokens probabilities that differ by {gap:.3g} on average from "
            f"the trainer's (limit {self.probability_gap:g}): the rollout engine does not serve "
            "the policy that is trained, or changes its probabilities (top_k, a penalty)"
        )


def probability_gap(rollout: Any) -> float:
    """Return how far the probabilities of rollouts may lie from the trainer's, on average.

    verl's engines report probabilities after the cut by ``top_p``, the trainer computes them
    before: that alone is up to 1 - ``top_p``. The rollouts of the CPU report them before.

    Args:
        rollout: ``actor_rollout_ref.rollout`` of a config.
    """
    if rollout.name == "hf":
        return GAP_FP32
    limit = GAP_FP32 if rollout.dtype in ("float32", "fp32") else GAP_BF16
    return limit + (1.0 - float(rollout.top_p))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
