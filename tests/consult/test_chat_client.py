from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from typing import Any

import pytest
from chat_server import ChatServer

from gym_clinic.consult.chat import ChatClient, NativeCall, Usage
from gym_clinic.errors import ServiceError

KEY = "sk-secret-0123456789"
ASK = [{"role": "user", "content": "What is the class?"}]
NEVER = 1_000_000.0


def client(server: ChatServer, **options: Any) -> ChatClient:
    fast: dict[str, Any] = {"backoff": 0.002, "retries": 2, "timeout": 5.0}
    return ChatClient(server.url, "tiny", **{**fast, **options})


# --- one good answer ----------------------------------------------------------


def test_request_and_reply(chat_server: ChatServer) -> None:
    chat_server.script = [chat_server.answer("Définitif β", finish_reason="length")]
    chat = client(
        chat_server, api_key=KEY, temperature=0.5, max_tokens=9, extra={"seed": 3, "top_p": 0.9}
    )
    tools = [{"type": "function", "function": {"name": "look", "parameters": {}}}]
    reply = chat.complete(ASK, tools=tools, stop=["END"])
    assert (reply.text, reply.finish_reason, reply.reasoning) == ("Définitif β", "length", None)
    assert chat_server.requests == [
        {
            "model": "tiny",
            "messages": ASK,
            "seed": 3,
            "top_p": 0.9,
            "temperature": 0.5,
            "max_tokens": 9,
            "tools": tools,
            "stop": ["END"],
        }
    ]
    assert chat_server.paths == ["/v1/chat/completions"]
    assert chat_server.headers[0]["authorization"] == f"Bearer {KEY}"


def test_unset_options_are_not_sent(chat_server: ChatServer, monkeypatch: Any) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    client(chat_server).complete(ASK)
    assert set(chat_server.requests[0]) == {"model", "messages"}
    assert "authorization" not in chat_server.headers[0]


def test_key_from_environment_when_named(chat_server: ChatServer, monkeypatch: Any) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\n")
    client(chat_server, api_key_env="OPENAI_API_KEY").complete(ASK)
    assert chat_server.headers[0]["authorization"] == f"Bearer {KEY}"


def test_async_gives_the_same(chat_server: ChatServer) -> None:
    chat = client(chat_server)
    assert asyncio.run(chat.acomplete(ASK)) == chat.complete(ASK)
    assert chat_server.requests[0] == chat_server.requests[1]


def test_lone_surrogate_in_a_message_is_sent(chat_server: ChatServer) -> None:
    odd = [{"role": "user", "content": "a\ud800b\x00"}]
    client(chat_server).complete(odd)
    assert chat_server.requests[0]["messages"] == odd


def test_native_calls_and_reasoning(chat_server: ChatServer) -> None:
    chat_server.script = [
        chat_server.answer(None, calls=[("look", '{"a": 1}'), ("stop", "")], reasoning="Hm."),
        chat_server.answer("x", reasoning_content="First."),
    ]
    chat = client(chat_server)
    first, second = chat.complete(ASK), chat.complete(ASK)
    assert first.text == ""
    assert first.tool_calls == (
        NativeCall("id-0", "look", '{"a": 1}'),
        NativeCall("id-1", "stop", "{}"),
    )
    assert (first.reasoning, second.reasoning) == ("Hm.", "First.")


# --- failures that another attempt mends --------------------------------------

PASSING = {
    "429 with Retry-After": lambda s: s.status(429, retry_after="0.01"),
    "429 with a past date": lambda s: s.status(429, retry_after=formatdate(0, usegmt=True)),
    "429 with nonsense": lambda s: s.status(429, retry_after="soon"),
    "408": lambda s: s.status(408),
    "409": lambda s: s.status(409),
    "500": lambda s: s.status(500, b"boom"),
    "503 with html": lambda s: s.status(503, b"<html>busy</html>"),
    "half a body": lambda s: s.half(),
    "half a body of unknown length": lambda s: s.half(declared=False),
    "no byte": lambda s: s.drop(),
    "wrong JSON": lambda s: s.raw(b'{"choices": ['),
    "not UTF-8": lambda s: s.raw(b"\xff\xfe\xff"),
    "bottomless JSON": lambda s: s.raw(b"[" * 200_000),
    "empty body": lambda s: s.raw(b""),
    "a list": lambda s: s.raw(b"[]"),
    "an error with status 200": lambda s: s.raw(b'{"error": {"message": "overloaded"}}'),
    "no choices": lambda s: s.raw(b'{"choices": []}'),
    "message missing": lambda s: s.raw(b'{"choices": [{"text": "old style"}]}'),
    "content a number": lambda s: s.raw(b'{"choices": [{"message": {"content": 1}}]}'),
    "calls no list": lambda s: s.answer("x", tool_calls={"name": "look"}),
    "call without name": lambda s: s.answer("x", tool_calls=[{"function": {}}]),
}


