"""The rules baseline: an agent that weighs findings over the graph and reads the question again.

It knows the public graph, its linker and the terms of findings, and nothing of the simulator. A
disease is weighed by the symptoms of the question that it has, the rarer the more, and against
those that the question denies. On the way back it looks at each further symptom of the diseases
that it chose, and takes those whose words come near to words of the question that no symptom has
explained.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from gym_clinic.domains.kacr.reading import Chooser, HasDialect, Step, Walker
from gym_clinic.embedded import graph, linker
from gym_clinic.facts.records.terms import read_terms
from gym_clinic.retrieval.graph.symptom_graph import NodeKind
from gym_clinic.retrieval.graph.wording import FUNCTION_WORDS, GRAMMAR, keys_of, plain_words, root

DENIED_WEIGHT = 0.7
"""What a symptom that the question denies counts against a disease that has it."""

SIZE_POWER = 0.25
"""The support of a disease is divided by its number of symptoms to this power."""

SHARPNESS = 1.5
"""Support is raised to it before the diseases of a discipline are added up."""

NEAR_WORDS = 0.65
"""Least share of the words of a term that must occur in the question, weighed by their rarity."""

SMALL = FUNCTION_WORDS | GRAMMAR
"""Words that say nothing."""


@lru_cache(maxsize=1)
def _ids() -> Mapping[tuple[str, str], str]:
    return {(node.kind, node.name): node.id for node in graph().nodes}


@lru_cache(maxsize=1 << 12)
def _beside(key: str, kind: NodeKind) -> frozenset[str]:
    return frozenset(graph().beside([key], kind))


@lru_cache(maxsize=1 << 12)
def _weight(symptom: str) -> float:
    """Return how much a symptom says: the logarithm of the inverse share of diseases with it."""
    return math.log(len(graph().of_kind("disease")) / max(len(_beside(symptom, "disease")), 1))


@dataclass
class _WalkReader:
    """What the agent has found out in one episode.

    Attributes:
        back: Whether it uses what it sees on the way back.
        present: Symptom -> how sure it is that the patient has it.
        absent: Symptoms that the question denies.
        support: Disease -> its support.
    """

    back: bool = True
    present: dict[str, float] = field(default_factory=dict)
    absent: set[str] = field(default_factory=set)
    support: dict[str, float] = field(default_factory=dict)

    def choose(self, step: Step) -> Sequence[str]:
        """Return the names to select in a step."""
        if not self.present:
            present, absent = linker().symptoms(step.question)
            self.present = {node.id: 1.0 for node in present}
            self.absent = {node.id for node in absent}
        keys = {name: _ids()[step.kind, name] for name in step.candidates}
        if step.kind == "symptom":
            return self._symptoms(step, keys)
        if step.kind == "disease":
            for key in keys.values():
                self.support[key] = self._support(key)
            return sorted(keys, key=lambda name: (-self.support[keys[name]], name))[: step.most]
        return self._disciplines(step, keys)

    def _support(self, disease: str) -> float:
        has = _beside(disease, "symptom")
        found = sum(sure * _weight(key) for key, sure in self.present.items() if key in has)
        found -= DENIED_WEIGHT * sum(_weight(key) for key in self.absent if key in has)
        return found / math.pow(max(len(has), 1), SIZE_POWER)

    def _symptoms(self, step: Step, keys: dict[str, str]) -> list[str]:
        if self.back:
            for key in keys.values():
                if key not in self.present and key not in self.absent:
                    near = nearness(key, step.question)
                    if near >= NEAR_WORDS:
                        self.present[key] = near
        known = [name for name, key in keys.items() if key in self.present]
        known.sort(key=lambda name: -self.present[keys[name]])
        return known[: step.most] or list(keys)[:1]

    def _disciplines(self, step: Step, keys: dict[str, str]) -> list[str]:
        for disease in self.support:
            self.support[disease] = self._support(disease)
        total: dict[str, float] = {}
        for name, key in keys.items():
            values = [max(self.support.get(one, 0.0), 0.0) for one in _beside(key, "disease")]
            total[name] = sum(math.exp(SHARPNESS * value) - 1 for value in values)
        return sorted(total, key=lambda name: (-total[name], name))[: step.most]


@lru_cache(maxsize=1 << 16)
def nearness(symptom: str, question: str) -> float:
    """Return how near the words of a symptom come to those of a question, 0 to 1.

    It is the best share of the words of a name, synonym or term that occur in the question, the
    rarer words counting more.
    """
    asked = _roots(question)
    best = 0.0
    for term in _terms()[symptom]:
        total = sum(_rarity(word) for word in term)
        if total:
            best = max(best, sum(_rarity(word) for word in term if word in asked) / total)
    return best


@lru_cache(maxsize=4096)
def _roots(text: str) -> frozenset[str]:
    return frozenset(root(word) for word in plain_words(text) if word not in SMALL)


@lru_cache(maxsize=1)
def _terms() -> Mapping[str, tuple[frozenset[str], ...]]:
    """Symptom -> the roots of the words of each of its names and terms."""
    terms = read_terms()
    found = {}
    for node in graph().of_kind("symptom"):
        known = terms.get(node.id)
        names = {_roots(name) for name in (node.name, *node.synonyms)}
        keys = {frozenset(key) for text in (known.terms if known else ())
                for key in keys_of(text.removeprefix("="))}  # fmt: skip
        found[node.id] = tuple((names | keys) - {frozenset()})
    return found


@lru_cache(maxsize=1 << 14)
def _rarity(word: str) -> float:
    return math.log(len(_terms()) / (1 + _counts().get(word, 0)))


@lru_cache(maxsize=1)
def _counts() -> Mapping[str, int]:
    count: dict[str, int] = {}
    for phrases in _terms().values():
        for word in frozenset().union(*phrases):
            count[word] = count.get(word, 0) + 1
    return count


def rules(env: HasDialect, *, back: bool = True) -> Callable[[int], Walker]:
    """Make the baseline.

    Args:
        env: The environment.
        back: Whether it reads the question again on the way back; if not, what the way back is
            worth can be measured.
    """

    def begin() -> Chooser:
        return _WalkReader(back).choose

    return lambda seed: Walker(begin, env.dialect)


def forward_only(env: HasDialect) -> Callable[[int], Walker]:
    """Make the same agent, which learns nothing on the way back."""
    return rules(env, back=False)


def degree(env: HasDialect) -> Callable[[int], Walker]:
    """Make the degree heuristic: the candidates with most links to what was selected before."""

    def begin() -> Chooser:
        chosen: dict[str, list[str]] = {"symptom": [], "disease": [], "discipline": []}
        before = {"symptom": "disease", "disease": "symptom", "discipline": "disease"}

        def choose(step: Step) -> list[str]:
            keys = {name: _ids()[step.kind, name] for name in step.candidates}
            last = chosen[before[step.kind]]
            kind: NodeKind = "disease" if step.kind != "disease" else "symptom"
            value = {name: len(_beside(key, kind).intersection(last)) for name, key in keys.items()}
            names = sorted(keys, key=lambda name: -value[name])[: step.most]
            chosen[step.kind] += [keys[name] for name in names]
            return names

        return choose

    return lambda seed: Walker(begin, env.dialect)


BASELINES: Mapping[str, Callable[..., Any]] = {
    "rules": rules, "rules-forward": forward_only, "degree": degree,
}  # fmt: skip
"""Policies without a model; the last two are what the graph alone is worth."""
