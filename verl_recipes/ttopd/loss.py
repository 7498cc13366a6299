"""The distillation loss of TT-OPD: the KL divergence of student from teacher, turn by turn.

Logits exist for one chunk of tokens at a time. The loss is known to be a weighted sum over tokens,
so its gradients are formed in the forward pass while a chunk's logits are at hand: the backward
pass computes no logits a second time and needs neither head again, which matters where the heads
are sharded and only gathered around the forward pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from verl_recipes.registry import ESTIMATORS
from verl_recipes.ttopd.turns import group

VOCABULARY_SLICE = 32768
"""Rows of a head multiplied at once: bounds the copies made of it in another precision."""


class TurnKL(NamedTuple):
    """The loss and what it is made of.

    Attributes:
        loss: Mean over sequences, a scalar with a gradient.
        per_turn: KL of each turn (T,), mean over its tokens, detached; ordered by sequence, then
            turn, whose ids are ``sequences`` and ``turns`` (T,), int64.
    """

    loss: Tensor
    per_turn: Tensor
    turns: Tensor
    sequences: Tensor


def turn_kl(
    student_hidden: Tensor,
    teacher_hidden: Tensor,
    lm_head: Tensor,
    turn_ids: Tensor,
    *,
    sequence_ids: Tensor | None = None,
    tokens: Tensor | None = None,
    teacher_lm_head: Tensor | None = None,
    temperature: float = 1.0,
    estimator: str = "full",
    k: int = 128,
    reduce: str = "mean_turns",
    chunk: int = 512,
) -> TurnKL:
    """Return KL(student || teacher) averaged over tokens, then turns, then sequences.

    Rows are positions that predict policy tokens. Gradients reach ``student_hidden`` and
    ``lm_head``, never the teacher. Logits are fp32 (fp64 if an input is) whatever the inputs are
    and whether or not autocast is on. With no turn at all the loss is 0 and its gradients are 0.

    Args:
        student_hidden: Hidden states that the head reads (N, H).
        teacher_hidden: The teacher's, of the same tokens (N, H).
        lm_head: Weight of the student's head (V, H), whole.
        turn_ids: Turn of each row (N,), integers; rows of turn 0 are ignored.
        sequence_ids: Sequence of each row (N,), integers in any order; None: all of one.
        tokens: The sampled token of each row (N,), int64; ``k2`` needs it.
        teacher_lm_head: Weight of the teacher's head (V, H); None: the student's, detached.
        temperature: Both models' logits are divided by it.
        estimator: Of ``registry.ESTIMATORS``; with its support ``k``.
        reduce: Of ``registry.REDUCTIONS``.
        chunk: Tokens whose logits exist at a time; the result does not depend on it.

    Raises:
        ConfigError: If an option is unknown, or ``k2`` lacks its tokens.

    Source: TT-OPD paper, eq. 2 without its factor lambda; direction as printed, the teacher
    without gradient.
    """
    own = lm_head.detach()
    head = own if teacher_lm_head is None else teacher_lm_head.detach()
    student, teacher = student_hidden.detach(), teacher_hidden.detach()
    divergence = partial(ESTIMATORS[estimator], k=k)
    groups = group(turn_ids, sequence_ids)
    dtype = torch.float32
    for tensor in (student, teacher, own, head):
        dtype = torch.promote_types(dtype, tensor.dtype)
    weights = groups.weights(reduce, dtype)
    values = torch.zeros_like(weights)
    graph = torch.is_grad_enabled()
    for_hidden = for_head = None
    if graph and student_hidden.requires_grad:
        for_hidden = torch.zeros_like(student, dtype=_stored(student.dtype))
    if graph and lm_head.requires_grad:
        for_head = torch.zeros_like(own, dtype=dtype)
    with torch.no_grad(), torch.autocast(student.device.type, enabled=False):
        for start in range(0, len(groups.rows), chunk):
            part = slice(start, start + chunk)
            rows = groups.rows[part]
            values[part], gradient = divergence(
                _logits(student[rows], own, dtype, temperature),
                _logits(teacher[rows], head, dtype, temperature),
                None if tokens is None else tokens[rows].long(),
            )
            gradient *= (weights[part] / temperature).unsqueeze(-1)
            if for_hidden is not None:
                found = torch.zeros_like(student[rows], dtype=dtype)
                for some in _slices(own):
                    found += _product(gradient[:, some], own[some])
                for_hidden[rows] = found.to(for_hidden.dtype)
            if for_head is not None:
                for some in _slices(own):
                    for_head[some] += _product(gradient[:, some].t(), student[rows])
        if for_head is not None:
            for_head = for_head.to(_stored(own.dtype))
    apply: Callable[..., Tensor] = _WithGradients.apply
    loss = apply(student_hidden, lm_head, (weights * values).sum(), for_hidden, for_head)
    return TurnKL(loss, groups.means(values), groups.turns, groups.sequences)


class _WithGradients(torch.autograd.Function):
    """A loss whose gradients by the hidden states and by the head are known already."""

    @staticmethod
    def forward(
        ctx: Any,
        hidden: Tensor,
        head: Tensor,
        loss: Tensor,
        for_hidden: Tensor | None,
        for_head: Tensor | None,
    ) -> Tensor:
        ctx.save_for_backward(for_hidden, for_head)
        ctx.dtypes = hidden.dtype, head.dtype
        return loss.clone()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, scale: Tensor) -> tuple[Tensor | None, ...]:
        for_hidden, for_head = (
            None if kept is None else _scaled(kept, scale, dtype)
            for kept, dtype in zip(ctx.saved_tensors, ctx.dtypes, strict=True)
        )
        return for_hidden, for_head, None, None, None


def _stored(dtype: torch.dtype) -> torch.dtype:
    # fp16 has not the range for gradients before a loss scale has reached them.
    return torch.float32 if dtype == torch.float16 else dtype


def _scaled(kept: Tensor, scale: Tensor, dtype: torch.dtype) -> Tensor:
    """Scale a stored gradient; not in place, who keeps the graph may ask for it again."""
    result = torch.empty_like(kept, dtype=dtype)
    for some in _slices(kept):
        # In a product with bf16 the scale itself would be rounded.
        result[some] = kept[some].to(scale.dtype) * scale
    return result


def _logits(hidden: Tensor, head: Tensor, dtype: torch.dtype, temperature: float) -> Tensor:
    logits = torch.empty((len(hidden), len(head)), dtype=dtype, device=hidden.device)
    for some in _slices(head):
        logits[:, some] = _product(hidden, head[some].t())
    return logits if temperature == 1.0 else logits.div_(temperature)


def _slices(matrix: Tensor) -> Iterator[slice]:
    for start in range(0, len(matrix), VOCABULARY_SLICE):
        yield slice(start, start + VOCABULARY_SLICE)


def _product(left: Tensor, right: Tensor) -> Tensor:
    """Multiply two matrices into fp32, or fp64 if one of them is."""
    dtypes = {left.dtype, right.dtype}
    if left.is_cuda and torch.bfloat16 in dtypes and dtypes <= {torch.bfloat16, torch.float32}:
        # Tensor cores take bf16 and add up in fp32; only the result need not be rounded.
        return torch.mm(left.bfloat16(), right.bfloat16(), out_dtype=torch.float32)
    wide = torch.promote_types(torch.promote_types(left.dtype, right.dtype), torch.float32)
    return left.to(wide) @ right.to(wide)
