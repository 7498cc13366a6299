"""Searching a knowledge base: the three tools that every domain has.

A base that does not answer is reported in the answer, so that the agent can go on with
what it knows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gym_clinic.case import Case
from gym_clinic.chart import Chart
from gym_clinic.embedded import EMBEDDED, open_knowledge
from gym_clinic.errors import ConfigError, ServiceError, ToolError
from gym_clinic.retrieval import FoundPassage, FoundPassages
from gym_clinic.toolbox import Tool

LONGEST_QUERY = 500
"""Characters of a query at most."""

EXCERPT = 1_500
"""Characters of a passage at most."""

PUBMED = "pubmed"
"""The collection of articles, where a base has one."""

UNAVAILABLE = "The library cannot be searched now. Go on with the other tools."


def library_tools(knowledge_base: str | Mapping[str, Any] = EMBEDDED) -> tuple[Tool, ...]:
    """Return search_pubmed, retrieve_evidence and search_medical_wiki over a knowledge base.

    Args:
        knowledge_base: As for :func:`gym_clinic.embedded.open_knowledge`; the embedded one is
            opened when it is first searched, any other at once.

    Raises:
        ConfigError: If the option has another form, or there is no such base.
    """
    if knowledge_base != EMBEDDED:
        open_knowledge(knowledge_base)

    def search(case: Case, query: str, limit: int, source: str | None = None) -> Any:
        if not query.strip() or len(query) > LONGEST_QUERY:
            raise ToolError(f"expected a query of 1 to {LONGEST_QUERY} characters")
        if isinstance(case, Chart):
            case.log("search_knowledge", query=query)
        try:
            base = open_knowledge(knowledge_base)
            has = source in getattr(base.manifest, "sources", ())
            return base.search(query, limit=limit, source=source if has else None)
        except (ConfigError, ServiceError):
            return None

    def search_pubmed(case: Case, query: str, limit: int = 5) -> dict[str, Any]:
        """Search the titles and abstracts of the library for articles on a question.

        Args:
            query: Words, or a question.
            limit: Most articles to return, from 1 to 10.
        """
        found = search(case, query, _checked(limit), PUBMED)
        return _answer(
            found, lambda one: {"id": one.id, "title": one.title, "snippet": one.excerpt}
        )

    def retrieve_evidence(case: Case, query: str, limit: int = 3) -> dict[str, Any]:
        """Retrieve the passages of the library that answer a question best.

        Args:
            query: Words, or a question.
            limit: Most passages to return, from 1 to 10.
        """
        found = search(case, query, _checked(limit))
        return _answer(found, lambda one: {"title": one.title, "text": one.record.text[:EXCERPT]})

    def search_medical_wiki(case: Case, topic: str) -> dict[str, Any]:
        """Read the entry of the medical encyclopaedia on a topic.

        Args:
            topic: A disease, drug, score or emergency.
        """
        found = search(case, topic, 4)
        if not found:
            return _answer(found, dict)
        first, *others = found
        see = [one.title for one in others if one.title != first.title]
        entry = {"title": first.title, "text": first.record.text[:EXCERPT], "see also": see}
        return entry | _note(found)

    return Tool(search_pubmed), Tool(retrieve_evidence), Tool(search_medical_wiki)


def _checked(limit: int) -> int:
    if not 1 <= limit <= 10:
        raise ToolError(f"limit is {limit}; expected 1 to 10.")
    return limit


def _answer(found: Sequence[FoundPassage] | None, show: Any) -> dict[str, Any]:
    if found is None:
        return {"results": "none", "note": UNAVAILABLE}
    return {"results": [show(passage) for passage in found] or "none"} | _note(found)


def _note(found: Sequence[FoundPassage]) -> dict[str, str]:
    """Return what no passage is about, as a field of an answer; nothing if there is no such."""
    said = found.note if isinstance(found, FoundPassages) else ""
    return {"note": said} if said else {}
