from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gym_clinic import ConfigError, strict_json
from gym_clinic.action import DIALECTS, ActionReading, Dialect, Request, Tag, Tags, read_call
from gym_clinic.testing.checks import HOSTILE

HERMES, JSON = DIALECTS["hermes"], DIALECTS["json"]
TAGS = Tags(
    {
        "search": Tag("search_literature"),
        "drugs": Tag("check_drugs", argument="names", separator=","),
        "note": Tag(),
    }
)
ALL: list[Dialect] = [HERMES, JSON, TAGS]
each_dialect = pytest.mark.parametrize("dialect", ALL, ids=lambda one: one.name)

letters = st.characters(exclude_categories=["Cs"])
texts = st.text(letters, max_size=20)
scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e9, 1e9) | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
)
calls = st.tuples(st.text(letters, min_size=1, max_size=12), st.dictionaries(texts, values))
pieces = st.sampled_from(
    [
        "<tool_call>", "</tool_call>", "<think>", "</think>", '{"name": "a", "arguments": {}}',
        '{"name": "a", "args": {"x": 1}}', "{", "}", '"name"', "<search>", "</search>", "<drugs>",
        "</drugs>", "<note>", "</note>", "<", ">", "</", "text", "\n", "\ud800", "\x00",
    ]
)  # fmt: skip
actions = st.text(max_size=200) | st.lists(pieces, max_size=30).map("".join)


def made(reading: ActionReading) -> list[tuple[str, Mapping[str, Any]]]:
    assert all(request.fault is None for request in reading.requests)
    return [(request.name, request.arguments) for request in reading.requests]


@each_dialect
@given(action=actions)
def test_parsing_never_raises(dialect: Dialect, action: str) -> None:
    reading = dialect.parse(action)
    assert reading.text == reading.text.strip()
    for request in reading.requests:
        if request.fault is None:
            assert request.name
            assert isinstance(request.arguments, dict)
        else:
            assert (request.name, request.arguments) == ("", {})
            assert request.fault.startswith("Unreadable")


@each_dialect
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_actions_are_read(dialect: Dialect, name: str) -> None:
    reading = dialect.parse(HOSTILE[name])
    assert all(isinstance(request, Request) for request in reading.requests)


@given(st.lists(calls, min_size=1, max_size=5))
@example([("a", {"x": "<think> <tool_call>"})])
def test_hermes_round_trip(written: list[tuple[str, dict[str, Any]]]) -> None:
    action = HERMES.write(written)
    assert made(HERMES.parse(action)) == written
    assert made(HERMES.parse(f"<think>{action[:20]}</think>\nfirst {action}")) == written


@given(calls)
def test_json_round_trip(call: tuple[str, dict[str, Any]]) -> None:
    assert made(JSON.parse(JSON.write([call]))) == [call]
    assert made(JSON.parse(f"\n {JSON.write([call])} \n")) == [call]


plain = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="<>,"), min_size=1)
queries = plain.map(str.strip).filter(bool)


@given(queries, st.lists(queries, min_size=1, max_size=4))
def test_tags_round_trip(query: str, names: list[str]) -> None:
    written = [("search_literature", {"query": query}), ("check_drugs", {"names": names})]
    assert made(TAGS.parse(TAGS.write(written))) == written


def test_json_dialect_writes_several_calls_as_an_array() -> None:
    several: list[tuple[str, dict[str, Any]]] = [("a", {"x": 1}), ("b", {"y": "</think>"})]
    assert made(JSON.parse(JSON.write(several))) == several
    with pytest.raises(ConfigError, match="got none"):
        JSON.write([])


@pytest.mark.parametrize("key", ["arguments", "args"])
def test_both_names_of_arguments_are_read(key: str) -> None:
    request = read_call(f'{{"name": "look", "{key}": {{"x": 1}}}}')
    assert request == Request("look", {"x": 1})


