from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from bases import PASSAGES, base
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.errors import ConfigError
from gym_clinic.retrieval.passages.knowledge import KnowledgeBase
from gym_clinic.retrieval.passages.passage import Passage

TEXTS = {passage.id: passage for passage in PASSAGES}


@pytest.fixture(scope="module", params=["fts5", "tantivy"])
def knowledge(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    if request.param == "tantivy":
        pytest.importorskip("tantivy")
    return base(tmp_path_factory.mktemp("base"), request.param)


def ids(found: list[Passage]) -> set[str]:
    return {passage.id for passage in found}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("troponin", {"p1", "p2"}),
        ("troponin migraine", {"p1", "p2", "p3"}),
        ("troponin AND pain", {"p1", "p2"}),
        ("troponin AND chest", {"p1"}),
        ("troponin NOT chest", {"p2"}),
        ("heart failure", {"p2", "p4"}),
        ('"heart failure"', {"p2"}),
        ('failure NOT "heart failure"', {"p4"}),
        ("migraine OR troponin AND chest", {"p1", "p3"}),
        ("(migraine OR troponin) AND chest", {"p1"}),
        ("pain AND (troponin OR aura)", {"p1", "p2", "p3"}),
        ("pain AND troponin OR aura", {"p1", "p2", "p3"}),
        ("pain NOT (troponin OR aura)", set()),
        ("pain NOT troponin", {"p3"}),
        ("treatment of viral infections", {"p5"}),
        ("INFECTED", {"p5"}),
        ("naive arzte", {"p6"}),
        ("β", {"p6"}),
        ('"failure heart"', set()),
        ("nothing-here", set()),
        ("", set()),
    ],
)
def test_every_operator_changes_what_is_found(knowledge, query, expected):
    assert ids(knowledge.search(query)) == expected


def test_no_phrase_runs_from_the_title_into_the_text(knowledge):
    assert ids(knowledge.search('"pain chest"')) == set()


def test_the_operator_of_the_search_joins_words(knowledge):
    assert ids(knowledge.search("troponin infarction")) == {"p1", "p2"}
    assert ids(knowledge.search("troponin infarction", operator="and")) == {"p1"}
    assert ids(knowledge.search("the troponin of infarction", operator="and")) == {"p1"}


def test_a_source_limits_the_search_and_changes_no_score(knowledge):
    every = {passage.id: passage.score for passage in knowledge.search("pain failure")}
    found = knowledge.search("pain failure", source="beta")
    assert {passage.id: passage.score for passage in found} == {
        id: score for id, score in every.items() if TEXTS[id].source == "beta"
    }
    with pytest.raises(ConfigError, match="no source 'betta'; did you mean 'beta'"):
        knowledge.search("pain", source="betta")


def test_results_come_whole_best_first_with_their_hits_marked(knowledge):
    found = knowledge.search("chest pain troponin")
    assert found[0].id == "p1"
    marked = found[0].snippet.replace("</b> <b>", " ")  # one engine joins hits in a row
    assert marked == "<b>Chest pain</b> with raised <b>troponin</b> is an infarction."
    scores = [passage.score for passage in found]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 0
    (only,) = knowledge.search("supportive")
    assert only.record == TEXTS["p5"]


def test_snippets_mark_letters_beyond_ascii_and_escape_nothing(knowledge):
    (found,) = knowledge.search("naive")
    assert "Für Ärzte: <b>naïve</b> patients, 5 µg/kg — “slowly”" in found.snippet


def test_a_hit_in_the_title_alone_gives_the_beginning_of_the_text(knowledge):
    (found,) = knowledge.search("migraine")
    assert "<b>" not in found.snippet
    assert TEXTS["p3"].text.startswith(found.snippet.rstrip("…")[:20])


@pytest.mark.parametrize("limit", [0, -1, True, 1.5])
def test_a_limit_is_a_count(knowledge, limit):
    with pytest.raises(ConfigError, match="limit is a whole number from 1"):
        knowledge.search("pain", limit=limit)


def test_a_passage_is_found_by_its_id(knowledge):
    assert knowledge.get("p6") == TEXTS["p6"]
    assert knowledge.get("p7") is None
    assert len(knowledge) == len(PASSAGES)
    assert list(knowledge) == PASSAGES
    assert knowledge.sources == {"alpha": 2, "beta": 3, "gamma": 1}


