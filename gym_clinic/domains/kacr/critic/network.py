"""The R-GCN critic in plain torch. Import it through the package, which says if torch is missing.

The paper's text stream and its nodes' first features come from the language model that the critic
shares with the actor. Those hidden states are not exported by the stacks that train here, so the
text is read by an embedder (hashed n-grams, a checkpoint, or a server by URL), and the nodes' first
features are those of the environment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from gym_clinic.domains.kacr.critic.state import check_state, horizon, paying, written
from gym_clinic.errors import ConfigError
from gym_clinic.retrieval.dense import open_embedder
from gym_clinic.retrieval.graph import BELONGS, RELATED

ACTIVATIONS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "sigmoid": torch.sigmoid,
    "relu": torch.relu,
}

MAX_CACHED_TEXTS = 8_192
"""Texts whose embedding is kept: a question recurs at every turn and in every epoch."""


def convolve(
    nodes: Tensor, edges: Mapping[str, Tensor], weights: Mapping[str, Tensor],
    own: Tensor, activation: Callable[[Tensor], Tensor] = torch.sigmoid,
) -> Tensor:  # fmt: skip
    """Return the nodes after one relational graph convolution.

    Args:
        nodes: Representations (N, H).
        edges: Relation -> pairs (E, 2), rows (j, i): j is a neighbour of i, which hears it.
        weights: Relation -> W_r (H', H).
        own: W_0 (H', H).
        activation: Sigmoid as printed; the R-GCN paper has ReLU.

    Source: KACR paper, eq. 1.
    """
    total = nodes @ own.T
    for relation, pairs in edges.items():
        if not len(pairs):
            continue
        tails, heads = pairs.T
        sent = (nodes @ weights[relation].T)[tails]
        count = torch.bincount(heads, minlength=len(nodes)).clamp(min=1).to(nodes.dtype)
        total = total + torch.zeros_like(total).index_add(0, heads, sent) / count.unsqueeze(-1)
    return activation(total)


def mlp(inside: int, hidden: int, outside: int) -> nn.Sequential:
    """Return a perceptron with one hidden layer."""
    return nn.Sequential(nn.Linear(inside, hidden), nn.Tanh(), nn.Linear(hidden, outside))


class GraphValue(nn.Module):
    """The value of a state that is a graph and a text.

    V = p * H, with p = MLP_2((h_S + h_G) / 2) in [0, 1] and H the largest return that the turns
    left can pay. h_G is the mean of the nodes after the convolutions, h_S is MLP_1 of the text's
    embedding. The same p is the confidence of an answer in a consultation.

    Args:
        features: Width of a node's features.
        relations: Names of the relations.
        text: Name of the embedder that reads question, answer and rationale, as
            :func:`gym_clinic.retrieval.open_embedder` takes it; None for no text stream.
        graph: Whether the graph is read; without it the text alone is, the ablation.
        hidden: Width inside.
        layers: Convolutions, L.
        activation: ``sigmoid`` as printed, or ``relu``.
        gamma: Discount a turn, for H.

    Source: KACR paper, eq. 1 and 2 and section 3.1.2. ``layers`` and ``hidden`` are lost there:
    2 and 32 are chosen.
    """

    def __init__(
        self,
        features: int,
        relations: Sequence[str] = (RELATED, BELONGS),
        text: str | None = "hashed-ngrams:256",
        graph: bool = True,
        hidden: int = 32,
        layers: int = 2,
        activation: str = "sigmoid",
        gamma: float = 0.9,
    ) -> None:
        super().__init__()
        if activation not in ACTIVATIONS:
            raise ConfigError(f"activation is one of {list(ACTIVATIONS)}, not {activation!r}")
        if text is None and not graph:
            raise ConfigError("a critic without graph needs text, the name of an embedder")
        self.options: dict[str, Any] = {
            "features": features, "relations": list(relations), "text": text, "graph": graph,
            "hidden": hidden, "layers": layers, "activation": activation, "gamma": gamma,
        }  # fmt: skip
        self.features, self.relations = features, tuple(relations)
        self.activation, self.gamma = ACTIVATIONS[activation], gamma
        self.embedder = None if text is None else open_embedder(text)
        sizes = list(pairwise([features, *[hidden] * layers])) if graph else []
        self.own = nn.ModuleList(nn.Linear(a, b, bias=False) for a, b in sizes)
        self.by_relation = nn.ModuleList(
            nn.ModuleDict({name: nn.Linear(a, b, bias=False) for name in relations})
            for a, b in sizes
        )
        self.read_text = (
            None if self.embedder is None else mlp(self.embedder.dimension, hidden, hidden)
        )
        self.judge = mlp(hidden, hidden, 1)
        self._rows: dict[str, Tensor] = {}

    @staticmethod
    def read(info: Mapping[str, Any]) -> Any:
        """Return ``info["graph"]``, a :class:`GraphState`; a ConfigError if there is none."""
        if "graph" not in info:
            raise ConfigError(f"the critic needs info['graph']; the environment has {sorted(info)}")
        return info["graph"]

    def probabilities(self, states: Sequence[Mapping[str, Any]]) -> Tensor:
        """Return p of each state (N,); the states are one batch, of graphs beside one another."""
        streams = []
        if len(self.own):
            streams.append(self._graphs(states))
        if self.read_text is not None:
            streams.append(self.read_text(self._texts([written(state) for state in states])))
        joint = sum(streams[1:], streams[0]) / len(streams)
        chances: Tensor = torch.sigmoid(self.judge(joint)).squeeze(-1)
        return chances

    def forward(self, states: Sequence[Mapping[str, Any]]) -> Tensor:
        """Return the values of states (N,)."""
        return self.probabilities(states) * torch.tensor(self.horizons(states), dtype=torch.float32)

    def horizons(self, states: Sequence[Mapping[str, Any]]) -> list[float]:
        """Return the largest return that is left in each state (N,)."""
        return [horizon(self.gamma, paying(state)) for state in states]

    def _graphs(self, states: Sequence[Mapping[str, Any]]) -> Tensor:
        """Return h_G of each state (N, hidden); a graph without nodes has zeros."""
        rows: list[Sequence[float]] = []
        home: list[int] = []
        pairs: dict[str, list[tuple[int, int]]] = {name: [] for name in self.relations}
        for number, state in enumerate(states):
            check_state(state, self.features, self.relations)
            start = len(rows)
            for relation, edges in state["edges"].items():
                pairs[relation] += [(start + tail, start + head) for tail, head in edges]
            rows += state["nodes"]
            home += [number] * (len(rows) - start)
        nodes = torch.tensor(rows, dtype=torch.float32).reshape(len(rows), self.features)
        edges = {name: torch.tensor(found).reshape(-1, 2) for name, found in pairs.items() if found}
        for own, layer in zip(self.own, self.by_relation, strict=True):
            weights = {name: layer[name].weight for name in self.relations}
            nodes = convolve(nodes, edges, weights, own.weight, self.activation)
        homes = torch.tensor(home, dtype=torch.long)
        total = torch.zeros(len(states), nodes.shape[-1]).index_add(0, homes, nodes)
        count = torch.bincount(homes, minlength=len(states)).clamp(min=1)
        return total / count.unsqueeze(-1)

    def _texts(self, texts: Sequence[str]) -> Tensor:
        """Return the embeddings of texts (N, dimension), each of which is made once."""
        assert self.embedder is not None
        new = list(dict.fromkeys(text for text in texts if text not in self._rows))
        if new:
            if len(self._rows) + len(new) > MAX_CACHED_TEXTS:
                self._rows, new = {}, list(dict.fromkeys(texts))
            made = torch.from_numpy(self.embedder.embed(new))
            self._rows.update(zip(new, made, strict=True))
        return torch.stack([self._rows[text] for text in texts])
