"""The divergences of student from teacher at a token, with their gradients.

Each takes the logits of student and teacher (C, V), which it overwrites to keep the number of such
tensors down, the sampled tokens (C,) and the support ``k``; and returns the value of each row (C,)
and its gradient by the student's logits (C, V). A further one is a function like these and a line
in ``registry.ESTIMATORS``.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from gym_clinic import ConfigError

Divergence = Callable[[Tensor, Tensor, "Tensor | None"], tuple[Tensor, Tensor]]
"""Logits of student and teacher, and tokens -> values and gradients; with its ``k``."""


def full(student: Tensor, teacher: Tensor, tokens: Tensor | None, k: int) -> tuple[Tensor, Tensor]:
    """Return sum_v p_s log(p_s / p_t), the reverse KL over the whole vocabulary.

    Source: TT-OPD paper, eq. 2.
    """
    log_p, log_q = _log_softmax_(student), _log_softmax_(teacher)
    excess = torch.sub(log_p, log_q, out=log_q)
    return _expected_(log_p.exp_(), excess)


def topk_tail(
    student: Tensor, teacher: Tensor, tokens: Tensor | None, k: int
) -> tuple[Tensor, Tensor]:
    """Return the reverse KL over the student's ``k`` likeliest tokens and one bucket of the rest.

    A coarsening of ``full``: never above it, and 0 where that is.

    Raises:
        ConfigError: If ``k`` leaves no tail.
    """
    vocabulary = student.shape[-1]
    if not 1 <= k < vocabulary:
        raise ConfigError(
            f"k is {k} of {vocabulary} tokens: give 1 to {vocabulary - 1}, or take estimator 'full'"
        )
    log_p, log_q = _log_softmax_(student), _log_softmax_(teacher)
    support = log_p.topk(k, dim=-1, sorted=False).indices
    on_p, on_q = log_p.gather(-1, support), log_q.gather(-1, support)
    # The tail is summed up by itself: 1 minus the rest would lose it where it is small.
    tail_p = log_p.scatter_(-1, support, -torch.inf).logsumexp(-1, keepdim=True)
    tail_q = log_q.scatter_(-1, support, -torch.inf).logsumexp(-1, keepdim=True)
    log_p.scatter_(-1, support, on_p)
    excess = log_q.copy_(tail_p - tail_q).scatter_(-1, support, on_p - on_q)
    return _expected_(log_p.exp_(), excess)


def k2(student: Tensor, teacher: Tensor, tokens: Tensor | None, k: int) -> tuple[Tensor, Tensor]:
    """Return half the squared log ratio of the sampled token.

    Its gradient (log p_s - log p_t) * grad log p_s is the reverse KL's in expectation over tokens
    sampled from the student.

    Source: TT-OPD paper, algorithm 1, line 12, which compares sampled log-probabilities.
    """
    if tokens is None:
        raise ConfigError("'k2' needs the sampled tokens: give one id per row")
    at = tokens.unsqueeze(-1)
    log_p, log_q = _log_softmax_(student), _log_softmax_(teacher)
    gap = log_p.gather(-1, at) - log_q.gather(-1, at)
    gradient = log_p.exp_().mul_(-gap).scatter_add_(-1, at, gap)
    return gap.squeeze(-1).square() / 2, gradient


def _log_softmax_(logits: Tensor) -> Tensor:
    return logits.sub_(logits.logsumexp(-1, keepdim=True))


def _expected_(p: Tensor, excess: Tensor) -> tuple[Tensor, Tensor]:
    """Return E_p[excess] and p * (excess - E_p[excess]), its gradient by the logits of p.

    It is the gradient although ``excess`` itself depends on them: where excess is log p plus a
    constant, E_p[grad log p] is 0.
    """
    value = (p * excess).sum(-1)
    return value, p.mul_(excess.sub_(value.unsqueeze(-1)))
