"""The client of a search server: the same answers as the base, requests, processes, options."""

from __future__ import annotations

import multiprocessing
import pickle
from concurrent.futures import ThreadPoolExecutor

import bases
import pytest
from hypothesis import given
from hypothesis import strategies as st
from search_workers import put_hits

from gym_clinic.endpoint import Endpoint
from gym_clinic.errors import ConfigError, ServiceError
from gym_clinic.retrieval.passages.passage import Passage
from gym_clinic.retrieval.passages.searcher import PassageBase
from gym_clinic.retrieval.serving import client as client_module
from gym_clinic.retrieval.serving.client import KnowledgeClient
from gym_clinic.retrieval.serving.messages import MAX_BODY, MAX_QUERIES
from gym_clinic.retrieval.serving.server import KnowledgeServer

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("httpx")


def test_the_client_says_what_no_passage_is_about(tmp_path):
    pages = [Passage("p1", "s", "Fever", "Fever has a dose.")]
    served = KnowledgeServer(bases.base(tmp_path, "fts5", pages), port=0)
    with served as server, KnowledgeClient(server.url) as client:
        found = client.search("5-FU dose")
        assert (list(found), found.absent_terms) == ([], ("5-FU",))
        both = client.search_many(["fever", "5-FU dose"])
        assert [one.absent_terms for one in both] == [(), ("5-FU",)]
        assert [len(one) for one in both] == [1, 0]


def test_the_client_answers_as_the_base_does(base, client):
    for options in (
        {"query": "seizure sign8"},
        {"query": "fever", "limit": 3},
        {"query": "fever", "limit": 1000, "source": "notes"},
        {"query": "seizure sign8", "operator": "and"},
        {"query": ""},
        {"query": 'fièvre 🙂 "x" OR (\''},
    ):
        assert client.search(**options) == base.search(**options)
    assert client.search("fever", 2, "notes", "and") == base.search("fever", 2, "notes", "and")


@pytest.mark.parametrize("engine", ["fts5", "tantivy"])
def test_a_knowledge_base_answers_the_same_to_the_last_bit(tmp_path, engine):
    pytest.importorskip(engine if engine == "tantivy" else "sqlite3")
    base = bases.base(tmp_path, engine)
    queries = ["heart failure pain", '"heart failure" NOT pain', "naïve 😀 β-blocker", ""]
    with KnowledgeServer(base, port=0) as server, KnowledgeClient(server.url) as client:
        found = [base.search(query) for query in queries]
        assert any(found)
        assert [client.search(query) for query in queries] == found
        assert client.search_many(queries) == found
        assert client.search("pain", 1, "beta", "and") == base.search("pain", 1, "beta", "and")
        assert client.get("p6") == base.get("p6")
        assert (len(client), client.manifest.content_hash) == (6, base.manifest.content_hash)
        with pytest.raises(ConfigError) as local:
            base.search("pain", source="bete")
        with pytest.raises(ConfigError, match="did you mean 'beta'") as remote:
            client.search("pain", source="bete")
        assert str(remote.value) == str(local.value)


def test_many_queries_are_answered_in_their_order(base, client):
    queries = [f"sign{number % 40}" for number in range(MAX_QUERIES + 3)]
    found = client.search_many(queries, 2, source="cards")
    assert found == [base.search(query, 2, "cards") for query in queries]
    deep = client.search_many(queries[:25], 1000)  # too many passages for one request
    assert deep == [base.search(query, 1000) for query in queries[:25]]
    assert client.search_many([]) == []


@given(st.text(st.characters(), max_size=300))
def test_any_text_is_a_query(client, text):
    assert isinstance(client.search(text), list)


def test_a_long_text_is_a_query(client):
    assert client.search("fever " * 20_000, 1)[0].title.startswith("fever")


def test_a_lone_surrogate_is_sent_as_a_question_mark(base, client):
    assert client.search("fever \ud800", 1) == client.search_many(["fever \ud800"], 1)[0]
    assert base.asked[-1][0] == "fever ?"


