"""A small actor for the walk of KACR: a torch scorer of candidates, and the episodes that it plays.

It plays ``clinic/DisciplineGraph-v0`` by its text: candidates are read from the observation, and
the selection goes back as an action. What it knows of a candidate are numbers of the graph and of
the question: its links to what was selected, how rare the symptoms are that lead to it, how alike
its name and the question are. The action is a list drawn without replacement (Plackett-Luce), so
its probability is a product of softmaxes.
"""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from gym_clinic import ClinicEnv, Task, embedded
from gym_clinic.domains.kacr.reading import read_step
from gym_clinic.domains.kacr.tools import select_nodes
from gym_clinic.retrieval import HashedNgrams

KINDS = ("symptom", "disease", "discipline")
NUMBERS = 10
"""Numbers of a candidate beside its kind."""

WIDTH = len(KINDS) + NUMBERS

Heuristic = Callable[["Notes", str], float]
"""Scores a candidate by what the walk has selected."""


class Turn(NamedTuple):
    """One turn of an episode.

    Attributes:
        rows: Numbers of the candidates (C, WIDTH).
        order: Positions of the selected ones, in order.
        state: ``info["graph"]`` before it.
        reward: What it was paid.
    """

    rows: NDArray[np.float32]
    order: list[int]
    state: dict[str, Any]
    reward: float


class Knowledge:
    """The embedded graph by names: neighbours, degrees, and hashed names.

    Attributes:
        kind: Name -> its kind.
        beside: Name -> the names of its neighbours.
        rare: Name -> how much a link to it says.
    """

    def __init__(self) -> None:
        graph = embedded.graph()
        self.embedder = HashedNgrams(128)
        self.kind = {node.name: node.kind for node in graph.nodes}
        names = {node.id: node.name for node in graph.nodes}
        self.beside = {
            node.name: {names[other.record.id] for other in graph.neighbours(node.id)}
            for node in graph.nodes
        }
        self.rare = {name: 1 / math.log(2 + len(found)) for name, found in self.beside.items()}
        texts = [(node.name, text) for node in graph.nodes for text in (node.name, *node.synonyms)]
        self.wordings: dict[str, list[int]] = {}
        for place, (name, _) in enumerate(texts):
            self.wordings.setdefault(name, []).append(place)
        self.rows = self.embedder.embed([text for _, text in texts])

    def likeness(self, question: str) -> Callable[[str], float]:
        """Return how alike a node's likest name and a question are."""
        asked = self.embedder.embed([question])[0]
        return lambda name: float((self.rows[self.wordings[name]] @ asked).max())


@lru_cache(maxsize=1)
def knowledge() -> Knowledge:
    """Return the knowledge of the embedded graph, made once a process."""
    return Knowledge()


@lru_cache(maxsize=4096)
def _reading(question: str) -> tuple[frozenset[str], frozenset[str], Callable[[str], float]]:
    """Return the symptoms that a question tells as present and absent, and its likeness."""
    present, absent = embedded.linker().symptoms(question)
    names = [frozenset(node.name for node in nodes) for nodes in (present, absent)]
    return names[0], names[1], lru_cache(maxsize=None)(knowledge().likeness(question))


@dataclass
class Notes:
    """What an actor remembers of a walk.

    Attributes:
        mentions: Symptoms that the question tells as present, as the linker reads it.
        denied: Symptoms that it tells as absent.
        likeness: How alike a node and the question are.
        kept: Kind -> what was selected last.
        seen: All that was selected, and the mentions.
    """

    mentions: set[str]
    denied: set[str]
    likeness: Callable[[str], float]
    kept: dict[str, list[str]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    seen: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, question: str) -> Notes:
        """Begin with the question."""
        mentions, denied, likeness = _reading(question)
        return cls(set(mentions), set(denied), likeness, seen=set(mentions))

    def evidence(self, disease: str) -> float:
        """Return how much the symptoms of the walk say for a disease."""
        known = knowledge()
        told = known.beside[disease] & (self.mentions | set(self.kept["symptom"])) - self.denied
        return sum(known.rare[name] for name in told)

    def rows(self, kind: str, candidates: Sequence[str]) -> NDArray[np.float32]:
        """Return the numbers of candidates (C, WIDTH)."""
        known, diseases = knowledge(), self.kept["disease"]
        weight = {name: self.evidence(name) for name in diseases}
        rows = np.zeros((len(candidates), WIDTH), np.float32)
        rows[:, KINDS.index(kind)] = 1.0
        for row, name in zip(rows[:, len(KINDS) :], candidates, strict=True):
            beside = known.beside[name]
            own = [disease for disease in diseases if disease in beside]
            if kind == "disease":
                row[0] = self.evidence(name) / 2
                row[1] = 3 * len(beside & self.mentions) / len(beside)
            elif kind == "discipline":
                row[0] = sum(weight[disease] for disease in own) / 5
                row[1] = max((weight[disease] for disease in own), default=0.0) / 2
                row[2] = sum(1 / (1 + diseases.index(disease)) for disease in own)
            else:
                row[0] = known.rare[name]
                row[1] = float(name in self.mentions)
            row[3] = len(beside & self.seen) / 10
            row[4] = len(beside & self.mentions) / max(1, len(self.mentions))
            row[5] = 3 * self.likeness(name)
            row[6] = math.log1p(len(beside)) / 5
            row[7] = float(name in self.kept[kind])
            row[8] = float(name in self.seen)
            row[9] = len(beside & self.denied) / 2 + float(name in self.denied)
        return rows

    def keep(self, kind: str, chosen: list[str]) -> None:
        """Remember a selection."""
        self.kept[kind] = chosen
        self.seen |= set(chosen)


