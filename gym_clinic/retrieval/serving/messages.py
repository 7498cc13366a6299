"""What a search server and its client tell one another, and how much of it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, model_validator

from gym_clinic.retrieval.passages.passage import Passage
from gym_clinic.retrieval.passages.query import Operator

PORT = 8377
"""Where a search server listens, unless it is told otherwise."""

MAX_LIMIT = 1_000
"""Passages that a query may ask for."""

MAX_QUERIES = 256
"""Queries of a batch."""

MAX_ASKED = 10_000
"""Passages that the queries of a batch may ask for together."""

MAX_BODY = 16 * 2**20
"""Bytes of a request."""


class _SearchOptions(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    limit: int = Field(10, ge=1, le=MAX_LIMIT)
    source: str | None = None
    operator: Operator = "or"


class SearchRequest(_SearchOptions):
    """One query; the fields are the arguments of a search."""

    query: str


class BatchRequest(_SearchOptions):
    """Several queries, asked alike."""

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
    """The passages found, best first."""

    passages: list[Passage]


class BatchReply(BaseModel):
    """The passages found for each query, in the order of the queries."""

    results: list[list[Passage]]


class PassageReply(BaseModel):
    """The passage of an id; None if there is none."""

    passage: Passage | None


class Health(BaseModel):
    """What a server says of itself.

    Attributes:
        status: ``ok``.
        version: Of gym_clinic.
        passages: Of the base; None if it does not say.
        content_hash: Of the base; empty if it has none.
        places: Requests that are taken at once, worked on or waiting.
        taken: Requests that have one.
    """

    status: str
    version: str
    passages: int | None
    content_hash: str
    places: int
    taken: int


class ErrorReply(BaseModel):
    """What was wrong, and what would be right."""

    error: str
