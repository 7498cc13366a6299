"""The honest offline baselines of ClinGen: they read the ticket and what came back, nothing else.

The supervisor's asks the sub-agents for what the abstracts seem to report, and the single agent's
reads every full text, both by the cues of `reader.py`. The class is calculated by the procedure
(`sop.py`) from the evidence and the human genetics (`genetics.py`) that were brought back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, Protocol

from gym_clinic.action import Dialect
from gym_clinic.domain import CallSpec
from gym_clinic.domains.clingen.evidence import CATEGORIES, CLASSES, SUBTYPES
from gym_clinic.domains.clingen.genetics import HumanGenetics, read_genetics, results_of, tally
from gym_clinic.domains.clingen.reader import read_article
from gym_clinic.domains.clingen.sop import classify

MOST_FREQUENT = CLASSES[-1]
"""The class of most published curations, answered when nothing else is known."""

_RESPONSE = re.compile(r"<tool_response>\s*(.*?)\s*</tool_response>", re.DOTALL)
_ARTICLE = re.compile(
    r"^\[\d+\] PMID: (?P<pmid>\S+) · PMCID: (?P<pmcid>\S+) · (?P<year>\d{4})\n"
    r"Title: (?P<title>.*)\nAbstract: (?P<abstract>.*(?:\n(?!\[\d+\] PMID:).*)*)",
    re.MULTILINE,
)
_GENE = re.compile(r"^Gene: (.+?)(?: \(HGNC:\d+\))?$", re.MULTILINE)
_DISEASE = re.compile(r"^Disease: (.+?)(?: \([A-Za-z]+:\w+\))?$", re.MULTILINE)
_INHERITANCE = re.compile(r"^Inheritance: (\w+)$", re.MULTILINE)
_HEADING = re.compile(r"^##? (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Article:
    """An article as the ticket shows it."""

    pmid: str
    pmcid: str
    year: int
    title: str
    abstract: str


@dataclass(frozen=True)
class Ticket:
    """What the ticket tells: the pair and its articles."""

    gene: str
    disease: str
    articles: tuple[Article, ...]
    inheritance: str = ""


class Report(NamedTuple):
    """What one tool response tells: an article, its subtypes and its human genetics."""

    pmid: str
    subtypes: tuple[str, ...]
    genetics: HumanGenetics


class Environment(Protocol):
    """What a baseline reads of the environment it acts in."""

    dialect: Dialect
    max_turns: int


@dataclass
class Turns:
    """A policy for one episode: calls first, then an answer from what came back.

    Args:
        plan: Ticket -> the calls to make.
        answer: Ticket and the responses -> the final action.
        dialect: How calls are written.
        limit: Actions before truncation.
    """

    plan: Callable[[Ticket], Sequence[CallSpec]]
    answer: Callable[[Ticket, Sequence[str]], str]
    dialect: Dialect
    limit: int
    _ticket: Ticket = field(default_factory=lambda: Ticket("", "", ()))
    _waiting: list[str] = field(default_factory=list)
    _heard: list[str] = field(default_factory=list)

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Return the next call or batch of calls, or the answer when there is none left."""
        if "task_id" in info:
            self._ticket = read_ticket(observation)
            calls = list(self.plan(self._ticket))
            self._heard = []
            self._waiting = _write(self.dialect, calls)[: self.limit - 1]
        else:
            # The messages keep several responses apart in every dialect.
            self._heard += [one["content"] for one in info["messages"] if one["role"] == "tool"]
        if self._waiting:
            return self._waiting.pop(0)
        return self.answer(self._ticket, self._heard)


def rules(env: Environment, *, genetics: bool = True) -> Callable[[int], Turns]:
    """Make the supervisor's baseline: the calls that abstracts suggest, class by the procedure.

    Args:
        env: The environment.
        genetics: Whether reports tell human genetics; if not, one that tells none is not taken
            for the lack of it.
    """
    answer = partial(_classification, genetics=genetics)
    return lambda seed: Turns(_likely_calls, answer, env.dialect, env.max_turns)


def rules_single(env: Environment, *, genetics: bool = True) -> Callable[[int], Turns]:
    """Make the single agent's baseline: every full text, then subtypes and class by rules.

    Args:
        env: The environment.
        genetics: As for `rules`.
    """
    answer = partial(_judgement, genetics=genetics)
    return lambda seed: Turns(_every_text, answer, env.dialect, env.max_turns)


def read_ticket(text: str) -> Ticket:
    """Read the ticket at the end of a prompt; what it does not hold stays empty."""
    start = max(text.rfind("\nGene: ") + 1, 0)
    text = text[start:]
    gene, disease = _GENE.search(text), _DISEASE.search(text)
    articles = tuple(
        Article(
            found["pmid"],
            found["pmcid"],
            int(found["year"]),
            found["title"].strip(),
            found["abstract"].strip(),
        )
        for found in _ARTICLE.finditer(text)
    )
    mode = _INHERITANCE.search(text)
    return Ticket(
        gene[1] if gene else "", disease[1] if disease else "", articles, mode[1] if mode else ""
    )


