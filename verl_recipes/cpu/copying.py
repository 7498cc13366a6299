"""First weights of a tiny model that can already copy from its prompt.

A call repeats identifiers of the ticket. Two layers can learn to copy, but from random weights that
takes thousands of steps. Here it is there from the start: a token that follows a repeated one has a
negative log-likelihood of 2 among 1,000 random ones, where chance is 8.3. One head of the first
layer attends to the token before. One head of the last layer attends to where the present token was
followed by another, and proposes that other (an induction head).

Source: Olsson et al., "In-context Learning and Induction Heads" (arXiv 2209.11895).
"""

from __future__ import annotations

from typing import Any

import torch

THETA = 1e6
"""Base of the rotary positions: Qwen3's; most pairs of a head then hardly turn within a prompt."""

SHARPNESS = 2.0
"""Weight of the norms of queries and keys: with 1 no key among a thousand gets a fifth."""

NEAR_PAIRS = 3
"""Pairs that turn fastest tell neighbours apart; the others, slower than this, compare tokens."""

SLOW = 0.02
"""Radians a token below which a pair counts as hardly turning."""

QUIET = 0.02
"""Factor of what random weights write, so that it does not drown what the two heads write."""

CONSTANT, PREVIOUS, PROPOSED = 0.1, 0.15, 2.0
"""Sizes of what is written: a constant in every embedding, the token before, the one proposed."""

SCALE = 4.0
"""Weight of the last norm: with 1 no logit could stand out among thousands."""


@torch.no_grad()
def teach_copying(model: Any, generator: torch.Generator) -> None:
    """Write the two heads into a Qwen3 model with random weights.

    Args:
        model: Of two layers or more; its heads' norms are set as well.
        generator: Of the random projections.
    """
    config, layers = model.config, model.model.layers
    size, half = config.head_dim, config.head_dim // 2
    turns = config.rope_parameters["rope_theta"] ** (-torch.arange(half) / half)
    for layer in layers:
        layer.mlp.down_proj.weight.mul_(QUIET)
        layer.self_attn.o_proj.weight.mul_(QUIET)
        for norm in (layer.self_attn.q_norm, layer.self_attn.k_norm):
            norm.weight.fill_(SHARPNESS)
    model.model.norm.weight.fill_(SCALE)
    first, last = layers[0].self_attn, layers[-1].self_attn
    for attention in (first, last):
        for part in (attention.q_proj, attention.k_proj, attention.v_proj):
            part.weight[:size] = 0.0
        attention.o_proj.weight[:, :size] = 0.0
    # Query and key of the first are constants, which turn into the distance: largest at 1.
    model.model.embed_tokens.weight[:, 0] = CONSTANT
    near = turns[:NEAR_PAIRS]
    first.k_proj.weight[:NEAR_PAIRS, 0] = 1.0
    first.q_proj.weight[:NEAR_PAIRS, 0] = torch.cos(near)
    first.q_proj.weight[half : half + NEAR_PAIRS, 0] = -torch.sin(near)
    slow = (turns < SLOW).nonzero().squeeze(-1)
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
    last.v_proj.weight[:size] = token
    last.o_proj.weight[:, :size] = PROPOSED * token.T
