"""The writer: seeded draws, facts and pools in slots, and the form of a sentence."""

from __future__ import annotations

import doctest
from collections import Counter
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gym_clinic.facts.phrases import ParsedPhrase, parse
from gym_clinic.simulate import writer as module
from gym_clinic.simulate.grammar import Grammar
from gym_clinic.simulate.writer import Writer, counted, punctuate

EMPTY = Grammar({})


def pools(**texts: list[str]) -> Grammar:
    return Grammar({name: tuple(map(parse, found)) for name, found in texts.items()})


def write(text: str, seed: object = 0, **facts: str | ParsedPhrase) -> str:
    return Writer(EMPTY, Random(str(seed)), facts).write(parse(text))


@given(st.integers())
def test_the_same_seed_gives_the_same_text(seed: int) -> None:
    grammar = pools(a=["[x|y] and {b}", "{b} or [p|q|r]"], b=["[1|2|3]", "[4|5]"])
    one, two = (Writer(grammar, Random(seed), {}) for _ in range(2))
    assert [one.draw("a") for _ in range(5)] == [two.draw("a") for _ in range(5)]


def test_every_alternative_is_drawn_about_as_often() -> None:
    counts = Counter(write("[a|b|[c|d]]", seed) for seed in range(1200))
    assert set(counts) == set("abcd")
    assert 330 <= min(counts["a"], counts["b"]) <= max(counts["a"], counts["b"]) <= 470
    assert 150 <= min(counts["c"], counts["d"]) <= max(counts["c"], counts["d"]) <= 250


@given(st.text(alphabet="abc[]{}|", min_size=1, max_size=12))
def test_a_fact_is_plain_text_whatever_it_holds(fact: str) -> None:
    assert write("<{gene}>", gene=fact) == f"<{fact}>"


def test_a_fact_that_is_a_phrase_is_written_out() -> None:
    facts: dict[str, str | ParsedPhrase] = {
        "gene": "ABCD1",
        "therapy": parse("a graft with {gene}"),
    }
    assert write("after {therapy}", **facts) == "after a graft with ABCD1"


def test_a_fact_goes_before_the_pool_of_its_name() -> None:
    grammar = pools(told=["{dis}"], dis=["the [disease|disorder]"])
    assert Writer(grammar, Random(1), {"dis": "gout"}).say("told") == "gout"
    anew = Writer(grammar, Random(1), {})
    assert {anew.say("told") for _ in range(40)} == {"the disease", "the disorder"}


def test_a_slot_without_fact_and_pool_is_named() -> None:
    with pytest.raises(KeyError, match="no pool and no fact 'gene'"):
        write("{gene}", disease="gout")


@given(st.integers(2, 7), st.integers(1, 30))
def test_held_out_phrases_are_never_drawn(every: int, size: int) -> None:
    texts = [str(number) for number in range(1, size + 1)]
    grammar = pools(p=texts)
    narrow = Writer(grammar, Random(0), {}, hold_back=every)
    held = {text for text in texts if size >= every and int(text) % every == 0}
    open_ones = set(texts) - held
    assert {narrow.write(phrase) for phrase in narrow.shuffled("p")} == open_ones
    assert {narrow.say("p") for _ in range(60 * size)} == open_ones
    wide = Writer(grammar, Random(0), {})
    assert {wide.write(phrase) for phrase in wide.shuffled("p")} == set(texts)


def test_a_pool_of_one_entry_uses_no_randomness() -> None:
    writer = Writer(pools(p=["[a|b]"]), Random("x"), {})
    state = writer.rng.getstate()
    writer.pick("p")
    assert writer.rng.getstate() == state


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a [eye|eye] of a unit, a one-day test", "an eye of a unit, a one-day test"),
        ("a 8% share, a 11 and a 12", "an 8% share, an 11 and a 12"),
        ("A area", "An area"),
        ("loss [|] of it [|] , then", "loss of it, then"),
        ("({x} )", "(y)"),
    ],
)
def test_articles_and_spaces(text: str, expected: str) -> None:
    assert write(text, x="y") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mice died. fish lived", "Mice died. Fish lived."),
        ("was it so? mRNA was low", "Was it so? mRNA was low."),
        ("done.", "Done."),
        ("iPSC lines", "iPSC lines."),
        ("why?", "Why?"),
    ],
)
def test_sentences_have_capitals_and_full_stops(text: str, expected: str) -> None:
    assert punctuate(text) == expected


@example("? a? a")
@given(st.text(alphabet="abc .?", max_size=20))
def test_punctuation_is_done_once(text: str) -> None:
    assert punctuate(punctuate(text)) == punctuate(text)


def test_counts_agree_with_their_noun() -> None:
    assert [counted(n, "report") for n in (0, 1, 2)] == ["0 reports", "1 report", "2 reports"]


def test_examples_in_docstrings() -> None:
    assert doctest.testmod(module).failed == 0
