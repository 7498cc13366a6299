from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from chat_server import USAGE, ChatServer

from gym_clinic.consult.chat import ChatClient, Usage, completions_url
from gym_clinic.consult.reply import read_reply
from gym_clinic.errors import ConfigError

# --- options ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("http://h:8000", "http://h:8000/v1/chat/completions"),
        ("http://h:8000/", "http://h:8000/v1/chat/completions"),
        (" http://h/v1\n", "http://h/v1/chat/completions"),
        ("http://h/v1/", "http://h/v1/chat/completions"),
        ("https://h/v1/chat", "https://h/v1/chat/completions"),
        ("https://h/v1/chat/completions/", "https://h/v1/chat/completions"),
        ("https://h/api/v3", "https://h/api/v3/chat/completions"),
        ("https://h/v1beta/openai/", "https://h/v1beta/openai/chat/completions"),
        ("https://h/proxy", "https://h/proxy/v1/chat/completions"),
        ("https://h/v1?version=2", "https://h/v1/chat/completions?version=2"),
        ("http://[::1]:80/v1", "http://[::1]:80/v1/chat/completions"),
    ],
)
def test_completions_url(url: str, path: str) -> None:
    assert completions_url(url) == path
    assert completions_url(path) == path


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"timeout": 0}, "timeout must be a number above 0; got 0"),
        ({"backoff": "fast"}, "backoff must be a number of at least 0; got 'fast'"),
        ({"max_tokens": True}, "max_tokens must be a whole number"),
        ({"temperature": -0.1}, "temperature must be a number of at least 0"),
        ({"model": ""}, "model must be the model's name"),
        ({"extra": ["seed"]}, "extra must map field names"),
        ({"extra": {"seed": object()}}, "extra must be plain JSON"),
        ({"extra": {"stream": True, "model": "x"}}, r"extra may not set \['model', 'stream'\]"),
        ({"api_key": "a", "api_key_env": "B"}, "api_key or api_key_env, not both"),
        ({"api_key_env": "GYM_CLINIC_NO_SUCH"}, "GYM_CLINIC_NO_SUCH holds no key"),
        ({"api_key": "two words"}, "api_key must be of printable ASCII"),
    ],
)
def test_wrong_option(options: dict[str, Any], words: str) -> None:
    given = {"model": "tiny", **options}
    with pytest.raises(ConfigError, match=words):
        ChatClient("http://localhost:1", given.pop("model"), **given)


@pytest.mark.parametrize("package", ["httpx", "tenacity"])
def test_missing_extra_gives_the_line(package: str, monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ConfigError, match=rf'{package}: pip install "gym_clinic\[chat\]"'):
        ChatClient("http://localhost:1", "tiny")


def test_import_leaves_the_extra_alone() -> None:
    code = (
        "import sys, gym_clinic.policies.chat; "
        "print(sorted({'httpx', 'tenacity', 'anyio'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- reading what comes back ---


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        (USAGE, Usage(11, 7, 18, 1, 0)),
        (None, Usage(0, 0, 0, 1, 1)),
        ("many", Usage(0, 0, 0, 1, 1)),
        ({"prompt_tokens": 4, "completion_tokens": 2}, Usage(4, 2, 6, 1, 0)),
        ({"prompt_tokens": 4, "completion_tokens": None}, Usage(4, 0, 4, 1, 1)),
        ({"prompt_tokens": True, "completion_tokens": -2}, Usage(0, 0, 0, 1, 1)),
        ({"prompt_tokens": 5, "completion_tokens": 1, "total_tokens": 9}, Usage(5, 1, 9, 1, 0)),
    ],
)
def test_missing_usage_is_not_estimated(block: Any, expected: Usage) -> None:
    assert read_reply(ChatServer.body("x", usage=block)).usage == expected
