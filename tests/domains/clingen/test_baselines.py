"""The offline baselines, on a ticket and responses written for these tests."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from gym_clinic.action import DIALECTS
from gym_clinic.domains.clingen import baselines
from gym_clinic.domains.clingen.evidence import CATEGORIES, CLASSES
from gym_clinic.domains.clingen.genetics import Genetics

PROMPT = """You supervise a panel. Answer with CLASSIFICATION: <class>.

# Tools

Gene: not this one

Gene: OCRL (HGNC:8108)
Disease: oculocerebrorenal syndrome (MONDO:0010645)
Inheritance: XL

Articles:

[1] PMID: SIM1 · PMCID: SIMC1 · 2012
Title: A zebrafish model of oculocerebrorenal syndrome
Abstract: Zebrafish lacking OCRL had seizures and brain cysts. Injection of wild-type OCRL mRNA \
rescued the mutant fish.

[2] PMID: SIM2 · PMCID: SIMC2 · 2016
Title: A case report
Abstract: We describe the clinical course of a boy with cataract."""

GENETICS = (
    "Genetic evidence: 6 probands with null variants, worth 9 points; 3 publications in all, "
    "first report 2004."
)


def report(category: str, pmid: str, subtypes: str | list[str], text: str) -> str:
    fields = {
        "evidence_type": category,
        "has_evidence": bool(subtypes),
        "pmid": pmid,
        "evidence_subtype": subtypes or None,
        "explanation": text,
    }
    return f"<tool_response>\n{json.dumps(fields)}\n</tool_response>"


MODEL = report("ModelSystem", "SIM1", "non-human model organism", f"Fish had seizures. {GENETICS}")
RESCUE = report(
    "Rescue", "SIM1", ["rescue in non-human model organism"], f"Fish were rescued. {GENETICS}"
)


def env_of(turns: int, dialect: str = "hermes") -> SimpleNamespace:
    return SimpleNamespace(dialect=DIALECTS[dialect], max_turns=turns)


def supervisor(dialect: str = "hermes", turns: int = 2) -> baselines.Turns:
    return baselines.rules(env_of(turns, dialect))(0)


def test_reads_the_last_ticket_of_the_prompt() -> None:
    ticket = baselines.read_ticket(PROMPT)
    assert (ticket.gene, ticket.disease) == ("OCRL", "oculocerebrorenal syndrome")
    assert [(one.pmid, one.pmcid, one.year) for one in ticket.articles] == [
        ("SIM1", "SIMC1", 2012),
        ("SIM2", "SIMC2", 2016),
    ]
    assert ticket.articles[0].abstract.endswith("rescued the mutant fish.")


def test_asks_every_sub_agent_about_every_article_in_one_batch() -> None:
    action = supervisor().act(PROMPT, {"task_id": "t"})
    made = [(one.name, one.arguments) for one in DIALECTS["hermes"].parse(action).requests]
    assert all(arguments["gene"] == "OCRL" for _, arguments in made)
    agents = [category.agent for category in CATEGORIES.values()]
    asked = [(name, arguments["pmid"]) for name, arguments in made]
    assert asked == [(agent, pmid) for pmid in ("SIM1", "SIM2") for agent in agents]


def test_classifies_from_what_came_back() -> None:
    policy = supervisor()
    policy.act(PROMPT, {"task_id": "t"})
    # 9 genetic points, once for the article, and 4 of models and rescue: above 12, replicated.
    assert policy.act("", told(MODEL, RESCUE)) == "CLASSIFICATION: Definitive"


def test_counts_the_genetics_of_an_article_once() -> None:
    reports = baselines.read_reports(f"{MODEL}\n{RESCUE}")
    assert [one.genetics for one in reports] == [Genetics(9.0, 3, 2004)] * 2
    ticket = baselines.Ticket("OCRL", "x", (baselines.Article("SIM1", "SIMC1", 2012, "", ""),))
    assert baselines.decide(ticket, reports[:1]) == "Moderate"  # 11 points
    assert baselines.decide(ticket, reports) == "Definitive"  # 13, not 22
    assert baselines.decide(ticket, []) == baselines.MOST_FREQUENT


@pytest.mark.parametrize(
    ("first", "expected"), [("since 2004", "Definitive"), ("since 2010", "Strong")]
)
def test_replication_takes_more_than_three_years(first: str, expected: str) -> None:
    text = (
        f"Genetic evidence: 24 probands with missense variants, 12 points, {first}, 3 publications."
    )
    reports = baselines.read_reports(report("ModelSystem", "SIM1", "cell culture model", text))
    ticket = baselines.Ticket("OCRL", "x", (baselines.Article("SIM1", "SIMC1", 2012, "", ""),))
    assert baselines.decide(ticket, reports) == expected


def test_no_human_genetics_is_no_known_relationship() -> None:
    text = "Fish had seizures. Genetic evidence: 0 points."
    reports = baselines.read_reports(
        report("ModelSystem", "SIM1", "non-human model organism", text)
    )
    ticket = baselines.Ticket("OCRL", "x", (baselines.Article("SIM1", "SIMC1", 2012, "", ""),))
    assert baselines.decide(ticket, reports) == CLASSES[0]


def test_reads_a_report_that_was_cut_in_the_middle() -> None:
    long = MODEL.replace("Fish had seizures.", "Fish had seizures. " * 60)
    start, end = long[:300], long[-200:]
    (read,) = baselines.read_reports(f"{start}...(truncated)...{end}")
    assert (read.pmid, read.subtypes) == ("SIM1", ("non_human_model_organism",))
    assert read.genetics == Genetics(9.0, 3, 2004)


def told(*responses: str) -> dict[str, Any]:
    """The info of a step that answered calls."""
    return {"messages": [{"role": "tool", "name": "x", "content": text} for text in responses]}


@pytest.mark.parametrize("observation", ["", "Error: no such tool", "<tool_response>\n[1]\n"])
def test_answers_whatever_comes_back(observation: str) -> None:
    policy = supervisor()
    policy.act(PROMPT, {"task_id": "t"})
    answer = policy.act(observation, told(observation))
    assert answer == f"CLASSIFICATION: {baselines.MOST_FREQUENT}"


def test_calls_are_one_batch_in_every_dialect() -> None:
    batches = [
        DIALECTS[name].parse(supervisor(name).act(PROMPT, {"task_id": "t"})).requests
        for name in DIALECTS
    ]
    assert len(batches[0]) > 1
    assert all(batch == batches[0] for batch in batches)


def test_the_single_agent_reads_every_text_and_answers_in_json() -> None:
    policy = baselines.rules_single(env_of(2))(0)
    action = policy.act(PROMPT, {"task_id": "t"})
    calls = DIALECTS["hermes"].parse(action).requests
    assert [one.arguments for one in calls] == [{"pmid": "SIM1"}, {"pmid": "SIM2"}]
    first = (
        "# A zebrafish model\n\n## Participants and variants\nSix unrelated probands had nonsense "
        "variants of OCRL. Two earlier reports described probands, the first in 2004.\n\n"
        "## Results\nZebrafish lacking OCRL had seizures and brain cysts."
    )
    second = "# A case report\n\n## Case\nThe boy was seen at the age of two."
    answer = json.loads(policy.act(first + second, told(first, second)))
    assert answer["evidence"] == [
        {"type": "Model Systems Non-human model organism", "pmid": "SIM1"}
    ]
    assert answer["classification"] == "Moderate"  # 9 + 2


def test_splits_a_full_text_at_its_headings() -> None:
    assert baselines.split_sections("# Title\n\n## One\na\nb\n\n## Two\nc") == [
        ("Title", ""),
        ("One", "a\nb"),
        ("Two", "c"),
    ]
