"""The six sub-agents, each of which reads an article for one category of evidence.

The paper's own prompts are missing from the text that was available; the role prompt in
``subagent.md`` is ours.

Source:
    The supervisor paper, section 4.1 (eq. 3 for the recorded annotation, eq. 5 for a reading
    model); section 5.3 and appendix D for one model that plays all six.
"""

from __future__ import annotations

import re
from functools import cache, partial
from pathlib import Path
from typing import Any

from pydantic import (
    BaseModel,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from typing_extensions import Self

from gym_clinic.consult import Consultant, Question, Recorded, Rules, read_prompt
from gym_clinic.domain import Conversation
from gym_clinic.domains.clingen.curation import Curation
from gym_clinic.domains.clingen.evidence import CATEGORIES, SUBTYPES, Category
from gym_clinic.domains.clingen.genetics import (
    HumanGenetics,
    StatedPoints,
    read_genetics,
    results_of,
)
from gym_clinic.domains.clingen.naming import find_subtype
from gym_clinic.domains.clingen.reader import read_article
from gym_clinic.episode import Call
from gym_clinic.errors import ConfigError, TaskError, ToolError
from gym_clinic.toolbox import Tool, tool

PROMPT = read_prompt(Path(__file__).with_name("subagent.md"))
_BY_AGENT = {category.agent: category for category in CATEGORIES.values()}


class EvidenceReport(BaseModel):
    """What a sub-agent answers, as in the traces of the supervisor paper, appendix B.

    Attributes:
        evidence_type: The category, e.g. ``"ModelSystem"``.
        has_evidence: Whether the article holds evidence of it.
        pmid: The article.
        evidence_subtype: The subtype, several as a list, None without evidence.
        explanation: A clinician's summary.
    """

    evidence_type: str
    has_evidence: bool
    pmid: str
    evidence_subtype: str | list[str] | None
    explanation: str

    @property
    def labels(self) -> list[str]:
        """The subtypes by the labels a single agent uses."""
        terms = self.evidence_subtype
        listed = [terms] if isinstance(terms, str) else terms or []
        known = CATEGORIES[self.evidence_type].subtypes
        return [subtype.label for subtype in known if subtype.term in listed]


class EvidenceReply(BaseModel):
    """What a consultant replies about one category in one article.

    The subtypes become terms of the category, in the order of the category.
    """

    has_evidence: bool = Field(description="whether the article shows evidence of this kind")
    evidence_subtype: list[str] = Field([], description="the subtypes it shows; empty if none")
    explanation: str = Field(
        min_length=1, description="what was done and seen, in two or three sentences"
    )

    @field_validator("evidence_subtype", mode="before")
    @classmethod
    def _as_list(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value or []

    @field_validator("evidence_subtype")
    @classmethod
    def _terms_of_the_category(cls, terms: list[str], info: ValidationInfo) -> list[str]:
        context: Any = info.context
        category: Category = context["category"]
        keys = [_subtype_key(term, category) for term in terms]
        return [subtype.term for subtype in category.subtypes if subtype.key in keys]

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.has_evidence != bool(self.evidence_subtype):
            raise ValueError("has_evidence and evidence_subtype contradict each other")
        return self


class MatrixReply(EvidenceReply):
    """The same, with the human genetic evidence of the article, which the matrix counts too."""

    explanation: str = Field(
        min_length=1,
        description="what was done and seen, in two or three sentences; then the human genetics "
        "that the article reports, without points: persons by number with their variants, their "
        "origin and other causes, families with LOD score, case-control counts with odds ratio and "
        "p; or that there is none",
    )


def _subtype_key(term: str, category: Category) -> str:
    """The key of one of the category's own subtypes, however it is written."""
    own = {subtype.key: subtype for subtype in category.subtypes}
    name = term.strip().casefold()
    for subtype in own.values():
        if name in (subtype.term.casefold(), subtype.label.casefold()):
            return subtype.key
    try:
        key = find_subtype(term).key
    except ConfigError:
        key = ""
    if key not in own:
        known = [subtype.term for subtype in own.values()]
        wrong = f"{term[:60]!r} is no subtype of {category.label}"
        raise ValueError(f"{wrong}; choose from {known}")
    return key


def make_question(category: Category, case: Curation, pmid: str) -> Question[EvidenceReply]:
    """Return what the sub-agent of a category is asked about an article of the case."""
    values = {
        **_role(category),
        "gene": case.gene,
        "disease": case.disease,
        "pmid": pmid,
        "article": partial(case.full_text, pmid),
    }
    return Question(category.agent, PROMPT, values, MatrixReply if case.genetics else EvidenceReply)


@cache
def _role(category: Category) -> dict[str, Any]:
    terms = ", ".join(f'"{subtype.term}"' for subtype in category.subtypes)
    return {
        "category": category,
        "label": category.label,
        "about": category.about,
        "terms": terms,
    }


def make_report(category: Category, pmid: str, reply: EvidenceReply) -> EvidenceReport:
    """Return a reply as the report of its sub-agent."""
    terms = reply.evidence_subtype
    return EvidenceReport(
        evidence_type=category.key,
        has_evidence=reply.has_evidence,
        pmid=pmid,
        evidence_subtype=terms[0] if len(terms) == 1 else terms or None,
        explanation=reply.explanation,
    )


def _as_json(question: Question[EvidenceReply], case: Curation, keys: list[str], text: str) -> Any:
    """A reply as JSON, from the keys of subtypes of any category."""
    category: Category = question.values["category"]
    terms = [SUBTYPES[key].term for key in keys]
    if not terms:
        text = f"The article gives no {category.label} evidence for {case.gene} in {case.disease}."
    return {"has_evidence": bool(terms), "evidence_subtype": terms, "explanation": text}


def recorded_reply(question: Question[EvidenceReply], case: Curation) -> Any:
    """The curated annotation: subtypes and clinician's summary (the supervisor paper, eq. 3)."""
    category, pmid = question.values["category"], question.values["pmid"]
    found = [
        item
        for item in case.annotation
        if item["pmid"] == pmid and SUBTYPES[item["subtype"]].category == category.key
    ]
    sentences: dict[str, None] = {}  # the human genetics of an article are told once
    for item in found:
        sentences.update(dict.fromkeys(re.split(r"(?<=[.!?])\s+", item["summary"])))
    text = " ".join(one for one in sentences if one) or "The curators wrote no summary."
    human = case.human.get(pmid)
    if human is not None and "summary" in human:
        text += f" {human['summary']}"
    elif human is not None and not read_genetics(text):
        stated = StatedPoints(human["points"], human["publications"], human["first_reported"])
        text += f" {state_points(stated)}"
    return _as_json(question, case, [item["subtype"] for item in found], text)


def rules_reply(question: Question[EvidenceReply], case: Curation) -> Any:
    """What the cues and rules of an offline reader find in the full text."""
    sections = case.sections(question.values["pmid"])
    found = [
        finding
        for finding in read_article(case.gene, sections)
        if SUBTYPES[finding.subtype].category == question.values["category"].key
    ]
    said = dict.fromkeys(finding.sentence for finding in found)
    if case.genetics:
        said[describe_genetics(read_genetics(results_of(sections)))] = None
    text = " ".join(said)
    return _as_json(question, case, [finding.subtype for finding in found], text)


def state_points(stated: StatedPoints) -> str:
    """Return the sentence on the points that curators of an imported article gave."""
    if not stated.points:
        return "No human genetic evidence scored in this article."
    return (
        f"Human genetic evidence in this article: {stated.points:g} points, from "
        f"{stated.publications} publication{'s' if stated.publications > 1 else ''}, "
        f"first reported in {stated.first_reported}."
    )


def describe_genetics(found: HumanGenetics) -> str:
    """Return what was read of an article's human genetics, without points."""
    if not found:
        return "No human genetics was read in this article."
    told = []
    for name, one in found.persons.items():
        marks = [
            f"{one.hits} variant{'s' if one.hits > 1 else ''}",
            "null" if one.null else "missense or other",
            "de novo" if one.de_novo else "in trans" if one.in_trans else "parents not tested",
        ]
        marks += [f"{one.common:.2%} of population alleles"] if one.common else []
        marks += ["another gene explains the disease"] if one.other_cause else []
        told.append(f"{name}: {', '.join(marks)}.")
    told += [f"Family {name}: LOD {lod:g}." for name, lod in found.lods.items()]
    told += [f"Cases and controls: odds ratio {odds:g}, p = {p:.3g}." for odds, p in found.studies]
    return " ".join(told)


OFFLINE: dict[str, Consultant] = {
    "recorded": Recorded(recorded_reply),
    "rules": Rules(rules_reply),
}
"""The sub-agents that need no server."""


def conversation(case: Curation, call: Call) -> Conversation | None:
    """Return the conversation behind a call: role prompt, article, and the sub-agent's answer.

    The prompt is the one a chat model is given in that role, and the answer is in the form that
    is read back from it: material to fine-tune the one model that plays all sub-agents.

    Args:
        case: The curation.
        call: A call that was answered.

    Returns:
        System, user and assistant message; None if the call went to no sub-agent.

    Raises:
        TaskError: If what came back is no report of that sub-agent.
    """
    category = _BY_AGENT.get(call.name)
    if category is None:
        return None
    try:
        report = EvidenceReport.model_validate_json(call.response)
        question = make_question(category, case, report.pmid)
        reply = question.check(report.model_dump(include=set(EvidenceReply.model_fields)))
    except (ValidationError, ValueError) as error:
        raise TaskError(f"{call.name}: its response is no report: {error}") from None
    if make_report(category, report.pmid, reply) != report:
        text = call.response[:200]
        raise TaskError(f"{call.name}: its response is no report of that sub-agent: {text}")
    return question.conversation(reply)


def make_tools(consultant: Consultant) -> tuple[Tool, ...]:
    """Return the supervisor's tools: one sub-agent per category."""
    return tuple(_make_tool(category, consultant) for category in CATEGORIES.values())


def _make_tool(category: Category, consultant: Consultant) -> Tool:
    def ask(case: Curation, pmid: str, pmcid: str, gene: str, disease: str) -> EvidenceReport:
        article = case.article(pmid)
        for name, given, right in (
            ("pmcid", pmcid, article["pmcid"]),
            ("gene", gene, case.gene),
            ("disease", disease, case.disease),
        ):
            if given != right:
                raise ToolError(f"{name} is {given[:80]!r}; on the ticket it is {right!r}")
        reply = consultant.ask(make_question(category, case, pmid), case)
        return make_report(category, pmid, reply)

    ask.__doc__ = f"""Send one article to the {category.label} curator: {category.about}.

    Args:
        pmid: PMID of the article.
        pmcid: PMCID of the article.
        gene: Gene symbol, as on the ticket.
        disease: Disease name, as on the ticket.
    """
    return tool(name=category.agent)(ask)
