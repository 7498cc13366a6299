from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.strict_json import MAX_DEPTH, dumps, loads, plain_copy

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
keys = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(keys, inner), max_leaves=20
)


@given(values, st.booleans())
def test_agrees_with_json_on_what_is_valid(value: Any, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert loads(text) == json.loads(text) == value


@given(st.text())
def test_reads_as_json_does_or_refuses(text: str) -> None:
    try:
        value = loads(text)
    except ValueError:
        return
    assert json.loads(text) == value


@given(st.dictionaries(keys, values, min_size=1), st.data())
def test_refuses_a_duplicate_key(members: dict[str, Any], data: st.DataObject) -> None:
    twice = data.draw(st.sampled_from(sorted(members)))
    parts = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in members.items()]
    parts.insert(data.draw(st.integers(0, len(parts))), f"{json.dumps(twice)}: 0")
    body = "{" + ", ".join(parts) + "}"
    for text in (body, f'[1, {{"outer: still": {body}}}]'):
        with pytest.raises(ValueError, match="duplicate key"):
            loads(text)


def test_the_same_key_in_two_objects_is_fine() -> None:
    assert loads('[{"a": 1}, {"a": {"a": ":"}}]') == [{"a": 1}, {"a": {"a": ":"}}]


def test_an_escaped_key_is_the_same_key() -> None:
    with pytest.raises(ValueError, match="duplicate key 'a'"):
        loads('{"a": 1, "\\u0061": 2}')


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "NaN", "[NaN]", "Infinity", '{"a": -Infinity}', "{'a': 1}", "{a: 1}", "[1,]",
        '{"a": 1,}', '{"a" 1}', "[1", '{"a": 1', "01", "1.", ".5", "+1", "0x1", "nul", "True",
        '"\x01"', '"\n"', '"\ud800"', '"\\ud800"', '"\\x41"', "1 2", "{}{}", "\x00", "\ufeff{}",
        "/* no */ {}", "9" * 5_000, "1e999",
    ],
)  # fmt: skip
def test_refuses_what_is_no_json(text: str) -> None:
    with pytest.raises(ValueError, match="not valid JSON"):
        loads(text)


@pytest.mark.parametrize(("left", "right"), [("[", "]"), ('{"a":', "}")])
def test_nesting_is_limited_and_never_overruns_the_stack(left: str, right: str) -> None:
    assert loads(left * MAX_DEPTH + "1" + right * MAX_DEPTH)
    for depth in (MAX_DEPTH + 1, 500, 990, 1000, 1024, 1025, 100_000):
        with pytest.raises(ValueError, match=r"nested too deeply|not valid JSON"):
            loads(left * depth + "1" + right * depth)


def test_long_keys_are_cut_in_the_message() -> None:
    key = "k" * 10_000
    with pytest.raises(ValueError, match="duplicate key") as caught:
        loads(f'{{"{key}": 1, "{key}": 2}}')
    assert len(str(caught.value)) < 200


@given(values)
def test_a_copy_is_equal_and_is_written_and_read_as_it_was(value: Any) -> None:
    assert plain_copy(value) == value
    assert loads(dumps(value)) == value


def test_a_copy_has_the_limits_of_what_is_read() -> None:
    nested: Any = []
    for _ in range(MAX_DEPTH - 1):
        nested = [nested]
    assert plain_copy(nested) == loads(dumps(nested))
    with pytest.raises(ValueError, match="nested too deeply"):
        plain_copy([nested])
    with pytest.raises(ValueError, match="nested too deeply"):
        loads(dumps([nested]))


def test_integers_beyond_64_bits_are_written() -> None:
    assert dumps({"β": -(10**40)}) == '{"β":-1' + "0" * 40 + "}"
    with pytest.raises(TypeError):
        dumps({"a": object(), "b": 10**40})


def test_an_integer_that_python_does_not_write_out_is_refused() -> None:
    assert dumps(plain_copy(10**4299)) == str(10**4299)
    with pytest.raises(ValueError, match="more than 4,300 digits"):
        plain_copy([10**4300])
