from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.errors import ConfigError
from gym_clinic.facts.naming import words
from gym_clinic.retrieval.patients.name_index import K1, B, NameIndex

VOCABULARY = ["amber", "fever", "blue", "palsy", "syndrome", "type", "i", "ii", "rare", "very"]
NAMES = st.lists(st.lists(st.sampled_from(VOCABULARY), max_size=6).map(" ".join), max_size=30)
QUERY = st.lists(st.sampled_from([*VOCABULARY, "unheard"]), max_size=8).map(" ".join)


def dense(names: list[str], query: str) -> list[float]:
    """The formula of the paper, word for word, over all names."""
    split = [words(name) for name in names]
    average = sum(map(len, split)) / len(split) if any(split) else 1.0
    scores = []
    for name in split:
        score = 0.0
        for word in words(query):
            n = sum(word in other for other in split)
            idf = math.log((len(split) - n + 0.5) / (n + 0.5) + 1)
            f = name.count(word)
            score += idf * f * (K1 + 1) / (f + K1 * (1 - B + B * len(name) / average))
        scores.append(score)
    return scores


def index(names: list[str]) -> NameIndex:
    return NameIndex((f"{number:03}", name) for number, name in enumerate(names))


@given(NAMES, QUERY)
def test_the_scores_are_those_of_scoring_all_names(names, query):
    found, scores = index(names).candidates(query)
    all_scores = np.zeros(len(names))
    all_scores[found] = scores
    assert all_scores == pytest.approx(dense(names, query) if names else [], rel=1e-12)
    assert list(found) == sorted(set(found))
    assert (scores > 0).all()


@given(NAMES, QUERY, st.integers(1, 5))
def test_the_best_are_those_of_scoring_all_names(names, query, limit):
    searched = index(names)
    hits = searched.search(query, limit)
    found, scores = searched.candidates(query)
    by_score = sorted(zip(-scores, found, strict=True))[:limit]
    assert [(int(hit.record), hit.score) for hit in hits] == [
        (number, -negative) for negative, number in by_score
    ]
    best = searched.best(query)
    assert (best is None) == (not hits)
    if best is not None:
        assert replace(best, equals=()) == hits[0]
        equal = found[np.isclose(scores, best.score, rtol=1e-9, atol=0)].tolist()
        assert best.equals == tuple(f"{number:03}" for number in equal[1:])


@given(NAMES.filter(any))
def test_every_name_matches_itself_completely(names):
    for name in names:
        best = index(names).best(name)
        assert (best is None) == (not name)
        if best is not None:
            assert best.share >= 1 - 1e-9


@given(NAMES.filter(any), QUERY)
def test_rank_bm25_scores_the_same_with_the_idf_of_the_paper(names, query):
    rank_bm25 = pytest.importorskip("rank_bm25")
    split = [list(words(name)) for name in names]
    peer = rank_bm25.BM25Okapi(split, k1=K1, b=B)
    held = Counter(word for name in split for word in set(name))
    peer.idf = {word: math.log((len(split) - n + 0.5) / (n + 0.5) + 1) for word, n in held.items()}
    found, scores = index(names).candidates(query)
    assert peer.get_scores(list(words(query)))[found] == pytest.approx(scores)


def test_rank_bm25_differs_by_its_idf():
    rank_bm25 = pytest.importorskip("rank_bm25")
    names = ["rare syndrome", "blue syndrome", "amber syndrome", "fever syndrome", "amber palsy"]
    peer = rank_bm25.BM25Okapi([list(words(name)) for name in names], k1=K1, b=B)
    # "syndrome" stands in four of five names: the peer's IDF is negative there, and floored.
    assert math.log(1.5 / 4.5) < 0
    assert peer.idf["syndrome"] == pytest.approx(peer.epsilon * peer.average_idf)
    found, scores = index(names).candidates("syndrome")
    assert scores == pytest.approx(dense(names, "syndrome")[:4])
    assert (abs(peer.get_scores(["syndrome"])[found] / scores - 1) > 0.4).all()
    # For a rare word the + 1 is what differs.
    assert peer.idf["blue"] == pytest.approx(math.log(4.5 / 1.5))
    _, scores = index(names).candidates("blue")
    assert scores / peer.get_scores(["blue"])[1] == pytest.approx(
        math.log(4.5 / 1.5 + 1) / math.log(4.5 / 1.5)
    )


def test_several_names_of_one_id_give_one_hit_with_the_best_name():
    searched = NameIndex(
        [("a", "Amber fever"), ("a", "Amber"), ("b", "Amber palsy"), ("c", "Blue palsy")]
    )
    hits = searched.search("amber")
    assert [(hit.record, hit.how) for hit in hits] == [("a", "Amber"), ("b", "Amber palsy")]
    assert hits[0].share == pytest.approx(1)


def test_many_names_of_one_id_do_not_hide_the_next():
    names = [("a", "Amber fever") for _ in range(500)] + [("b", "Amber palsy of the very old")]
    assert [hit.record for hit in NameIndex(names).search("amber fever", 2)] == ["a", "b"]


def test_equals_come_in_the_order_of_the_names():
    searched = NameIndex([("z", "Amber fever"), ("b", "Fever, amber"), ("a", "AMBER FEVER")])
    assert [hit.record for hit in searched.search("amber fever")] == ["z", "b", "a"]
    assert searched.best("amber fever").record == "z"


@pytest.mark.parametrize("query", ["", "?!", "unheard of", "\U0001f600", '" OR *', "\ud800"])
def test_a_name_without_a_shared_word_is_not_found(query):
    searched = index(["Amber fever", "???"])
    assert searched.best(query) is None
    assert searched.search(query) == []
    assert index([]).best(query) is None


@given(st.text())
def test_any_text_is_a_query(query):
    searched = index(["Amber fever", query])
    assert (searched.best(query) is None) == (not words(query))
    assert len(searched.search(query)) <= 2


def test_a_limit_is_a_count():
    with pytest.raises(ConfigError, match="limit is a whole number from 1, not 0"):
        index(["Amber"]).search("amber", 0)


def test_the_index_says_how_many_names_it_holds():
    assert len(index(["Amber fever", "Blue palsy"])) == 2
