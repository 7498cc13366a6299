"""The lessons of a first fit: a right and a wrong run a step, most of them behind a hint."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.nn.functional import cross_entropy

from gym_clinic.names import at_least_one
from verl_recipes.cpu.copying import hold_copying
from verl_recipes.cpu.transcripts import Transcript

CONTEXT = 320
"""Tokens of the prompt that short steps read: its end, where a hint stands."""

WARM_UP = 10


@dataclass(frozen=True)
class FitSchedule:
    """How a model is taught.

    Attributes:
        near_steps: Steps on the ends of prompts: the form of a call is learned there, and cheaply.
        steps: Most steps on whole transcripts that follow.
        look_every: Of these; then the model is measured, to see whether it is good enough.
        rate: Learning rate of AdamW after the warm-up; it falls in a line to a tenth.
        hinted: Share of the runs that are read behind a hint.
        by_token: Whether every token of the two runs of a step counts alike, rather than each
            run: the short runs, which stop early, would weigh more.
        between: Further steps on the ends of prompts before each on whole transcripts: hints are
            learned there, and the next whole transcript mends what this costs of copying.
    """

    near_steps: int
    steps: int
    look_every: int
    rate: float
    hinted: float
    by_token: bool
    between: int = 0

    def __post_init__(self) -> None:
        at_least_one("steps", self.steps)


BRIEF = FitSchedule(80, 120, look_every=30, rate=1e-3, hinted=0.5, by_token=False)
"""For environments in which a run makes a call and answers."""

LONG = FitSchedule(0, 300, look_every=60, rate=1.2e-3, hinted=0.9, by_token=True, between=1)
"""For those in which it makes several calls, see :func:`asks_several`."""


class Learner:
    """Learns from transcripts: a right and a wrong one a step, each before any comes again.

    Args:
        model: The model; its weights are changed.
        found: The transcripts.
        told: Outcome -> tokens of the hints about it; one stands before half of the runs.
        draw: Source of order and hints.
        course: How steps are taken.
        copied: Tokens of values: what copies them stays as it is.

    Attributes:
        losses: Mean loss of every step so far, in nats a policy token.
    """

    def __init__(
        self,
        model: Any,
        found: Sequence[Transcript],
        told: dict[bool, list[list[int]]],
        draw: random.Random,
        course: FitSchedule,
        copied: Sequence[int] = (),
    ) -> None:
        self.model = model
        self.losses: list[float] = []
        self._told, self._draw, self._course = told, draw, course
        self._copied = frozenset(copied)
        found = [_as_copied(model, one, copied) for one in found] if copied else found
        self._right = _shuffled([one for one in found if one.success] or found, draw)
        self._wrong = _shuffled([one for one in found if not one.success] or found, draw)
        self._optimizer = torch.optim.AdamW(
            model.parameters(), lr=course.rate, betas=(0.9, 0.98), weight_decay=0.0
        )

    def step(self, context: int | None) -> None:
        """Take one step.

        Args:
            context: Tokens before the first reply that are read; None for all.
        """
        done, course = len(self.losses), self._course
        steps = course.near_steps + course.steps * (1 + course.between)
        rate = course.rate * min(1.0, (done + 1) / WARM_UP) * (1 - 0.9 * done / steps)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        pair = [next(self._right), next(self._wrong)]
        if context is not None:
            pair = [self._without_copies(one) for one in pair]
        count = sum(len(one.targets) for one in pair)
        total = 0.0
        for one in pair:
            if self._draw.random() < course.hinted:
                one = one.hinted(self._draw.choice(self._told[one.success]))
            _, _, logits = read_logits(self.model, one, context)
            share = len(one.targets) / count if course.by_token else 1 / 2
            loss = cross_entropy(logits, torch.tensor(one.said)) * share
            torch.autograd.backward(loss)
            total += float(loss.detach())
        if self._copied:
            hold_copying(self.model, sorted(self._copied))
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self._optimizer.step()
        self._optimizer.zero_grad()
        self.losses.append(total)

    def _without_copies(self, one: Transcript) -> Transcript:
        """Leave out values: the labels that they stand behind may be out of sight."""
        kept = [
            pair for pair in zip(one.targets, one.said, strict=True) if pair[1] not in self._copied
        ]
        return replace(
            one, targets=tuple(place for place, _ in kept), said=tuple(token for _, token in kept)
        )


@torch.no_grad()
def _as_copied(model: Any, one: Transcript, copied: Sequence[int]) -> Transcript:
    """Let a call name the value that the first weights copy, where a ticket has several.

    Which of its articles a call needs cannot be learned by a model of this size; trying to would
    cost it the copying of any.
    """
    ids, targets, logits = read_logits(model, one, None)
    values = torch.tensor(copied)
    best = values[logits[:, values].argmax(-1)]
    said = torch.where(torch.isin(ids[targets], values), best, ids[targets])
    return replace(one, said=tuple(said.tolist()))


def _shuffled(found: Sequence[Transcript], draw: random.Random) -> Iterator[Transcript]:
    """Yield every transcript once, in another order each time, for ever."""
    while True:
        order = list(found)
        draw.shuffle(order)
        yield from order


def read_logits(
    model: Any, one: Transcript, context: int | None
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the tokens read, the places of the policy's, and the logits that predict these."""
    start = 0 if context is None else max(0, one.targets[0] - context)
    ids = torch.tensor(one.ids[start:])
    targets = torch.tensor(one.targets) - start
    # Logits are made only where a policy token is predicted: a few in a hundred.
    out = model(input_ids=ids[None], logits_to_keep=targets - 1, use_cache=False)
    return ids, targets, out.logits[0].float()
