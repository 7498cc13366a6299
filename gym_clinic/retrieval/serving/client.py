"""The client of a search server (``gym-clinic kb serve``); it is used like a local base."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from gym_clinic.endpoint import Answer, Endpoint
from gym_clinic.errors import ConfigError, ServiceError
from gym_clinic.retrieval.passages.passage import FoundPassages, Passage, encodable
from gym_clinic.retrieval.passages.searcher import ContentManifest, check_search
from gym_clinic.retrieval.serving.messages import (
    MAX_ASKED,
    MAX_BODY,
    MAX_QUERIES,
    BatchReply,
    ErrorReply,
    Health,
    PassageReply,
    SearchReply,
)

ReplyModel = TypeVar("ReplyModel", bound=BaseModel)

BUSY = (429, 502, 503, 504)
"""Statuses after which a request is sent again."""

REFUSED = (413, 422)
"""Statuses with which a server refuses a request because of its content."""

CONNECTIONS = 64
"""Requests under way at once; further ones wait in the client."""

MAX_QUERY_BYTES = MAX_BODY - (1 << 16)
"""Bytes of the queries of one request; the rest is for its options."""


class KnowledgeClient:
    """Searches a knowledge base over HTTP; safe to use from threads, tasks and forks.

    A request that a busy server refuses is repeated, with growing waits. Pickles and copies are
    new clients with the same options.

    Args:
        url: Address of the server, as ``http://127.0.0.1:8377``.
        timeout: Seconds for one attempt, from connecting to the last byte.
        retries: Attempts after the first.
        max_wait: Longest wait between attempts, in seconds.

    Raises:
        ConfigError: If an option is unusable, or httpx or tenacity is not installed.
    """

    def __init__(
        self, url: str, *, timeout: float = 60.0, retries: int = 8, max_wait: float = 5.0
    ) -> None:
        self._endpoint = Endpoint(
            url,
            timeout=timeout,
            retries=retries,
            backoff=0.1,
            max_wait=max_wait,
            concurrency=CONNECTIONS,
            retried=BUSY,
            retry_timeouts=False,  # the server is still at work on the query
            proxies=False,
            extra="serve",
        )

    def __repr__(self) -> str:
        return f"KnowledgeClient({self._endpoint.url!r})"

    def __enter__(self) -> KnowledgeClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        passages = self.health().passages
        if passages is None:
            raise ConfigError(f"{self._endpoint.name} serves a base without a length")
        return passages

    @property
    def manifest(self) -> ContentManifest:
        """The manifest of the served base; its content hash only."""
        return self.health()

    def search(
        self, query: str, limit: int = 10, source: str | None = None, operator: str = "or"
    ) -> FoundPassages:
        """Return the passages that answer a query, as the served base does.

        Raises:
            ConfigError: If the server refuses the query for an option, or for its length (16 MiB).
            ServiceError: If the server fails, or is busy or unreachable in all attempts.
        """
        check_search(limit, operator)
        asked = {"query": encodable(query), **_options(limit, source, operator)}
        return _found(self._ask("/search", asked, SearchReply))

    def search_many(
        self,
        queries: Sequence[str],
        limit: int = 10,
        source: str | None = None,
        operator: str = "or",
    ) -> list[FoundPassages]:
        """Return for each query what :meth:`search` returns, in few requests."""
        check_search(limit, operator)
        found: list[FoundPassages] = []
        for some in _batches(queries, limit):
            asked = {"queries": some, **_options(limit, source, operator)}
            results = self._ask("/batch", asked, BatchReply).results
            if len(results) != len(some):
                raise ServiceError(
                    f"{self._endpoint.name} answered {len(results)} of {len(some)} queries"
                )
            found += map(_found, results)
        return found

    def get(self, id: str) -> Passage | None:
        """Return the passage of an id; None if there is none. Errors as of a search."""
        return self._ask("/get", {"id": encodable(id)}, PassageReply).passage

    def health(self) -> Health:
        """Return the health of the server: what it serves, and how busy it is.

        Raises:
            ServiceError: If it fails or is unreachable.
        """
        return self._ask("/health", None, Health)

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()

    def _ask(self, path: str, asked: dict[str, Any] | None, reply: type[ReplyModel]) -> ReplyModel:
        def read(answer: Answer) -> ReplyModel:
            try:
                if answer.status not in REFUSED:
                    return reply.model_validate_json(answer.content)
                refused = ErrorReply.model_validate_json(answer.content)
            except ValidationError as error:
                raise ServiceError(
                    f"{self._endpoint.name} is no search server of this version: "
                    f"{error.errors()[0]['msg']}"
                ) from error
            # The error message of the server's own check, or of the base that it serves.
            raise ConfigError(refused.error)

        sent = None if asked is None else orjson.dumps(asked)
        return self._endpoint.ask(read, path, sent, accept=REFUSED)


def _found(reply: SearchReply) -> FoundPassages:
    return FoundPassages(reply.passages, reply.absent_terms)


def _batches(queries: Sequence[str], limit: int) -> Iterator[list[orjson.Fragment]]:
    """Group queries, as JSON, so that each group fits into one request."""
    most = min(MAX_QUERIES, max(1, MAX_ASKED // limit))
    some: list[orjson.Fragment] = []
    size = 0
    for query in queries:
        one = orjson.dumps(encodable(query))
        if some and (len(some) == most or size + len(one) > MAX_QUERY_BYTES):
            yield some
            some, size = [], 0
        some.append(orjson.Fragment(one))
        size += len(one) + 1
    if some:
        yield some


def _options(limit: int, source: str | None, operator: str) -> dict[str, Any]:
    named = None if source is None else encodable(source)
    return {"limit": limit, "source": named, "operator": operator}