class Scorer(nn.Module):
    """Scores candidates by their numbers: the actor."""

    def __init__(self, hidden: int = 32) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(WIDTH, hidden), nn.Tanh(), nn.Linear(hidden, 1))

    def forward(self, rows: Tensor) -> Tensor:
        """Return the scores of candidates (..., C)."""
        scores: Tensor = self.net(rows).squeeze(-1)
        return scores


class Batch(NamedTuple):
    """Turns side by side, padded.

    Attributes:
        rows: (B, C, WIDTH).
        valid: Whether there is such a candidate (B, C).
        order: Positions of the selected ones (B, K).
        taken: Whether there is such a place (B, K).
    """

    rows: Tensor
    valid: Tensor
    order: Tensor
    taken: Tensor

    @classmethod
    def of(cls, turns: Sequence[Turn]) -> Batch:
        """Pad turns."""
        wide, long = (max(len(turn[place]) for turn in turns) for place in (0, 1))
        rows = torch.zeros(len(turns), wide, WIDTH)
        order = torch.zeros(len(turns), long, dtype=torch.long)
        valid, taken = torch.zeros(len(turns), wide) > 0, order > 0
        for number, turn in enumerate(turns):
            rows[number, : len(turn.rows)] = torch.from_numpy(turn.rows)
            valid[number, : len(turn.rows)] = True
            order[number, : len(turn.order)] = torch.tensor(turn.order)
            taken[number, : len(turn.order)] = True
        return cls(rows, valid, order, taken)

    def part(self, numbers: Tensor) -> Batch:
        """Return some of the turns."""
        return Batch(*(column[numbers] for column in self))


def log_probs(scores: Tensor, batch: Batch) -> Tensor:
    """Return the log-probabilities of the lists that were drawn (B,).

    The n-th of a list is drawn by a softmax over what is not yet in it.
    """
    nothing = torch.finfo(scores.dtype).min / 4
    scores = scores.masked_fill(~batch.valid, nothing)
    chosen = scores.gather(1, batch.order).masked_fill(~batch.taken, nothing)
    listed = torch.zeros_like(scores).scatter_add(1, batch.order, batch.taken.to(scores.dtype)) > 0
    rest = scores.masked_fill(listed, nothing).logsumexp(1, keepdim=True)
    left = torch.logcumsumexp(torch.cat([rest, chosen.flip(1)], 1), 1)[:, 1:].flip(1)
    return ((chosen - left) * batch.taken).sum(1)


def play(
    env: ClinicEnv, task: Task, scorer: Scorer | Heuristic, draw: torch.Generator | None = None
) -> list[Turn]:
    """Play a task to its end.

    Args:
        env: The environment.
        task: One of its tasks.
        scorer: The actor, or a heuristic.
        draw: Draws the lists; without it the highest scores are selected, in order.
    """
    stage, turns = copy.copy(env), []
    _, info = stage.reset(options={"task_id": task.id})
    question = info["graph"]["question"]
    observation = info["messages"][-1]["content"]
    notes, over = Notes.of(question), False
    while not over:
        step = read_step(observation, question)
        assert step is not None, observation
        kind, candidates = step.kind, step.candidates
        rows = notes.rows(kind, candidates)
        with torch.no_grad():
            scores = (
                scorer(torch.from_numpy(rows))
                if isinstance(scorer, Scorer)
                else torch.tensor([float(scorer(notes, name)) for name in candidates])
            )
            if draw is not None:  # Gumbel noise makes a sort a draw without replacement
                scores = scores - (-torch.rand(scores.shape, generator=draw).log()).log()
            order = scores.argsort(descending=True, stable=True)[: step.most].tolist()
        chosen = [candidates[place] for place in order]
        state = info["graph"]
        action = env.dialect.write([(select_nodes.name, {"names": chosen})])
        observation, reward, terminated, truncated, info = stage.step(action)
        turns.append(Turn(rows, order, state, float(reward)))
        notes.keep(kind, chosen)
        over = terminated or truncated
    return turns


def degree(notes: Notes, name: str) -> float:
    """Score a candidate by its links to what was selected."""
    return float(len(knowledge().beside[name] & notes.seen))


def raw_degree(notes: Notes, name: str) -> float:
    """Score a candidate by all its links."""
    return float(len(knowledge().beside[name]))


def shuffled(seed: int, items: Sequence[Task]) -> list[Task]:
    """Return tasks in an order of a seed."""
    order = list(items)
    random.Random(seed).shuffle(order)
    return order