@pytest.mark.parametrize("kind", PASSING)
def test_a_temporary_failure_is_retried(chat_server: ChatServer, kind: str) -> None:
    chat_server.script = [PASSING[kind](chat_server)] * 2 + [chat_server.answer("at last")]
    assert client(chat_server).complete(ASK).text == "at last"
    assert len(chat_server.requests) == 3
    assert chat_server.requests[0] == chat_server.requests[2]


@pytest.mark.parametrize("kind", ["stall", "trickle", "trickling header"])
def test_deadline_of_an_attempt(chat_server: ChatServer, kind: str) -> None:
    slow = {
        "stall": chat_server.stall(),
        "trickle": chat_server.trickle(),
        "trickling header": chat_server.trickle(headers=True),
    }[kind]
    chat_server.script = [slow, chat_server.answer("at last")]
    # The first attempt must end by the deadline; the second needs time on a busy machine.
    assert client(chat_server, timeout=0.5, retries=8).complete(ASK).text == "at last"
    assert len(chat_server.requests) >= 2


@pytest.mark.parametrize("kind", ["stall", "trickle", "trickling header"])
def test_a_reply_without_end_times_out(chat_server: ChatServer, kind: str) -> None:
    slow = {
        "stall": chat_server.stall(),
        "trickle": chat_server.trickle(),
        "trickling header": chat_server.trickle(headers=True),
    }[kind]
    chat_server.script = [slow]
    with pytest.raises(ServiceError, match=r"in 2 attempts; the last: no whole reply within 0\.05"):
        client(chat_server, timeout=0.05, retries=1).complete(ASK)


def test_the_last_failure_is_reported_after_all_attempts(chat_server: ChatServer) -> None:
    chat_server.script = [chat_server.status(500, b'{"error": {"message": "out of\\nmemory"}}')]
    with pytest.raises(ServiceError) as caught:
        client(chat_server, retries=3).complete(ASK)
    assert str(caught.value) == (
        f"{chat_server.url}/v1/chat/completions, model 'tiny': no usable reply in 4 attempts; "
        "the last: HTTP 500: out of memory"
    )
    assert len(chat_server.requests) == 4


def test_no_retries(chat_server: ChatServer) -> None:
    chat_server.script = [chat_server.status(503)]
    with pytest.raises(ServiceError, match=r"in 1 attempt; the last: HTTP 503: .no message"):
        client(chat_server, retries=0).complete(ASK)
    assert len(chat_server.requests) == 1


def test_a_refused_connection_is_retried_then_reported() -> None:
    with ChatServer() as server:
        address = server.url
    chat = ChatClient(address, "tiny", retries=1, backoff=0.0)
    with pytest.raises(ServiceError, match="2 attempts; the last: ConnectError"):
        chat.complete(ASK)


def test_too_long_a_reply(chat_server: ChatServer, monkeypatch: Any) -> None:
    monkeypatch.setattr("gym_clinic.endpoint.MAX_BYTES", 1000)
    chat_server.script = [chat_server.answer("x" * 2000)]
    with pytest.raises(ServiceError, match="longer than 1,000 bytes"):
        client(chat_server, retries=0).complete(ASK)


# --- failures that are final --------------------------------------------------


@pytest.mark.parametrize("code", [302, 400, 401, 403, 404, 422])
def test_refusal_is_final(chat_server: ChatServer, code: int) -> None:
    chat_server.script = [chat_server.status(code, b'{"message": "no such model"}')]
    with pytest.raises(ServiceError, match=f"refused with HTTP {code}: no such model"):
        client(chat_server).complete(ASK)
    assert len(chat_server.requests) == 1


def test_long_server_message_is_cut(chat_server: ChatServer) -> None:
    chat_server.script = [chat_server.status(400, b"start " + b"y" * 100_000)]
    with pytest.raises(ServiceError, match="HTTP 400: start y") as caught:
        client(chat_server).complete(ASK)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("code", [400, 401, 429, 500, 200])
def test_key_is_in_no_error(chat_server: ChatServer, code: int) -> None:
    chat_server.script = [chat_server.echo_key(code)]
    chat = client(chat_server, api_key=KEY, retries=1)
    with pytest.raises(ServiceError, match=r"bad key: Bearer \*\*\*") as caught:
        chat.complete(ASK)
    error: BaseException | None = caught.value
    while error is not None:  # the whole chain, as a traceback prints it
        assert KEY not in f"{error} {error!r}"
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    assert KEY not in repr(chat)


