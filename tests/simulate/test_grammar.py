"""The grammar reader: what it reads, and the mistakes that it names by file and line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.errors import TaskError
from gym_clinic.facts.phrases import Choice, ParsedPhrase, Slot, parse, slots_of
from gym_clinic.simulate.grammar import Grammar, read_grammar, read_pools

NAMES = st.from_regex(r"[a-z][a-z_0-9]{0,8}", fullmatch=True)
WORDS = st.from_regex(r"[a-zA-Z0-9,.%()é-]+( [a-zA-Z0-9,.%()é-]+)*", fullmatch=True)


def nodes(phrases: st.SearchStrategy[ParsedPhrase]) -> st.SearchStrategy[ParsedPhrase]:
    """Phrases whose choices are made of the phrases given; no two texts in a row."""
    node = st.one_of(
        WORDS,
        st.builds(Slot, NAMES),
        st.builds(Choice, st.lists(phrases, min_size=2, max_size=4).map(tuple)),
    )
    return st.lists(node, max_size=4).map(merged)


def merged(found: list[str | Slot | Choice]) -> ParsedPhrase:
    out: list[str | Slot | Choice] = []
    for node in found:
        if out and isinstance(node, str) and isinstance(out[-1], str):
            node = f"{out.pop()} {node}"
        out.append(node)
    return tuple(out)


PHRASES = st.recursive(st.just(()) | WORDS.map(lambda text: (text,)), nodes, max_leaves=12)


def written(phrase: ParsedPhrase) -> str:
    """A phrase as it stands in a file."""
    parts = []
    for node in phrase:
        if isinstance(node, str):
            parts.append(node)
        elif isinstance(node, Slot):
            parts.append(f"{{{node.name}}}")
        else:
            parts.append(f"[{'|'.join(map(written, node.alternatives))}]")
    return "".join(parts)


@given(PHRASES)
def test_a_phrase_is_read_as_it_was_written(phrase: ParsedPhrase) -> None:
    text = written(phrase)
    assert parse(text) == phrase
    assert set(slots_of(phrase)) == set(re.findall(r"\{(\w+)\}", text))


@given(st.text(alphabet="ab {}[]|", max_size=20))
def test_any_text_is_a_phrase_or_a_mistake(text: str) -> None:
    try:
        found = written(parse(text, "x.txt, line 3"))
    except TaskError as error:
        found = str(error).partition(": ")[0]
    assert found in (text, "x.txt, line 3")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[a|b", "'[' without ']'"),
        ("[a|[b]", "brackets without alternatives"),
        ("[a|[b|c]", "'[' without ']'"),
        ("a|b", "'|' outside brackets"),
        ("a]", "']' outside brackets"),
        ("[a]", "brackets without alternatives"),
        ("{gene", "a brace that belongs to no {slot}"),
        ("{Gene Name}", "a brace that belongs to no {slot}"),
        ("{}", "a brace that belongs to no {slot}"),
    ],
)
def test_a_mistake_in_a_phrase_is_named(text: str, message: str) -> None:
    with pytest.raises(TaskError, match=re.escape(f"f.txt, line 9: {message} in {text!r}")):
        parse(text, "f.txt, line 9")


ENTRY = st.tuples(st.lists(WORDS, min_size=1, max_size=3), st.integers(1, 99))


@given(st.dictionaries(NAMES, st.lists(ENTRY, max_size=4), max_size=4), st.booleans())
def test_pools_are_read_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory,
    pools: dict[str, list[tuple[list[str], int]]],
    crlf: bool,
) -> None:
    path = tmp_path_factory.getbasetemp() / "pools.txt"
    lines = ["# comment", "{slot}  explanation", "{bare}", ""]
    places: dict[str, list[int]] = {}
    for name, entries in pools.items():
        lines += ["", f"= {name}"]
        for words, weight in entries:
            places.setdefault(name, []).append(len(lines) + 1)
            lines.append(f"{'-' if weight == 1 else f'{weight}x'} {words[0]}")
            lines += [f"    {more}" for more in words[1:]]
            lines.append("# comment")
    path.write_bytes(("\r\n" if crlf else "\n").join(lines).encode())
    file = read_pools(path)
    assert file.slots == {"slot": 2, "bare": 3}
    assert list(file.pools) == list(pools)
    for name, entries in pools.items():
        wanted = [(" ".join(words), weight) for words, weight in entries]
        assert [(entry.text, entry.weight) for entry in file.pools[name]] == wanted
        assert [entry.line for entry in file.pools[name]] == places.get(name, [])


def files(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return folder


GOOD = "{gene} symbol\n= title\n- {gene} in {animal}\n3x on {gene}\n= animal\n- a [fly|worm]\n"


def test_weights_and_pools_of_other_files(tmp_path: Path) -> None:
    more = "= tail\n- of {animal}\n- alone\n"
    grammar = read_grammar(files(tmp_path, a=GOOD, b=more), ["title", "tail"])
    assert list(grammar) == ["title", "animal", "tail"]
    assert len(grammar["title"]) == 4
    assert grammar["title"][1:] == (("on ", Slot("gene")),) * 3
    assert grammar["tail"][0] == ("of ", Slot("animal"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- first", "a.txt, line 1: expected '= pool'"),
        ("= t\nfree text", "a.txt, line 2: expected '= pool'"),
        ("= t\n  - x", "a.txt, line 2: expected '= pool'"),
        ("= t\n-x", "a.txt, line 2: expected '= pool'"),
        ("= t\n- x\n{gene} symbol", "a.txt, line 3: expected '= pool'"),
        ("= t\n- x\n= t\n- y", "a.txt, line 3: pool 't' is given twice"),
        ("= t", "a.txt: pool 't' has no entry"),
        ("= t\n- x\n\n- x", "a.txt, line 4: the phrase of line 2 again"),
        ("= t\n- x\n- [a|b", "a.txt, line 3: '[' without ']' in '[a|b'"),
        ("= t\n- x [a|\n  b\n- y", "a.txt, line 2: '[' without ']' in 'x [a| b'"),
        ("{gene} s\n= t\n- {gene} [x|{gnee}]", "a.txt, line 3: unknown slot {gnee}; did you mean"),
        ("{gene} s\n= t\n- x", "a.txt, line 1: no phrase uses the slot {gene}"),
        ("= t\n- x\n= u\n- y", "a.txt: nothing draws from the pool 'u'"),
        ("= t\n- {t}", "pools that refer to themselves: ['t', 't']"),
        ("= t\n- {u}\n= u\n- [x|{t}]", "pools that refer to themselves"),
        ("= u\n- x", "no pool 't'"),
    ],
)
def test_a_mistake_in_a_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(TaskError, match=re.escape(message)) as caught:
        read_grammar(files(tmp_path, a=text), ["t"])
    assert str(tmp_path) in str(caught.value)


def test_a_slot_is_declared_in_each_file_that_uses_it(tmp_path: Path) -> None:
    folder = files(tmp_path, a=GOOD, b="= tail\n- of {gene}\n")
    with pytest.raises(TaskError, match=re.escape("b.txt, line 2: unknown slot {gene}")):
        read_grammar(folder, ["title", "tail"])


def test_a_pool_in_two_files_is_named(tmp_path: Path) -> None:
    folder = files(tmp_path, a=GOOD, b="= title\n- x\n")
    with pytest.raises(TaskError, match=r"b\.txt: pool 'title' is also in .*a\.txt"):
        read_grammar(folder, ["title"])


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"= t\n- \xff\n")
    with pytest.raises(TaskError, match=r"cannot read .*a\.txt"):
        read_grammar(tmp_path, ["t"])
    with pytest.raises(TaskError, match=r"cannot read .*b\.txt"):
        read_pools(tmp_path / "b.txt")


def test_an_unknown_pool_is_named() -> None:
    grammar = Grammar({"title": (("x",),)})
    assert "title" in grammar
    assert len(grammar) == 1
    with pytest.raises(KeyError, match="no pool and no fact 'titel'; did you mean 'title'"):
        grammar["titel"]