@pytest.mark.parametrize(
    ("block", "says"),
    [
        ("", "not valid JSON"),
        ("[]", "a call is a JSON object, not an array"),
        ("null", "a call is a JSON object, not null"),
        ('"look"', "a call is a JSON object, not a string"),
        ("7", "not a number"),
        ('{"arguments": {}}', '"name" is missing or not a string'),
        ('{"name": "", "arguments": {}}', '"name" is missing or not a string'),
        ('{"name": 7, "arguments": {}}', '"name" is missing or not a string'),
        ('{"name": "look"}', '"arguments" is missing'),
        ('{"name": "look", "arguments": null}', '"arguments" is a JSON object, not null'),
        ('{"name": "look", "arguments": []}', '"arguments" is a JSON object, not an array'),
        ('{"name": "look", "arguments": "{}"}', '"arguments" is a JSON object, not a string'),
        ('{"name": "look", "args": true}', '"arguments" is a JSON object, not a boolean'),
        ('{"name": "look", "args": {}, "arguments": {}}', 'give "arguments" or "args", not both'),
        ('{"name": "a", "name": "b", "arguments": {}}', "duplicate key 'name'"),
        ('{"name": "a", "arguments": {"x": NaN}}', "not valid JSON"),
        ('{"name": "a", "arguments": {}} trailing', "not valid JSON"),
        ('{"name": "a", "arguments": ' + '{"b":' * 80 + "1" + "}" * 81, "nested too deeply"),
    ],
)
def test_faults_say_what_was_expected(block: str, says: str) -> None:
    request = read_call(block)
    assert request.fault is not None
    assert says in request.fault
    assert request.fault.endswith('Expected {"name": "<tool>", "arguments": {…}}.')


values = st.sampled_from(
    ['"v"', '"a:b"', "1", "-2.5", "null", "true", "{}", "[]", '{"x":1}', '{"x":1,"x":2}', "[[1]]",
     "18446744073709551616", "123456789012345678901234567890", "1e400", "NaN", '"\\ud800"']
)  # fmt: skip
fields = st.lists(st.tuples(st.sampled_from(["x", "y", "x:", ""]), values), max_size=3)


@st.composite
def blocks(draw: st.DrawFn) -> str:
    """Call blocks with duplicate keys, large numbers, nesting and colons in texts."""
    inside = ", ".join(f'"{key}": {value}' for key, value in draw(fields))
    outer = [
        ("name", draw(st.sampled_from(['"look"', '""', "7", '"a:b"']))),
        ("arguments", f"{{{inside}}}"),
        *draw(fields.map(lambda extra: extra[:1])),
    ]
    return "{" + ", ".join(f'"{key}": {value}' for key, value in draw(st.permutations(outer))) + "}"


@given(blocks())
def test_the_fast_path_reads_as_strict_json_does(block: str) -> None:
    request = read_call(block)
    try:
        message = strict_json.loads(block)
    except ValueError as error:
        wrong = str(error)
    else:
        wrong = ""
    if wrong:
        assert wrong in (request.fault or "")
    elif request.fault is None:
        assert (request.name, request.arguments) == (message["name"], message["arguments"])
        assert str(request.arguments) == str(message["arguments"])  # 1 is not 1.0 or True
    else:
        assert not isinstance(message["name"], str) or not message["name"]


CALL = '<tool_call>{"name": "look", "arguments": {}}</tool_call>'


