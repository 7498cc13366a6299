"""A knowledge base that an OpenSearch cluster holds, searched as the local ones are.

For what one machine does not hold. Written and tested against the documentation of OpenSearch
(docs.opensearch.org: Create index, Bulk, Refresh index and Search API, Query DSL, Highlight query
matches) and responses of the form printed there. It has not been run against a live node.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar
from zlib import crc32

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gym_clinic.errors import ConfigError, ServiceError, TaskError
from gym_clinic.names import at_least_one
from gym_clinic.retrieval.endpoint import BUSY, MAX_QUOTE, Endpoint, sendable
from gym_clinic.retrieval.passages.passage import Passage
from gym_clinic.retrieval.passages.query import AnyOf, Node, Phrase, parse
from gym_clinic.retrieval.passages.searcher import check_search

Answer = TypeVar("Answer", bound=BaseModel)

FIELDS = ("id", "source", "title", "text", "category", "licence")

SNIPPET = 200
"""Characters of a snippet."""

MOST = 10_000
"""Passages that a cluster returns at once (index.max_result_window)."""

PIECE = 8 << 20
"""Bytes of passages that are sent at once, about; the documentation advises 5 to 15 MiB."""

INDEX: Mapping[str, Any] = {
    "settings": {
        "analysis": {
            "analyzer": {
                "passages": {
                    "type": "custom",
                    "tokenizer": "standard",
                    "filter": ["lowercase", "asciifolding", "porter_stem"],
                }
            }
        }
    },
    "mappings": {
        "dynamic": "strict",
        "properties": {
            "id": {"type": "keyword"},
            "source": {"type": "keyword"},
            "title": {"type": "text", "analyzer": "passages", "copy_to": "body"},
            "text": {
                "type": "text",
                "analyzer": "passages",
                "copy_to": "body",
                "index_options": "offsets",
            },
            "category": {"type": "keyword"},
            "licence": {"type": "keyword"},
            "body": {"type": "text", "analyzer": "passages"},
        },
    },
}
"""Settings and fields of an index. Title and text are searched as one field, so that AND holds
across both and scores are BM25 (k1 1.2, b 0.75, the defaults) as of the local engines."""


class OpenSearchBase:
    """The passages of an index of a cluster.

    Equal scores are ordered by id, and scores count terms over all shards. An answer that some
    shards did not take part in is refused, since it would differ from run to run. A source that
    does not exist has no passages, where a local base would name the nearest.

    Args:
        url: Address of the cluster, as ``https://search.example.org:9200``.
        index: Name of the index, which :meth:`create` makes and :meth:`fill` fills.
        headers: Sent with every request, as ``{"Authorization": "Basic …"}``; never shown.
        timeout: Seconds to wait for an answer to one request.
        retries: Attempts after the first.

    Raises:
        ConfigError: If an option is unusable, or httpx is not installed.
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
        self.index = index
        self._endpoint = Endpoint(
            url, timeout=timeout, retries=retries, headers=headers, proxies=True
        )

    def __repr__(self) -> str:
        return f"OpenSearchBase({self._endpoint.url!r}, {self.index!r})"

    def create(self, *, shards: int = 1, replicas: int = 1) -> None:
        """Make the index, of :data:`INDEX`, with no passage in it.

        Args:
            shards: Parts that machines share out among themselves.
            replicas: Further copies of each.

        Raises:
            ConfigError: If there is an index of the name, or an option is wrong.
            ServiceError: If the cluster fails.
        """
        if isinstance(replicas, bool) or not isinstance(replicas, int) or replicas < 0:
            raise ConfigError(f"replicas is a whole number from 0, not {replicas!r}")
        settings = {
            **INDEX["settings"],
            "number_of_shards": at_least_one("shards", shards),
            "number_of_replicas": replicas,
        }
        self._ask("", orjson.dumps({**INDEX, "settings": settings}), "PUT")

    def fill(self, passages: Iterable[Passage]) -> int:
        """Put passages into the index; they are found as soon as this returns.

        A passage of an id that is there already takes its place, so a filling that failed is
        simply done again.

        Returns:
            How many there were.

        Raises:
            TaskError: If the cluster refuses a passage; those before it are there.
            ConfigError: If the cluster has no such index.
            ServiceError: If the cluster fails, or stays busy for all attempts.
        """
        self._ask("")  # a cluster would make a missing index, of fields as it guesses them
        count = 0
        piece = bytearray()
        for lines in bulk(self.index, passages):
            count += 1
            piece += lines
            if len(piece) >= PIECE:
                self._send(bytes(piece))
                piece.clear()
        if piece:
            self._send(bytes(piece))
        self._ask("/_refresh", method="POST")
        return count

    def _send(self, piece: bytes) -> None:
        """Send lines of passages; what the cluster did with each of them is in its answer."""
        for item in self._read(_Filled, self._ask("/_bulk", piece)).items:
            cause = item.index.error
            if cause is None:
                continue
            if item.index.status in BUSY:
                raise ServiceError(f"{self._endpoint.url} is busy: {cause}; fill the index again")
            raise TaskError(f"{self._endpoint.url} refused the passage {item.index.id!r}: {cause}")

    def search(
        self, query: str, limit: int = 10, source: str | None = None, operator: str = "or"
    ) -> list[Passage]:
        """Return the passages that answer a query, best first; arguments as of a local base.

        Raises:
            ConfigError: If an option is wrong, or the cluster has no such index.
            ServiceError: If the cluster fails, or answers in part.
        """
        check_search(limit, operator)
        if limit > MOST:
            raise ConfigError(f"limit is at most {MOST:,}, not {limit:,}")
        tree = parse(query, operator)
        return [] if tree is None else self._found(request(tree, limit, source))

    def get(self, id: str) -> Passage | None:
        """Return the passage of an id; None if there is none.

        Raises:
            ConfigError: If the cluster has no such index.
            ServiceError: If the cluster fails, or answers in part.
        """
        asked = {"query": {"term": {"id": sendable(id)}}, "size": 1, "_source": FIELDS}
        found = self._found(asked)
        return found[0] if found else None

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()

    def _found(self, asked: Mapping[str, Any]) -> list[Passage]:
        body = orjson.dumps(asked)
        # One query always goes to the same copies of the shards, which may count terms differently.
        path = (
            "/_search?search_type=dfs_query_then_fetch&allow_partial_search_results=false"
            f"&preference=query-{crc32(body):08x}"
        )
        answer = self._read(_Answer, self._ask(path, body))
        if answer.timed_out or answer.shards.failed:
            raise ServiceError(
                f"{self._endpoint.url} answered in part: {answer.shards.failed} of "
                f"{answer.shards.total} shards failed{', it timed out' * answer.timed_out}"
            )
        return [_passage(hit) for hit in answer.hits.hits]

    def _ask(self, path: str, body: bytes | None = None, method: str | None = None) -> bytes:
        """Return what the cluster answers to a request on the index, if it is not refused."""
        status, answer = self._endpoint.ask(f"/{self.index}{path}", body, method)
        if status == 200:
            return answer
        try:
            cause = _Refusal.model_validate_json(answer).error
        except ValidationError:
            quoted = answer[:MAX_QUOTE].decode("utf-8", "replace")
            raise ServiceError(f"{self._endpoint.url} answered {status}: {quoted}") from None
        if cause.type == "index_not_found_exception":
            raise ConfigError(f"{self._endpoint.url} has no index {self.index!r}")
        if cause.type == "resource_already_exists_exception":
            raise ConfigError(f"{self._endpoint.url} has an index {self.index!r} already")
        raise ServiceError(f"{self._endpoint.url} answered {status}: {cause}")

    def _read(self, kind: type[Answer], body: bytes) -> Answer:
        try:
            return kind.model_validate_json(body)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the answer"
            raise ServiceError(f"{self._endpoint.url}: {where}: {first['msg']}") from error


