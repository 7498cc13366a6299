"""A decoder of a given size with random weights, for benchmarks of what runs around one."""

from __future__ import annotations

import torch
import torch.nn.functional as nn
from torch import Tensor
from torch.utils.checkpoint import checkpoint


class Block(torch.nn.Module):
    """A decoder layer with grouped queries and a gated feed-forward of three times the width."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.heads, self.groups = 32 if width >= 4096 else 4, 8 if width >= 4096 else 1
        size = width // self.heads
        self.query = torch.nn.Linear(width, width, bias=False)
        self.key = torch.nn.Linear(width, size * self.groups, bias=False)
        self.value = torch.nn.Linear(width, size * self.groups, bias=False)
        self.out = torch.nn.Linear(width, width, bias=False)
        self.gate = torch.nn.Linear(width, 3 * width, bias=False)
        self.up = torch.nn.Linear(width, 3 * width, bias=False)
        self.down = torch.nn.Linear(3 * width, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Return the layer's output for one sequence (N, H)."""
        at = nn.rms_norm(x, x.shape[-1:])
        size = x.shape[-1] // self.heads

        def split(projected: Tensor) -> Tensor:
            return projected.view(1, len(x), -1, size).transpose(1, 2)

        attended = nn.scaled_dot_product_attention(
            split(self.query(at)),
            split(self.key(at)),
            split(self.value(at)),
            is_causal=True,
            enable_gqa=True,
        )
        x = x + self.out(attended.transpose(1, 2).reshape(x.shape))
        at = nn.rms_norm(x, x.shape[-1:])
        result: Tensor = x + self.down(nn.silu(self.gate(at)) * self.up(at))
        return result


class Backbone(torch.nn.Module):
    """Decoder layers, recomputed in the backward pass as verl has them by default."""

    def __init__(self, layers: int, width: int, device: str, dtype: torch.dtype) -> None:
        super().__init__()
        with torch.device(device):
            self.blocks = torch.nn.ModuleList(Block(width).to(dtype) for _ in range(layers))

    def forward(self, x: Tensor) -> Tensor:
        """Return the last hidden states (N, H)."""
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if torch.is_grad_enabled() else block(x)
        return nn.rms_norm(x, x.shape[-1:])