@pytest.mark.parametrize(
    ("action", "names", "faults", "text"),
    [
        ("hello", [], 0, "hello"),
        (CALL, ["look"], 0, ""),
        (f" a {CALL} b {CALL} c ", ["look", "look"], 0, "a  b  c"),
        (f"<think>{CALL}</think> done", [], 0, "done"),
        (f"<think>a</think>{CALL}<think>{CALL}</think>", ["look"], 0, ""),
        (f"<think>{CALL}", [], 0, ""),
        (f"thought begun in the prompt {CALL}</think>{CALL}", ["look"], 0, ""),
        (f"{CALL}<think>a</think>", ["look"], 0, ""),
        ("<tool_call>", [], 1, ""),
        (f"x<tool_call>{{{CALL}", [], 1, "x"),
        ("<tool_call>{</tool_call>" + CALL, ["look"], 1, ""),
        ("</tool_call>", [], 0, "</tool_call>"),
        ("<TOOL_CALL>{}</TOOL_CALL>", [], 0, "<TOOL_CALL>{}</TOOL_CALL>"),
        ('<tool_call>{"name": "look", "arguments": {"x": "<think>"}}</tool_call>', ["look"], 0, ""),
        ("<think><think>a</think> b", [], 0, "b"),
    ],
)
def test_hermes(action: str, names: list[str], faults: int, text: str) -> None:
    reading = HERMES.parse(action)
    assert [one.name for one in reading.requests if one.fault is None] == names
    assert sum(one.fault is not None for one in reading.requests) == faults
    assert reading.text == text


@pytest.mark.parametrize(
    ("action", "names", "faults", "text"),
    [
        ("hello", [], 0, "hello"),
        (' {"name": "look", "arguments": {}} ', ["look"], 0, ""),
        ('{"name": "look", "arguments": {}', [], 1, ""),
        ('{"classification": "Strong"}', [], 0, '{"classification": "Strong"}'),
        ("{", [], 0, "{"),
        ('[{"name": "look", "args": {}}, {"name": "see", "args": {}}]', ["look", "see"], 0, ""),
        ('[{"name": "look"}]', [], 1, ""),
        ("[]", [], 1, ""),
        ("[1", [], 1, ""),
        ('<think>{"name": "a"}</think>{"name": "look", "args": {}}', ["look"], 0, ""),
        ('<think>[</think>{"a": "Strong"}', [], 0, '{"a": "Strong"}'),
    ],
)
def test_bare_json(action: str, names: list[str], faults: int, text: str) -> None:
    reading = JSON.parse(action)
    assert [one.name for one in reading.requests if one.fault is None] == names
    assert sum(one.fault is not None for one in reading.requests) == faults
    assert reading.text == text


def test_tags() -> None:
    reading = TAGS.parse(
        "I <b>will</b> <search> gout </search>, <drugs>a, ,b</drugs> <note>n</note>."
    )
    assert made(reading) == [
        ("search_literature", {"query": "gout"}),
        ("check_drugs", {"names": ["a", "b"]}),
    ]
    assert reading.text == "I <b>will</b> ,  n."
    (request,) = TAGS.parse("so <search> gout").requests
    assert request.fault == "Unreadable: <search> without </search>."
    assert TAGS.wrap("search_literature", "none") == "<result>\nnone\n</result>"
    with pytest.raises(ConfigError, match=r"no tag calls 'x'; tags call \['check_drugs'"):
        TAGS.write([("x", {"query": "y"})])
    with pytest.raises(ConfigError, match=r"<drugs> takes the argument 'names' .* got \['drugs'\]"):
        TAGS.write([("check_drugs", {"drugs": ["a"]})])
    for wrong in ("a", ["a", 1]):
        with pytest.raises(ConfigError, match="<drugs> takes a list of texts"):
            TAGS.write([("check_drugs", {"names": wrong})])
    for pattern in ('{"result": {response}}', "{responses}", "{response", "{}"):
        with pytest.raises(ConfigError, match="answers is a pattern with"):
            Tags({}, answers=pattern)


def test_a_tag_with_half_a_character_is_a_fault() -> None:
    first, second = TAGS.parse("<search>\ud800</search><search>β</search>").requests
    assert first.fault == "Unreadable <search>: lone surrogates have no UTF-8 form."
    assert second.arguments == {"query": "β"}


@each_dialect
def test_the_prompt_lists_every_tool(dialect: Dialect) -> None:
    schemas = [
        {"type": "function", "function": {"name": name, "description": about, "parameters": {}}}
        for name, about in (("search_literature", "Find papers."), ("check_drugs", "Check β."))
    ]
    explained = dialect.explain(schemas)
    assert "Find papers." in explained
    assert "Check β." in explained