def test_key_cut_by_the_quote_limit_leaves_no_part(chat_server: ChatServer) -> None:
    chat_server.script = [chat_server.status(400, b"z" * 290 + KEY.encode())]
    with pytest.raises(ServiceError) as caught:
        client(chat_server, api_key=KEY).complete(ASK)
    assert "sk-" not in str(caught.value)


# --- waiting ------------------------------------------------------------------


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits between attempts, noted instead of spent."""
    noted: list[float] = []
    real = asyncio.sleep

    async def note(seconds: float, result: Any = None) -> Any:
        if seconds > 0:
            noted.append(seconds)
        return await real(0, result)

    monkeypatch.setattr(asyncio, "sleep", note)
    return noted


def test_waits_double_and_are_the_same_again(chat_server: ChatServer, slept: list[float]) -> None:
    chat_server.script = [chat_server.status(500)]
    for _ in range(2):
        with pytest.raises(ServiceError):
            client(chat_server, backoff=1.0, retries=7, max_wait=20.0).complete(ASK)
    assert slept[:7] == slept[7:]
    for number, seconds in enumerate(slept[:7]):
        assert min(20.0, 0.5 * 2**number) <= seconds <= min(20.0, 1.5 * 2**number)
    assert len({seconds / 2**number for number, seconds in enumerate(slept[:4])}) == 4


def test_calls_of_one_client_wait_differently(chat_server: ChatServer, slept: list[float]) -> None:
    chat_server.script = [chat_server.status(500)]
    chat = client(chat_server, backoff=1.0, retries=1)
    for _ in range(3):
        with pytest.raises(ServiceError):
            chat.complete(ASK)
    assert len(set(slept)) == 3  # else all that a busy server turned away come back at once


def test_waits_as_long_as_the_server_asks(chat_server: ChatServer, slept: list[float]) -> None:
    chat_server.script = [
        chat_server.status(429, retry_after="7"),
        chat_server.status(503, retry_after=formatdate(time.time() + 40, usegmt=True)),
        chat_server.status(429, retry_after="86400"),
        chat_server.status(429, retry_after="0"),
        chat_server.answer("ok"),
    ]
    client(chat_server, backoff=0.01, retries=4, max_wait=50.0).complete(ASK)
    seven, date, capped, own = slept
    # The client's own wait is added, so that clients refused together do not return together.
    assert 7.005 <= seven <= 7.015
    assert 7.0 < date <= 40.03
    assert capped == 50.0
    assert 0.04 <= own <= 0.12


# --- concurrency and usage ----------------------------------------------------


def test_limit_over_threads_and_tasks(chat_server: ChatServer) -> None:
    chat_server.script = [chat_server.crowd(3)]
    chat = client(chat_server, concurrency=3)

    async def tasks() -> None:
        await asyncio.gather(*(chat.acomplete(ASK) for _ in range(5)))

    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(chat.complete, ASK) for _ in range(4)]
        jobs += [pool.submit(asyncio.run, tasks()) for _ in range(2)]
        for job in jobs:
            job.result()
    assert len(chat_server.requests) == 14
    assert chat_server.most_at_once == 3  # reached, and not passed
    assert chat.usage == Usage(14 * 11, 14 * 7, 14 * 18, 14, 0)


def test_a_request_waiting_for_a_retry_frees_its_slot(chat_server: ChatServer) -> None:
    chat_server.script = [chat_server.status(503, retry_after="3600"), chat_server.answer("ok")]
    chat = client(chat_server, concurrency=1, max_wait=NEVER)

    async def overtake() -> str:
        waiting = asyncio.ensure_future(chat.acomplete(ASK))
        while not chat_server.requests:
            await asyncio.sleep(0.005)
        reply = await chat.acomplete(ASK)
        assert not waiting.done()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return reply.text

    assert asyncio.run(overtake()) == "ok"


def test_a_cancelled_task_frees_its_slot(chat_server: ChatServer) -> None:
    chat_server.script = [chat_server.stall(), chat_server.answer("next")]
    chat = client(chat_server, concurrency=1, timeout=NEVER)

    async def give_up() -> str:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(chat.acomplete(ASK), 0.3)
        return (await chat.acomplete(ASK)).text

    assert asyncio.run(give_up()) == "next"


def test_usage_sums_and_leaves_failures_out(chat_server: ChatServer) -> None:
    chat_server.script = [
        chat_server.answer(),
        chat_server.status(500),
        chat_server.answer(usage=None),
    ]
    chat = client(chat_server)
    chat.complete(ASK)
    chat.complete(ASK)
    assert chat.usage.as_dict() == {
        "prompt_tokens": 11,
        "completion_tokens": 7,
        "total_tokens": 18,
        "replies": 2,
        "unreported": 1,
    }