HOSTILE = [
    "x" * 100_000, "pain " * 20_000, "😀" * 1000, '"' * 999, "(" * 999, "'; DROP TABLE passages",
    '" OR 1=1', "passages_fts MATCH 'x'", "title : pain", "pain*", "^pain", "NEAR(pain chest, 2)",
    "pain + chest", "-pain", "{title text} : pain", "\x00pain", "pain\ud800", "*", "AND", "NOT NOT",
    "body:pain", "pain~2", "[a TO z]", "/pain.*/", "pain^3", "\\", "%_", "e\u0301", "²", "́",
]  # fmt: skip


@pytest.mark.parametrize("query", HOSTILE, ids=lambda query: ascii(query[:12]))
@pytest.mark.parametrize("operator", ["or", "and"])
def test_no_text_raises_or_injects(knowledge: KnowledgeBase, query: str, operator: str):
    found = knowledge.search(query, operator=operator)
    words = query.casefold()
    for passage in found:
        assert any(word.strip(".;,") in words for word in _words_of(TEXTS[passage.id]))


def _words_of(passage: Passage) -> list[str]:
    return f"{passage.title} {passage.text}".casefold().split()


PIECES = st.sampled_from(
    ['"', "(", ")", " AND ", " OR ", " NOT ", "NEAR(", "text:", "*", "^", "-", "'", " pain ",
     " troponin ", " the ", "\x00", "\ud800", "é", "😀", "²", " ＡＢ ", "ﬁ", "ǅ", "中文", "م", "ª"]
)  # fmt: skip


@given(st.text() | st.lists(PIECES, max_size=30).map("".join), st.integers(1, 7))
def test_any_text_finds_passages_in_order(knowledge: KnowledgeBase, query: str, limit: int):
    found = knowledge.search(query, limit=limit)
    keys = [(-passage.score, passage.id) for passage in found]
    assert keys == sorted(set(keys))
    assert len(found) <= limit
    assert ids(found) <= set(TEXTS)


@pytest.mark.parametrize("engine", ["fts5", "tantivy"])
def test_ties_break_by_id_at_every_limit(tmp_path: Path, engine: str):
    pytest.importorskip("tantivy")
    # Equal for BM25: the same words in another order, given in another order than that of ids.
    texts = [f"fever and x{number}y in the same words" for number in range(300)]
    given_ = [
        Passage(f"id{number * 7 % 300:03}", "s", "", text) for number, text in enumerate(texts)
    ]
    knowledge = base(tmp_path, engine, [*given_, Passage("other", "s", "", "fever fever")])
    every = ["other", *sorted(passage.id for passage in given_)]
    for limit in (1, 2, 10, 150, 301, 1000):
        found = [passage.id for passage in knowledge.search("fever", limit=limit)]
        assert found == every[:limit]


def test_more_passages_are_found_than_a_statement_may_have_variables(knowledge: KnowledgeBase):
    with knowledge._database.connection() as connection:
        if not hasattr(connection, "setlimit"):
            pytest.skip("this Python cannot lower the limit")
        connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 3)
    assert len(knowledge.search("pain failure infection", limit=100_000)) == 5
    knowledge.close()


def test_a_word_with_marks_is_one_word(tmp_path: Path):
    pytest.importorskip("tantivy")
    texts = ["बुखार और खांसी", "खार बु", "مرض مُزْمِن", "חוֹם גָּבוֹהַּ", "tiếng Việt", "x̄ is a mean"]
    passages = [Passage(f"{number}", "s", "", text) for number, text in enumerate(texts)]
    for engine in ("fts5", "tantivy"):
        marked = base(tmp_path, engine, passages)
        for query, expected in (
            ("बुखार", {"0"}), ("खांसी", {"0"}), ("مُزْمِن", {"2"}), ("חוֹם", {"3"}), ("VIET", {"4"}),
            ("việt", {"4"}), ("tieng", {"4"}), ("x̄", {"5"}), ('"बुखार और"', {"0"}),
        ):  # fmt: skip
            assert ids(marked.search(query)) == expected, (engine, query)


def test_an_empty_base_of_titles_is_searched_too(tmp_path: Path):
    knowledge = base(tmp_path, "fts5", [Passage("a", "s", "", "one text")])
    assert [passage.id for passage in knowledge.search("text", limit=10**9)] == ["a"]