@given(st.integers(1, 40), st.sampled_from([HERMES, JSON, TAGS]), pieces, pieces)
def test_work_grows_no_faster_than_the_text(
    times: int, dialect: Dialect, first: str, second: str
) -> None:
    """The parser looks at the text a bounded number of times: counted, not timed."""
    once, twice = (_scanned(dialect, (first + second) * (50 * times * k)) for k in (1, 2))
    assert twice <= 2.5 * once + 2_000


def _scanned(dialect: Dialect, text: str) -> int:
    counting = _Counting(text)
    dialect.parse(counting)
    return counting.scanned


class _Counting(str):
    """Counts the characters that ``find``, slices and tests go over."""

    scanned = 0

    def find(self, *args: Any) -> int:
        found = super().find(*args)
        start = args[1] if len(args) > 1 else 0
        stop = min(args[2], len(self)) if len(args) > 2 else len(self)
        self.scanned += (found if found >= 0 else stop) - start
        return found

    def __contains__(self, part: str) -> bool:
        self.scanned += len(self)
        return super().__contains__(part)

    def __getitem__(self, where: Any) -> str:
        taken = super().__getitem__(where)
        self.scanned += len(taken)
        return taken


DIAGNOSIS = Tags(
    {
        "reason": Tag(),
        "match": Tag("match", "phenotypes", ",", answer="<refer>\n{response}\n</refer>"),
        "search": Tag("search", "queries", ",", form="|{source}| {queries}"),
        "diagnose": Tag(
            "diagnose", "names", item=r"\\textbf\{([^{}]*)\}", item_form=r"\textbf{{{}}}"
        ),
    },
    inline=True,
)
"""Tags with a form, a list of items and an observation of their own."""


def test_a_tag_may_hold_several_arguments():
    (request,) = DIAGNOSIS.parse("<search> |PMC|  a b, c </search>").requests
    assert request.arguments == {"source": "PMC", "queries": ["a b", "c"]}
    for content in ("PMC a", "| PMC a", "|two words| a", ""):
        (request,) = DIAGNOSIS.parse(f"<search>{content}</search>").requests
        assert request.fault == "Unreadable <search>: expected |{source}| {queries}."


def test_a_tag_may_read_marked_items_only():
    text = r"<diagnose>Likely \textbf{SLE}, less so \textbf{ lupus, discoid }.</diagnose>"
    (request,) = DIAGNOSIS.parse(text).requests
    assert request.arguments == {"names": ["SLE", "lupus, discoid"]}
    (request,) = DIAGNOSIS.parse("<diagnose>**SLE**</diagnose>").requests
    assert request.arguments == {"names": []}


def test_tags_write_what_they_read():
    calls = [
        ("match", {"phenotypes": ["fever", "rash"]}),
        ("search", {"source": "WIKI", "queries": ["a b", "c"]}),
        ("diagnose", {"names": ["A", "B"]}),
    ]
    read = DIAGNOSIS.parse(DIAGNOSIS.write(calls)).requests
    assert [(request.name, request.arguments) for request in read] == calls


def test_a_tag_may_have_an_observation_of_its_own():
    assert DIAGNOSIS.wrap("match", "none") == "<refer>\nnone\n</refer>"
    assert DIAGNOSIS.wrap("search", "none") == "<result>\nnone\n</result>"


def test_mistakes_in_tags_are_named():
    with pytest.raises(ConfigError, match=r"the form '\|\{a\}\|' lacks the argument \{query\}"):
        Tag("search", form="|{a}|")
    with pytest.raises(ConfigError, match="item and item_form belong together"):
        Tag("search", item="(x)")
    with pytest.raises(ConfigError, match="a pattern with one group"):
        Tag("search", item="x", item_form="{}")
    with pytest.raises(ConfigError, match="answers is a pattern"):
        Tags({"search": Tag("search", answer="{other}")})
