"""Requests and replies of a search server, and their limits."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, model_validator

from gym_clinic.retrieval.passages.passage import FoundPassage, Passage
from gym_clinic.retrieval.passages.query import Operator

PORT = 8377
"""Default port of a search server."""

MAX_LIMIT = 1_000
"""Most passages of one query."""

MAX_QUERIES = 256
"""Most queries of a batch."""

MAX_ASKED = 10_000
"""Most passages of a batch, over all its queries."""

MAX_BODY = 16 * 2**20
"""Most bytes of a request."""


class _SearchOptions(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    limit: int = Field(10, ge=1, le=MAX_LIMIT)
    source: str | None = None
    operator: Operator = "or"


class SearchRequest(_SearchOptions):
    """One query; the fields are the arguments of a search."""

    query: str


class BatchRequest(_SearchOptions):
    """Several queries with the same options."""

    queries: list[str] = Field(max_length=MAX_QUERIES)

    @model_validator(mode="after")
    def _together(self) -> BatchRequest:
        asked = len(self.queries) * self.limit
        if asked > MAX_ASKED:
            raise ValueError(f"queries times limit is at most {MAX_ASKED:,}, not {asked:,}")
        return self


class PassageRequest(BaseModel):
    """A passage by its id."""

    model_config = ConfigDict(strict=True, extra="forbid")

    id: str


class SearchReply(BaseModel):
    """The passages found, best first, and the terms of the query that no passage is about."""

    passages: list[FoundPassage]
    absent_terms: tuple[str, ...] = ()


class BatchReply(BaseModel):
    """The passages found for each query, in the order of the queries, and its absent terms."""

    results: list[SearchReply]


class PassageReply(BaseModel):
    """The passage of an id; None if there is none."""

    passage: Passage | None


class Health(BaseModel):
    """The state of a server.

    Attributes:
        status: ``ok``.
        version: Version of gym_clinic.
        passages: Number of passages; None if the base has no length.
        content_hash: Content hash of the base; empty if it has no manifest.
        places: Most requests accepted at once, running or waiting.
        taken: Requests running or waiting now.
    """

    status: str
    version: str
    passages: int | None
    content_hash: str
    places: int
    taken: int


class ErrorReply(BaseModel):
    """An error message: what was wrong, and what was expected."""

    error: str
