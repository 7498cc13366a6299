"""A search server on a free port: replies, refused requests, a full queue, options."""

from __future__ import annotations

import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from memory_base import MemoryBase, passages

from gym_clinic.errors import ConfigError, ServiceError, TaskError
from gym_clinic.retrieval.serving import server as server_module
from gym_clinic.retrieval.serving.client import KnowledgeClient
from gym_clinic.retrieval.serving.messages import MAX_BODY, MAX_QUERIES
from gym_clinic.retrieval.serving.server import KnowledgeServer

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
httpx = pytest.importorskip("httpx")


def test_replies_are_sent_without_delay(server):
    # Between two small packets the system would wait for 40 ms.
    assert server._socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_health_describes_the_served_base(client):
    said = client.health()
    assert (said.status, said.passages, said.content_hash) == ("ok", 40, "abc")
    assert (said.places, said.taken) == (68, 0)


class Narrow:
    """Can be searched, and nothing else."""

    def search(self, query, limit=10, source=None, operator="or"):
        return []


def test_a_missing_method_of_the_base_is_reported():
    with KnowledgeServer(Narrow(), port=0) as server, KnowledgeClient(server.url) as client:
        assert client.search("fever") == []
        assert client.manifest.content_hash == ""
        with pytest.raises(ConfigError, match="does not return passages by id"):
            client.get("p003")
        with pytest.raises(ConfigError, match="a base without a length"):
            len(client)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{", "Invalid JSON"),
        (b"[]", "the request: Input should be an object"),
        (b'{"query": 5}', "query: Input should be a valid string"),
        (b'{"limit": 3}', "query: Field required"),
        (b'{"query": "x", "limit": 0}', "limit: Input should be greater than or equal to 1"),
        (b'{"query": "x", "limit": 1001}', "limit: Input should be less than or equal to 1000"),
        (b'{"query": "x", "limit": "3"}', "limit: Input should be a valid integer"),
        (b'{"query": "x", "operator": "xor"}', "operator: Input should be 'or' or 'and'"),
        (b'{"query": "x", "sauce": "y"}', "sauce: Extra inputs are not permitted"),
        (b'{"query": "\xff"}', "Invalid JSON"),
        (b"", "Invalid JSON"),
    ],
)
def test_a_wrong_request_gets_the_reason(raw, body, said):
    answer = raw.post("/search", content=body)
    assert answer.status_code == 422
    assert said in answer.json()["error"]
    assert "fields: limit, source, operator, query" in answer.json()["error"]


def test_a_batch_has_a_maximum_size(raw):
    answer = raw.post("/batch", json={"queries": ["x"] * (MAX_QUERIES + 1)})
    assert answer.status_code == 422
    assert answer.json()["error"].startswith(f"queries: List should have at most {MAX_QUERIES}")
    answer = raw.post("/batch", json={"queries": ["x"] * 11, "limit": 1000})
    assert answer.status_code == 422
    assert "queries times limit is at most 10,000, not 11,000" in answer.json()["error"]


