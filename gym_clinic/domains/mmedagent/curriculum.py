"""How difficult a task is for the attending physician, and what a stage of training optimises.

Source: MMedAgent-RL, section 3.3, algorithm 1 and section 4.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

import numpy as np

from gym_clinic.errors import ConfigError
from gym_clinic.names import suggest

CLIP = 0.2
"""Clipping of the probability ratio; the paper does not state it, this is the usual value."""


class Level(str, Enum):
    """The difficulty of a task, by the share of its specialists who are right."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"

    __str__ = str.__str__  # the same text in every version of Python

    @property
    def level(self) -> str:
        """Its name."""
        return self.value

    @property
    def kl(self) -> float:
        """The coefficient of the KL in its stage (section 4.1)."""
        return KL[self.value]


KL: Mapping[str, float] = {"easy": 1e-3, "medium": 4e-3, "hard": 1e-2}
"""Stage -> coefficient of the KL."""


def difficulty(correct: Sequence[bool | int]) -> Level:
    """Return the level of a task: all right is easy, none right is hard, the rest medium.

    Args:
        correct: For each specialist, whether the answer is right.

    Raises:
        ConfigError: If there is no specialist, or an entry is neither 0 nor 1.

    >>> difficulty([0, 1, 1]).value
    'medium'
    """
    rights = list(correct)
    if not rights:
        raise ConfigError("difficulty needs the answer of one specialist at least, as 0 or 1")
    if wrong := [right for right in rights if right not in (0, 1)]:
        raise ConfigError(f"correct lists 0 and 1, one a specialist, not {wrong[0]!r}")
    if all(rights):
        return Level.EASY
    return Level.MEDIUM if any(rights) else Level.HARD


def objective(
    logp: Any,
    old: Any,
    ref: Any,
    mask: Any,
    adv: Any,
    stage: str | None = None,
    beta: float | None = None,
    clip: float = CLIP,
) -> float:
    """Return the loss of C-MARL (eq. 1): clipped GRPO plus the KL to a reference policy.

    Tokens are averaged within a response, then responses. The KL is estimated by k3,
    ``exp(d) - d - 1`` with ``d = ref - logp``, as verl's ``low_var_kl``.

    Args:
        logp: Log-probabilities of the tokens, ``[responses, tokens]``.
        old: The same under the policy that sampled them.
        ref: The same under the reference policy: the one with which the stage began.
        mask: 1 for tokens of the response, 0 for padding.
        adv: Advantages: one a response, or one a token.
        stage: "easy", "medium" or "hard", for its coefficient of the KL.
        beta: The coefficient itself, in place of the stage.
        clip: Clipping of the ratio, on both sides.

    Raises:
        ConfigError: If shapes differ, a response has no token, or neither stage nor beta is given.
    """
    new, sampled, reference, kept = (np.asarray(part, dtype=float) for part in
                                     (logp, old, ref, mask))  # fmt: skip
    if new.ndim != 2 or not new.shape == sampled.shape == reference.shape == kept.shape:
        shapes = [part.shape for part in (new, sampled, reference, kept)]
        raise ConfigError(f"logp, old, ref and mask are [responses, tokens], not {shapes}")
    advantages = np.asarray(adv, dtype=float)
    advantages = advantages[:, None] if advantages.ndim == 1 else advantages
    if advantages.ndim != 2 or advantages.shape[0] != len(new):
        raise ConfigError(f"adv has one number a response, {len(new)}, not {advantages.shape}")
    lengths = kept.sum(axis=1)
    if not len(new) or not lengths.all():
        raise ConfigError("every response needs a token that is not masked")
    ratio = np.exp(new - sampled)
    clipped = np.clip(ratio, 1 - clip, 1 + clip)
    gain = np.minimum(ratio * advantages, clipped * advantages)
    apart = reference - new
    loss = _coefficient(stage, beta) * (np.exp(apart) - apart - 1) - gain
    return float(np.mean((loss * kept).sum(axis=1) / lengths))


def _coefficient(stage: str | None, beta: float | None) -> float:
    if beta is not None:
        return float(beta)
    if stage is None or stage not in KL:
        advice = suggest(str(stage), KL)
        raise ConfigError(f"objective needs beta, or a stage, not {stage!r}; {advice}")
    return KL[stage]
