"""Requests to a server over HTTP, each of which ends: with a reply, or with a ServiceError.

All requests of one endpoint run on one event loop in a thread of its own. Threads and tasks
share its connections and its concurrency limit, and every attempt has a deadline as a whole: a
server that stalls or trickles bytes is cut off, which socket timeouts alone cannot do.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import importlib
import json
import math
import os
import random
import re
import threading
import time
import weakref
from collections.abc import Callable, Collection, Mapping
from dataclasses import KW_ONLY, dataclass, fields
from datetime import timezone
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from gym_clinic.errors import ConfigError, ServiceError
from gym_clinic.names import checked_number

if TYPE_CHECKING:
    from tenacity import RetryCallState

T = TypeVar("T")

RETRIED = frozenset({408, 409, 425, 429, *range(500, 600)})
"""Statuses after which another attempt may help."""

CONNECT_SECONDS = 10.0  # a server that does not accept a connection within this time is down
MAX_BYTES = 32 * 2**20  # longest reply that is read
MAX_QUOTE = 300  # characters of a server's message in an error


class Answer(NamedTuple):
    """What a server answered: the HTTP status and the whole body."""

    status: int
    content: bytes


class BrokenReplyError(Exception):
    """Raised by a reader: the reply is damaged, so the request is sent again."""


class _TransientError(Exception):
    """An attempt failed in a way that another may mend."""

    def __init__(self, cause: str, wait: float = 0.0) -> None:
        super().__init__(cause)
        self.wait = wait


class _Request(NamedTuple):
    url: str
    body: bytes | None
    accept: frozenset[int]


@dataclass(eq=False, repr=False)
class Endpoint:
    """A server that is asked from any number of threads, tasks and forks.

    An attempt that ends in one of the `retried` statuses, a broken connection, a timeout, half a
    body, or a reply its reader calls broken is repeated after `backoff` · 2^(attempt-1) seconds,
    spread by ±50% so that clients refused together do not return together. What the server's
    Retry-After asks is added. Other refusals are final at once. Pickles and copies are new
    endpoints of the same options.

    Args:
        url: Address of the server; a query is kept.
        name: How errors name the server; its address without the query if empty.
        key: Sent as a bearer token. Never part of an error or a repr.
        headers: Sent with every request. Never part of a repr.
        timeout: Seconds for one attempt as a whole, from connecting to the last byte.
        retries: Attempts after the first.
        backoff: Seconds before the first retry.
        max_wait: Longest wait in seconds between attempts; it caps Retry-After too.
        concurrency: Requests under way at once, over all threads and tasks.
        retried: Statuses after which the request is sent again.
        retry_timeouts: Whether a request that timed out is sent again; False where the server
            would still be at work on it.
        proxies: Whether the proxies named in the environment are used.
        extra: The extra of gym_clinic that installs httpx and tenacity for this use.

    Raises:
        ConfigError: An option is unusable, or httpx or tenacity is not installed.
    """

    url: str
    _: KW_ONLY
    name: str = ""
    key: str | None = None
    headers: Mapping[str, str] | None = None
    timeout: float = 60.0
    retries: int = 5
    backoff: float = 0.5
    max_wait: float = 60.0
    concurrency: int = 16
    retried: Collection[int] = RETRIED
    retry_timeouts: bool = True
    proxies: bool = True
    extra: str = "chat"

    def __post_init__(self) -> None:
        for package in ("httpx", "tenacity"):
            try:
                importlib.import_module(package)
            except ImportError:
                install = f'pip install "gym_clinic[{self.extra}]"'
                raise ConfigError(f"requests to a server need {package}: {install}") from None
        self.url = checked_url(self.url)
        self.name = self.name or self.url.partition("?")[0]
        checked_number("timeout", self.timeout, least=0.0, above=True)
        checked_number("retries", self.retries, least=0, whole=True)
        checked_number("backoff", self.backoff, least=0.0)
        checked_number("max_wait", self.max_wait, least=0.0)
        checked_number("concurrency", self.concurrency, least=1, whole=True)
        self._lock, self._pid = threading.Lock(), os.getpid()
        self._line: _Line | None = None
        self._sent = 0

    def __repr__(self) -> str:
        return f"Endpoint({self.name!r}, concurrency={self.concurrency})"

    def __reduce__(self) -> tuple[Any, tuple[()]]:
        options = {option.name: getattr(self, option.name) for option in fields(self)}
        return functools.partial(Endpoint, **options), ()

    def ask(
        self,
        read: Callable[[Answer], T],
        path: str = "",
        body: bytes | None = None,
        *,
        accept: Collection[int] = (),
    ) -> T:
        """Send a request and wait for what a reader makes of the answer.

        Args:
            read: Reads the answer; raises BrokenReplyError if another attempt may mend it.
            path: Put after the address of the server.
            body: JSON to send with POST; without it the method is GET.
            accept: Statuses beyond 2xx that are answers to read, not refusals.

        Raises:
            ServiceError: The server refused, or gave no usable reply in all attempts.
        """
        future = self.submit(read, path, body, accept=accept)
        try:
            return future.result()
        finally:
            future.cancel()  # an interrupted wait leaves no request behind

    def submit(
        self,
        read: Callable[[Answer], T],
        path: str = "",
        body: bytes | None = None,
        *,
        accept: Collection[int] = (),
    ) -> concurrent.futures.Future[T]:
        """As `ask`, without waiting; `asyncio.wrap_future` makes it awaitable."""
        head, mark, query = self.url.partition("?")
        request = _Request(f"{head}{path}{mark}{query}", body, frozenset(accept))
        self._leave_parent()
        with self._lock:
            if self._line is None:
                self._line = _Line(self)
                weakref.finalize(self, self._line.stop)
            line = self._line
            self._sent += 1
            answering = self._retry(line, request, read, self._sent)
            # Within the lock, so that `close` stops the loop after it has taken up the request.
            return asyncio.run_coroutine_threadsafe(answering, line.loop)

    def close(self) -> None:
        """Close the connections; requests under way are cancelled, a later one opens anew."""
        self._leave_parent()
        with self._lock:
            line, self._line = self._line, None
        if line is not None:
            line.close()

    def _leave_parent(self) -> None:
        """In a fork, drop the parent's connections, and the lock that its threads may hold."""
        if self._pid != os.getpid():
            self._lock, self._line, self._pid = threading.Lock(), None, os.getpid()

    async def _retry(
        self, line: _Line, request: _Request, read: Callable[[Answer], T], number: int
    ) -> T:
        import tenacity

        def pause(state: RetryCallState) -> float:
            chance = random.Random(f"{self._pid}:{number}:{state.attempt_number}")
            # The exponent is bounded, as 2.0**1024 overflows.
            own = self.backoff * 2.0 ** min(state.attempt_number - 1, 60) * chance.uniform(0.5, 1.5)
            error = state.outcome.exception() if state.outcome else None
            asked = error.wait if isinstance(error, _TransientError) else 0.0
            return min(self.max_wait, asked + own)

        retrying = tenacity.AsyncRetrying(
            retry=tenacity.retry_if_exception_type(_TransientError),
            stop=tenacity.stop_after_attempt(self.retries + 1),
            wait=pause,
            reraise=True,
        )
        try:
            answer: T = await retrying(self._attempt, line, request, read)
            return answer
        except _TransientError as error:
            raise self._failure(self.retries + 1, error) from None

    async def _attempt(self, line: _Line, request: _Request, read: Callable[[Answer], T]) -> T:
        import httpx

        async with line.places:
            try:
                answer, wait = await asyncio.wait_for(line.send(request), self.timeout)
            except asyncio.TimeoutError:
                failure = _TransientError(f"no whole reply within {self.timeout:g} s")
                raise failure if self.retry_timeouts else self._failure(1, failure) from None
            except httpx.RequestError as error:
                raise _TransientError(self._quote(f"{type(error).__name__}: {error}")) from None
        if not (200 <= answer.status < 300 or answer.status in request.accept):
            cause = f"HTTP {answer.status}: {self._quote(error_text(answer.content))}"
            if answer.status in self.retried:
                raise _TransientError(cause, retry_after(wait, time.time()))
            raise ServiceError(f"{self.name}: refused with {cause}")
        try:
            return read(answer)
        except BrokenReplyError as error:
            raise _TransientError(self._quote(str(error))) from None

    def _failure(self, attempts: int, last: _TransientError) -> ServiceError:
        count = f"{attempts} attempt{'s' * (attempts > 1)}"
        return ServiceError(f"{self.name}: no usable reply in {count}; the last: {last}")

    def _quote(self, text: str) -> str:
        if self.key:  # servers echo keys; struck out before the cut, so that no part remains
            text = text.replace(self.key, "***")
        return text if len(text) <= MAX_QUOTE else text[:MAX_QUOTE] + "…"