def test_a_request_has_a_maximum_size(raw):
    def for_ever():
        for _ in range(MAX_BODY // 2**20 + 2):
            yield b" " * 2**20

    told = raw.post("/search", content=b" " * (MAX_BODY + 1))
    assert (told.status_code, "at most" in told.json()["error"]) == (413, True)
    told = raw.post("/search", content=for_ever())  # without saying how much will come
    assert told.status_code == 413


def test_an_incomplete_request_is_abandoned(server, monkeypatch):
    monkeypatch.setattr(server_module, "ARRIVAL", 0.2)
    port = int(server.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=300) as slow:
        slow.sendall(b"POST /search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
        assert slow.recv(1000).startswith(b"HTTP/1.1 408")


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:8377", ""])
def test_only_local_host_names_are_answered(raw, host):
    for answer in (
        raw.get("/health", headers={"Host": host}),
        raw.post("/search", json={"query": "fever"}, headers={"Host": host}),
    ):
        assert answer.status_code == 421
        assert answer.json()["error"].endswith("this server is 127.0.0.1 or localhost")
    for name in ("localhost", "localhost:9000", "127.0.0.1:1"):
        assert raw.get("/health", headers={"Host": name}).status_code == 200


@pytest.mark.parametrize(("method", "path"), [("GET", "/search"), ("POST", "/find"), ("GET", "/")])
def test_an_unknown_path_gets_the_known_ones(raw, method, path):
    answer = raw.request(method, path)
    assert answer.status_code in (404, 405)
    assert answer.json()["error"].startswith(f"no {method} {path}; choose from POST /search")


class Faulty(MemoryBase):
    """Fails as a base may: the caller's mistake, a damaged file, a mistake of ours."""

    def search(self, query, limit=10, source=None, operator="or"):
        if query == "damaged":
            raise TaskError("clinic.db: the page 7 is not readable")
        if query == "mistake":
            raise ZeroDivisionError
        raise ConfigError(f"the base has no source {source!r}; did you mean 'cards'?")


def test_failures_of_the_base_come_through():
    with KnowledgeServer(Faulty([]), port=0) as server, KnowledgeClient(server.url) as client:
        with pytest.raises(ConfigError, match="no source 'card'; did you mean 'cards'"):
            client.search("x", source="card")
        with pytest.raises(ConfigError, match="did you mean 'cards'"):
            client.search_many(["x"], source="card")
        with pytest.raises(ServiceError, match=r"HTTP 500: .*the page 7 is not readable"):
            client.search("damaged")
        with pytest.raises(ServiceError, match=r"HTTP 500: .*ZeroDivisionError"):
            client.search("mistake")


class Slow(MemoryBase):
    """Answers when it is let."""

    def __init__(self):
        super().__init__(passages())
        self.working, self.go = threading.Semaphore(0), threading.Event()

    def search(self, *asked):
        self.working.release()
        assert self.go.wait(300)
        return super().search(*asked)


def test_a_full_queue_is_refused_with_retry_after():
    base = Slow()
    with (
        KnowledgeServer(base, port=0, threads=2, waiting=1) as server,
        ThreadPoolExecutor(3) as workers,
        httpx.Client(base_url=server.url, trust_env=False) as raw,
        KnowledgeClient(server.url) as patient,
        KnowledgeClient(server.url, retries=1, max_wait=0.01) as hasty,
    ):
        taken = [workers.submit(patient.search, "fever", 1) for _ in range(3)]
        for _ in range(2):
            assert base.working.acquire(timeout=300)
        while raw.get("/health").json()["taken"] < 3:
            time.sleep(0.01)
        answer = raw.post("/search", json={"query": "fever"})
        assert answer.status_code == 503
        assert answer.headers["retry-after"] == "1"
        assert answer.json()["error"] == "busy with 3 requests; repeat the request"
        with pytest.raises(ServiceError, match=r"in 2 attempts; the last: HTTP 503: busy"):
            hasty.search("fever")
        base.go.set()
        assert {one.result()[0].id for one in taken} == {"p001"}
        # Who waits as long as he is told is served in the end.
        assert patient.search("fever", 1)[0].id == "p001"


def test_a_request_under_way_is_finished_before_the_end():
    base = Slow()
    with ThreadPoolExecutor(1) as worker:
        with KnowledgeServer(base, port=0) as server:
            answer = worker.submit(KnowledgeClient(server.url).search, "fever", 1)
            assert base.working.acquire(timeout=300)
            threading.Timer(0.3, base.go.set).start()
        assert answer.result()[0].id == "p001"
    with pytest.raises(ServiceError, match="no usable reply in 2 attempts; the last: ConnectError"):
        KnowledgeClient(server.url, retries=1, max_wait=0).search("fever")


def test_a_search_that_takes_too_long_is_reported_and_not_repeated():
    base = Slow()
    with (
        KnowledgeServer(base, port=0) as server,
        KnowledgeClient(server.url, timeout=0.2) as client,
    ):
        with pytest.raises(
            ServiceError, match=r"1 attempt; the last: no whole reply within 0\.2 s"
        ):
            client.search("fever")
        base.go.set()
        assert client.search("fever", 1)[0].id == "p001"
    assert len(base.asked) == 2


def test_a_server_may_be_started_again(base):
    with KnowledgeServer(base, port=0) as server:
        client = KnowledgeClient(server.url)
        client.search("fever")  # keeps a connection open, which the server then closes
    with KnowledgeServer(base, port=int(server.url.rpartition(":")[2])):
        assert client.search("fever", 1)[0].id == "p001"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"threads": 0}, "threads is a whole number from 1"),
        ({"waiting": -1}, "waiting is a whole number from 0"),
        ({"port": 1 << 20}, "cannot listen on port 1048576 of 127.0.0.1"),
    ],
)
def test_wrong_options_of_a_server_are_reported(base, options, said):
    with pytest.raises(ConfigError, match=said):
        KnowledgeServer(base, **({"port": 0} | options))


def test_a_taken_port_is_reported(base, server):
    port = int(server.url.rpartition(":")[2])
    with pytest.raises(ConfigError, match=f"cannot listen on port {port} of 127.0.0.1"):
        KnowledgeServer(base, port=port)


@pytest.mark.parametrize("package", ["fastapi", "uvicorn", "httpx"])
def test_the_missing_extra_is_reported(base, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ConfigError, match=r'pip install "gym_clinic\[serve\]"'):
        KnowledgeClient("http://x") if package == "httpx" else KnowledgeServer(base, port=0)
