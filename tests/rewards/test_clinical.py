"""The formulas of the five-dimensional reward."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic import ConfigError
from gym_clinic.rewards.clinical import (
    WEIGHTS,
    five_d,
    format_score,
    matched,
    process_score,
    rubric_score,
)

SCORES = st.fixed_dictionaries({name: st.floats(0, 1) for name in WEIGHTS})
SEVERITIES = st.lists(st.integers(1, 5), max_size=4)
ARGUMENTS = st.dictionaries(st.sampled_from("ab"), st.integers(0, 1), max_size=2)
CALLS = st.lists(st.tuples(st.sampled_from(["order", "read", "give"]), ARGUMENTS), max_size=4)


@pytest.mark.parametrize("kind", ["002_five_d", "002_process", "002_format"])
def test_reference_values(golden: Any, kind: str) -> None:
    score, name = {
        "002_five_d": (five_d, "total"),
        "002_process": (process_score, "r"),
        "002_format": (format_score, "r"),
    }[kind]
    rows = golden[kind]
    assert rows
    for row in rows:
        given = {key: value for key, value in row.items() if key != name}
        assert score(**given) == pytest.approx(row[name], abs=1e-9), row
    assert rubric_score(golden["002_rubric"]["rubric"]) == pytest.approx(
        golden["002_rubric"]["score"]
    )


@given(SCORES, SEVERITIES, st.none() | st.floats(0, 1), st.booleans(), st.booleans())
def test_violations_never_pay(
    scores: dict[str, float],
    severities: list[int],
    assertion: float | None,
    renormalize: bool,
    per_violation: bool,
) -> None:
    def total(found: list[int]) -> float:
        return five_d(scores, assertion, found, renormalize, per_violation)

    assert total(severities) <= total([]) <= 1 + 1e-9
    assert all(total([*severities, more]) <= total(severities) for more in range(1, 6))
    if 5 in severities:
        assert total(severities) <= 0.1


@pytest.mark.parametrize(
    ("scores", "assertion", "severities", "says"),
    [
        ({"acc": 1.0}, None, (), "R has the dimensions"),
        (dict.fromkeys(WEIGHTS, 1.5), None, (), "acc is a number from 0 to 1, not 1.5"),
        (dict.fromkeys(WEIGHTS, float("nan")), None, (), "acc is a number from 0 to 1, not nan"),
        (dict.fromkeys(WEIGHTS, 1.0), 2.0, (), "assertion is a number from 0 to 1"),
        (dict.fromkeys(WEIGHTS, 1.0), None, (6,), "a severity is a whole number from 1 to 5"),
    ],
)
def test_impossible_scores_are_refused(
    scores: dict[str, float], assertion: float | None, severities: tuple[int, ...], says: str
) -> None:
    with pytest.raises(ConfigError, match=says):
        five_d(scores, assertion, severities)


def best_matching(calls: list[Any], expected: list[Any]) -> int:
    """The most expected calls that calls of their own fulfil, by trying every order."""

    def fits(call: Any, one: Any) -> bool:
        return call[0] == one[0] and one[1].items() <= call[1].items()

    padded = [*calls, *[("nothing", {})] * len(expected)]
    return max(
        sum(fits(call, one) for call, one in zip(order, expected, strict=False))
        for order in permutations(padded, len(expected))
    )


@given(CALLS, CALLS.filter(lambda calls: len(calls) <= 3))
def test_matching_is_one_to_one_and_the_largest(calls: list[Any], expected: list[Any]) -> None:
    assert matched(calls, expected) == best_matching(calls, expected)


@given(CALLS, CALLS)
def test_a_process_lies_between_0_and_1_and_repeats_do_not_pay(
    calls: list[Any], expected: list[Any]
) -> None:
    score = process_score(calls, expected)
    assert 0 <= score <= 1
    spare = [call for call in calls if matched(calls, expected) == len(expected)]
    if spare:
        assert process_score([*calls, spare[0]], expected) <= score


def test_a_value_of_another_type_is_another_value() -> None:
    assert matched([("give", {"dose": True})], [("give", {"dose": 1})]) == 0
    assert matched([("give", {"dose": 1, "route": "oral"})], [("give", {"dose": 1})]) == 1


def test_elements_are_found_as_whole_words() -> None:
    assert rubric_score({"text": "Severe anemia.", "required_elements": ["mi"]}) == 0
    assert rubric_score({"text": "Acute MI, likely.", "required_elements": ["acute mi"]}) == 1
    assert rubric_score({"text": "Discharge home", "forbidden": ["discharge", "opioid"]}) == 0.5
    assert rubric_score({"text": "Anything"}) is None


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ('Here it is:\n```json\n{"name": "a", "arguments": {}}\n```', 0.8),
        ('```\n{"name": "a"}\n```', 0.5),
        ('{"arguments": {"x": 1}}', 0.5),
        ('{"name": "a", "arguments": {}, "arguments": {"x": 1}}', 0.0),
        ("{}", 0.0),
        ("", 0.0),
    ],
)
def test_format_of_calls(text: str, score: float) -> None:
    assert format_score(text, final=False) == score


def test_blanks_are_no_answer() -> None:
    assert format_score(" " * 50, final=True) == 0