class _Line:
    """One event loop in a thread, with its connections and its places for requests."""

    def __init__(self, endpoint: Endpoint) -> None:
        import httpx

        self.pid, self.stopped = os.getpid(), False
        self.places = asyncio.Semaphore(endpoint.concurrency)
        self.loop = asyncio.new_event_loop()
        headers = {"Accept": "application/json", **(endpoint.headers or {})}
        if endpoint.key:
            headers["Authorization"] = f"Bearer {endpoint.key}"
        self.http = httpx.AsyncClient(
            headers=headers,
            timeout=httpx.Timeout(None, connect=min(endpoint.timeout, CONNECT_SECONDS)),
            # The places are the limit; a second one in the pool would count twice.
            limits=httpx.Limits(max_keepalive_connections=endpoint.concurrency),
            trust_env=endpoint.proxies,
        )
        self.thread = threading.Thread(target=self._serve, name="gym-clinic-http", daemon=True)
        self.thread.start()

    async def send(self, request: _Request) -> tuple[Answer, str | None]:
        """Send one request; the answer and its Retry-After header."""
        url, body, _ = request
        method = "GET" if body is None else "POST"
        kind = None if body is None else {"Content-Type": "application/json"}
        async with self.http.stream(method, url, content=body, headers=kind) as response:
            content = bytearray()
            async for chunk in response.aiter_bytes():
                content += chunk
                if len(content) > MAX_BYTES:
                    raise _TransientError(f"the reply is longer than {MAX_BYTES:,} bytes")
            wait = response.headers.get("retry-after")
            return Answer(response.status_code, bytes(content)), wait

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


