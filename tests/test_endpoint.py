"""One client of HTTP servers for all rooms; what a chat client adds is tested in tests/consult."""

from __future__ import annotations

import asyncio
import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
import time
from concurrent.futures import CancelledError
from email.utils import formatdate
from typing import Any

import pytest
from chat_server import ChatServer
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.endpoint import (
    Answer,
    BrokenReplyError,
    Endpoint,
    checked_url,
    error_text,
    retry_after,
)
from gym_clinic.errors import ConfigError, ServiceError

KEY = "sk-secret-0123456789"
BODY = b'{"query": "fever"}'


def endpoint(server: ChatServer, **options: Any) -> Endpoint:
    fast: dict[str, Any] = {"backoff": 0.002, "retries": 2, "timeout": 5.0}
    return Endpoint(f"{server.url}/base", **{**fast, **options})


def content(answer: Answer) -> bytes:
    return answer.content


def test_a_request_goes_to_the_path_with_the_headers(chat_server: ChatServer) -> None:
    chat_server.script = [chat_server.raw(b"found")]
    server = endpoint(chat_server, headers={"X-Team": "clinic"}, key=KEY)
    assert server.ask(content, "/search", BODY) == b"found"
    assert chat_server.paths == ["/base/search"]
    assert chat_server.requests == [{"query": "fever"}]
    sent = chat_server.headers[0]
    assert (sent["x-team"], sent["authorization"]) == ("clinic", f"Bearer {KEY}")
    assert sent["content-type"] == "application/json"


def test_a_query_of_the_address_stays_behind_the_path(chat_server: ChatServer) -> None:
    Endpoint(f"{chat_server.url}/?version=2").ask(content, "/search", BODY)
    assert chat_server.paths == ["/search?version=2"]


def test_a_submitted_request_is_awaited(chat_server: ChatServer) -> None:
    chat_server.script = [chat_server.raw(b"found")]
    server = endpoint(chat_server)

    async def wait() -> bytes:
        return await asyncio.wrap_future(server.submit(content, "/search", BODY))

    assert asyncio.run(wait()) == b"found"


def test_accepted_statuses_are_read_and_others_refused(chat_server: ChatServer) -> None:
    chat_server.script = [chat_server.status(422, b"too long")]
    server = endpoint(chat_server)
    answer = server.ask(lambda answer: answer, "/search", BODY, accept=[413, 422])
    assert answer == Answer(422, b"too long")
    with pytest.raises(ServiceError, match="/base: refused with HTTP 422: too long"):
        server.ask(content, "/search", BODY, accept=[413])
    assert len(chat_server.requests) == 2


def test_only_the_named_statuses_are_sent_again(chat_server: ChatServer) -> None:
    chat_server.script = [chat_server.status(503), chat_server.status(500, b"broken index")]
    with pytest.raises(ServiceError, match="refused with HTTP 500: broken index"):
        endpoint(chat_server, retried={503}).ask(content, body=BODY)
    assert len(chat_server.requests) == 2


def test_a_broken_reply_is_asked_for_again(chat_server: ChatServer) -> None:
    chat_server.script = [chat_server.raw(b"half"), chat_server.raw(b"whole")]

    def read(answer: Answer) -> bytes:
        if answer.content != b"whole":
            raise BrokenReplyError("it is half")
        return answer.content

    assert endpoint(chat_server).ask(read, body=BODY) == b"whole"
    chat_server.script = [chat_server.raw(b"half")]
    with pytest.raises(ServiceError, match="no usable reply in 3 attempts; the last: it is half"):
        endpoint(chat_server).ask(read, body=BODY)


def test_other_errors_of_a_reader_pass_through(chat_server: ChatServer) -> None:
    def read(answer: Answer) -> bytes:
        raise ConfigError("the query is too long")

    with pytest.raises(ConfigError, match="the query is too long"):
        endpoint(chat_server).ask(read, body=BODY)
    assert len(chat_server.requests) == 1


def test_closing_cancels_what_is_under_way(chat_server: ChatServer) -> None:
    chat_server.script = [chat_server.stall(), chat_server.raw(b"found")]
    server = endpoint(chat_server, timeout=1000.0)
    future = server.submit(content, body=BODY)
    while not chat_server.requests:
        time.sleep(0.005)
    server.close()
    with pytest.raises(CancelledError):
        future.result(300)
    assert server.ask(content, body=BODY) == b"found"  # opens anew


def test_timeouts_are_final_where_the_server_is_still_at_work(chat_server: ChatServer) -> None:
    chat_server.script = [chat_server.stall()]
    server = endpoint(chat_server, timeout=0.1, retry_timeouts=False)
    with pytest.raises(ServiceError, match=r"in 1 attempt; the last: no whole reply within 0\.1 s"):
        server.ask(content, body=BODY)
    assert len(chat_server.requests) == 1


