"""A micro-batch as the distillation sees it: which rows count, and what the teacher reads."""

from __future__ import annotations

from typing import NamedTuple

import torch
from tensordict import TensorDict
from verl.utils import tensordict_utils as tu


class Rows(NamedTuple):
    """The positions that predict distilled policy tokens; each column of shape (N,).

    Row of the batch, position in the student's sequence and in the teacher's, which is later by the
    hint's length, number of the turn, and the token predicted.
    """

    sequence: torch.Tensor
    student: torch.Tensor
    teacher: torch.Tensor
    turn: torch.Tensor
    token: torch.Tensor


def within_mask(turn_ids: torch.Tensor, response_mask: torch.Tensor) -> torch.Tensor:
    """Return turn ids (B, any) of the response's shape, 0 where no policy token is.

    verl fills a batch up with synthetic rows: their response is one masked token, and fields it
    does not know are copied from another row.
    """
    rows = [
        ids[: len(mask)] * mask.to(ids.dtype)
        for ids, mask in zip(turn_ids.unbind(), response_mask.unbind(), strict=True)
    ]
    return tu.nested_tensor_from_tensor_list(rows)


def distilled_rows(batch: TensorDict) -> Rows:
    """Return the rows of a micro-batch: the token at response index j is predicted at P + j - 1."""
    turn = batch["turn_ids"].values()
    lengths = batch["responses"].offsets().diff()
    starts = batch["responses"].offsets()[:-1]
    sequence = torch.repeat_interleave(torch.arange(len(lengths), device=turn.device), lengths)
    index = torch.arange(len(turn), device=turn.device) - starts[sequence]
    kept = turn > 0
    sequence, index = sequence[kept], index[kept]
    student = batch["prompts"].offsets().diff()[sequence] + index - 1
    teacher = student + batch["hint_ids"].offsets().diff()[sequence]
    return Rows(sequence, student, teacher, turn[kept], batch["responses"].values()[kept])


def teacher_batch(batch: TensorDict, *, hinted: bool = True) -> TensorDict:
    """Return the micro-batch that the teacher reads: the student's with the hints in the prompts.

    A hint stands before the prompt's token ``hint_at``; without that column, between prompt and
    response. Positions are contiguous: those after the hint move by its length.

    Args:
        batch: The student's.
        hinted: False for the same sequences without hints.

    Raises:
        ValueError: If the teacher's sequence without its hint were not the student's.
    """
    prompts, responses = batch["prompts"].unbind(), batch["responses"].unbind()
    hints = batch["hint_ids"].unbind()
    if not hinted:
        hints = tuple(hint[:0] for hint in hints)
    places = [len(prompt) for prompt in prompts]
    if "hint_at" in batch:
        # verl's synthetic rows have a prompt of one token and the fields of another row.
        given = [int(at.reshape(-1)[0]) for at in batch["hint_at"].unbind()]
        places = [min(pair) for pair in zip(given, places, strict=True)]
    ids, positions = [], []
    wholes, positioned = batch["input_ids"].unbind(), batch["position_ids"].unbind()
    columns = (prompts, hints, places, responses, wholes, positioned)
    for prompt, hint, at, response, whole, position in zip(*columns, strict=True):
        if not torch.equal(torch.cat([prompt, response]), whole):
            raise ValueError("the student's sequence is not its prompt and response")
        ids.append(torch.cat([prompt[:at], hint, prompt[at:], response]))
        positions.append(_with_gap(position, at, len(hint)))
    shown = batch.clone(recurse=False)
    shown["input_ids"] = tu.nested_tensor_from_tensor_list(ids)
    shown["position_ids"] = tu.nested_tensor_from_tensor_list(positions)
    return shown


def pick(
    hidden: torch.Tensor, batch: TensorDict, sequence: torch.Tensor, position: torch.Tensor
) -> torch.Tensor:
    """Return the hidden states (N, H) of positions, each with the row of the batch that it is in.

    ``hidden`` is (B, longest, H), or (1, tokens, H) where padding is removed.
    """
    if tu.get_non_tensor_data(data=batch, key="use_remove_padding", default=True):
        return hidden[0, batch["input_ids"].offsets()[:-1][sequence] + position]
    return hidden[sequence, position]


def _with_gap(position: torch.Tensor, at: int, length: int) -> torch.Tensor:
    """Insert ``length`` positions before ``at``; ``position`` is (tokens,) or (axes, tokens).

    The first inserted takes the place of what it stands before: axes may differ, as where a
    picture counts for fewer positions than tokens.
    """
    before, after = position[..., :at], position[..., at:]
    hint = after[..., :1] + torch.arange(length, device=position.device, dtype=position.dtype)
    return torch.cat([before, hint, after + length], dim=-1)
