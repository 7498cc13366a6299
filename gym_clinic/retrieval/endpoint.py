"""Asking a search server: JSON over HTTP, with retries that end."""

from __future__ import annotations

import math
import os
import random
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from gym_clinic.errors import ConfigError, ServiceError

if TYPE_CHECKING:
    import httpx

BUSY = frozenset({429, 502, 503, 504})
"""Answers after which asking again may help."""

FIRST_WAIT = 0.1
"""Seconds before the first retry; doubled with each."""

MAX_QUOTE = 300
"""Characters of a server's words in an error."""


class Endpoint:
    """A server that is asked from any number of threads, and from forks.

    A request that is answered 429, 502, 503 or 504, or whose connection breaks, is repeated
    after what Retry-After says and 0.1 · 2^(attempt-1) seconds more, spread by ±50% so that those
    who were refused together do not come back together; never after more than ``max_wait``.

    Args:
        url: Address of the server.
        timeout: Seconds to wait for a connection, and for each part of an answer.
        retries: Attempts after the first.
        max_wait: Longest wait between attempts, in seconds.
        headers: Sent with every request.
        proxies: Whether the proxies named in the environment are used.

    Raises:
        ConfigError: If an option is unusable, or httpx is not installed.
    """

    def __init__(
        self,
        url: str,
        *,
        timeout: float = 60.0,
        retries: int = 8,
        max_wait: float = 5.0,
        headers: Mapping[str, str] | None = None,
        proxies: bool = False,
    ) -> None:
        try:
            import httpx
        except ImportError:
            raise ConfigError(
                'asking a search server needs httpx: pip install "gym_clinic[serve]"'
            ) from None
        self._httpx = httpx
        self.url = _address(url)
        self.timeout = _number("timeout", timeout, above=0.0)
        self.max_wait = _number("max_wait", max_wait)
        if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
            raise ConfigError(f"retries is a whole number from 0, not {retries!r}")
        self.retries = retries
        self._headers, self._proxies = dict(headers or {}), proxies
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None
        self._pid = os.getpid()
        self._asked = 0

    def ask(
        self, path: str, body: bytes | None = None, method: str | None = None
    ) -> tuple[int, bytes]:
        """Send a request until it is answered.

        Args:
            path: Put after the server's address.
            body: JSON that is sent.
            method: POST if there is a body, GET if not, unless another is named.

        Returns:
            Status and body of the answer, which may be a refusal.

        Raises:
            ServiceError: If no attempt was answered but as busy.
        """
        client, number = self._open()
        for attempt in range(self.retries + 1):
            asked = 0.0
            try:
                answer = client.request(
                    method or ("GET" if body is None else "POST"),
                    self.url + path,
                    content=body,
                    headers={} if body is None else {"Content-Type": "application/json"},
                )
            except self._httpx.RequestError as error:
                cause = f"{type(error).__name__}: {error}"
                if isinstance(error, self._httpx.ReadTimeout):
                    break  # it is at work on what we asked; asking again only adds to that
            else:
                if answer.status_code not in BUSY:
                    return answer.status_code, answer.content
                cause = f"status {answer.status_code}: {answer.text[:MAX_QUOTE]}"
                asked = _seconds(answer.headers.get("retry-after"))
            if attempt < self.retries:
                chance = random.Random(f"{os.getpid()}:{number}:{attempt}").uniform(0.5, 1.5)
                wait = asked + FIRST_WAIT * 2**attempt * chance
                time.sleep(min(wait, self.max_wait))
        raise ServiceError(f"{self.url} does not answer, asked {attempt + 1} times: {cause}")

    def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        self._part_from_parent()
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _part_from_parent(self) -> None:
        """In a fork, leave the parent's connections, and the lock that its threads may hold."""
        if self._pid != os.getpid():
            self._lock, self._client, self._pid = threading.Lock(), None, os.getpid()

    def _open(self) -> tuple[httpx.Client, int]:
        """Return this process's connections, and the number of this request."""
        self._part_from_parent()
        with self._lock:
            self._asked += 1
            if self._client is None:
                self._client = self._httpx.Client(
                    timeout=self.timeout,
                    headers=self._headers,
                    trust_env=self._proxies,
                    limits=self._httpx.Limits(max_connections=None, max_keepalive_connections=64),
                )
            return self._client, self._asked


def sendable(text: str) -> str:
    """Return a text as JSON can carry it: a lone surrogate, half a character, becomes ``?``."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _address(url: str) -> str:
    wanted = "an address such as http://127.0.0.1:8377"
    try:
        parts = urlsplit(url.strip())
        good = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port  # reading it checks it
    except (ValueError, AttributeError):
        good = False
    if not good or parts.query or parts.fragment:
        raise ConfigError(f"url must be {wanted}; got {url!r}")
    if parts.username is not None:  # not quoted: there may be a password
        raise ConfigError(f"url must be {wanted}, without user or password")
    return url.strip().rstrip("/")


def _number(name: str, value: float, above: float | None = None) -> float:
    least = 0.0 if above is None else above
    good = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not good or not math.isfinite(value) or value < least or value == above:
        kind = "of at least" if above is None else "above"
        raise ConfigError(f"{name} must be a number {kind} {least:g}; got {value!r}")
    return value


def _seconds(header: str | None) -> float:
    """Read a Retry-After in seconds; 0 where it gives none (a date is not used here)."""
    return float(header) if header and header.isascii() and header.isdigit() else 0.0
