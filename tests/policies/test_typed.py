from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.errors import ConfigError
from gym_clinic.policies.readable import call_line
from gym_clinic.policies.typed import is_pairs, read_pairs

KINDS = {
    "text": frozenset({"string"}),
    "note": frozenset({"string", "null"}),
    "items": frozenset({"array"}),
    "item": frozenset({"object"}),
    "number": frozenset({"number"}),
    "flag": frozenset({"boolean"}),
}


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("items=[{finding: dyspnea, present: true}]", [{"finding": "dyspnea", "present": True}]),
        ('items=[{"finding": "fever", "present": true}]', [{"finding": "fever", "present": True}]),
        ("items=[{'finding': 'chest pain', 'present': False}]",
         [{"finding": "chest pain", "present": False}]),
        ("items=[{finding: sore throat, present: no}]",
         [{"finding": "sore throat", "present": "no"}]),
        ("items=[{finding: vital:hr, present: true},]", [{"finding": "vital:hr", "present": True}]),
        ("items=[ { finding = fever , present = true } ]", [{"finding": "fever", "present": True}]),
        ("items=[cbc, crp]", ["cbc", "crp"]),
        ("items=cbc, crp", ["cbc", "crp"]),
        ("items=chest x-ray", ["chest x-ray"]),
        ('items="cbc"', ["cbc"]),
        ("items=[]", []),
        ("items=[5, -1.5, 1e3, 05, 5 mg]", [5, -1.5, 1000.0, "05", "5 mg"]),
        ('items=["5", "true", "null"]', ["5", "true", "null"]),
        ("items=[true, null, False, None]", [True, None, False, None]),
        ('items=["a, b", "c]", "d\\"e"]', ["a, b", "c]", 'd"e']),
        ("items=[don't know, it's]", ["don't know", "it's"]),
        ("items=[“curly”, ‘quotes’]", ["curly", "quotes"]),
        ("items=[[a, [b]], {}]", [["a", ["b"]], {}]),
        ("items = [a]", ["a"]),
        ("item={dose: 500, unit: mg, route: {by: mouth}}",
         {"dose": 500, "unit": "mg", "route": {"by": "mouth"}}),
        ("item={}", {}),
        ("text=5", "5"),
        ("text=true", "true"),
        ("text=null", "null"),
        ("note=null", None),
        ("text=[not a list]", "[not a list]"),
        ("text=blood pressure", "blood pressure"),
        ('text="blood pressure"', "blood pressure"),
        ("text=what's wrong, and where?", "what's wrong, and where?"),
        ("text='it is \"fine\"'", 'it is "fine"'),
        (r'text="a\tb"', "a\tb"),
        (r'text="C:\x"', r"C:\x"),
        ("text=", ""),
        ("text=a=b", "a=b"),
        ("number=5", 5),
        ("number=many", "many"),
        ("flag=true", True),
    ],
)  # fmt: skip
def test_values_are_read_as_people_type_them(typed: str, read: Any) -> None:
    name = typed.partition("=")[0].strip()
    found = read_pairs(typed, KINDS)[name]
    assert (found, type(found)) == (read, type(read))


def test_pairs_follow_one_another() -> None:
    typed = 'text=chest pain, at rest items=[a b, {c: d}] number=5 note="x y=z" flag=false'
    assert read_pairs(typed, KINDS) == {
        "text": "chest pain, at rest",
        "items": ["a b", {"c": "d"}],
        "number": 5,
        "note": "x y=z",
        "flag": False,
    }
    assert read_pairs("text=a, number=5,", KINDS) == {"text": "a", "number": 5}
    assert read_pairs("", KINDS) == {}


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("items=[a", "'\\[a' is not closed; a '\\]' is missing"),
        ("items=[{a: 1]", "expected ',' or '}', got '\\]'"),
        ("items=[{a}]", "expected 'name: value' in {…}, got 'a'"),
        ("items=[{: 1}]", "expected 'name: value'"),
        ("items=[{a: 1, a: 2}]", "'a' is given twice in one"),
        ('items=["a]', "the quote before 'a\\]' is not closed"),
        ("items=[a]b", "after \\[a\\] stands 'b'"),
        ('items=["a" b]', "expected ',' or '\\]', got 'b\\]'"),
        ("text=a text=b", "text is given twice"),
        ("words", "expected name=value, got 'words'"),
        ("=5", "expected name=value, got '=5'"),
        ("items=" + "[" * 40, "nested too deeply"),
    ],
)
def test_a_mistake_is_named(typed: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        read_pairs(typed, KINDS)


def test_prose_is_no_pair() -> None:
    assert is_pairs("sign=pulse")
    assert is_pairs(" sign = pulse")
    assert not is_pairs("patient's pulse = 80")
    assert not is_pairs("")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-999, 999) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.from_regex(r"[a-z_]{1,6}", fullmatch=True), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.lists(VALUES, max_size=4))
def test_json_is_read_as_json(value: list[Any]) -> None:
    assert read_pairs(f"items={json.dumps(value)}", KINDS) == {"items": value}
    plain = json.dumps(value, ensure_ascii=False)
    assert read_pairs(f"items={plain} number=5", KINDS) == {"items": value, "number": 5}


@given(st.lists(VALUES, max_size=4), st.text(max_size=20))
def test_a_call_that_is_shown_can_be_typed(items: list[Any], text: str) -> None:
    line = call_line("tool", {"text": text, "items": items})
    name, _, rest = line.partition(" ")
    assert name == "tool"
    assert read_pairs(rest, KINDS) == {"text": text, "items": items}


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    for name in KINDS:
        try:
            found = read_pairs(f"{name}={text}", KINDS)
        except ConfigError as error:
            assert str(error)  # noqa: PT017
        else:
            assert name in found
