"""Trajectories as verl hands them to an engine, and their KL in plain torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from tensordict import TensorDict
from torch.nn.functional import kl_div
from verl.trainer.ppo.padding_utils import construct_minimal_padding_template
from verl.utils import tensordict_utils as tu

VOCABULARY = 128
TEMPERATURE = 0.8
EOS = 2

Fields = dict[str, torch.Tensor]
Logits = Callable[[torch.Tensor], torch.Tensor]
"""Token ids (T,) -> logits (T, V)."""


@dataclass(frozen=True)
class Row:
    """One trajectory."""

    prompt: torch.Tensor
    response: torch.Tensor
    mask: torch.Tensor
    turns: torch.Tensor
    hint: torch.Tensor
    advantage: float

    @property
    def hint_at(self) -> int:
        """Before the last two tokens of the prompt, as before the header of a chat template."""
        return len(self.prompt) - 2

    @property
    def fields(self) -> Fields:
        """The row as verl's agent loop stores it, and what the trainer adds."""
        ids = torch.cat([self.prompt, self.response])
        return {
            "prompts": self.prompt,
            "responses": self.response,
            "response_mask": self.mask,
            "loss_mask": self.mask,
            "input_ids": ids,
            "position_ids": torch.arange(len(ids)),
            "turn_ids": self.turns,
            "hint_ids": self.hint,
            "hint_at": torch.tensor([self.hint_at]),
            # The log-probability of a token where all are equally likely.
            "old_log_probs": torch.full(self.response.shape, -4.85),
            "advantages": self.advantage * self.mask.float(),
        }


# Tokens of the prompt; tokens of the policy and of the environment, turn by turn; of the hint.
SHAPES = [
    (4, [(3, 2), (2, 0)], 3),
    (6, [(1, 3), (4, 1), (2, 0)], 0),
    (3, [(5, 0)], 6),
    (5, [(2, 1), (3, 2)], 2),
    (7, [(2, 2), (2, 2), (3, 0)], 1),
    (3, [(4, 0)], 4),
    (5, [(3, 1), (2, 0)], 0),
    (4, [(0, 3)], 2),
]


def make_rows() -> list[Row]:
    """Return eight: of the seventh no turn is distilled, the eighth has no policy token."""
    chance = torch.Generator().manual_seed(7)

    def tokens(count: int) -> torch.Tensor:
        return torch.randint(3, VOCABULARY, (count,), generator=chance)

    rows = []
    for prompt, turns, hint in SHAPES:
        ids: list[int] = []
        for number, (policy, environment) in enumerate(turns, 1):
            ids += [number] * policy + [0] * environment
        turn_ids = torch.tensor(ids)
        advantage = float(torch.randn((), generator=chance))
        mask = (turn_ids > 0).long()
        rows.append(Row(tokens(prompt), tokens(len(ids)), mask, turn_ids, tokens(hint), advantage))
    rows[6] = replace(rows[6], turns=torch.zeros_like(rows[6].turns))
    return rows


def without_hints(rows: list[Row]) -> list[Row]:
    return [replace(row, hint=row.hint[:0]) for row in rows]


def without_turn(rows: list[Row], turn: int) -> list[Row]:
    return [replace(row, turns=row.turns * (row.turns != turn)) for row in rows]


def without_turns(rows: list[Row]) -> list[Row]:
    return [replace(row, turns=torch.zeros_like(row.turns)) for row in rows]


def padding(row: Row) -> Fields:
    """Return verl's synthetic row made of this one."""
    found, _ = construct_minimal_padding_template(row.fields, {}, EOS)
    # verl computes these two of the synthetic response.
    found |= {"old_log_probs": torch.full((1,), -4.85), "advantages": torch.zeros(1)}
    return {name: found[name] for name in row.fields}


def batch(samples: list[Fields], **settings: Any) -> TensorDict:
    """Return what an engine is given: jagged columns, and settings beside them."""
    columns = {
        name: tu.nested_tensor_from_tensor_list([one[name] for one in samples])
        for name in samples[0]
    }
    return tu.get_tensordict(columns, settings)


def token_kl(student: Logits, teacher: Logits, row: Row) -> torch.Tensor:
    """Return KL(student || teacher) at each response token (R,)."""
    at = row.hint_at
    seen = torch.cat([row.prompt[:at], row.hint, row.prompt[at:], row.response])
    before, before_hinted = len(row.prompt) - 1, len(row.prompt) + len(row.hint) - 1
    log_p = student(row.fields["input_ids"])[before:-1].div(TEMPERATURE).log_softmax(-1)
    with torch.no_grad():
        log_q = teacher(seen)[before_hinted:-1].div(TEMPERATURE).log_softmax(-1)
    return kl_div(log_q, log_p, log_target=True, reduction="none").sum(-1)


def mean_kl(
    student: Logits, teacher: Logits, rows: list[Row], *, sum_turns: bool = False
) -> torch.Tensor:
    """Return the KL as the paper averages it: over tokens, turns and sequences."""
    sequences = []
    for row in rows:
        numbers = [int(turn) for turn in row.turns.unique() if turn]
        if numbers:
            kl = token_kl(student, teacher, row)
            turns = torch.stack([kl[row.turns == number].mean() for number in numbers])
            sequences.append(turns.sum() if sum_turns else turns.mean())
    return torch.stack(sequences).mean()


def token_mean(student: Logits, teacher: Logits, rows: list[Row]) -> torch.Tensor:
    """Return the KL averaged over tokens and sequences, whatever the turns."""
    found = [token_kl(student, teacher, row)[row.turns > 0] for row in rows]
    return torch.stack([kl.mean() for kl in found if len(kl)]).mean()
