"""Queries in the Query DSL of OpenSearch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gym_clinic.retrieval.passages.passage import encodable
from gym_clinic.retrieval.passages.query import AnyOf, Phrase, Query, Title

FIELDS = ("id", "source", "title", "text", "category", "licence")
"""Fields of a passage in an index."""

SNIPPET = 200
"""Characters of a snippet."""


def request(query: Query, limit: int, source: str | None) -> dict[str, Any]:
    """Return the body of a search for a query.

    Args:
        query: As :func:`gym_clinic.retrieval.passages.query.parse_query` reads it.
        limit: At most so many passages.
        source: Only passages of this source.
    """
    asked: dict[str, Any] = {"must": [render(query)]}
    if source is not None:
        asked["filter"] = [{"term": {"source": encodable(source)}}]
    return {
        "query": {"bool": asked},
        "size": limit,
        "sort": [{"_score": {"order": "desc"}}, {"id": {"order": "asc"}}],
        "track_scores": True,
        "track_total_hits": False,
        "_source": FIELDS,
        "highlight": {
            "pre_tags": ["<b>"],
            "post_tags": ["</b>"],
            "require_field_match": False,  # words are searched in body and highlighted in text
            "fields": {
                "text": {
                    "fragment_size": SNIPPET,
                    "number_of_fragments": 1,
                    "no_match_size": SNIPPET,
                    "order": "score",
                }
            },
        },
    }


def count_request(words: Sequence[str]) -> dict[str, Any]:
    """Return the body of a search that counts the passages with each of some words."""
    filters = [render(Phrase((word,))) for word in words]
    return {
        "size": 0,
        "track_total_hits": False,
        "aggs": {"words": {"filters": {"filters": filters}}},
    }


def render(query: Query) -> dict[str, Any]:
    """Return a query in the Query DSL: match, match_phrase and bool."""
    if isinstance(query, Phrase):
        kind = "match" if len(query.words) == 1 else "match_phrase"
        return {kind: {"body": {"query": " ".join(query.words)}}}
    if isinstance(query, Title):
        return {"match_none": {}}
    if isinstance(query, AnyOf):
        words: list[str] = []
        parts: list[dict[str, Any]] = []
        for one in query.parts:
            if isinstance(one, Phrase) and len(one.words) == 1:
                words += one.words
            else:
                parts.append(render(one))
        if words:
            parts.insert(0, {"match": {"body": {"query": " ".join(words), "operator": "or"}}})
        return {"bool": {"should": parts, "minimum_should_match": 1}} if parts[1:] else parts[0]
    asked: dict[str, Any] = {"must": [render(one) for one in query.parts]}
    if query.excluded:
        asked["must_not"] = [render(one) for one in query.excluded]
    return {"bool": asked}
