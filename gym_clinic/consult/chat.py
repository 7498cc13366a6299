"""A client of any OpenAI-compatible chat server that ends: with a reply, or with a ServiceError.

All requests of one client run on one event loop in a thread of its own, so that threads and
tasks share one connection pool and one concurrency limit, and every attempt has a real deadline:
a server that stalls or trickles bytes is cut off, which socket timeouts alone cannot do.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import json
import os
import random
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gym_clinic.consult.options import (
    checked_fields,
    checked_key,
    checked_number,
    endpoint,
    require_extra,
)
from gym_clinic.consult.reply import (
    NativeCall,
    Reply,
    Usage,
    error_text,
    read_reply,
    retry_after,
)
from gym_clinic.errors import ConfigError, ServiceError

if TYPE_CHECKING:
    from tenacity import RetryCallState

__all__ = ["ChatClient", "NativeCall", "Reply", "Usage"]

RETRIED = frozenset({408, 409, 425, 429})  # and every 5xx
CONNECT_SECONDS = 10.0  # a host that does not accept within this is down
MAX_BYTES = 32 * 2**20  # no chat completion is longer; a server that sends more is broken
MAX_QUOTE = 300  # characters of the server's words in an error


class _TransientError(Exception):
    """An attempt failed in a way that another may mend."""

    def __init__(self, cause: str, wait: float | None = None) -> None:
        super().__init__(cause)
        self.wait = wait


class _Line:
    """One event loop in a thread, with its connections and its places for requests."""

    def __init__(self, concurrency: int, timeout: float) -> None:
        import httpx

        self.pid, self.stopped = os.getpid(), False
        self.places = asyncio.Semaphore(concurrency)
        self.loop = asyncio.new_event_loop()
        self.http = httpx.AsyncClient(
            timeout=httpx.Timeout(None, connect=min(timeout, CONNECT_SECONDS)),
            # The places are the limit; a second one in the pool would count twice.
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=concurrency),
        )
        self.thread = threading.Thread(target=self._serve, name="gym-clinic-chat", daemon=True)
        self.thread.start()

    async def post(
        self, url: str, body: bytes, headers: dict[str, str]
    ) -> tuple[int, str | None, bytes]:
        """Send one request; the status, the Retry-After header and the whole body."""
        async with self.http.stream("POST", url, content=body, headers=headers) as response:
            content = bytearray()
            async for chunk in response.aiter_bytes():
                content += chunk
                if len(content) > MAX_BYTES:
                    raise _TransientError(f"the reply is longer than {MAX_BYTES:,} bytes")
            return response.status_code, response.headers.get("retry-after"), bytes(content)

    def stop(self) -> None:
        """Let the loop end, without waiting for it; requests under way are cancelled.

        The garbage collector may call this at any point of any thread, one that holds the
        import lock included, so it must not wait.
        """
        # After a fork the thread lives in the parent only.
        if self.pid == os.getpid() and not self.stopped:
            self.stopped = True
            self.loop.call_soon_threadsafe(self.loop.stop)

    def close(self) -> None:
        """End the loop and wait until its connections are closed."""
        self.stop()
        if self.pid == os.getpid():
            self.thread.join(CONNECT_SECONDS)

    def _serve(self) -> None:
        self.loop.run_forever()
        self.loop.run_until_complete(self._end())
        self.loop.close()

    async def _end(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.http.aclose()


class ChatClient:
    """Chat completions of one model on one server, from any number of threads and tasks.

    An attempt that ends in 408, 409, 425, 429, 5xx, a broken connection, a timeout, half a body,
    or a body that is not a chat completion is repeated after `backoff` · 2^(attempt-1) seconds,
    spread by ±50% with a jitter drawn from `Random(f"{model}:{call}:{attempt}")`, and never
    sooner than the server's Retry-After asks. Other refusals are final at once.

    Args:
        url: Root of the server, with or without /v1 or /v1/chat/completions.
        model: The model's name on that server.
        api_key: Sent as a bearer token. Never part of an error or a repr.
        api_key_env: Name of the environment variable that holds the key, read only if named here.
        timeout: Seconds for one attempt as a whole, from connecting to the last byte.
        retries: Attempts after the first.
        backoff: Seconds before the first retry.
        max_wait: Longest wait in seconds between attempts; caps Retry-After too.
        concurrency: Requests under way at once, over all threads and tasks.
        temperature: Sampling temperature; None leaves it to the server.
        max_tokens: Longest reply in tokens; None leaves it to the server.
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
        require_extra()
        self.url, self.model = endpoint(url), model
        if not isinstance(model, str) or not model:
            raise ConfigError(f"model must be the model's name on the server; got {model!r}")
        self.timeout = checked_number("timeout", timeout, least=0.0, above=True)
        self.backoff = checked_number("backoff", backoff, least=0.0)
        self.max_wait = checked_number("max_wait", max_wait, least=0.0)
        self.retries = int(checked_number("retries", retries, least=0, whole=True))
        self.concurrency = int(checked_number("concurrency", concurrency, least=1, whole=True))
        self._fields = checked_fields(extra)
        if temperature is not None:
            self._fields["temperature"] = checked_number("temperature", temperature, least=0.0)
        if max_tokens is not None:
            self._fields["max_tokens"] = int(
                checked_number("max_tokens", max_tokens, least=1, whole=True)
            )
        self._key = checked_key(api_key, api_key_env)
        options: dict[str, Any] = {
            "api_key": api_key,
            "api_key_env": api_key_env,
            "timeout": timeout,
            "retries": retries,
            "backoff": backoff,
            "max_wait": max_wait,
            "concurrency": concurrency,
            "temperature": temperature,
            "max_tokens": max_tokens,
            "extra": None if extra is None else dict(extra),
        }
        self._remake = functools.partial(ChatClient, url, model, **options)
        self._lock = threading.Lock()
        self._line: _Line | None = None
        self._usage = Usage()
        self._calls = 0

    def __repr__(self) -> str:
        return f"ChatClient({self.name}, concurrency={self.concurrency})"

    def __reduce__(self) -> tuple[Any, tuple[()]]:
        """Copies and pickles are new clients of the same options, with an account of their own."""
        return self._remake, ()

    @property
    def name(self) -> str:
        """The server and model as errors name them, without the query, which may hold a secret."""
        return f"{self.url.partition('?')[0]}, model {self.model!r}"

    @property
    def usage(self) -> Usage:
        """Tokens of all replies so far, attempts without a usable reply not included."""
        with self._lock:
            return self._usage

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        stop: Sequence[str] | None = None,
    ) -> Reply:
        """Ask for the next message of a conversation and wait for it.

        Args:
            messages: The conversation, as the OpenAI chat API takes it.
            tools: OpenAI function schemas the model may call natively.
            stop: Texts at which the model is to stop.

        Raises:
            ServiceError: The server refused, or gave no usable reply in all attempts.
        """
        future = self._submit(messages, tools, stop)
        try:
            return future.result()
        finally:
            future.cancel()  # an interrupted wait leaves no request behind

    async def acomplete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        stop: Sequence[str] | None = None,
    ) -> Reply:
        """As `complete`, without blocking the running event loop; cancelling ends the request."""
        return await asyncio.wrap_future(self._submit(messages, tools, stop))

    def close(self) -> None:
        """Close the connections; requests under way are cancelled, a later one opens anew."""
        with self._lock:
            line, self._line = self._line, None
        if line is not None:
            line.close()

    def _submit(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None,
        stop: Sequence[str] | None,
    ) -> concurrent.futures.Future[Reply]:
        request: dict[str, Any] = {"model": self.model, "messages": list(messages), **self._fields}
        if tools:
            request["tools"] = list(tools)
        if stop:
            request["stop"] = list(stop)
        # Escaped to ASCII, so that a lone surrogate in a model's own text cannot fail to encode.
        body = json.dumps(request, allow_nan=False).encode()
        with self._lock:
            if self._line is None or self._line.pid != os.getpid():
                self._line = _Line(self.concurrency, self.timeout)
                weakref.finalize(self, self._line.stop)
            line = self._line
            self._calls += 1
            number = self._calls
        return asyncio.run_coroutine_threadsafe(self._ask(line, body, number), line.loop)

    async def _ask(self, line: _Line, body: bytes, number: int) -> Reply:
        import tenacity

        def pause(state: RetryCallState) -> float:
            jitter = random.Random(f"{self.model}:{number}:{state.attempt_number}").random()
            error = state.outcome.exception() if state.outcome else None
            asked = error.wait if isinstance(error, _TransientError) else None
            # The exponent is bounded, as 2.0**1024 overflows.
            own = self.backoff * 2.0 ** min(state.attempt_number - 1, 60) * (0.5 + jitter)
            return min(self.max_wait, max(own, asked or 0.0))

        retrying = tenacity.AsyncRetrying(
            retry=tenacity.retry_if_exception_type(_TransientError),
            stop=tenacity.stop_after_attempt(self.retries + 1),
            wait=pause,
            reraise=True,
        )
        try:
            reply: Reply = await retrying(self._attempt, line, body)
        except _TransientError as error:
            attempts = f"{self.retries + 1} attempt{'s' if self.retries else ''}"
            raise ServiceError(
                f"{self.name}: no usable reply in {attempts}; the last: {error}"
            ) from None
        with self._lock:
            self._usage += reply.usage
        return reply

    async def _attempt(self, line: _Line, body: bytes) -> Reply:
        import httpx

        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        async with line.places:
            try:
                post = line.post(self.url, body, headers)
                status, wait, content = await asyncio.wait_for(post, self.timeout)
            except asyncio.TimeoutError:
                raise _TransientError(f"no whole reply within {self.timeout:g} s") from None
            except httpx.RequestError as error:
                cause = self._quote(f"{type(error).__name__}: {error}")
                raise _TransientError(cause) from None
        if status in RETRIED or status >= 500:
            cause = f"HTTP {status}: {self._quote(error_text(content))}"
            raise _TransientError(cause, retry_after(wait, time.time()))
        if not 200 <= status < 300:
            said = self._quote(error_text(content))
            raise ServiceError(f"{self.name}: refused with HTTP {status}: {said}")
        try:
            return read_reply(content)
        except ValueError as error:
            raise _TransientError(f"not a chat completion: {self._quote(str(error))}") from None

    def _quote(self, text: str) -> str:
        # Servers echo keys in their messages; struck out before the cut, so no part remains.
        if self._key:
            text = text.replace(self._key, "***")
        if not text:
            return "(nothing said)"
        return text if len(text) <= MAX_QUOTE else text[:MAX_QUOTE] + "…"
