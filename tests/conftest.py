from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer

GOLDEN = Path(__file__).resolve().parents[2] / "shared" / "golden" / "golden.json"


@pytest.fixture(scope="session")
def golden() -> Any:
    """The reference values, by name; tests that ask for them skip where they are not at hand."""
    if not GOLDEN.is_file():
        pytest.skip(f"the reference values are not beside this checkout: {GOLDEN}")
    return json.loads(GOLDEN.read_text(encoding="utf-8"))


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is made once a machine is made for the tests alone: the user's folder stays as it is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GYM_CLINIC_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def chat_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """A local chat server; set its `script`, then talk to its `url`."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with ChatServer() as server:
        yield server
