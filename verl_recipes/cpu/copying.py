"""First weights of a tiny model that can already copy from its prompt.

A call repeats identifiers of the ticket. Two layers can learn to copy, but from random weights that
takes thousands of steps. Here it is there from the start: a token that follows a repeated one has a
negative log-likelihood of 2 among 1,000 random ones, where chance is 8.3. One head of the first
layer attends to the token before. One head of the last layer attends to where the present token was
followed by another, and proposes that other (an induction head). An argument of a call and a label
of the ticket that have one name look alike to the heads, so that these find the value of
``{"gene":"`` behind ``Gene: ``.

Source: Olsson et al., "In-context Learning and Induction Heads" (arXiv 2209.11895).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

SHARPNESS = 2.0
"""Weight of the norms of queries and keys: with 1 no key among a thousand gets a fifth."""

QUIET = 0.02
"""Factor of what random weights write, so that it does not drown what the two heads write."""

CONSTANT, PREVIOUS = 0.1, 0.15
"""Sizes of what is written: a constant in every embedding, the token before."""


@dataclass(frozen=True)
class HeadShape:
    """The shape of attention heads.

    Attributes:
        size: Dimensions; 32 are the fewest that every attention kernel takes.
        theta: Base of the rotary positions: most pairs of a head then hardly turn.
        near: Pairs, of those that turn fastest, that tell the token before from all others.
        slow: Radians a token below which a pair counts as hardly turning, and compares tokens.
        recent: Weight of the slowest pair that turns, by which the nearer of two like tokens is
            preferred.
        proposed: Size of what is written of the token that is proposed.
        scale: Weight of the last norm: with 1 no logit could stand out among thousands.
    """

    size: int = 32
    theta: float = 1e6
    near: int = 3
    slow: float = 0.02
    recent: float = 0.0
    proposed: float = 2.0
    scale: float = 4.0


WIDE = HeadShape(size=64, theta=1e8, near=5, slow=0.003, recent=1.6, proposed=3.0, scale=5.0)
"""Finds one token among a thousand, a thousand tokens back, for it compares 42 dimensions and not
22; the one that it proposes stands out among five thousand, and of several articles on a ticket it
finds the last one's identifiers, all of them."""


@torch.no_grad()
def teach_copying(model: Any, generator: torch.Generator, heads: HeadShape) -> None:
    """Write the two heads into a Qwen3 model with random weights.

    Args:
        model: Of two layers or more; its heads' norms are set as well.
        generator: Of the random projections.
        heads: The shape of its heads.
    """
    config, layers = model.config, model.model.layers
    size, half = heads.size, heads.size // 2
    turns = heads.theta ** (-torch.arange(half) / half)
    for layer in layers:
        layer.mlp.down_proj.weight.mul_(QUIET)
        layer.self_attn.o_proj.weight.mul_(QUIET)
        for norm in (layer.self_attn.q_norm, layer.self_attn.k_norm):
            norm.weight.fill_(SHARPNESS)
    model.model.norm.weight.fill_(heads.scale)
    first, last = layers[0].self_attn, layers[-1].self_attn
    for attention in (first, last):
        for part in (attention.q_proj, attention.k_proj, attention.v_proj):
            part.weight[:size] = 0.0
        attention.o_proj.weight[:, :size] = 0.0
    # Query and key of the first are constants, which turn into the distance: largest at 1.
    model.model.embed_tokens.weight[:, 0] = CONSTANT
    near = turns[: heads.near]
    first.k_proj.weight[: heads.near, 0] = 1.0
    first.q_proj.weight[: heads.near, 0] = torch.cos(near)
    first.q_proj.weight[half : half + heads.near, 0] = -torch.sin(near)
    slow = (turns < heads.slow).nonzero().squeeze(-1)
    places = torch.cat([slow, slow + half])
    # Disjoint directions: what is written of the token before is never read as the token itself.
    width = config.hidden_size - 1  # without the constant
    columns = torch.linalg.qr(torch.randn(width, size + len(places), generator=generator))[0]
    rows = torch.nn.functional.pad(columns.T, (1, 0))
    token, written = rows[:size], rows[size:]
    first.v_proj.weight[: len(places)] = token[: len(places)]
    first.o_proj.weight[:, : len(places)] = PREVIOUS * written.T
    last.q_proj.weight[places] = token[: len(places)]
    last.k_proj.weight[places] = written
    pace = int(slow[0]) - 1
    last.q_proj.weight[pace, 0] = last.k_proj.weight[pace, 0] = heads.recent
    last.v_proj.weight[:size] = token
    last.o_proj.weight[:, :size] = heads.proposed * token.T


@torch.no_grad()
def hold_copying(model: Any, tokens: Sequence[int]) -> None:
    """Take out of the gradients what the two heads are made of, and the vectors of tokens.

    A step of Adam moves all weights, also those of tokens that it has not seen: values of tickets
    that are not learned from would no longer be copied.

    Args:
        model: After a backward pass.
        tokens: Tokens that are copied.
    """
    model.model.embed_tokens.weight.grad[list(tokens)] = 0.0
    size = model.config.head_dim
    for layer in (model.model.layers[0], model.model.layers[-1]):
        attention = layer.self_attn
        for part in (attention.q_proj, attention.k_proj, attention.v_proj):
            part.weight.grad[:size] = 0.0
        attention.o_proj.weight.grad[:, :size] = 0.0


@torch.no_grad()
def link_labels(model: Any, tokenizer: Any, labels: Mapping[str, Iterable[str]]) -> None:
    """Let the tokens that open the value of an argument look to the two heads like its labels.

    Args:
        model: As :func:`teach_copying` leaves it, with tied embeddings.
        tokenizer: Its tokenizer, in which each label is one token.
        labels: Argument -> labels of its values on a ticket.
    """
    vectors = model.model.embed_tokens.weight
    last = model.model.layers[-1].self_attn
    read = last.v_proj.weight[: model.config.head_dim]  # orthonormal rows: what the heads read
    texts = [tokenizer.decode([token]) for token in range(len(tokenizer))] if labels else []
    for key, names in labels.items():
        ends = (*names, f'"{key}":"', f'"{key}": "')
        linked = [token for token, text in enumerate(texts) if text.endswith(ends)]
        shared = read @ vectors[linked[0]]
        for token in linked:
            vectors[token] += (shared - read @ vectors[token]) @ read
