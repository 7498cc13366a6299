from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import hypothesis
import pytest
from chat_server import ChatServer
from places import SHARED

GOLDEN = SHARED / "golden" / "golden.json"

# A shell starts what it runs in the background with SIGINT ignored, and children inherit that:
# the tests of Ctrl-C would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# How deep property tests look. "ci" finds the same examples in every run, whatever the machine;
# "long" is for `make test-slow`; "fuzz" looks for new examples with random seeds.
_ALWAYS: dict[str, Any] = {
    "deadline": None,
    "database": None,
    "suppress_health_check": list(hypothesis.HealthCheck),
}
hypothesis.settings.register_profile("ci", max_examples=25, derandomize=True, **_ALWAYS)
hypothesis.settings.register_profile("long", max_examples=80, derandomize=True, **_ALWAYS)
hypothesis.settings.register_profile("fuzz", max_examples=200, print_blob=True, **_ALWAYS)
hypothesis.settings.load_profile("ci")

Item = TypeVar("Item")
Some = Callable[[Sequence[Item]], Sequence[Item]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--whole", action="store_true", help="look at whole populations, not samples")


@pytest.fixture(scope="session")
def some(request: pytest.FixtureRequest) -> Some[Any]:
    """Choose 24 items of a population, evenly spaced, or with ``--whole`` all of them.

    Tests that use it are marked ``population``.
    """
    whole = bool(request.config.getoption("--whole"))

    def choose(items: Sequence[Any]) -> Sequence[Any]:
        return items if whole or len(items) <= 24 else items[:: -(-len(items) // 24)]

    return choose


@pytest.fixture(scope="session")
def golden() -> Any:
    """The reference values, by name; tests that ask for them skip where they are not at hand."""
    if not GOLDEN.is_file():
        pytest.skip(f"the reference values are not beside this checkout: {GOLDEN}")
    return json.loads(GOLDEN.read_text(encoding="utf-8"))


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the user's cache folder out of the tests: they have their own."""
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
