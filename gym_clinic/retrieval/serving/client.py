"""A client of a search server (``gym-clinic kb serve``), used like the base that it serves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from gym_clinic.errors import ConfigError, ServiceError
from gym_clinic.retrieval.endpoint import MAX_QUOTE, Endpoint, sendable
from gym_clinic.retrieval.passages.passage import Passage
from gym_clinic.retrieval.passages.searcher import Content, check_search
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

Reply = TypeVar("Reply", bound=BaseModel)

ROOM = MAX_BODY - (1 << 16)
"""Bytes of the queries of a request; the rest is for its options."""


class KnowledgeClient:
    """Searches a knowledge base over HTTP, from any number of threads, tasks' threads and forks.

    A server that is busy is asked again, with waits that end. Pickles and copies are clients of
    their own.

    Args:
        url: Address of the server, as ``http://127.0.0.1:8377``.
        timeout: Seconds to wait for an answer to one request.
        retries: Attempts after the first.
        max_wait: Longest wait between attempts, in seconds.

    Raises:
        ConfigError: If an option is unusable, or httpx is not installed.
    """

    def __init__(
        self, url: str, *, timeout: float = 60.0, retries: int = 8, max_wait: float = 5.0
    ) -> None:
        self._endpoint = Endpoint(url, timeout=timeout, retries=retries, max_wait=max_wait)
        self._remake = partial(
            KnowledgeClient, url, timeout=timeout, retries=retries, max_wait=max_wait
        )

    def __repr__(self) -> str:
        return f"KnowledgeClient({self._endpoint.url!r})"

    def __reduce__(self) -> tuple[Any, tuple[()]]:
        return self._remake, ()

    def __enter__(self) -> KnowledgeClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        passages = self.health().passages
        if passages is None:
            raise ConfigError(f"{self._endpoint.url} does not say how many passages it has")
        return passages

    @property
    def manifest(self) -> Content:
        """What the served base holds."""
        return self.health()

    def search(
        self, query: str, limit: int = 10, source: str | None = None, operator: str = "or"
    ) -> list[Passage]:
        """Return the passages that answer a query, as the served base does.

        Raises:
            ConfigError: If the server refuses the query for an option, or for its length (16 MiB).
            ServiceError: If the server fails, or stays busy or away for all attempts.
        """
        check_search(limit, operator)
        asked = {"query": sendable(query), **_options(limit, source, operator)}
        return self._ask("/search", asked, SearchReply).passages

    def search_many(
        self,
        queries: Sequence[str],
        limit: int = 10,
        source: str | None = None,
        operator: str = "or",
    ) -> list[list[Passage]]:
        """Return for each query what :meth:`search` returns, in few requests."""
        check_search(limit, operator)
        found: list[list[Passage]] = []
        for some in _batches(queries, limit):
            asked = {"queries": some, **_options(limit, source, operator)}
            results = self._ask("/batch", asked, BatchReply).results
            if len(results) != len(some):
                raise ServiceError(
                    f"{self._endpoint.url} answered {len(results)} of {len(some)} queries"
                )
            found += results
        return found

    def get(self, id: str) -> Passage | None:
        """Return the passage of an id; None if there is none. Errors as of a search."""
        return self._ask("/get", {"id": sendable(id)}, PassageReply).passage

    def health(self) -> Health:
        """Return what the server says of itself: what it serves, and how busy it is.

        Raises:
            ServiceError: If it fails or is away.
        """
        return self._ask("/health", None, Health)

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()

    def _ask(self, path: str, asked: dict[str, Any] | None, reply: type[Reply]) -> Reply:
        sent = None if asked is None else orjson.dumps(asked)
        status, body = self._endpoint.ask(path, sent)
        if status not in (200, 413, 422):
            quoted = body[:MAX_QUOTE].decode("utf-8", "replace")
            raise ServiceError(f"{self._endpoint.url} answered {status}: {quoted}")
        try:
            if status == 200:
                return reply.model_validate_json(body)
            refused = ErrorReply.model_validate_json(body)
        except ValidationError as error:
            raise ServiceError(
                f"{self._endpoint.url} is no search server of this version: "
                f"{error.errors()[0]['msg']}"
            ) from error
        # The words of the server's own check, or of the base that it serves.
        raise ConfigError(refused.error)


def _batches(queries: Sequence[str], limit: int) -> Iterator[list[orjson.Fragment]]:
    """Group queries, as JSON, so that each group is a request that the server takes."""
    most = min(MAX_QUERIES, max(1, MAX_ASKED // limit))
    some: list[orjson.Fragment] = []
    size = 0
    for query in queries:
        one = orjson.dumps(sendable(query))
        if some and (len(some) == most or size + len(one) > ROOM):
            yield some
            some, size = [], 0
        some.append(orjson.Fragment(one))
        size += len(one) + 1
    if some:
        yield some


def _options(limit: int, source: str | None, operator: str) -> dict[str, Any]:
    named = None if source is None else sendable(source)
    return {"limit": limit, "source": named, "operator": operator}
