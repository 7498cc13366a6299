"""What a chat client may be told, checked before anything is sent."""

from __future__ import annotations

import importlib
import json
import math
import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from gym_clinic.errors import ConfigError

RESERVED = frozenset({"model", "messages", "tools", "stream", "n", "temperature", "max_tokens"})


def require_extra() -> None:
    """Check that httpx and tenacity are there.

    Raises:
        ConfigError: One is missing; the text gives the line that installs it.
    """
    for package in ("httpx", "tenacity"):
        try:
            importlib.import_module(package)
        except ImportError:
            raise ConfigError(
                f'a chat model needs {package}: pip install "gym_clinic[chat]"'
            ) from None


def endpoint(url: str) -> str:
    """The chat completions address of a server.

    Args:
        url: The server's root, its /v1 (or other version) root, or the whole address; a query
            is kept.

    Raises:
        ConfigError: It is no http(s) address, or carries a user or password.

    >>> endpoint("http://localhost:8000")
    'http://localhost:8000/v1/chat/completions'
    >>> endpoint("https://example.org/openai/v1/")
    'https://example.org/openai/v1/chat/completions'
    """
    wanted = "an address such as http://localhost:8000/v1"
    if not isinstance(url, str):
        raise ConfigError(f"url must be {wanted}; got {url!r}")
    if "@" in url.partition("?")[0]:  # not quoted: there may be a password before the "@"
        raise ConfigError(f"url must be {wanted}, without user or password; give api_key instead")
    try:
        parts = urlsplit(url.strip())
        readable = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port  # reading it checks it
    except ValueError:
        readable = False
    if not readable:
        raise ConfigError(f"url must be {wanted}; got {url!r}")
    path = parts.path.rstrip("/")
    if path.endswith("/chat"):
        path += "/completions"
    elif not path.endswith("/chat/completions"):
        # A path that names a version is the API's root already (/v1, /api/v3, /v1beta/openai).
        path += "/chat/completions" if re.search(r"/v\d\w*(/|$)", path) else "/v1/chat/completions"
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))


def checked_number(
    name: str, value: float, *, least: float, above: bool = False, whole: bool = False
) -> float:
    """The value of a numeric option.

    Args:
        name: The option's name, for the error.
        value: What the caller gave.
        least: Smallest value allowed.
        above: `least` itself is not allowed.
        whole: Only integers are allowed.

    Raises:
        ConfigError: It is no finite number in that range.
    """
    good = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
    if not good or not math.isfinite(value) or value < least or (above and value == least):
        kind = "a whole number" if whole else "a number"
        raise ConfigError(
            f"{name} must be {kind} {'above' if above else 'of at least'} {least:g}; got {value!r}"
        )
    return value


def checked_fields(extra: Mapping[str, Any] | None) -> dict[str, Any]:
    """A copy of the further request fields.

    Raises:
        ConfigError: They are not plain JSON, or set a field that the client sets or relies on.
    """
    if extra is None:
        return {}
    if not isinstance(extra, Mapping) or not all(isinstance(key, str) for key in extra):
        raise ConfigError('extra must map field names to JSON values, as {"seed": 0}')
    if taken := sorted(RESERVED.intersection(extra)):
        raise ConfigError(f"extra may not set {taken}: the client sets or needs them itself")
    try:
        copied: dict[str, Any] = json.loads(json.dumps(dict(extra), allow_nan=False))
    except (TypeError, ValueError) as error:
        raise ConfigError(f"extra must be plain JSON: {error}") from None
    return copied


def checked_key(api_key: str | None, api_key_env: str | None) -> str | None:
    """The key itself, from the one place the caller named.

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
