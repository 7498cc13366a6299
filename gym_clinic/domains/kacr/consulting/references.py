"""The references of a consultation: what the graph says between symptoms and a discipline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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


def reference_of(case: Mapping[str, Any], discipline: str, reasoning: int) -> str:
    """Return the description of the part of the reasoning graph that leads to a discipline (R_i).

    Source:
        KACR, section 3.2.1 and appendix A, Table 4.
    """
    whole = subgraph_of(case, reasoning)
    if discipline not in {node.id for node in whole.of_kind("discipline")}:
        return NO_PATH
    return whole.back_from(discipline).text()


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
