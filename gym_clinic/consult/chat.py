"""A client of any OpenAI-compatible chat server."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from gym_clinic.consult.reply import NativeCall, Reply, Usage, read_reply
from gym_clinic.endpoint import Answer, BrokenReplyError, Endpoint, checked_key, checked_url
from gym_clinic.errors import ConfigError
from gym_clinic.names import checked_number

__all__ = ["ChatClient", "NativeCall", "Reply", "Usage"]

RESERVED = frozenset({"model", "messages", "tools", "stream", "n", "temperature", "max_tokens"})


class ChatClient:
    """Chat completions of one model on one server, from any number of threads and tasks.

    Requests are repeated as :class:`gym_clinic.endpoint.Endpoint` says; a body that is not a
    chat completion counts as broken.

    Args:
        url: Root of the server, with or without /v1 or /v1/chat/completions.
        model: The model's name on that server.
        api_key: Sent as a bearer token. Never part of an error or a repr.
        api_key_env: Name of the environment variable that holds the key, read only if named here.
        timeout: Seconds for one whole attempt, from connecting to the last byte.
        retries: Attempts after the first.
        backoff: Seconds before the first retry.
        max_wait: Longest wait in seconds between attempts; caps Retry-After too.
        concurrency: Maximum number of open requests, over all threads and tasks.
        temperature: Sampling temperature; None: the server's default.
        max_tokens: Maximum tokens of a reply; None: the server's default.
        extra: Further fields of the request (seed, top_p, …), plain JSON.

    Raises:
        ConfigError: An option is unusable, or httpx or tenacity is not installed.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        api_key: str | None = None,
        api_key_env: str | None = None,
        timeout: float = 60.0,
        retries: int = 5,
        backoff: float = 0.5,
        max_wait: float = 60.0,
        concurrency: int = 16,
        temperature: float | None = None,
        max_tokens: int | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(model, str) or not model:
            raise ConfigError(f"model must be the model's name on the server; got {model!r}")
        self.url, self.model = completions_url(url), model
        self._fields = _checked_fields(extra)
        if temperature is not None:
            checked_number("temperature", temperature, least=0.0)
            self._fields["temperature"] = temperature
        if max_tokens is not None:
            checked_number("max_tokens", max_tokens, least=1, whole=True)
            self._fields["max_tokens"] = max_tokens
        self._endpoint = Endpoint(
            self.url,
            name=f"{self.url.partition('?')[0]}, model {model!r}",
            key=checked_key(api_key, api_key_env),
            timeout=timeout,
            retries=retries,
            backoff=backoff,
            max_wait=max_wait,
            concurrency=concurrency,
        )
        self._usage = Usage()

    def __repr__(self) -> str:
        return f"ChatClient({self.name}, concurrency={self._endpoint.concurrency})"

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles are new clients with the same options and their own token account."""
        return {**vars(self), "_usage": Usage()}

    @property
    def name(self) -> str:
        """The server and model as errors name them, without the query, which may hold a secret."""
        return self._endpoint.name

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of every request beside model and messages (a copy)."""
        return dict(self._fields)

    @property
    def concurrency(self) -> int:
        """Maximum number of open requests."""
        return self._endpoint.concurrency

    @property
    def usage(self) -> Usage:
        """Tokens of all replies so far, attempts without a usable reply not included."""
        return self._usage

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        stop: Sequence[str] | None = None,
        fields: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Ask for the next message of a conversation and wait for it.

        Args:
            messages: The conversation, as the OpenAI chat API takes it.
            tools: OpenAI function schemas the model may call natively.
            stop: Stop strings.
            fields: Further fields of this request only, in addition to those of ``extra``.

        Raises:
            ServiceError: The server refused the request, or no attempt gave a usable reply.
        """
        return self._endpoint.ask(self._read, body=self._body(messages, tools, stop, fields))

    async def acomplete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        stop: Sequence[str] | None = None,
        fields: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Like `complete`, without blocking the event loop; cancelling ends the request."""
        body = self._body(messages, tools, stop, fields)
        return await asyncio.wrap_future(self._endpoint.submit(self._read, body=body))

    def close(self) -> None:
        """Close the connections; requests under way are cancelled, a later one opens anew."""
        self._endpoint.close()

    def _body(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None,
        stop: Sequence[str] | None,
        fields: Mapping[str, Any] | None,
    ) -> bytes:
        request: dict[str, Any] = {"model": self.model, "messages": list(messages)}
        request |= {**self._fields, **(fields or {})}
        if tools:
            request["tools"] = list(tools)
        if stop:
            request["stop"] = list(stop)
        # Escaped to ASCII, so that a lone surrogate in a model's own text cannot fail to encode.
        return json.dumps(request, allow_nan=False).encode()

    def _read(self, answer: Answer) -> Reply:
        try:
            reply = read_reply(answer.content)
        except ValueError as error:
            raise BrokenReplyError(f"not a chat completion: {error}") from None
        self._usage += reply.usage  # safe: the endpoint reads all replies in one thread
        return reply


def completions_url(url: str) -> str:
    """The chat completions address of a server.

    Args:
        url: The server's root, its /v1 (or other version) root, or the whole address; a query
            is kept.

    Raises:
        ConfigError: It is not an http(s) address, or it contains a user or password.

    >>> completions_url("http://localhost:8000")
    'http://localhost:8000/v1/chat/completions'
    >>> completions_url("https://example.org/openai/v1/")
    'https://example.org/openai/v1/chat/completions'
    """
    root, mark, query = checked_url(url).partition("?")
    root = root.removesuffix("/completions").removesuffix("/chat")
    # A path that names a version is the root of the API already (/v1, /api/v3, /v1beta/openai).
    version = "" if re.search(r"/v\d\w*(/|$)", urlsplit(root).path) else "/v1"
    return f"{root}{version}/chat/completions{mark}{query}"


def _checked_fields(extra: Mapping[str, Any] | None) -> dict[str, Any]:
    """A copy of the further request fields."""
    if not isinstance(extra or {}, Mapping) or not all(isinstance(key, str) for key in extra or ()):
        raise ConfigError('extra must map field names to JSON values, as {"seed": 0}')
    if taken := sorted(RESERVED.intersection(extra or ())):
        raise ConfigError(f"extra may not set {taken}: the client sets or needs them itself")
    try:
        copied: dict[str, Any] = json.loads(json.dumps(dict(extra or {}), allow_nan=False))
    except (TypeError, ValueError) as error:
        raise ConfigError(f"extra must be plain JSON: {error}") from None
    return copied
