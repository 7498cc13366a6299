from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.domains.clingen.blocks import parse_tool_blocks
from gym_clinic.errors import ConfigError

RESCUE = ("ExperimentalEvidence_Rescue_agent", "T000001", "TC000001", "GENEX", "disease x")


def body(call=RESCUE, key="arguments", **changes) -> str:
    arguments = dict(zip(("pmid", "pmcid", "gene", "disease"), call[1:], strict=True))
    return json.dumps({"name": call[0], key: {**arguments, **changes}}, ensure_ascii=False)


def block(*args, **options) -> str:
    return f"<tool_call>{body(*args, **options)}</tool_call>"


def test_agrees_with_the_reference_values(golden):
    for case in golden["000_tool_blocks"]:
        calls, malformed = parse_tool_blocks(case["text"])
        assert list(dict.fromkeys(calls)) == [tuple(call) for call in case["calls"]], case["id"]
        assert malformed == case["n_malformed"], case["id"]
        calls, malformed = parse_tool_blocks(case["text"])
        assert len(calls) + malformed == case["n_blocks"], case["id"]


@pytest.mark.parametrize(
    ("text", "calls", "malformed"),
    [
        ("", 0, 0),
        ("no calls", 0, 0),
        ("<think>x</think>" + block(), 1, 0),
        (block() + "\n" + block(), 2, 0),
        (block(key="args"), 1, 0),
        (f"<tool_call>\n{body()}\n</tool_call>", 1, 0),
        ("<tool_call>" + body(), 0, 1),
        (block() + "<tool_call>" + body(), 1, 1),
        ("<tool_call>", 0, 1),
        ("<tool_call></tool_call>", 0, 1),
        ("</tool_call>" + block(), 1, 0),
        # A block runs to the first closing tag, so a second opening tag is content.
        ("<tool_call>" + block(), 0, 1),
    ],
)
def test_blocks_are_counted(text, calls, malformed):
    assert parse_tool_blocks(text) == ([RESCUE] * calls, malformed)


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (f"<think>{block()}</think>", 0),
        (f"<think>{block()}", 0),
        (f"{block()}<think>{block()}", 1),
        (f"{block()}</think>{block()}", 1),
        (f"{block()}</think>", 0),
        (f"<think>a</think>{block()}</think>{block()}", 2),
        (f"<think><think></think>{block()}", 1),
        (f"<think><tool_call></think>{block()}", 1),
    ],
)
def test_thoughts_are_neither_run_nor_counted(text, calls):
    assert parse_tool_blocks(text) == ([RESCUE] * calls, 0)


def test_a_thought_inside_a_call_is_content():
    text = block(disease="<think>disease x")
    assert parse_tool_blocks(text) == ([(*RESCUE[:4], "<think>disease x")], 0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        f"[{body()}]",
        '"text"',
        "not json",
        body()[:-1],
        body() + "x",
        body() + body(),
        body().replace('"name"', '"nam"'),
        body(("", *RESCUE[1:])),
        body((" ", *RESCUE[1:])),
        body().replace(f'"{RESCUE[0]}"', "7"),
        body(key="parameters"),
        '{"name": "a", "arguments": [], "args": {}}',
        '{"name": "a", "arguments": null}',
        '{"name": "a", "arguments": "pmid"}',
        '{"name": "a"}',
        body()[:-1] + ', "args": {}}',
        body().replace('"pmid"', '"PMID"'),
        body(pmid=None),
        body(pmid=""),
        body(gene=" \t"),
        body(disease="\u2003"),
        body(pmid=True),
        body(pmid=1.0),
        body(pmid=["T000001"]),
        body(pmcid={}),
        body().replace('"T000001"', "NaN"),
        body().replace('"T000001"', "-Infinity"),
        body().replace('"T000001"', "1" * 5000),
        body().replace('"name"', '"name": "b", "name"'),
        body().replace('"pmid"', '"pmid": "2", "pmid"'),
        body().replace("disease x", "disease\nx"),
        body().replace("disease x", "disease\x00x"),
        body().replace("disease x", "\\ud800"),
        body().replace("disease x", "\ud800"),
        body().replace('"T000001"', "[" * 100_000),
        body().replace('"T000001"', "[" * (66) + "]" * (66)),
        "\ufeff" + body(),
        "\u00a0" + body(),
    ],
)
def test_a_malformed_block(text):
    assert parse_tool_blocks(f"<tool_call>{text}</tool_call>" + block()) == ([RESCUE], 1)


def test_a_call_with_further_fields_is_well_formed():
    text = body()[:-1] + ', "type": "tool_call", "id": 4}'
    assert read(text) == RESCUE
    assert read(body(note={"deep": [[["x"]]]})) == RESCUE
    assert read(body(pmid=17)) == (RESCUE[0], "17", *RESCUE[2:])
    assert read(body(disease="β-thalassämie")) == (*RESCUE[:4], "β-thalassämie")


def read(text):
    (call,), malformed = parse_tool_blocks(f"<tool_call>{text}</tool_call>")
    assert malformed == 0
    return call


@pytest.mark.parametrize("text", [None, b"<tool_call>", 3])
def test_text_must_be_text(text):
    with pytest.raises(ConfigError, match="expected a string"):
        parse_tool_blocks(text)


@pytest.mark.parametrize(
    ("piece", "calls", "malformed"),
    [
        ("<tool_call>", 0, 1),
        ("<think>", 0, 0),
        ("</think>", 0, 0),
        ("[[[[", 0, 0),
        ("<think></think>", 0, 0),
        ("<tool_call></tool_call>", 0, 43_479),
        ("<tool_call>[[[[", 0, 1),
        ("<tool_call><think>", 0, 1),
        ("<think><tool_call></think>", 0, 0),
    ],
)
def test_a_megabyte_of_one_tag(piece, calls, malformed):
    # A scan that is quadratic in the number of tags would take hours here.
    text = piece * -(-1_000_000 // len(piece))
    assert parse_tool_blocks(text) == ([], malformed)
    assert parse_tool_blocks(f"<tool_call>{text}</tool_call>")[0] == []


pieces = st.one_of(
    st.sampled_from(["<think>", "</think>", "<tool_call>", "</tool_call>", "[", "{", '"', block()]),
    st.text(max_size=8),
)


@given(st.lists(pieces, max_size=30).map("".join))
def test_any_text_can_be_parsed(text):
    calls, malformed = parse_tool_blocks(text)
    assert len(calls) + malformed <= text.count("<tool_call>")


words = st.text("aZ0 βé'\"\\/{}[]:,>\u2003", max_size=8).map("x{}".format)


@given(st.lists(st.tuples(words, words, words, words, words), max_size=5), st.booleans())
def test_calls_written_are_calls_read(calls, thought):
    text = ("<think>…</think>" if thought else "") + "\n".join(block(call) for call in calls)
    assert parse_tool_blocks(text) == (calls, 0)
