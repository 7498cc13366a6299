"""The OpenSearch adapter, against responses of the form that its documentation prints."""

from __future__ import annotations

import json
import re
import unicodedata
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gym_clinic.errors import ConfigError, ServiceError
from gym_clinic.retrieval.passages.passage import FoundPassage, Passage
from gym_clinic.retrieval.passages.query import parse_query
from gym_clinic.retrieval.serving.opensearch import OpenSearchBase
from gym_clinic.retrieval.serving.query_dsl import FIELDS, render

pytest.importorskip("opensearchpy")

# As in "Highlight query matches" and "Search" of docs.opensearch.org, with passages of our own.
ANSWER = {
    "took": 3,
    "timed_out": False,
    "_shards": {"total": 5, "successful": 5, "skipped": 0, "failed": 0},
    "hits": {
        "max_score": 7.450247,
        "hits": [
            {
                "_index": "clinic",
                "_id": "c1",
                "_score": 7.450247,
                "_source": {
                    "id": "c1",
                    "source": "cards",
                    "title": "Fever",
                    "text": "A child with fever is seen.",
                    "category": "card",
                    "licence": "CC0",
                },
                "highlight": {"text": ["A child with <b>fever</b> is seen."]},
                "sort": [7.450247, "c1"],
            },
            {
                "_index": "clinic",
                "_id": "c2",
                "_score": 6.5,
                "_source": {"id": "c2", "source": "cards", "title": "Fever", "text": "x" * 300},
                "sort": [6.5, "c2"],
            },
        ],
    },
}
MISSING = {
    "error": {
        "root_cause": [
            {
                "type": "index_not_found_exception",
                "reason": "no such index [clinic]",
                "index": "clinic",
                "resource.id": "clinic",
                "resource.type": "index_or_alias",
                "index_uuid": "_na_",
            }
        ],
        "type": "index_not_found_exception",
        "reason": "no such index [clinic]",
        "index": "clinic",
        "resource.id": "clinic",
        "resource.type": "index_or_alias",
        "index_uuid": "_na_",
    },
    "status": 404,
}
FAILED = {
    "error": {
        "root_cause": [],
        "type": "search_phase_execution_exception",
        "reason": "all shards failed",
        "phase": "query",
        "grouped": True,
        "failed_shards": [],
    },
    "status": 500,
}


@pytest.fixture
def base(chat_server):
    chat_server.script = [chat_server.raw(json.dumps(ANSWER).encode())]
    root = chat_server.url.rstrip("/").removesuffix("/v1")
    return OpenSearchBase(root, "clinic", retries=1)


def test_hits_become_passages(base):
    first, second = base.search("fever")
    assert first == FoundPassage(
        Passage("c1", "cards", "Fever", "A child with fever is seen.", "card", "CC0"),
        7.450247,
        "A child with <b>fever</b> is seen.",
    )
    assert (second.category, second.licence, second.snippet) == ("", "", "x" * 200)


def test_the_request_of_a_search(base, chat_server):
    base.search("fever child", 3, "cards")
    (address,) = map(urlsplit, chat_server.paths)
    assert address.path == "/clinic/_search"
    options = dict(parse_qsl(address.query))
    assert re.fullmatch("query-[0-9a-f]{8}", options.pop("preference"))
    assert options == {
        "search_type": "dfs_query_then_fetch",
        "allow_partial_search_results": "false",
    }
    (asked,) = chat_server.requests
    assert asked["query"] == {
        "bool": {
            "must": [{"match": {"body": {"query": "fever child", "operator": "or"}}}],
            "filter": [{"term": {"source": "cards"}}],
        }
    }
    assert asked["size"] == 3
    assert asked["sort"] == [{"_score": {"order": "desc"}}, {"id": {"order": "asc"}}]
    assert asked["_source"] == list(FIELDS)
    assert (asked["highlight"]["pre_tags"], asked["highlight"]["post_tags"]) == (["<b>"], ["</b>"])
    assert list(asked["highlight"]["fields"]) == ["text"]


def word(text):
    return {"match": {"body": {"query": text}}}


@pytest.mark.parametrize(
    ("query", "operator", "rendered"),
    [
        ("fever", "or", word("fever")),
        ("fever rash", "and", {"bool": {"must": [word("fever"), word("rash")]}}),
        ('"heart failure"', "or", {"match_phrase": {"body": {"query": "heart failure"}}}),
        (
            'fever rash OR "heart failure"',
            "or",
            {
                "bool": {
                    "should": [
                        {"match": {"body": {"query": "fever rash", "operator": "or"}}},
                        {"match_phrase": {"body": {"query": "heart failure"}}},
                    ],
                    "minimum_should_match": 1,
                }
            },
        ),
        (
            "fever NOT (rash AND cough)",
            "or",
            {
                "bool": {
                    "must": [word("fever")],
                    "must_not": [{"bool": {"must": [word("rash"), word("cough")]}}],
                }
            },
        ),
    ],
)
def test_a_query_is_rendered(query, operator, rendered):
    assert render(parse_query(query, operator)) == rendered


@given(st.text(max_size=200), st.sampled_from(["or", "and"]))
@example("0ꢴ", "or")  # a digit with a combining mark is one word
@example("हिन्दी ꢴ", "and")  # a mark alone is none
def test_only_words_of_the_text_reach_the_cluster(text, operator):
    tree = parse_query(text, operator)
    if tree is None:
        return
    queries = []

    def collect(node):
        for kind, inside in node.items():
            if kind in ("match", "match_phrase"):
                queries.append(inside["body"]["query"])
            else:
                assert kind == "bool"
                assert set(inside) <= {"must", "must_not", "should", "minimum_should_match"}
                for side in ("must", "must_not", "should"):
                    for child in inside.get(side, ()):
                        collect(child)

    collect(render(tree))
    assert queries
    written = unicodedata.normalize("NFC", text)
    for part in (part for query in queries for part in query.split(" ")):
        assert part in written
        assert part[0].isalnum()
        assert all(sign.isalnum() or unicodedata.category(sign)[0] == "M" for sign in part)


def test_a_query_without_words_is_not_sent(base, chat_server):
    assert base.search("?! \ud800") == []
    assert chat_server.requests == []


def test_a_passage_by_its_id(base, chat_server):
    assert base.get("c1").id == "c1"
    assert chat_server.requests[0]["query"] == {"term": {"id": "c1"}}
    nothing = ANSWER | {"hits": {"max_score": None, "hits": []}}
    chat_server.script = [chat_server.raw(json.dumps(nothing).encode())]
    assert base.get("c9") is None


def test_a_missing_index_is_reported(base, chat_server):
    chat_server.script = [chat_server.status(404, json.dumps(MISSING).encode())]
    with pytest.raises(ConfigError, match="has no index 'clinic'"):
        base.search("fever")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (ANSWER | {"timed_out": True}, "in part: 0 of 5 shards failed, it timed out"),
        (
            ANSWER | {"_shards": {"total": 5, "successful": 3, "skipped": 0, "failed": 2}},
            "in part: 2 of 5 shards failed$",
        ),
        ({"hits": {"hits": []}}, r"unexpected answer to a search: KeyError\('_shards'\)"),
        (
            ANSWER | {"hits": {"hits": [{"_score": 1.0, "_source": {"id": "c1"}}]}},
            r"unexpected answer to a search: KeyError\('text'\)",
        ),
        (
            ANSWER | {"hits": {"hits": [{"_score": 1.0, "_source": {"id": "c1", "text": ""}}]}},
            r"(?s)unexpected answer to a search: .*source.*Field required",
        ),
        ([], "unexpected answer to a search: TypeError"),
    ],
)
def test_an_answer_in_part_or_of_another_form_is_refused(base, chat_server, answer, said):
    chat_server.script = [chat_server.raw(json.dumps(answer).encode())]
    with pytest.raises(ServiceError, match=said):
        base.search("fever")


def test_failures_are_reported(base, chat_server):
    chat_server.script = [
        chat_server.status(500, json.dumps(FAILED).encode()),
        chat_server.status(401, b"Unauthorized"),
        chat_server.status(429, b"busy"),
        chat_server.raw(json.dumps(ANSWER).encode()),
        chat_server.status(503),
    ]
    with pytest.raises(
        ServiceError, match=r"TransportError\(500, 'search_phase_execution_exception'\)"
    ):
        base.search("fever")
    with pytest.raises(ServiceError, match=r"AuthenticationException\(401, 'Unauthorized'\)"):
        base.search("fever")
    assert len(base.search("fever")) == 2  # asked again after 429
    with pytest.raises(ServiceError, match=r"TransportError\(503"):
        base.search("fever")


def test_headers_are_sent_and_not_shown(base, chat_server):
    closed = OpenSearchBase(base.url, "clinic", headers={"Authorization": "Basic c2Vj"})
    closed.search("fever")
    assert chat_server.headers[-1]["authorization"] == "Basic c2Vj"
    assert "c2Vj" not in repr(closed)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda base: base.search("x", 0), "limit is a whole number from 1"),
        (lambda base: base.search("x", 10_001), "limit is at most 10,000"),
        (lambda base: base.search("x", operator="xor"), "no operator 'xor'"),
        (lambda base: OpenSearchBase("http://x", "../_all"), "no name of an index"),
        (lambda base: OpenSearchBase("x", "clinic"), "url must be an address"),
    ],
)
def test_wrong_options_are_reported(base, ask, said):
    with pytest.raises(ConfigError, match=said):
        ask(base)