def checked_url(url: str) -> str:
    """An address without blanks around it and without a slash at the end of its path.

    Raises:
        ConfigError: It is no http(s) address, or carries a user or password.
    """
    wanted = "an address such as http://localhost:8000"
    if isinstance(url, str) and "@" in url.partition("?")[0]:
        # Not quoted, as there may be a password before the "@".
        raise ConfigError(f"url must be {wanted}, without user or password")
    try:
        parts = urlsplit(url.strip())
        readable = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port  # reading it checks it
    except (ValueError, AttributeError):
        readable = False
    if not readable:
        raise ConfigError(f"url must be {wanted}; got {url!r}")
    return parts._replace(path=parts.path.rstrip("/"), fragment="").geturl()


def checked_key(api_key: str | None, api_key_env: str | None) -> str | None:
    """A server's key, from the one place that the caller named.

    Args:
        api_key: The key itself.
        api_key_env: Name of the environment variable that holds it.

    Raises:
        ConfigError: Both places are named, the variable is empty, or the key cannot be sent in a
            header. The key is never quoted.
    """
    if api_key is not None and api_key_env is not None:
        raise ConfigError("give api_key or api_key_env, not both")
    where, key = "api_key", api_key
    if api_key_env is not None:
        where, key = f"the environment variable {api_key_env}", os.environ.get(api_key_env)
        if not key:
            raise ConfigError(f"{where} holds no key; set it, or leave api_key_env out")
    key = key.strip() if key else None  # a key read from a file ends in a newline
    if key and not re.fullmatch(r"[!-~]+", key):
        raise ConfigError(f"{where} must be of printable ASCII characters without blanks")
    return key


def error_text(content: bytes) -> str:
    """A server's own message in the body of a failure, in one line.

    Reads `{"error": {"message": …}}`, `{"error": …}`, `{"message": …}` and `{"detail": …}`;
    anything else is quoted as it is.
    """
    text: Any = content.decode("utf-8", "replace")
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        body = None
    if isinstance(body, dict):
        said = body.get("error") or body.get("message") or body.get("detail")
        said = said.get("message") if isinstance(said, dict) else said
        text = said if isinstance(said, str) else text
    return " ".join(text.split()) or "(no message)"


def retry_after(header: str | None, now: float) -> float:
    """Seconds to wait as a Retry-After header asks; 0 if it asks nothing readable.

    Source: RFC 9110, section 10.2.3: seconds, or an HTTP date, for which `now` is the time.
    """
    try:
        seconds = float(header or 0)
    except ValueError:
        try:
            when = parsedate_to_datetime(str(header))
            # A date without a zone is in UTC, as HTTP dates are.
            seconds = (when if when.tzinfo else when.replace(tzinfo=timezone.utc)).timestamp() - now
        except (ValueError, TypeError, OverflowError, IndexError):
            return 0.0
    return 0.0 if math.isnan(seconds) else max(0.0, seconds)