@pytest.mark.parametrize("way", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
def test_copies_have_the_options_and_their_own_connections(
    chat_server: ChatServer, way: Any
) -> None:
    server = endpoint(chat_server, key=KEY, retries=7, headers={"X-Team": "clinic"})
    server.ask(content, body=BODY)
    twin = way(server)
    assert (repr(twin), twin.retries, twin._line) == (repr(server), 7, None)
    assert KEY not in repr(twin)
    twin.ask(content, body=BODY)
    assert chat_server.headers[1]["authorization"] == f"Bearer {KEY}"
    assert chat_server.headers[1]["x-team"] == "clinic"


def _ask_in_a_child(server: Endpoint, replies: Any) -> None:
    replies.put(server.ask(content, body=BODY))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_does_not_wait_for_a_thread_of_its_parent(chat_server: ChatServer) -> None:
    chat_server.script = [chat_server.raw(b"found")]
    server = endpoint(chat_server)
    server.ask(content, body=BODY)
    context = multiprocessing.get_context("fork")
    replies = context.Queue()
    with server._lock:  # as another thread may hold it at that moment
        child = context.Process(target=_ask_in_a_child, args=(server, replies))
        child.start()
        try:
            assert replies.get(timeout=300) == b"found"
        finally:
            child.kill()
            child.join()


@pytest.mark.parametrize("package", ["httpx", "tenacity"])
def test_a_missing_package_gives_the_install_line(package: str, monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ConfigError, match=rf'{package}: pip install "gym_clinic\[serve\]"'):
        Endpoint("http://localhost:1", extra="serve")


def test_the_import_needs_no_extra() -> None:
    code = (
        "import sys, gym_clinic.endpoint; "
        "print(sorted({'httpx', 'tenacity', 'anyio', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("url", "checked"),
    [
        ("http://h:8000", "http://h:8000"),
        (" http://h/v1/\n", "http://h/v1"),
        ("https://h/v1/?version=2#top", "https://h/v1?version=2"),
        ("http://[::1]:80/", "http://[::1]:80"),
    ],
)
def test_checked_url(url: str, checked: str) -> None:
    assert checked_url(url) == checked
    assert checked_url(checked) == checked


@pytest.mark.parametrize(
    "url", ["", "localhost:8000", "ftp://h", "http://", "http://h:x/", "//h", None]
)
def test_checked_url_refuses(url: Any) -> None:
    with pytest.raises(ConfigError, match=r"url must be an address such as http://.*; got"):
        checked_url(url)


@pytest.mark.parametrize("url", ["http://me:hunter2@h/v1", "me:hunter2@h", "http://me:hunter2@h:x"])
def test_a_password_in_the_url_is_not_quoted(url: str) -> None:
    with pytest.raises(ConfigError, match="without user or password") as caught:
        checked_url(url)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"timeout": 0}, "timeout must be a number above 0; got 0"),
        ({"timeout": float("nan")}, "timeout must be a number above 0"),
        ({"retries": -1}, "retries must be a whole number of at least 0; got -1"),
        ({"retries": 1.5}, "retries must be a whole number"),
        ({"backoff": "fast"}, "backoff must be a number of at least 0; got 'fast'"),
        ({"max_wait": -1.0}, "max_wait must be a number of at least 0"),
        ({"concurrency": 0}, "concurrency must be a whole number of at least 1"),
    ],
)
def test_wrong_option(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        Endpoint("http://localhost:1", **options)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b'{"error": {"message": "out of\\nmemory"}}', "out of memory"),
        (b'{"error": "busy"}', "busy"),
        (b'{"detail": "no such model"}', "no such model"),
        (b'{"detail": ["no text"]}', '{"detail": ["no text"]}'),
        (b"<html>busy</html>", "<html>busy</html>"),
        (b"\xff", "\ufffd"),
        (b"", "(no message)"),
        (b"[" * 100_000, "[" * 100_000),
    ],
)
def test_error_text(body: bytes, text: str) -> None:
    assert error_text(body) == text


@given(seconds=st.floats(0, 1e9), now=st.floats(0, 4e9))
def test_retry_after_in_seconds(seconds: float, now: float) -> None:
    assert retry_after(repr(seconds), now) == seconds


@given(ahead=st.integers(-1000, 100_000), now=st.integers(0, 4_000_000_000))
def test_retry_after_as_date(ahead: int, now: int) -> None:
    date = formatdate(max(0, now + ahead), usegmt=True)
    assert retry_after(date, now) == max(0, max(0, now + ahead) - now)


@given(st.text() | st.text("0123456789 :,-+.GMTJanSu", max_size=40))
def test_retry_after_of_anything_is_a_wait(text: str) -> None:
    assert retry_after(text, time.time()) >= 0.0


@pytest.mark.parametrize("header", [None, "", "nan", "-5", "soon"])
def test_an_unusable_retry_after_means_no_wait(header: str | None) -> None:
    assert retry_after(header, 0.0) == 0.0
