"""Which tokens belong to which turn.

Every response token has a turn id: 0 for what the policy did not write (or what is left
out of the loss), t for the policy's t-th turn.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import torch
from torch import Tensor

from verl_recipes.registry import REDUCTIONS

_THOUGHT = re.compile(r"(?:<think>|\A(?=(?:(?!<think>).)*?</think>)).*?(?:</think>|\Z)", re.DOTALL)


def last_tokens(turn_ids: Sequence[int]) -> dict[int, int]:
    """Return the index of each turn's last token, in the order of those tokens."""
    last = {turn: index for index, turn in enumerate(turn_ids) if turn}
    return dict(sorted(last.items(), key=lambda item: item[1]))


def within(turn_ids: Sequence[int], offset: int, l_max: int) -> list[int]:
    """Return the turn ids with those of every turn zeroed whose end passes ``l_max``.

    Args:
        turn_ids: One id per response token.
        offset: Tokens of the student's prompt; the teacher's hint does not count.
        l_max: Tokens of prompt and response that a turn must end within.

    Source: TT-OPD paper, section 4.2: "discarding contributions from any turn exceeding the
    context limit". Whole turns are dropped, never cut.
    """
    last = last_tokens(turn_ids)
    return [0 if turn and offset + last[turn] + 1 > l_max else turn for turn in turn_ids]


def outside_thoughts(turn_ids: Sequence[int], pieces: Sequence[str], opened: str = "") -> list[int]:
    """Return the turn ids with those of the model's thoughts zeroed.

    A thought runs from ``<think>`` to ``</think>``, tags included; one that nothing closes runs to
    the end of its turn, and one that nothing opens begins with it.

    Args:
        turn_ids: One id per response token.
        pieces: The text of each of them.
        opened: What the prompt of each turn has begun of it: ``<think>``, or nothing.
    """
    kept = list(turn_ids)
    for turn in last_tokens(turn_ids):
        places = [place for place, other in enumerate(turn_ids) if other == turn]
        ends = list(accumulate((len(pieces[place]) for place in places), initial=len(opened)))
        text = opened + "".join(pieces[place] for place in places)
        thoughts = [found.span() for found in _THOUGHT.finditer(text)]
        for place, start, end in zip(places, ends, ends[1:], strict=False):
            if any(start < last and first < end for first, last in thoughts):
                kept[place] = 0
    return kept


class Groups(NamedTuple):
    """Rows grouped by sequence and turn, the groups ordered by sequence, then turn.

    Attributes:
        rows: Rows whose turn id is not 0 (M,), int64.
        group: The group of each of them (M,), int64.
        sizes: Rows of each group (T,); ``turns`` and ``sequences`` (T,) are its ids, int64.
    """

    rows: Tensor
    group: Tensor
    sizes: Tensor
    turns: Tensor
    sequences: Tensor

    def means(self, values: Tensor) -> Tensor:
        """Return the mean of ``values`` (M,), one per kept row, over each group (T,)."""
        sums = values.new_zeros(self.sizes.shape).index_add_(0, self.group, values)
        return sums / self.sizes

    def weights(self, reduce: str, dtype: torch.dtype) -> Tensor:
        """Return what each kept row counts for in the mean over sequences (M,).

        A row counts what ``reduce`` says, over the sequences that have a turn.
        """
        distinct, sequence, turns = torch.unique(
            self.sequences, return_inverse=True, return_counts=True
        )
        tokens = torch.zeros_like(distinct).index_add_(0, sequence, self.sizes)
        share: Tensor = REDUCTIONS[reduce](
            self.sizes.to(dtype), turns[sequence], tokens.to(dtype)[sequence]
        )
        return (share / max(len(distinct), 1))[self.group]


def mean_turns(sizes: Tensor, turns: Tensor, tokens: Tensor) -> Tensor:
    """Return what a token of each turn counts for: 1 over the turn's tokens and over the turns.

    Args:
        sizes: Tokens of each turn (T,).
        turns: Turns of the sequence that each is of (T,).
        tokens: Tokens of all turns of that sequence (T,).
    """
    return 1.0 / sizes / turns


def sum_turns(sizes: Tensor, turns: Tensor, tokens: Tensor) -> Tensor:
    """Return what a token of each turn counts for: 1 over the turn's tokens.

    Source: TT-OPD paper, eq. 2. The loss then grows with the number of turns.
    """
    return 1.0 / sizes


def mean_tokens(sizes: Tensor, turns: Tensor, tokens: Tensor) -> Tensor:
    """Return what a token of each turn counts for: 1 over the tokens of its sequence."""
    return 1.0 / tokens


def group(turn_ids: Tensor, sequence_ids: Tensor | None = None) -> Groups:
    """Group rows by sequence and turn; rows of turn 0 are left out.

    Both have one id per row (N,); sequences are any integers in any order, None for one alone.
    """
    rows = turn_ids.nonzero().squeeze(-1)
    turns = turn_ids[rows].long()
    sequences = torch.zeros_like(turns) if sequence_ids is None else sequence_ids[rows].long()
    # Two rows of a (2, M) matrix: unique columns come out sorted by sequence, then turn.
    pairs, index, sizes = torch.unique(
        torch.stack([sequences, turns]), dim=1, return_inverse=True, return_counts=True
    )
    return Groups(rows, index, sizes, pairs[1], pairs[0])
