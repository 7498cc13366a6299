"""The references of a consultation: what the graph says between symptoms and a discipline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gym_clinic.domains.kacr.consulting.findings import name_of, typical
from gym_clinic.embedded import graph
from gym_clinic.facts import load
from gym_clinic.retrieval.graph import Subgraph

NO_PATH = "No path of the graph leads to this discipline."


def subgraph_of(case: Mapping[str, Any], reasoning: int) -> Subgraph:
    """Return the reasoning graph of a case: symptoms, options and their disciplines.

    Args:
        case: The case.
        reasoning: Iterations over the layers, as in step I: with one there are only the symptoms
            linked in the question; from the second on the symptoms of the diseases are found.
    """
    diseases = list(case["option_ids"].values())
    keys = {*diseases, *(load().diseases[key].discipline for key in diseases), *case["linked"]}
    if reasoning > 1:
        keys.update(symptom for key in diseases for symptom in typical(key))
    return Subgraph.of(graph(), keys)


@dataclass(frozen=True)
class Reference:
    """What leads to a discipline (R_i); written when a prompt asks for it.

    Attributes:
        case: The ids of the options, and the symptoms linked in the question.
        discipline: The discipline.
        reasoning: As for :func:`subgraph_of`.

    Source:
        KACR, section 3.2.1 and appendix A, Table 4.
    """

    case: Mapping[str, Any]
    discipline: str
    reasoning: int

    @property
    def mentions(self) -> tuple[str, ...]:
        """Ids of the symptoms linked in the question."""
        return tuple(self.case["linked"])

    def subgraph(self) -> Subgraph:
        """Return the part of the reasoning graph that leads to the discipline.

        Where none of the options belongs to it, that is the discipline alone.
        """
        whole = subgraph_of(self.case, self.reasoning)
        if self.discipline in {node.id for node in whole.of_kind("discipline")}:
            return whole.back_from(self.discipline)
        return Subgraph.of(graph(), [self.discipline])

    def __call__(self) -> str:
        """Return the description of the subgraph."""
        found = self.subgraph()
        return found.text() if len(found.nodes) > 1 else NO_PATH


def paths_of(case: Mapping[str, Any], letters: list[str], reasoning: int) -> Iterator[str]:
    """Yield one line for each option: the disease, its discipline, its symptoms in the graph."""
    facts = load()
    for letter in letters:
        disease = facts.diseases[case["option_ids"][letter]]
        symptoms = typical(disease.id)
        if reasoning == 1:
            symptoms = symptoms & frozenset(case["linked"])
        names = ", ".join(sorted(name_of(key) for key in symptoms)) or "nothing linked"
        belongs = facts.disciplines[disease.discipline].name
        yield f"{letter}. {disease.name} (belongs to {belongs}) is related to: {names}"
