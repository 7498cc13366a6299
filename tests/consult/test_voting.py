"""The weighted vote: golden values, ties, and its properties."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT

from gym_clinic.consult import Opinion, Round, Vote, vote, weighted_by_confidence
from gym_clinic.errors import ConfigError

OPTIONS = ("A", "B", "C")
GOLDEN = ROOT.parent / "shared" / "golden" / "golden.json"

ballots = st.lists(
    st.tuples(st.sampled_from([*OPTIONS, "Z", None]), st.floats(0, 1)), min_size=1, max_size=7
)


def voted(said: list[tuple[str | None, float]]) -> Vote:
    return vote([answer for answer, _ in said], [weight for _, weight in said], OPTIONS)


@pytest.mark.skipif(not GOLDEN.exists(), reason="../shared/golden/golden.json is not there")
def test_golden_votes() -> None:
    cases: list[dict[str, Any]] = json.loads(GOLDEN.read_text(encoding="utf-8"))["001_vote"]
    for case in cases:
        counted = vote(case["answers"], case["conf"], case["options"])
        assert counted.scores == pytest.approx(case["scores"], abs=1e-9)
        assert (counted.winner, counted.tie) == (case["winner"], case["tie"])
        assert counted.unanimous == case["unanimous"]


def test_no_valid_answer_has_no_winner() -> None:
    assert vote(["Z", None], [1, 1], OPTIONS) == Vote(None, (0, 0, 0), False, False)
    assert vote([], [], OPTIONS) == Vote(None, (0, 0, 0), False, False)
    assert vote(["Z", "Z"], [1, 1], OPTIONS).unanimous is False


def test_only_options_with_a_vote_win_or_tie() -> None:
    assert vote(["C"], [0.0], OPTIONS) == Vote("C", (0, 0, 0), False, True)
    assert vote(["C", "B"], [0.0, 0.0], OPTIONS)[:1] == ("B",)
    assert vote(["C", "B"], [0.5, 0.5], OPTIONS).tie


@given(said=ballots, seed=st.randoms())
def test_order_of_the_agents_does_not_matter(said: list[Any], seed: Any) -> None:
    shuffled = list(said)
    seed.shuffle(shuffled)
    assert voted(said) == voted(shuffled)


@given(said=ballots, order=st.permutations(OPTIONS))
def test_order_of_the_options_decides_ties_alone(said: list[Any], order: list[str]) -> None:
    answers, weights = [answer for answer, _ in said], [weight for _, weight in said]
    first, second = vote(answers, weights, OPTIONS), vote(answers, weights, order)
    assert dict(zip(OPTIONS, first.scores, strict=True)) == dict(
        zip(order, second.scores, strict=True)
    )
    assert first.tie == second.tie
    if not first.tie:
        assert first.winner == second.winner


@given(said=ballots, place=st.integers(0, 6), more=st.floats(0, 1))
def test_more_confidence_in_the_winner_keeps_it(said: list[Any], place: int, more: float) -> None:
    before = voted(said)
    answer, weight = said[place % len(said)]
    raised = [*said]
    raised[place % len(said)] = (answer, weight + more)
    after = voted(raised)
    if answer == before.winner and not before.tie:
        assert after.winner == before.winner
    if answer in OPTIONS:
        place = OPTIONS.index(answer)
        assert after.scores[place] >= before.scores[place]


@pytest.mark.parametrize(
    ("answers", "confidences", "options", "says"),
    [
        (["A"], [], "AB", "each answer needs one confidence: 1 answers, 0"),
        (["A"], [-1], "AB", "confidence must be a number of at least 0"),
        (["A"], [float("nan")], "AB", "confidence must be a number of at least 0"),
        (["A"], ["1"], "AB", "confidence must be a number of at least 0"),
        (["A"], [1], "AA", "options must differ"),
    ],
)
def test_wrong_votes(answers: Any, confidences: Any, options: Any, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        vote(answers, confidences, options)


def test_answers_after_the_debate_weigh_by_the_confidence_before_it() -> None:
    before = (Opinion("a", 2, None, "A", 0.9), Opinion("b", 2, None, "B", 0.4))
    after = (Opinion("a", 2, None, "B", 0.1), Opinion("b", 2, None, "B", 0.1))
    assert weighted_by_confidence([Round(before, after)]) == pytest.approx({"B": 1.3})
    assert weighted_by_confidence([Round(before)]) == pytest.approx({"A": 0.9, "B": 0.4})
