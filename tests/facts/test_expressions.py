"""The arithmetic of declarations."""

from __future__ import annotations

import doctest
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.facts import expressions
from gym_clinic.facts.expressions import parse
from gym_clinic.facts.passages import expressions as words
from gym_clinic.facts.records import drugs

NUMBERS = st.floats(-1e6, 1e6).map(lambda number: round(number, 3))


def test_the_examples_hold() -> None:
    for module, count in ((expressions, 3), (words, 3), (drugs, 1)):
        assert doctest.testmod(module) == (0, count), module


@given(NUMBERS, NUMBERS, NUMBERS)
def test_arithmetic_is_that_of_python(a: float, b: float, c: float) -> None:
    values = {"a": a, "b": b, "c": c}
    for text in ("a + b * c", "-(a - b) - c", "a * b ** 2", "max(a, b) if a < c else min(b, c)"):
        assert parse(text).compute(values) == eval(text, {"max": max, "min": min}, values)
    assert parse("a <= b < c").compute(values) == (a <= b < c)
    assert parse("not (a > b or b > c) and a != c").compute(values) == (a <= b <= c and a != c)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("clamp(7, 1, 4) + ln(1) + sqrt(9)", 7),
        ("count_at_least(items, 2, 2, 4)", 2),
        ("all_of(items, 0, 1, 2, 3)", True),
        ("items[1] + sum(items)", 9),
        ("{'x': 1 / 0, 'y': 5}['y']", 5),  # only the chosen value is computed
        ("given(nothing) and nothing > 1", False),
        ("value(nothing, 2) + number('1.6')", 3.6),
        ("date_after('2023-01-01', 280)", "2023-10-08"),
        ("weeks_and_days(days_between('2024-12-02', '2025-08-08'))", "35w4d"),
        ("'b' in ('a', 'b') and 'c' not in ('a', 'b')", True),
    ],
)
def test_functions(text: str, value: object) -> None:
    found = parse(text).compute({"items": [0, 3, 1, 2], "nothing": None})
    assert found == (pytest.approx(value) if isinstance(value, float) else value)


def test_a_condition_stops_where_it_is_decided() -> None:
    assert parse("a > 1 or b > 1").compute({"a": 2, "b": None}) is True
    with pytest.raises(TypeError):
        parse("a > 1 or b > 1").compute({"a": 1, "b": None})
    assert math.isclose(parse("0.9938 ** a").compute({"a": 50}), 0.9938**50)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("__import__('os')", "calls"),
        ("a.b", "not in the grammar"),
        ("a.b()", "calls"),
        ("[i for i in a]", "not in the grammar"),
        ("lambda: 1", "not in the grammar"),
        ("(a := 1)", "not in the grammar"),
        ("f'{a}'", "not in the grammar"),
        ("a % b", "operator that is not"),
        ("~a", "operator that is not"),
        ("a is None", "comparison that is not"),
        ("None", "expected a number or a text"),
        ("max(a, key=b)", "calls"),
        ("(a + b)[0]", "only a list or a table"),
        ("a +", "no expression"),
    ],
)
def test_what_is_not_in_the_grammar_is_an_error(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(text)