def _likely_calls(ticket: Ticket) -> list[CallSpec]:
    """The calls that the abstracts suggest; all calls where they suggest none."""
    likely = [
        _call(ticket, article, key)
        for article in ticket.articles
        for key in CATEGORIES
        if key in _categories_of(ticket, article)
    ]
    return likely or [
        _call(ticket, article, key) for article in ticket.articles for key in CATEGORIES
    ]


def _categories_of(ticket: Ticket, article: Article) -> set[str]:
    found = read_article(ticket.gene, [("Abstract", article.abstract)])
    return {SUBTYPES[one.subtype].category for one in found}


def _call(ticket: Ticket, article: Article, category: str) -> CallSpec:
    arguments = {
        "pmid": article.pmid,
        "pmcid": article.pmcid,
        "gene": ticket.gene,
        "disease": ticket.disease,
    }
    return CATEGORIES[category].agent, arguments


def decide(ticket: Ticket, reports: Iterable[Report], *, genetics: bool = True) -> str:
    """Calculate the class from what the articles were found to hold.

    Human genetics is read from the reports and the abstracts; a person counts once. Without any
    report, or any word of human genetics where none is promised, it is the most frequent class.

    Args:
        ticket: The pair and its articles.
        reports: What came back.
        genetics: Whether human genetics is told at all.
    """
    listed = list(reports)
    if not listed or not (genetics or any(one.genetics for one in listed)):
        return MOST_FREQUENT
    evidence = list(dict.fromkeys((one.pmid, key) for one in listed for key in one.subtypes))
    human = [
        (article.pmid, article.year, found)
        for article in ticket.articles
        for found in _genetics_of(article, listed)
    ]
    counted = tally(human, ticket.inheritance, None)
    latest = max((article.year for article in ticket.articles), default=0)
    first = counted.first_reported
    result = classify(
        evidence,
        genetic_points=counted.points,
        publications=counted.publications,
        years_since_first=max(latest - first, 0) if first else 0,
        contradictory=counted.contradicted,
        replication="matrix",
    )
    return result.classification


def _genetics_of(article: Article, reports: Sequence[Report]) -> list[HumanGenetics]:
    """What the reports on an article tell, else its abstract; each different text once."""
    told = [one.genetics for one in reports if one.pmid == article.pmid and one.genetics]
    return told[:1] or [read_genetics(article.abstract)]


def read_reports(text: str) -> list[Report]:
    """Read the sub-agents' reports, those included that were cut in the middle."""
    blocks = _RESPONSE.findall(text) or [line for line in text.splitlines() if line.strip()]
    reports = []
    for block in blocks:
        fields = _fields(block)
        pmid = fields.get("pmid")
        if not isinstance(pmid, str):
            continue
        terms = fields.get("evidence_subtype") or []
        category = str(fields.get("evidence_type"))
        keys = tuple(
            subtype.key
            for subtype in SUBTYPES.values()
            if subtype.category == category
            and subtype.term in ([terms] if isinstance(terms, str) else terms)
        )
        genetics = read_genetics(str(fields.get("explanation", "")))
        reports.append(Report(pmid, keys, genetics))
    return reports


def _write(dialect: Dialect, calls: Sequence[CallSpec]) -> list[str]:
    """Write calls as one action, if there are any."""
    return [dialect.write(calls)] if calls else []


def _fields(block: str) -> dict[str, Any]:
    """The fields of a JSON object, also of one whose middle is missing."""
    try:
        value = json.loads(block)
    except ValueError:
        value = {}
        for name in ("evidence_type", "pmid", "evidence_subtype", "explanation"):
            if found := re.search(rf'"{name}": ?("(?:[^"\\]|\\.)*"?|\[[^\]]*\]|null)', block):
                try:
                    value[name] = json.loads(found[1])
                except ValueError:
                    value[name] = found[1].strip('"')
    return value if isinstance(value, dict) else {}


def _classification(ticket: Ticket, heard: Sequence[str], *, genetics: bool) -> str:
    reports = [report for response in heard for report in read_reports(response)]
    return f"CLASSIFICATION: {decide(ticket, reports, genetics=genetics)}"


def _every_text(ticket: Ticket) -> list[CallSpec]:
    return [("get_full_text", {"pmid": article.pmid}) for article in ticket.articles]


def _judgement(ticket: Ticket, heard: Sequence[str], *, genetics: bool) -> str:
    reports = []
    for article, text in zip(ticket.articles, heard, strict=False):
        sections = split_sections(text)
        found = read_article(ticket.gene, sections)
        keys = tuple(finding.subtype for finding in found)
        human = read_genetics(results_of(sections))
        reports.append(Report(article.pmid, keys, human))
    evidence = [
        {"type": SUBTYPES[key].label, "pmid": report.pmid}
        for report in reports
        for key in report.subtypes
    ]
    label = decide(ticket, reports, genetics=genetics)
    return json.dumps({"classification": label, "evidence": evidence})


def split_sections(text: str) -> list[tuple[str, str]]:
    """Split a full text at its ``##`` headings; what stands before the first is the title."""
    marks = list(_HEADING.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return [
        (mark[1].strip(), text[mark.end() : end].strip())
        for mark, end in zip(marks, ends, strict=True)
    ]
