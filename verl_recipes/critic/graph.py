"""A value model of graphs: the R-GCN critic of KACR, in plain torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from gym_clinic import ConfigError

ACTIVATIONS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "sigmoid": torch.sigmoid,
    "relu": torch.relu,
}


def convolve(
    nodes: Tensor, edges: Mapping[str, Sequence[Sequence[int]]], weights: Mapping[str, Tensor],
    own: Tensor, activation: Callable[[Tensor], Tensor] = torch.sigmoid,
) -> Tensor:  # fmt: skip
    """Return the nodes after one relational graph convolution.

    Args:
        nodes: Representations (N, H).
        edges: Relation -> pairs (j, i): j is a neighbour of i, which hears it.
        weights: Relation -> W_r (H', H).
        own: W_0 (H', H).
        activation: Sigmoid as printed; the R-GCN paper has ReLU.

    Source: KACR paper, eq. 1.
    """
    total = nodes @ own.T
    for relation, pairs in edges.items():
        if not pairs:
            continue
        tails, heads = torch.tensor([list(pair) for pair in pairs], device=nodes.device).T
        sent = (nodes @ weights[relation].T)[tails]
        count = torch.bincount(heads, minlength=len(nodes)).clamp(min=1).to(nodes.dtype)
        total = total + torch.zeros_like(total).index_add(0, heads, sent) / count.unsqueeze(-1)
    return activation(total)


class GraphValue(nn.Module):
    """The value of a state that is a graph and a vector of its text.

    V = p * H, with p = MLP_2((h_S + h_G) / 2) in [0, 1], which is also the paper's confidence, and
    H the largest return that the turns left can pay, 1 a turn: the paper calls its output a
    probability, and returns go up to H. h_G is the mean of the nodes after the convolutions, h_S
    comes from the text's vector. The paper takes that vector and the nodes' features from its
    language model; here they are what ``info["graph"]`` holds.

    Args:
        features: Width of a node's features.
        text: Width of the text's vector; 0 for none.
        relations: Names of the relations.
        hidden: Width inside.
        layers: Convolutions.
        activation: ``sigmoid`` as printed, or ``relu``.
        gamma: Discount a turn, for H.

    Source: KACR paper, eq. 1 and 2 and section 3.1.2; ``layers`` and ``hidden`` are lost.
    """

    def __init__(
        self,
        features: int,
        relations: Sequence[str],
        text: int = 0,
        hidden: int = 32,
        layers: int = 2,
        activation: str = "sigmoid",
        gamma: float = 0.9,
    ) -> None:
        super().__init__()
        if activation not in ACTIVATIONS:
            raise ConfigError(f"activation is one of {list(ACTIVATIONS)}, not {activation!r}")
        self.activation, self.gamma = ACTIVATIONS[activation], gamma
        sizes = [features, *[hidden] * layers]
        pairs = list(pairwise(sizes))
        self.own = nn.ModuleList(nn.Linear(a, b, bias=False) for a, b in pairs)
        self.by_relation = nn.ModuleList(
            nn.ModuleDict({name: nn.Linear(a, b, bias=False) for name in relations})
            for a, b in pairs
        )
        self.read_text = nn.Linear(text, hidden) if text else None
        self.judge = nn.Sequential(nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, 1))

    @staticmethod
    def read(info: Mapping[str, Any]) -> Any:
        """Return ``info["graph"]``; a ConfigError if the environment shows none.

        It has ``nodes`` (rows of features), ``edges`` (relation -> pairs), ``turns_left``, this one
        included, and, if the model reads it, ``text``.
        """
        if "graph" not in info:
            raise ConfigError(f"the critic needs info['graph']; the environment has {sorted(info)}")
        return info["graph"]

    def probability(self, state: Mapping[str, Any]) -> Tensor:
        """Return p of one state, a scalar."""
        nodes = torch.tensor(state["nodes"], dtype=torch.float32)
        for own, layer in zip(self.own, self.by_relation, strict=True):
            weights = {name: layer[name].weight for name in state["edges"]}
            nodes = convolve(nodes, state["edges"], weights, own.weight, self.activation)
        joint = nodes.mean(0)
        if self.read_text is not None:
            text = torch.tensor(state["text"], dtype=torch.float32)
            joint = (joint + self.read_text(text)) / 2
        found: Tensor = torch.sigmoid(self.judge(joint)).squeeze(-1)
        return found

    def forward(self, states: Sequence[Mapping[str, Any]]) -> Tensor:
        """Return the values of states (N,)."""
        most = [sum(self.gamma**turn for turn in range(one["turns_left"])) for one in states]
        found = torch.stack([self.probability(one) for one in states])
        return found * torch.tensor(most, dtype=torch.float32)
