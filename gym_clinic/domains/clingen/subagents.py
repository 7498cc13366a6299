"""The six sub-agents: who reads an article for one category of evidence.

The paper's own prompts are missing from the text that was available; the role prompts here are
ours.

Source:
    The supervisor paper, section 4.1 (eq. 3 for the recorded annotation, eq. 5 for a reading
    model).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Protocol

from pydantic import BaseModel, Field, ValidationError

from gym_clinic import strict_json
from gym_clinic.consult.chat import ChatClient
from gym_clinic.consult.consultant import ChatConsultant
from gym_clinic.domains.clingen.answers import answer_object
from gym_clinic.domains.clingen.curation import Curation
from gym_clinic.domains.clingen.evidence import CATEGORIES, SUBTYPES, Category
from gym_clinic.domains.clingen.naming import find_subtype
from gym_clinic.domains.clingen.reader import Genetics, read_article, read_genetics
from gym_clinic.errors import ConfigError, ToolError
from gym_clinic.names import call_with_options
from gym_clinic.toolbox import Tool, tool


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


class Consultant(Protocol):
    """Reads one article for one category."""

    def report(self, category: Category, case: Curation, pmid: str) -> EvidenceReport:
        """Return the evidence of a category in an article of the case."""


def make_report(
    category: Category, pmid: str, subtypes: Sequence[str], explanation: str
) -> EvidenceReport:
    """Compose a report from subtype keys of the category."""
    terms = [subtype.term for subtype in category.subtypes if subtype.key in subtypes]
    return EvidenceReport(
        evidence_type=category.key,
        has_evidence=bool(terms),
        pmid=pmid,
        evidence_subtype=terms[0] if len(terms) == 1 else terms or None,
        explanation=explanation,
    )


def nothing_found(category: Category, case: Curation, pmid: str) -> EvidenceReport:
    """Return the report that there is no evidence of the category."""
    text = f"The article gives no {category.label} evidence for {case.gene} in {case.disease}."
    return make_report(category, pmid, (), text)


class Recorded:
    """The curated annotation: subtype and clinician's summary (the supervisor paper, eq. 3)."""

    def report(self, category: Category, case: Curation, pmid: str) -> EvidenceReport:
        """Return what the curators recorded."""
        found = [
            item
            for item in case.annotation
            if item["pmid"] == pmid and SUBTYPES[item["subtype"]].category == category.key
        ]
        if not found:
            return nothing_found(category, case, pmid)
        sentences: dict[str, None] = {}  # the human genetics of an article are told once
        for item in found:
            sentences.update(dict.fromkeys(re.split(r"(?<=[.!?])\s+", item["summary"])))
        keys = [item["subtype"] for item in found]
        return make_report(category, pmid, keys, " ".join(sentences))


class Rules:
    """An offline reader of the full text, by cues and rules."""

    def report(self, category: Category, case: Curation, pmid: str) -> EvidenceReport:
        """Return what the rules find in the full text."""
        sections = case.sections(pmid)
        found = [
            finding
            for finding in read_article(case.gene, case.disease, sections)
            if SUBTYPES[finding.subtype].category == category.key
        ]
        if not found:
            return nothing_found(category, case, pmid)
        said = dict.fromkeys(finding.sentence for finding in found)
        genetics = describe_genetics(read_genetics(sections))
        keys = [finding.subtype for finding in found]
        return make_report(category, pmid, keys, " ".join([*said, genetics]))


def describe_genetics(genetics: Genetics | None) -> str:
    """Return the sentence that tells an article's human genetic evidence."""
    if genetics is None or genetics.points == 0:
        return "No human genetic evidence scored in this article."
    return (
        f"Human genetic evidence in this article: {genetics.points:g} points, from "
        f"{genetics.publications} publication{'s' if genetics.publications > 1 else ''}, "
        f"first reported in {genetics.first_reported}."
    )


ROLE = """You are the {label} curator of a gene-disease validity panel. You read one article \
for one kind of experimental evidence and nothing else: {about}.

Evidence counts only if this article itself shows it, by experiment, for {gene} and {disease}. \
It does not count if it is planned or supposed, cited from earlier work, shown for another gene \
or another disease, negative or inconclusive, or taken back elsewhere in the article. A rescue of \
a defect known from earlier work is evidence of Rescue only.

The subtypes you may report: {terms}.

Answer with one JSON object and nothing else:
{{"has_evidence": true or false, "evidence_subtype": [subtypes, empty if none], \
"explanation": "what was done and seen, in two or three sentences; then the human genetic \
evidence the article reports: probands with null and with other variants, points, number of \
publications and year of the first; or that there is none"}}"""


