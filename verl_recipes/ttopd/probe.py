"""Measurements of the three distributions at a few tokens; too dear for every step."""

from __future__ import annotations

import torch

EVERY_COMPARED = 16
"""One token in so many is measured for the estimators; the TT-OPD paper fixes none."""

EVERY_HINT = 32
"""One token in so many is measured for the effect of the hint."""

SUPPORT = 128
"""Size of the student's support whose mass is reported."""


@torch.no_grad()
def distributions(
    student: torch.Tensor,
    teacher: torch.Tensor,
    plain: torch.Tensor,
    tokens: torch.Tensor,
    head: torch.Tensor,
    teacher_head: torch.Tensor | None,
    temperature: float,
) -> dict[str, float]:
    """Compare student, hinted teacher and teacher without hint: hidden states (N, H) of each.

    Args:
        student: And the next two: the three models' hidden states.
        tokens: (N,), the tokens sampled.
        head: (V, H), the student's output head.
        teacher_head: (V, H), the teacher's; None for the student's.
        temperature: Divides all logits.

    Returns:
        ``entropy`` of the student, ``top128_mass``, ``kl_full`` and ``kl_sampled`` (the mean of
        log p_s - log p_t over sampled tokens) at one token in 16; ``hint_effect``
        KL(T(.|h) || T(.|no h)) and ``kl_without_hint`` KL(S || T(.|no h)) at one in 32. All 0
        without tokens.
    """
    names = ("entropy", "top128_mass", "kl_full", "kl_sampled", "hint_effect", "kl_without_hint")
    if not len(tokens):
        return dict.fromkeys(names, 0.0)
    other = head if teacher_head is None else teacher_head
    few, fewer = slice(None, None, EVERY_COMPARED), slice(None, None, EVERY_HINT)
    s = _log_softmax(student[few], head, temperature)
    t = _log_softmax(teacher[few], other, temperature)
    mass = s.exp().topk(min(SUPPORT, s.shape[-1]), dim=-1).values.sum(-1)
    at = tokens[few, None]
    student_fewer = _log_softmax(student[fewer], head, temperature)
    hinted = _log_softmax(teacher[fewer], other, temperature)
    without = _log_softmax(plain[fewer], other, temperature)
    values = (
        -(s.exp() * s).sum(-1),
        mass,
        _kl(s, t),
        (s - t).gather(-1, at).squeeze(-1),
        _kl(hinted, without),
        _kl(student_fewer, without),
    )
    return {name: float(value.mean()) for name, value in zip(names, values, strict=True)}


def _log_softmax(hidden: torch.Tensor, head: torch.Tensor, temperature: float) -> torch.Tensor:
    return torch.log_softmax((hidden.to(head.dtype) @ head.T).float() / temperature, dim=-1)


def _kl(p: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    return (p.exp() * (p - q)).sum(-1)
