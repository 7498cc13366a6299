"""The offline baselines, on a ticket and responses written for these tests."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from gym_clinic.action import DIALECTS
from gym_clinic.domains.clingen import baselines
from gym_clinic.domains.clingen.evidence import CATEGORIES, CLASSES
from gym_clinic.domains.clingen.genetics import read_genetics

PROMPT = """You supervise a panel. Answer with CLASSIFICATION: <class>.

# Tools

Gene: not this one

Gene: OCRL (HGNC:8108)
Disease: oculocerebrorenal syndrome (MONDO:0010645)
Inheritance: XL

Articles:

[1] PMID: SIM1 · PMCID: SIMC1 · 2012
Title: A zebrafish model of oculocerebrorenal syndrome
Abstract: Zebrafish lacking OCRL swam 410 mm (SD 60) and siblings 800 mm (SD 75; p < 0.001). \
Injection of wild-type OCRL mRNA restored the distance swum by mutant fish (p = 0.002).

[2] PMID: SIM2 · PMCID: SIMC2 · 2016
Title: A case report
Abstract: We describe the clinical course of a boy with cataract."""

GENETICS = " ".join(
    f"F{n}-II-1: SIMVAR-000000{n} (frameshift, exon {n}), inherited from the mother."
    for n in range(1, 7)
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
    assert ticket.articles[0].abstract.endswith("fish (p = 0.002).")


def test_asks_the_sub_agents_that_the_abstracts_suggest_in_one_batch() -> None:
    action = supervisor().act(PROMPT, {"task_id": "t"})
    made = [(one.name, one.arguments) for one in DIALECTS["hermes"].parse(action).requests]
    assert all(arguments["gene"] == "OCRL" for _, arguments in made)
    asked = [(name, arguments["pmid"]) for name, arguments in made]
    agents = [CATEGORIES[key].agent for key in ("ModelSystem", "Rescue")]
    assert asked == [(agent, "SIM1") for agent in agents]


def test_asks_every_sub_agent_where_the_abstracts_suggest_none() -> None:
    plain = PROMPT.replace("p < 0.001", "n = 8").replace("p = 0.002", "n = 9")
    plain = plain.replace("restored the distance swum by", "was tried in")
    action = supervisor().act(plain, {"task_id": "t"})
    assert len(DIALECTS["hermes"].parse(action).requests) == 12


def told(*responses: str) -> dict[str, Any]:
    """The info of a step that answered calls."""
    return {"messages": [{"role": "tool", "name": "x", "content": text} for text in responses]}


def test_classifies_from_what_came_back() -> None:
    policy = supervisor()
    policy.act(PROMPT, {"task_id": "t"})
    # 9 genetic points, once for each person, and 4 of models and rescue; one publication.
    assert policy.act("", told(MODEL, RESCUE)) == "CLASSIFICATION: Strong"


def ticket(*years: int) -> baselines.Ticket:
    articles = tuple(baselines.Article(f"SIM{n}", f"SIMC{n}", year, "", "")
                     for n, year in enumerate(years, 1))  # fmt: skip
    return baselines.Ticket("OCRL", "x", articles, "XL")


def test_counts_a_person_once() -> None:
    reports = baselines.read_reports(f"{MODEL}\n{RESCUE}")
    assert [len(one.genetics.persons) for one in reports] == [6, 6]
    assert baselines.decide(ticket(2012), reports[:1]) == "Moderate"  # 11 points
    assert baselines.decide(ticket(2012), reports) == "Strong"  # 13, not 22
    again = baselines.read_reports(MODEL.replace("SIM1", "SIM2"))
    assert baselines.decide(ticket(2012, 2020), [*reports[:1], *again]) == "Strong"  # 9 + 4
    assert baselines.decide(ticket(2012), []) == baselines.MOST_FREQUENT


@pytest.mark.parametrize(("last", "expected"), [(2012, "Definitive"), (2011, "Strong")])
def test_replication_takes_three_articles_and_more_than_three_years(
    last: int, expected: str
) -> None:
    said = [
        report("ModelSystem", f"SIM{n}", "cell culture model",
               " ".join(f"F{n}{m}-II-1 had a nonsense variant." for m in range(3)))
        for n in (1, 2, 3)
    ]  # fmt: skip
    reports = baselines.read_reports("\n".join(said))
    assert baselines.decide(ticket(2008, 2009, last), reports) == expected


def test_no_human_genetics_is_no_known_relationship() -> None:
    reports = baselines.read_reports(
        report("ModelSystem", "SIM1", "non-human model organism", "Fish had seizures.")
    )
    assert baselines.decide(ticket(2012), reports) == CLASSES[0]


def test_reads_a_report_that_was_cut_in_the_middle() -> None:
    long = MODEL.replace("Fish had seizures.", "Fish had seizures. " * 60)
    (read,) = baselines.read_reports(f"{long[:300]}...(truncated)...{long[-500:]}")
    assert (read.pmid, read.subtypes) == ("SIM1", ("non_human_model_organism",))
    assert read.genetics == read_genetics(GENETICS)


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
        f"# A zebrafish model\n\n## Participants and variants\n{GENETICS}\n\n"
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