def test_the_client_gives_the_passages_of_the_base(base, client):
    assert isinstance(client, PassageBase)
    assert client.get("p003") == base.get("p003")
    assert client.get("p999") is None
    assert client.get("\ud800") is None
    assert len(client) == len(base)
    assert client.manifest.content_hash == base.manifest.content_hash


def test_long_queries_are_sent_in_several_requests(base, client, monkeypatch):
    asked, ask = [], Endpoint.ask

    def noted(self, read, path, body, **options):
        asked.append(len(body))
        return ask(self, read, path, body, **options)

    monkeypatch.setattr(Endpoint, "ask", noted)
    monkeypatch.setattr(client_module, "MAX_QUERY_BYTES", 1_000)
    queries = [f"sign{at} " + "β" * 120 for at in range(9)]  # two bytes each
    found = client.search_many(queries, 1)
    assert [hits[0].id for hits in found] == [f"p{at:03}" for at in range(9)]
    assert len(asked) == 3
    assert max(asked) <= 1_100


def test_a_query_longer_than_a_request_is_reported(client):
    with pytest.raises(ConfigError, match="a request has at most 16,777,216 bytes"):
        client.search("x" * MAX_BODY)


def test_many_threads_share_a_client(base, client):
    queries = [f"sign{number % 40}" for number in range(200)]
    with ThreadPoolExecutor(32) as workers:
        found = list(workers.map(client.search, queries))
    assert found == [base.search(query) for query in queries]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_client_works_in_other_processes(client, method):
    client.search("sign3")  # opens a connection, which a fork must not use
    context = multiprocessing.get_context(method)
    results = context.Queue()
    number = 2 if method == "fork" else 1
    children = [context.Process(target=put_hits, args=(client, results)) for _ in range(number)]
    for child in children:
        child.start()
    assert [results.get(timeout=300) for _ in children] == [["p003"]] * number
    for child in children:
        child.join(300)
    assert client.search("sign3", 1)[0].id == "p003"


def test_a_copy_is_a_client_of_the_same_server(base, client):
    copy = pickle.loads(pickle.dumps(client))
    assert repr(copy) == repr(client)
    assert copy.search("sign3") == base.search("sign3")


def test_a_server_of_another_kind_is_reported(chat_server):
    root = chat_server.url.rstrip("/").removesuffix("/v1")
    bodies = (b'{"found": []}', b"<html>", b"[1]", b'{"results": []}')
    chat_server.script = [chat_server.raw(body) for body in bodies]
    chat_server.script += [chat_server.status(422, b"?"), chat_server.status(404, b"gone")]
    client = KnowledgeClient(root, retries=0)
    for _ in range(2):
        with pytest.raises(ServiceError, match="is no search server of this version"):
            client.search("x")
    with pytest.raises(ServiceError, match="is no search server of this version"):
        client.search("x")
    with pytest.raises(ServiceError, match="answered 0 of 1 queries"):
        client.search_many(["x"])
    with pytest.raises(ServiceError, match="is no search server of this version"):
        client.search("x")
    with pytest.raises(ServiceError, match="refused with HTTP 404: gone"):
        client.search("x")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"url": "127.0.0.1:80"}, "url must be an address such as"),
        ({"url": "ftp://x"}, "url must be an address such as"),
        ({"url": "http://x:99999"}, "url must be an address such as"),
        ({"url": None}, "url must be an address such as"),
        ({"url": "http://me:secret@x"}, "without user or password$"),
        ({"timeout": 0}, "timeout must be a number above 0"),
        ({"max_wait": -1}, "max_wait must be a number of at least 0"),
        ({"retries": 1.5}, "retries must be a whole number of at least 0"),
    ],
)
def test_wrong_options_of_a_client_are_reported(options, said):
    with pytest.raises(ConfigError, match=said):
        KnowledgeClient(**({"url": "http://127.0.0.1:1"} | options))


def test_wrong_options_of_a_search_are_reported_before_it_is_sent():
    client = KnowledgeClient("http://127.0.0.1:1", retries=0)
    with pytest.raises(ConfigError, match="limit is a whole number from 1"):
        client.search("x", 0)
    with pytest.raises(ConfigError, match="no operator 'nor'"):
        client.search_many(["x"], operator="nor")
