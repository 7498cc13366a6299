"""Both engines against the plain meaning of a query, and against the formula of BM25."""

from __future__ import annotations

import math
import random

import pytest
from bases import base
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.retrieval.passages.knowledge import KnowledgeBase
from gym_clinic.retrieval.passages.passage import Passage
from gym_clinic.retrieval.passages.query import AllOf, AnyOf, Phrase, Query, parse_query

# Words that are their own stems.
WORDS = ["pain", "rash", "heart", "lung", "fever", "bone"]


def passages() -> list[Passage]:
    chance = random.Random("engines")
    return [
        Passage(f"p{number:02}", "s", " ".join(chance.choices(WORDS, k=chance.randint(0, 2))),
                " ".join(chance.choices([*WORDS, f"only{number}x"], k=chance.randint(1, 6))))
        for number in range(60)
    ]  # fmt: skip


@pytest.fixture(scope="module", params=["fts5", "tantivy"])
def knowledge(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    if request.param == "tantivy":
        pytest.importorskip("tantivy")
    return base(tmp_path_factory.mktemp("engines"), request.param, passages())


def holds(passage: Passage, node: Query) -> bool:
    if isinstance(node, AnyOf):
        return any(holds(passage, part) for part in node.parts)
    if isinstance(node, AllOf):
        return all(holds(passage, part) for part in node.parts) and not any(
            holds(passage, part) for part in node.excluded
        )
    return any(occurrences(node, value) for value in (passage.title, passage.text))


def occurrences(phrase: Phrase, text: str) -> int:
    words, size = text.split(), len(phrase.words)
    return sum(tuple(words[at : at + size]) == phrase.words for at in range(len(words) - size + 1))


QUERIES = st.recursive(
    st.sampled_from(WORDS)
    | st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(
        lambda some: f'"{" ".join(some)}"'
    ),
    lambda inner: st.tuples(inner, st.sampled_from([" ", " AND ", " OR ", " NOT "]), inner).map(
        lambda parts: f"({''.join(parts)})"
    ),
    max_leaves=7,
)


@given(QUERIES, st.sampled_from(["or", "and"]))
def test_the_passages_found_satisfy_the_query(knowledge: KnowledgeBase, query, operator):
    tree = parse_query(query, operator)
    assert tree is not None
    found = {passage.id for passage in knowledge.search(query, limit=100, operator=operator)}
    assert found == {passage.id for passage in knowledge if holds(passage, tree)}


def inverse_frequency(engine: str, total: int, holding: int) -> float:
    odds = (total - holding + 0.5) / (holding + 0.5)
    return math.log(1 + odds) if engine == "tantivy" else max(1e-6, math.log(odds))


@given(st.lists(st.sampled_from([*WORDS, "only7x", "none"]), min_size=1, max_size=5, unique=True))
def test_the_score_is_bm25_over_title_and_text_together(knowledge: KnowledgeBase, words):
    every = list(knowledge)
    lengths = {one.id: len(f"{one.title} {one.text}".split()) for one in every}
    mean = sum(lengths.values()) / len(every)
    expected = dict.fromkeys(lengths, 0.0)
    for word in words:
        counts = {one.id: f"{one.title} {one.text}".split().count(word) for one in every}
        holding = sum(count > 0 for count in counts.values())
        inverse = inverse_frequency(knowledge.manifest.engine, len(every), holding)
        for id, count in counts.items():
            norm = 1.2 * (0.25 + 0.75 * lengths[id] / mean)
            expected[id] += inverse * count * 2.2 / (count + norm)
    found = knowledge.search(" ".join(words), limit=100)
    assert {one.id for one in found} == {id for id, score in expected.items() if score}
    for one in found:
        assert one.score == pytest.approx(expected[one.id], rel=2e-4)


@pytest.mark.parametrize("engine", ["fts5", "tantivy"])
def test_a_snippet_is_a_part_of_the_text_with_marks(tmp_path, engine):
    pytest.importorskip("tantivy")
    chance = random.Random(engine)
    pieces = ["pain", "Schmerz-Pain", "“naïve”", "β", "µg/kg,", "😀", "(fever)", "中文", "e.g.",
              "x" * 40, "\n", "<i>", "5%", "—"]  # fmt: skip
    texts = [" ".join(chance.choices(pieces, k=chance.randint(1, 120))) for _ in range(40)]
    some = base(tmp_path, engine, [Passage(f"{n}", "s", "", one) for n, one in enumerate(texts)])
    for query in ("pain", "naive fever", '"pain fever"', "β NOT 5", "中文"):
        for one in some.search(query, limit=40):
            inner = one.snippet.replace("<b>", "").replace("</b>", "")
            assert "<b>" in one.snippet
            assert inner.strip("…") in one.text
            assert len(inner) < 500
            assert one.text.startswith(inner.strip("…")) or inner.startswith("…")
            assert one.text.endswith(inner.strip("…")) or inner.endswith("…")


@pytest.mark.parametrize("text", ["0ꢴ", "हिन्दी", "naïve", "dose 0ꢴ twice"])
def test_words_with_combining_marks_find_their_text(tmp_path, engine, text):
    found = base(tmp_path, engine, [Passage("p", "s", "", text)]).search(text, operator="and")
    assert [one.id for one in found] == ["p"]
