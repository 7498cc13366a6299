"""What the sub-agents were asked and answered, to fine-tune the one model that plays them all.

Source:
    The supervisor paper, section 5.3 and appendix D: one model for all six sub-agents, fine-tuned
    on role-prompted inputs, each with the full text of an article.
"""

from __future__ import annotations

import orjson
from pydantic import ValidationError

from gym_clinic.domain import Conversation
from gym_clinic.domains.clingen.curation import Curation
from gym_clinic.domains.clingen.evidence import CATEGORIES
from gym_clinic.domains.clingen.subagents import EvidenceReport, read_report, role_prompt
from gym_clinic.episode import Call
from gym_clinic.errors import TaskError

_ROLES = {category.agent: category for category in CATEGORIES.values()}


def conversation(case: Curation, call: Call) -> Conversation | None:
    """Return the conversation behind a call: role prompt, article, and the sub-agent's answer.

    The prompt is the one a chat model is given in that role, and the answer is in the form that
    is read back from it.

    Args:
        case: The curation.
        call: A call that was answered.

    Returns:
        System, user and assistant message; None if the call went to no sub-agent.

    Raises:
        TaskError: If what came back is no report of that sub-agent.
    """
    category = _ROLES.get(call.name)
    if category is None:
        return None
    try:
        report = EvidenceReport.model_validate_json(call.response)
        text = write_report(report)
        same = read_report(text, category, report.pmid) == report
    except (ValidationError, ValueError) as error:
        raise TaskError(f"{call.name}: its response is no report: {error}") from None
    if not same:
        raise TaskError(f"{call.name}: its response is no report of that sub-agent: {text[:200]}")
    return [*role_prompt(category, case, report.pmid), {"role": "assistant", "content": text}]


def write_report(report: EvidenceReport) -> str:
    """Return a report as a model writes it, for :func:`.subagents.read_report` to read."""
    terms = report.evidence_subtype
    answer = {
        "has_evidence": report.has_evidence,
        "evidence_subtype": [terms] if isinstance(terms, str) else terms or [],
        "explanation": report.explanation,
    }
    return orjson.dumps(answer).decode()
