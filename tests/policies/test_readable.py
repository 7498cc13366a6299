from __future__ import annotations

import pytest

from gym_clinic import Kind, tool
from gym_clinic.policies.readable import columns, kind_of, readable, reflow, tool_table, wrap


@tool(kind=Kind.WRITE)
def order_lab(tests: list[str], urgent: bool = False) -> str:
    """Order laboratory tests.

    Args:
        tests: Which.
        urgent: Whether it is needed within the hour.
    """
    return ""


def test_a_table_of_tools_shows_what_arguments_take() -> None:
    assert tool_table([order_lab], 80).split("\n") == [
        "order_lab",
        "  Order laboratory tests.",
        "    tests   [text, …]     Which.",
        "    urgent  true | false  (optional) Whether it is needed within the hour.",
    ]
    assert tool_table([order_lab], 40).split("\n") == [
        "order_lab",
        "  Order laboratory tests.",
        "    tests · [text, …] · Which.",
        "    urgent · true | false · (optional)",
        "        Whether it is needed within the",
        "        hour.",
    ]


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({"type": "string"}, "text"),
        ({"enum": ["left", "right", 2], "type": "string"}, "left | right | 2"),
        ({"const": "a"}, "a"),
        ({"type": "integer", "minimum": 1}, "whole number from 1"),
        ({"type": "number", "exclusiveMinimum": 0, "maximum": 2.5}, "number above 0 to 2.5"),
        ({"type": "boolean"}, "true | false"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "text"),
        ({"type": "array", "items": {"$ref": "#/$defs/Cited"}},
         "[{finding: text, present?: true | false}, …]"),
        ({}, "any value"),
    ],
)  # fmt: skip
def test_schemas_are_said_in_words(schema: dict[str, object], says: str) -> None:
    cited = {
        "type": "object",
        "properties": {"finding": {"type": "string"}, "present": {"type": "boolean"}},
        "required": ["finding"],
    }
    assert kind_of(schema, {"Cited": cited}) == says


def test_json_results_are_lines_and_other_texts_stay() -> None:
    result = '{"id": "o1", "ready": true, "tests": ["cbc", "crp"], "rows": [{"a": 1, "b": null}]}'
    assert readable(result) == ("id: o1\nready: yes\ntests: cbc, crp\nrows:\n  - a: 1\n    b: none")
    for text in ("plain", "{not json}", "[1, 2", ""):
        assert readable(text) == text
    assert readable("[]") == "none"


def test_long_lines_hang_below_their_beginning() -> None:
    assert wrap("  - one two three four five six", 20) == "  - one two three\n    four five six"
    assert wrap("12. one two three four", 20) == "12. one two three\n    four"
    assert wrap("a " * 30, None) == "a " * 30


def test_paragraphs_that_were_wrapped_by_hand_flow() -> None:
    long = "word " * 13
    assert reflow(f"{long}\nand more\n- item\n\nshort\nline") == (
        f"{long.strip()} and more\n- item\n\nshort\nline"
    )
    assert reflow(f"# {long}\ntext") == f"# {long}\ntext"


def test_columns_of_nothing_are_nothing() -> None:
    assert list(columns([], 80)) == []
