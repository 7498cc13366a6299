"""A domain whose tools search what its plain-JSON options name, as a third party would write it."""

from __future__ import annotations

import os
from typing import Any

import gymnasium as gym

from gym_clinic import Domain, Kind, Rubric, Task, tool
from gym_clinic.embedded import open_graph, open_knowledge, open_patients
from gym_clinic.rewards import exact_answer


def lookups(
    knowledge: Any = "embedded", patients: Any = "embedded", graph: Any = "embedded"
) -> Domain:
    """Build the domain; the bases are opened here, once a process."""
    base, matcher, symptoms = open_knowledge(knowledge), open_patients(patients), open_graph(graph)

    @tool
    def search_passages(query: str) -> list[str]:
        """Search the knowledge base.

        Args:
            query: What to look for.
        """
        return [passage.id for passage in base.search(query, 3)]

    @tool
    def match_patients(phenotype: str) -> list[str]:
        """Find similar patients.

        Args:
            phenotype: What the patient has.
        """
        return [match.record.id for match in matcher.match([phenotype], 3)]

    @tool
    def count_symptoms() -> int:
        """Count the symptoms of the graph."""
        return len(symptoms.of_kind("symptom"))

    @tool
    def identify_process() -> dict[str, int]:
        """Identify the process and the opened objects; for tests."""
        return {"process": os.getpid(), "base": id(base), "graph": id(symptoms)}

    @tool(kind=Kind.SUBMIT)
    def submit_passage(passage_id: str) -> None:
        """Submit the passage that answers.

        Args:
            passage_id: Its id.
        """

    task = Task(
        id="lookup",
        ticket="Which passage is about a migraine?",
        record={},
        gold={"answer": {"passage_id": "p3"}},
        provenance="synthetic",
    )
    return Domain(
        name="lookups",
        policy="Search, then submit.",
        tasks={"train": (task,)},
        rubric=Rubric({"accuracy": exact_answer}, {"accuracy": 1.0}),
        tools=(search_passages, match_patients, count_symptoms, identify_process, submit_passage),
        max_turns=4,
    )


gym.register(
    id="lookup/Lookup-v0",
    entry_point="gym_clinic.env:ClinicEnv",
    kwargs={"domain": "lookup_domain:lookups"},
)
