"""A knowledge base in an OpenSearch cluster, for more passages than one machine holds.

It is searched like a local base. Written and tested against the documentation of OpenSearch
(docs.opensearch.org: Create index, Bulk, Refresh index and Search API, Query DSL, Highlight query
matches) and responses of the form printed there; it has not been run against a live node.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

import orjson
from pydantic import TypeAdapter, ValidationError

from gym_clinic.endpoint import MAX_QUOTE, checked_url
from gym_clinic.errors import ConfigError, ServiceError, TaskError
from gym_clinic.names import at_least_one, checked_number
from gym_clinic.retrieval.passages.passage import FoundPassage, Passage, encodable
from gym_clinic.retrieval.passages.query import MAX_WORDS, AnyOf, Phrase, Query, parse_query
from gym_clinic.retrieval.passages.reading import (
    MOST_READ,
    informative_words,
    split_words,
    telling_words,
)
from gym_clinic.retrieval.passages.searcher import check_search
from gym_clinic.retrieval.serving.query_dsl import FIELDS, SNIPPET, count_request, request

MOST = 10_000
"""Passages that a cluster returns at once (index.max_result_window)."""

BULK_BYTES = 8 << 20
"""Bytes of passages in one request, at most; the documentation advises 5 to 15 MiB."""

BULK_PASSAGES = 100_000
"""Passages in one request, at most."""

BUSY = (429, 502, 503, 504)
"""Statuses after which a request is sent again."""

INDEX: Mapping[str, Any] = orjson.loads(
    Path(__file__).with_name("opensearch_index.json").read_bytes()
)
"""Settings and fields of an index. Title and text are searched as one field, so that AND holds
across both and scores are BM25 (k1 1.2, b 0.75, the defaults) as of the local engines."""


_PASSAGES = TypeAdapter(list[FoundPassage])


class OpenSearchBase:
    """The passages of one index of a cluster.

    Equal scores are ordered by id, and scores count terms over all shards. An answer that lacks
    some shards is refused, since it would differ from run to run. A long text is searched by its
    informative words, as in a local base; how many passages have each is asked first. Unlike a
    local base, misspelt words and aliases are searched as they stand, because a cluster has no list
    of its words to hand; and a source that does not exist has no passages; it is no error.

    Args:
        url: Address of the cluster, as ``https://search.example.org:9200``.
        index: Name of the index, which :meth:`create` makes and :meth:`fill` fills.
        headers: Sent with every request, as ``{"Authorization": "Basic …"}``; never shown.
        timeout: Seconds to wait for an answer to one request.
        retries: Attempts after the first, where a cluster is busy or unreachable.

    Raises:
        ConfigError: If an option is unusable, or opensearch-py or tenacity is not installed.
    """

    def __init__(
        self,
        url: str,
        index: str,
        *,
        headers: Mapping[str, str] | None = None,
        timeout: float = 60.0,
        retries: int = 8,
    ) -> None:
        if not re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,254}", index):
            raise ConfigError(
                f"{index!r} is no name of an index: lower-case letters, digits, '.', '_' and '-'"
            )
        checked_number("timeout", timeout, least=0.0, above=True)
        checked_number("retries", retries, least=0, whole=True)
        self.url, self.index = checked_url(url), index
        self._connect = partial(_connect, self.url, dict(headers or {}), timeout, retries)
        self._connected: tuple[int, Any] | None = os.getpid(), self._connect()

    def __repr__(self) -> str:
        return f"OpenSearchBase({self.url!r}, {self.index!r})"

    def create(self, *, shards: int = 1, replicas: int = 1) -> None:
        """Create the index, as :data:`INDEX` describes it, with no passage in it.

        Args:
            shards: Parts that machines share out among themselves.
            replicas: Further copies of each.

        Raises:
            ConfigError: If there is an index of that name, or an option is wrong.
            ServiceError: If the cluster fails.
        """
        checked_number("replicas", replicas, least=0, whole=True)
        settings = {
            **INDEX["settings"],
            "number_of_shards": at_least_one("shards", shards),
            "number_of_replicas": replicas,
        }
        with self._client() as client:
            client.indices.create(index=self.index, body={**INDEX, "settings": settings})

    def fill(self, passages: Iterable[Passage]) -> int:
        """Put passages into the index; they are found as soon as this returns.

        A passage replaces the one of the same id, so a fill that failed can be repeated.

        Returns:
            The number of passages.

        Raises:
            TaskError: If the cluster refuses a passage; those before it are stored.
            ConfigError: If the cluster has no such index.
            ServiceError: If the cluster fails, or is busy in all attempts.
        """
        from opensearchpy.helpers import streaming_bulk

        count = 0
        with self._client() as client:
            # A cluster would create a missing index by itself, with guessed field types.
            client.indices.get(index=self.index)
            for done, item in streaming_bulk(
                client,
                map(_action, passages),
                index=self.index,
                chunk_size=BULK_PASSAGES,
                max_chunk_bytes=BULK_BYTES,
                raise_on_error=False,
            ):
                if not done:
                    raise self._refused(**item["index"])
                count += 1
            client.indices.refresh(index=self.index)
        return count

    def _refused(
        self, _id: str, status: int, error: Mapping[str, str], **_: object
    ) -> TaskError | ServiceError:
        cause = f"{error['type']}: {error['reason'][:MAX_QUOTE]}"
        if status in BUSY:
            return ServiceError(f"{self.url} is busy: {cause}; fill the index again")
        return TaskError(f"{self.url} refused the passage {_id!r}: {cause}")

    def search(
        self, query: str, limit: int = 10, source: str | None = None, operator: str = "or"
    ) -> list[FoundPassage]:
        """Return the passages that answer a query, best first; arguments as of a local base.

        Raises:
            ConfigError: If an option is wrong, or the cluster has no such index.
            ServiceError: If the cluster fails, or answers in part.
        """
        check_search(limit, operator)
        if limit > MOST:
            raise ConfigError(f"limit is at most {MOST:,}, not {limit:,}")
        tree = self._read(query, operator)
        return [] if tree is None else self._found(request(tree, limit, source))

    def get(self, id: str) -> Passage | None:
        """Return the passage of an id; None if there is none.

        Raises:
            ConfigError: If the cluster has no such index.
            ServiceError: If the cluster fails, or answers in part.
        """
        asked = {"query": {"term": {"id": encodable(id)}}, "size": 1, "_source": FIELDS}
        found = self._found(asked)
        return found[0].record if found else None

    def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        if self._connected and self._connected[0] == os.getpid():
            self._connected[1].close()
        self._connected = None

    def _read(self, query: str, operator: str) -> Query | None:
        """Parse a query; a long text is searched by its informative words, as in a local base."""
        tree = parse_query(query, operator, MOST_READ)
        words, fixed, is_long = split_words(tree) if tree is not None else ([], [], False)
        if not (words and is_long):
            return parse_query(query, operator)
        telling = telling_words(words)
        counts = dict(zip(telling, self._passages_with(telling), strict=True)) if telling else {}
        kept = informative_words(words, counts.__getitem__, len(fixed))
        parts = (*fixed, *(Phrase((word,)) for word in kept or words[:MAX_WORDS]))
        return AnyOf(parts) if len(parts) > 1 else parts[0]

    def _passages_with(self, words: Sequence[str]) -> list[int]:
        """Return how many passages have each word."""
        found = self._answer(count_request(words))
        try:
            buckets = found["aggregations"]["words"]["buckets"]
            return [int(one["doc_count"]) for one in buckets]
        except (LookupError, TypeError, ValueError) as error:
            raise self._unexpected(error) from error

    def _found(self, asked: Mapping[str, Any]) -> list[FoundPassage]:
        found = self._answer(asked)
        try:
            return _PASSAGES.validate_python([_fields(hit) for hit in found["hits"]["hits"]])
        except (LookupError, TypeError, ValidationError) as error:
            raise self._unexpected(error) from error

    def _unexpected(self, error: Exception) -> ServiceError:
        return ServiceError(f"{self.url}: unexpected answer to a search: {error!r:.300}")

    def _answer(self, asked: Mapping[str, Any]) -> Any:
        """Send a search, and check that all shards answered it."""
        with self._client() as client:
            found = client.search(
                index=self.index,
                body=asked,
                search_type="dfs_query_then_fetch",
                allow_partial_search_results="false",
                # The same query goes to the same copies of the shards: copies may count
                # terms differently.
                preference=f"query-{crc32(orjson.dumps(asked)):08x}",
            )
        try:
            shards, late = found["_shards"], found["timed_out"]
            if late or shards["failed"]:
                raise ServiceError(
                    f"{self.url} answered in part: {shards['failed']} of {shards['total']} shards "
                    f"failed{', it timed out' * late}"
                )
        except (LookupError, TypeError) as error:
            raise self._unexpected(error) from error
        return found

    @contextmanager
    def _client(self) -> Iterator[Any]:
        """Lend the client of this process, and translate its errors."""
        from opensearchpy.exceptions import OpenSearchException, TransportError

        if self._connected is None or self._connected[0] != os.getpid():
            self._connected = os.getpid(), self._connect()
        try:
            yield self._connected[1]
        except TransportError as error:
            if error.error == "index_not_found_exception":
                raise ConfigError(f"{self.url} has no index {self.index!r}") from None
            if error.error == "resource_already_exists_exception":
                raise ConfigError(f"{self.url} has an index {self.index!r} already") from None
            raise ServiceError(f"{self.url}: {str(error)[:MAX_QUOTE]}") from error
        except OpenSearchException as error:  # an answer that is no JSON
            raise ServiceError(f"{self.url}: {str(error)[:MAX_QUOTE]}") from error


def _connect(url: str, headers: Mapping[str, str], timeout: float, retries: int) -> Any:
    """Return a client of opensearch-py whose every request is retried by tenacity."""
    try:
        import opensearchpy
        import tenacity
    except ImportError:
        raise ConfigError(
            'an OpenSearch cluster needs opensearch-py: pip install "gym_clinic[opensearch]"'
        ) from None

    def may_pass(error: BaseException) -> bool:
        if isinstance(error, opensearchpy.ConnectionTimeout):
            return False  # the cluster is still at work on the request
        return isinstance(error, opensearchpy.ConnectionError) or (
            isinstance(error, opensearchpy.TransportError) and error.status_code in BUSY
        )

    retrying = tenacity.Retrying(
        retry=tenacity.retry_if_exception(may_pass),
        wait=tenacity.wait_random_exponential(multiplier=0.1, max=5.0),
        stop=tenacity.stop_after_attempt(retries + 1),
        reraise=True,
    )

    class RetryingTransport(opensearchpy.Transport):
        def perform_request(self, *args: Any, **kwargs: Any) -> Any:
            return retrying.copy()(super().perform_request, *args, **kwargs)

    return opensearchpy.OpenSearch(
        [url],
        transport_class=RetryingTransport,
        connection_class=opensearchpy.RequestsHttpConnection,  # heeds proxies of the environment
        headers=headers,
        timeout=timeout,
        max_retries=0,
        pool_maxsize=64,
    )


def _action(passage: Passage) -> dict[str, Any]:
    """Return a passage as the bulk helper of opensearch-py takes it."""
    return {"_id": passage.id, "_source": {name: getattr(passage, name) for name in FIELDS}}


def _fields(hit: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a passage that was found."""
    shown = hit.get("highlight", {}).get("text") or [hit["_source"]["text"][:SNIPPET]]
    return {"record": hit["_source"], "score": hit["_score"], "how": shown[0]}