class _Answer(BaseModel):
    """What a reading model must answer."""

    has_evidence: bool
    evidence_subtype: list[str] | str | None = None
    explanation: Annotated[str, Field(min_length=1, max_length=4000)]


class Chat:
    """A language model behind an OpenAI-compatible server, one role prompt per category.

    Args:
        consultant: Asks the model.
    """

    def __init__(self, consultant: ChatConsultant) -> None:
        self.consultant = consultant

    def report(self, category: Category, case: Curation, pmid: str) -> EvidenceReport:
        """Return what the model reports.

        Raises:
            ServiceError: If the server fails, or no answer is a report.
        """
        return self.consultant.ask(
            role_prompt(category, case, pmid),
            lambda text: read_report(text, category, pmid),
            case,
            f"{category.agent} on {pmid}",
        )


def role_prompt(category: Category, case: Curation, pmid: str) -> list[dict[str, str]]:
    """Return the messages that make a model the sub-agent of a category."""
    role = ROLE.format(
        label=category.label,
        about=category.about,
        gene=case.gene,
        disease=case.disease,
        terms=", ".join(f'"{subtype.term}"' for subtype in category.subtypes),
    )
    article = f"Gene: {case.gene}\nDisease: {case.disease}\nPMID: {pmid}\n\n{case.full_text(pmid)}"
    return [{"role": "system", "content": role}, {"role": "user", "content": article}]


def read_report(text: str, category: Category, pmid: str) -> EvidenceReport:
    """Read a model's answer, allowing the subtypes of the category only.

    Raises:
        ValueError: With what was expected.
    """
    answer = _validate(strict_json.loads(answer_object(text)))
    terms = answer.evidence_subtype
    listed = [terms] if isinstance(terms, str) else terms or []
    keys = []
    for term in listed:
        try:
            key = find_subtype(_qualified(term, category)).key
        except ConfigError:
            key = ""
        if key not in {subtype.key for subtype in category.subtypes}:
            known = [subtype.term for subtype in category.subtypes]
            wrong = f"{term[:60]!r} is no subtype of {category.label}"
            raise ValueError(f"{wrong}; choose from {known}.")
        keys.append(key)
    if answer.has_evidence != bool(keys):
        raise ValueError("has_evidence and evidence_subtype contradict each other.")
    return make_report(category, pmid, keys, answer.explanation)


def _validate(value: Any) -> _Answer:
    try:
        return _Answer.model_validate(value)
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(map(str, problem["loc"])) or "the answer"
        raise ValueError(f"{where}: {problem['msg']}.") from None


def _qualified(term: str, category: Category) -> str:
    """Return a term with its category, if it is one of the category's own terms."""
    for subtype in category.subtypes:
        if term.strip().casefold() in (subtype.term.casefold(), subtype.label.casefold()):
            return subtype.key
    return term


def make_consultant(consultant: str | Mapping[str, Any]) -> Consultant:
    """Make the sub-agents from a plain-JSON option.

    Args:
        consultant: ``"recorded"``, ``"rules"``, or ``{"kind": "chat", "url": …, "model": …}``
            with further options of :class:`gym_clinic.consult.chat.ChatClient`.

    Raises:
        ConfigError: If it is none of these.
    """
    if consultant == "recorded":
        return Recorded()
    if consultant == "rules":
        return Rules()
    if isinstance(consultant, Mapping) and consultant.get("kind") == "chat":
        options = {key: value for key, value in consultant.items() if key != "kind"}
        if "api_key" in options:
            raise ConfigError("a key would be written into env.spec; name api_key_env instead")
        client = call_with_options(ChatClient, options, "consultant of kind 'chat'")
        return Chat(ChatConsultant(client))
    raise ConfigError(
        f"consultant is 'recorded', 'rules' or {{'kind': 'chat', 'url': …, 'model': …}}, "
        f"not {consultant!r}"
    )


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
        return consultant.report(category, case, pmid)

    ask.__doc__ = f"""Send one article to the {category.label} curator: {category.about}.

    Args:
        pmid: PMID of the article.
        pmcid: PMCID of the article.
        gene: Gene symbol, as on the ticket.
        disease: Disease name, as on the ticket.
    """
    return tool(name=category.agent)(ask)
