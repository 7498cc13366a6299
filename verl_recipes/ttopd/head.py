"""The output head of a model under FSDP2: what it reads, and its whole weight."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.distributed.fsdp import FSDPModule
from torch.distributed.tensor import DTensor


@contextmanager
def before_head(module: Any, act: Callable[[torch.Tensor], torch.Tensor]) -> Iterator[None]:
    """Let ``act`` see the hidden states that a causal language model's output head reads.

    Args:
        module: The model.
        act: Takes the states and returns those that the head is to read.
    """

    def hook(_: Any, inputs: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
        return (act(inputs[0]),)

    handle = module.get_output_embeddings().register_forward_pre_hook(hook)
    try:
        yield
    finally:
        handle.remove()


def lm_head(module: Any) -> torch.Tensor:
    """Return the whole weight of the output head, (V, H), with its gradient's way back.

    An untied head is an FSDP group of its own and is sharded again after forward. ``unshard``
    gathers the parameter that the backward pass knows; ``full_tensor`` would make another one,
    whose gradient is silently wrong on several ranks.

    Raises:
        RuntimeError: If the weight is still sharded.
    """
    head = module.get_output_embeddings()
    owner = head if isinstance(head, FSDPModule) else module
    if isinstance(owner, FSDPModule):
        owner.unshard()
    weight = head.weight
    if isinstance(weight, DTensor):
        raise RuntimeError("the output head is still sharded; its FSDP group was not found")
    return weight


def reshard(module: Any) -> None:
    """Give back all that is gathered of a module's parameters.

    A backward pass does so by itself; a teacher has none. While a group is gathered the module's
    parameters are the gathered copies: an average written there would be lost with them.
    """
    for part in module.modules():
        if isinstance(part, FSDPModule):
            part.reshard()


def local(tensor: torch.Tensor) -> torch.Tensor:
    """Return this rank's shard of a tensor."""
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor
