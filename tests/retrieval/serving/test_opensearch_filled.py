"""An index of a stand-in cluster: created, filled, and searched like a local base."""

from __future__ import annotations

import json
import random

import bases
import pytest
from cluster import Cluster
from hypothesis import given
from hypothesis import strategies as st
from memory_base import passages

from gym_clinic.errors import ConfigError, ServiceError, TaskError
from gym_clinic.retrieval.passages.passage import Passage
from gym_clinic.retrieval.passages.query import MAX_WORDS
from gym_clinic.retrieval.passages.reading import LONG
from gym_clinic.retrieval.serving import opensearch
from gym_clinic.retrieval.serving.opensearch import INDEX, OpenSearchBase

pytest.importorskip("opensearchpy")

WORDS = ("fever", "rash", "cough", "vomit", "limp")  # each its own stem


@pytest.fixture(scope="module")
def cluster():
    with Cluster() as one:
        yield one


@pytest.fixture
def base(cluster):
    cluster.indexes.clear()
    cluster.asked.clear()
    cluster.busy = False
    return OpenSearchBase(cluster.url, "clinic", retries=0)


def test_an_index_is_made_filled_and_searched(base, cluster):
    base.create(shards=3, replicas=2)
    made = cluster.indexes["clinic"]["made"]
    assert made["mappings"] == INDEX["mappings"]
    assert made["settings"] == INDEX["settings"] | {"number_of_shards": 3, "number_of_replicas": 2}
    assert base.fill(iter(passages())) == 40
    assert base.search("sign17", 1)[0].id == "p017"
    assert base.get("p017").text == passages()[17].text
    assert {one.source for one in base.search("fever", 40, "cards")} == {"cards"}
    with pytest.raises(ConfigError, match="has an index 'clinic' already"):
        base.create()


def test_passages_are_sent_in_pieces(base, cluster, monkeypatch):
    monkeypatch.setattr(opensearch, "BULK_BYTES", 1000)
    base.create()
    assert base.fill(passages()) == 40
    sent = [size for _, path, size in cluster.asked if path.endswith("_bulk")]
    assert len(sent) > 5
    assert max(sent) < 1500
    assert base.fill([]) == 0
    assert len(base.search("child", 100)) == 40


def test_a_missing_index_is_not_made_by_filling_it(base, cluster):
    with pytest.raises(ConfigError, match="has no index 'clinic'"):
        base.fill(passages())
    assert cluster.indexes == {}


def test_a_passage_that_is_refused_is_reported(base, cluster):
    base.create()
    with pytest.raises(TaskError, match=r"refused the passage 'xx.*': illegal_argument_exception"):
        base.fill([*passages(3), Passage("x" * 513, "s", "", "text")])
    cluster.busy = True
    with pytest.raises(ServiceError, match="is busy: rejected_execution_exception"):
        base.fill(passages())


@pytest.mark.parametrize("options", [{"shards": 0}, {"replicas": -1}, {"replicas": True}])
def test_wrong_options_of_an_index_are_reported(base, options):
    with pytest.raises(ConfigError, match=r"whole number (from 1|of at least 0)"):
        base.create(**options)


word = st.sampled_from(WORDS)
phrase = st.lists(word, min_size=1, max_size=3).map(lambda some: f'"{" ".join(some)}"')
plain = st.lists(word | phrase, min_size=1, max_size=3).map(" ".join)
query = st.recursive(
    plain,
    lambda parts: st.tuples(parts, st.sampled_from(["OR", "AND", "NOT", "AND NOT"]), parts).map(
        lambda one: f"({one[0]}) {one[1]} ({one[2]})"
    ),
    max_leaves=5,
)


@pytest.fixture(scope="module")
def both(cluster, tmp_path_factory):
    """Return the same passages of few words in a local base and in the cluster."""
    drawn = random.Random(0)
    held = []
    for at in range(120):
        title, text = (" ".join(drawn.choices(WORDS, k=k)) for k in (at % 3, 3))
        held.append(Passage(f"p{at:03}", "s", title, f"{text} sign{at}"))
    remote = OpenSearchBase(cluster.url, "both", retries=0)
    cluster.indexes.pop("both", None)
    remote.create()
    remote.fill(held)
    return bases.base(tmp_path_factory.mktemp("both"), "fts5", held), remote


@given(query, st.sampled_from(["or", "and"]))
def test_a_query_means_what_it_means_locally(both, query, operator):
    local, remote = (
        {one.id for one in base.search(query, 200, operator=operator)} for base in both
    )
    assert local == remote


def test_a_long_text_is_searched_by_its_informative_words(base, cluster):
    """The word of one passage stands last, behind more words than are searched."""
    words = [f"common{n}" for n in range(MAX_WORDS + 10)]
    base.create()
    base.fill([Passage(f"p{n}", "s", "", " ".join(words)) for n in range(3)])
    base.fill([Passage("rare", "s", "", "vertigo")])
    story = f"A 67-year-old man came yesterday with {' '.join(words)} unknown vertigo"
    found = base.search(story, 10)
    assert {one.id for one in found} == {"p0", "p1", "p2", "rare"}
    assert base.search("vertigo", 10)[0].id == "rare"
    assert base.search(f"{story} AND vertigo", 10) == []  # searched as it is written
    cluster.asked.clear()
    base.search("fever and vertigo", 10)
    assert sum("_search" in path for _, path, _ in cluster.asked) == 1
    assert {one.id for one in base.search("who what " + "when 67 " * 40, 10)} == set()


def test_the_count_of_another_form_is_refused(chat_server):
    answer = {"timed_out": False, "_shards": {"total": 1, "failed": 0}, "hits": {"hits": []}}
    chat_server.script = [chat_server.raw(json.dumps(answer).encode())]
    other = OpenSearchBase(chat_server.url.rstrip("/").removesuffix("/v1"), "clinic", retries=0)
    with pytest.raises(ServiceError, match=r"unexpected answer to a search: KeyError\('aggreg"):
        other.search(" ".join(f"word{n}" for n in range(LONG + 1)))
