"""Ontologies in OBO format (`hp.obo`) -> terms.

The `[Term]` stanzas are read one by one; other stanzas and unknown tags are skipped.

pronto is not used: it refuses an excerpt whose terms have parents outside of it, accepts duplicate
ids and names, and takes 2.5 times as long for the terms of the Human Phenotype Ontology.

Source:
    The OBO Flat File Format 1.2 and 1.4.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from operator import attrgetter
from pathlib import Path

from gym_clinic.errors import TaskError
from gym_clinic.facts.typed_json import OnBroken, stop
from gym_clinic.importers.formats.ontology import SCOPES, Synonym, Term
from gym_clinic.importers.formats.records import intact_records
from gym_clinic.importers.formats.text import text_lines

_ID = re.compile(r"HP:[0-9]{7}|MONDO:[0-9]{7}|(?!HP:|MONDO:)[^\s:]+:\S+")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(.*)')
_ESCAPED = {"n": "\n", "t": "\t", "W": " "}

Stanza = dict[str, list[tuple[int, str]]]
"""Tag -> its values, each with the number of its line."""


def read_obo(path: str | os.PathLike[str], broken: OnBroken = stop) -> Iterator[Term]:
    """Read an ontology.

    Args:
        path: The file.
        broken: Called with the error of a broken stanza; if it returns, the stanza is skipped.
            Raises the error by default.

    Yields:
        One term for each `[Term]`, in the order of the file.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: For a file that is not OBO or has no terms; by default, for a broken stanza. The
            text names file, line, tag and what would be right.
    """
    file = Path(path)
    stanzas = ((f"{file} line {number}", stanza) for number, stanza in _stanzas(file, broken))
    read = partial(_term, file)
    found = False
    for term in intact_records(stanzas, read, broken, field="tag id", key=attrgetter("id")):
        found = True
        yield term
    if not found:
        raise TaskError(f"{file}: no [Term]; expected an ontology in OBO format")


def _stanzas(file: Path, broken: OnBroken) -> Iterator[tuple[int, Stanza]]:
    """The terms, each with the number of the line that opens it."""
    stanza: Stanza | None = None
    opened, begun = 0, False
    for number, line in text_lines(file):
        text = line.strip()
        if text.startswith("!"):
            continue
        if not begun and not re.match(r"[a-zA-Z-]+:|\[Term\]", text):
            raise TaskError(f"{file} line {number}: {text[:60]!r}; expected 'format-version: ...'")
        begun = True
        if text.startswith("["):
            if stanza is not None:
                yield opened, stanza
            if not re.fullmatch(r"\[[A-Za-z]+\]", text):
                broken(TaskError(f"{file} line {number}: {text[:60]!r}; expected '[Term]'"))
            stanza = defaultdict(list) if text == "[Term]" else None
            opened = number
        elif stanza is not None:
            tag, colon, value = text.partition(":")
            if not colon:
                broken(TaskError(f"{file} line {number}: {text[:60]!r}; expected 'tag: value'"))
                stanza = None
                continue
            stanza[tag].append((number, value.strip()))
    if stanza is not None:
        yield opened, stanza


def _term(file: Path, stanza: Stanza, place: str) -> Term:
    obsolete = any(_is_true(file, at, text) for at, text in stanza["is_obsolete"])
    for tag, needed in (("id", True), ("name", not obsolete), ("def", False)):
        if needed and not stanza[tag]:
            raise TaskError(f"{place}: a [Term] without {tag}; expected one")
        if len(stanza[tag]) > 1:
            twice = stanza[tag][1][0]
            raise TaskError(f"{file} line {twice}, tag {tag}: duplicate tag in one [Term]")
    return Term(
        id=_ids(file, stanza, "id")[0],
        name="".join(_unescaped(text) for _, text in stanza["name"]),
        definition="".join(_quoted(file, at, "def", text)[0] for at, text in stanza["def"]),
        synonyms=tuple(_synonym(file, at, text) for at, text in stanza["synonym"]),
        parents=_ids(file, stanza, "is_a"),
        alternatives=_ids(file, stanza, "alt_id"),
        xrefs=tuple(_bare(text) for _, text in stanza["xref"]),
        obsolete=obsolete,
        replaced_by=_ids(file, stanza, "replaced_by"),
        consider=_ids(file, stanza, "consider"),
    )


def _is_true(file: Path, number: int, text: str) -> bool:
    value = _bare(text)
    if value not in ("true", "false"):
        raise TaskError(
            f"{file} line {number}, tag is_obsolete: {value[:60]!r}; expected true or false"
        )
    return value == "true"


def _ids(file: Path, stanza: Stanza, tag: str) -> tuple[str, ...]:
    found = []
    for number, text in stanza[tag]:
        value = _bare(text)
        if not _ID.fullmatch(value):
            raise TaskError(
                f"{file} line {number}, tag {tag}: {value[:60]!r}; expected an id like HP:0000118"
            )
        found.append(value)
    return tuple(found)


def _bare(text: str) -> str:
    """A value without the comment and the modifiers after it."""
    return re.split(r"\s+[!{]", text, maxsplit=1)[0].strip()


def _synonym(file: Path, number: int, text: str) -> Synonym:
    name, rest = _quoted(file, number, "synonym", text)
    scope = rest.split(" ", 1)[0]
    if scope not in SCOPES:
        raise TaskError(
            f"{file} line {number}, tag synonym: scope {scope[:60]!r}; choose from {list(SCOPES)}"
        )
    return Synonym(name, scope)


def _quoted(file: Path, number: int, tag: str, text: str) -> tuple[str, str]:
    """The quoted text of a value, and the rest of the value."""
    found = _QUOTED.fullmatch(text)
    if found is None:
        raise TaskError(
            f"{file} line {number}, tag {tag}: {text[:60]!r}; expected a text in quotes "
            "(is the file whole?)"
        )
    return _unescaped(found[1]), found[2]


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: _ESCAPED.get(found[1], found[1]), text)
