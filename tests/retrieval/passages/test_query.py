from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.errors import ConfigError
from gym_clinic.retrieval.passages.query import (
    MAX_DEPTH,
    MAX_TOKENS,
    MAX_WORDS,
    AllOf,
    AnyOf,
    Phrase,
    Query,
    parse_query,
)


def w(*words: str) -> Phrase:
    return Phrase(words)


def either(*words: str) -> AnyOf:
    return AnyOf(tuple(w(word) for word in words))


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("", None),
        (" \t?!— 😀 \x00 ''", None),
        ("fever", w("fever")),
        ("fever fever FEVER", w("fever")),
        ("fever cough", either("fever", "cough")),
        ("What is the treatment of fever?", either("treatment", "fever")),
        ("the who", either("the", "who")),
        ("hepatitis A", either("hepatitis", "A")),
        ("A child with fever", either("child", "fever")),
        ("IL-6 and β-blocker", either("IL", "6", "β", "blocker")),
        ("nai\u0308ve", w("na\u00efve")),
        ("x\u0304 \u0304 y", either("x\u0304", "y")),
        ('"खांसी, बुखार" ❤\ufe0f 1\ufe0f\u20e3', AnyOf((w("खांसी", "बुखार"), w("1\ufe0f\u20e3")))),
        ('"heart failure"', w("heart", "failure")),
        ('"loss of the voice"', w("loss", "of", "the", "voice")),
        ('rash "heart failure"', AnyOf((w("rash"), w("heart", "failure")))),
        ("a1 AND b1", AllOf((w("a1"), w("b1")))),
        ("a1 OR b1", either("a1", "b1")),
        ("a1 NOT b1", AllOf((w("a1"),), (w("b1"),))),
        ("a1 AND NOT b1", AllOf((w("a1"),), (w("b1"),))),
        ("NOT b1 AND a1", AllOf((w("a1"),), (w("b1"),))),
        ("a1 b1 AND c1 d1", AllOf((either("a1", "b1"), either("c1", "d1")))),
        ("a1 OR b1 AND c1", AnyOf((w("a1"), AllOf((w("b1"), w("c1")))))),
        ("(a1 OR b1) AND c1", AllOf((either("a1", "b1"), w("c1")))),
        ("a1 (b1 c1) d1", either("a1", "b1", "c1", "d1")),
        ("a1 NOT b1 c1", AllOf((w("a1"),), (either("b1", "c1"),))),
        ("fever and not cough", either("fever", "not", "cough")),
    ],
)
def test_a_query_is_read(text: str, tree: Query | None) -> None:
    assert parse_query(text) == tree


def test_the_operator_joins_words_side_by_side() -> None:
    assert parse_query("a1 b1", "and") == AllOf((w("a1"), w("b1")))
    assert parse_query("a1 b1 OR c1", "and") == AnyOf((AllOf((w("a1"), w("b1"))), w("c1")))
    with pytest.raises(ConfigError, match="no operator 'AND'; did you mean 'and'"):
        parse_query("a1", "AND")


@pytest.mark.parametrize(
    "text",
    ['x1 "y1', "x1 (y1", "x1) y1", "x1 y1 AND", "OR x1 y1", "x1 () y1", 'x1 "" y1', "x1 OR OR y1",
     "x1 AND (OR y1)", "x1 (AND y1)", 'x1 "!" y1'],
)  # fmt: skip
def test_a_malformed_expression_is_searched_by_its_words(text: str) -> None:
    assert parse_query(text) == either("x1", "y1")


def test_nothing_but_a_negation_is_no_expression() -> None:
    assert parse_query("NOT x1") == either("NOT", "x1")
    assert parse_query("x1 OR NOT y1") == either("x1", "NOT", "y1")


def test_long_and_deep_texts_are_their_words() -> None:
    words = [f"w{number}" for number in range(MAX_TOKENS)]
    tree = parse_query("x1 AND " + " ".join(words))
    assert tree == either("x1", *words[: MAX_WORDS - 1])
    deep = "(" * (MAX_DEPTH + 1) + "x1 AND y1" + ")" * (MAX_DEPTH + 1)
    assert parse_query(deep) == either("x1", "y1")
    assert parse_query(deep[1:-1]) == AllOf((w("x1"), w("y1")))
    assert parse_query("(" * 100_000) is None


def phrases(node: Query) -> list[Phrase]:
    if isinstance(node, Phrase):
        return [node]
    excluded = node.excluded if isinstance(node, AllOf) else ()
    return [phrase for part in (*node.parts, *excluded) for phrase in phrases(part)]


PIECES = st.sampled_from(
    ['"', "(", ")", " AND ", " OR ", " NOT ", "NEAR(", "col:", "*", "^", "-", "+", "'", "\\", "a1",
     "b1", "the", "\x00", "\ud800", "é", "e\u0301", "😀", "²", "ǅ"]
)  # fmt: skip


@given(st.text() | st.lists(PIECES, max_size=40).map("".join), st.sampled_from(["or", "and"]))
def test_any_text_is_a_query_of_plain_words(text: str, operator: str) -> None:
    tree = parse_query(text, operator)
    text = unicodedata.normalize("NFC", text)
    assert (tree is None) == (not any(character.isalnum() for character in text))
    for phrase in phrases(tree) if tree else []:
        assert phrase.words
        for word in phrase.words:
            assert word in text
            assert word[0].isalnum()
            assert all(unicodedata.category(one)[0] in "LNM" for one in word)


LEAVES = st.sampled_from([w("x1"), w("y1"), w("z1"), w("x1", "of", "y1")])
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, min_size=2, max_size=3).map(tuple).map(AllOf),
    max_leaves=8,
)


def written(node: Query) -> str:
    if isinstance(node, Phrase):
        return f'"{" ".join(node.words)}"'
    assert isinstance(node, AllOf)
    return "(" + " AND ".join(written(part) for part in node.parts) + ")"


@given(TREES)
def test_a_written_table_is_read_back(tree: Query) -> None:
    assert parse_query(written(tree)) == tree
