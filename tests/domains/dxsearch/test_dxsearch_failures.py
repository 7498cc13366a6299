"""Causes of failure that structure decides, and summaries that name their subject."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import pytest

from gym_clinic import ClinicEnv
from gym_clinic.consult import Question
from gym_clinic.domains.dxsearch.failures import FAILURES
from gym_clinic.domains.dxsearch.sources import _SUMMARY, DocumentSummary, extract

ANSWER = r"<reason>r</reason><diagnose>\textbf{Nothing known}</diagnose>"


def played(*actions: str, **options: Any) -> set[str]:
    """Return the causes of failure of the first task of test."""
    env = gym.make("clinic/DxSearch-v0", split="test", **options).unwrapped
    assert isinstance(env, ClinicEnv)
    task = env.tasks[0]
    env.reset(options={"task_id": task.id})
    gold, query = task.gold["names"][0], task.gold["query"]
    filled = {"{all}": ", ".join(query), "{one}": query[0], "{gold}": gold}
    info: dict[str, Any] = {}
    for action in actions:
        for mark, text in filled.items():
            action = action.replace(mark, text)
        *_, info = env.step(action)
    return {name for name in FAILURES if info["metrics"][name]}


MATCH = "<reason>r</reason><match>{all}</match>"
LOOKUP = "<reason>r</reason><lookup>{gold}</lookup>"
OTHER = "<reason>r</reason><lookup>Gout</lookup>"


@pytest.mark.parametrize(
    ("actions", "causes"),
    [
        ([ANSWER], {"premature_closure", "feature_never_queried"}),
        ([MATCH, LOOKUP, ANSWER], {"evidence_dismissed"}),
        ([OTHER, "<reason>r</reason><search>|BOOK| gout</search>", ANSWER],
         {"feature_never_queried"}),
        ([MATCH, r"<reason>r</reason><diagnose>\textbf{{gold}}</diagnose>"], set()),
    ],
)  # fmt: skip
def test_structure_decides_causes(actions: list[str], causes: set[str]) -> None:
    assert played(*actions) == causes


def test_knowledge_gap_is_of_the_sources() -> None:
    assert "knowledge_gap" not in played(ANSWER, patients=None)
    assert "knowledge_gap" not in played(ANSWER, guidelines=False)
    assert "knowledge_gap" in played(ANSWER, patients=None, guidelines=False)


def test_a_search_without_reference_shows_nothing() -> None:
    search = "<reason>r</reason><search>|WIKI| {gold}</search>"
    assert "evidence_dismissed" in played(search, ANSWER)
    assert "evidence_dismissed" not in played(search, ANSWER, literature=None)


def test_a_summary_names_its_subject() -> None:
    document = "Gout: what it is. It is a crystal arthritis. Gout may recur. In short: gout hurts."
    values = {"source": "WIKI", "query": "gout arthritis", "document": document}
    answer = extract(Question("summariser", _SUMMARY, values, DocumentSummary), None).answer
    assert "Gout: It is a crystal arthritis." in answer
    assert answer.endswith("Gout: In short: gout hurts.")
    assert "Gout: Gout may" not in answer