def request(query: Node, limit: int, source: str | None) -> dict[str, Any]:
    """Return the body of ``POST /<index>/_search`` for a query.

    Args:
        query: As :func:`gym_clinic.retrieval.passages.query.parse` reads it.
        limit: At most so many passages.
        source: Only passages of this source.
    """
    asked: dict[str, Any] = {"must": [render(query)]}
    if source is not None:
        asked["filter"] = [{"term": {"source": sendable(source)}}]
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
            "require_field_match": False,  # the words are looked for in body, and shown in text
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


def render(query: Node) -> dict[str, Any]:
    """Return a query in the Query DSL: match, match_phrase and bool."""
    if isinstance(query, Phrase):
        kind = "match" if len(query.words) == 1 else "match_phrase"
        return {kind: {"body": {"query": " ".join(query.words)}}}
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


def bulk(index: str, passages: Iterable[Passage]) -> Iterator[bytes]:
    """Give, passage by passage, the lines of ``POST /_bulk`` that put them into an index."""
    for passage in passages:
        action = {"index": {"_index": index, "_id": passage.id}}
        document = {name: getattr(passage, name) for name in FIELDS}
        yield orjson.dumps(action) + b"\n" + orjson.dumps(document) + b"\n"


class _Part(BaseModel):
    """A part of an answer; what is not read here may be there as well."""

    model_config = ConfigDict(extra="ignore")


class _Document(_Part):
    id: str
    source: str
    title: str
    text: str
    category: str = ""
    licence: str = ""


class _Hit(_Part):
    score: float = Field(alias="_score")
    document: _Document = Field(alias="_source")
    highlight: dict[str, list[str]] = {}


class _Hits(_Part):
    hits: list[_Hit]


class _Shards(_Part):
    total: int
    failed: int


class _Answer(_Part):
    timed_out: bool
    shards: _Shards = Field(alias="_shards")
    hits: _Hits


class _Cause(_Part):
    type: str
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.type}: {self.reason[:MAX_QUOTE]}"


class _Refusal(_Part):
    error: _Cause


class _Indexed(_Part):
    id: str = Field(alias="_id")
    status: int
    error: _Cause | None = None


class _Item(_Part):
    index: _Indexed


class _Filled(_Part):
    items: list[_Item]


def _passage(hit: _Hit) -> Passage:
    shown = hit.highlight.get("text") or [hit.document.text[:SNIPPET]]
    return Passage(**hit.document.model_dump(), score=hit.score, snippet=shown[0])
