"""The names under which tests, studies and procedures are ordered, as clinicians write them.

A name is an id, an abbreviation (``abbreviations.json``), or the same words in another order, with
synonyms and fillers (``order_words.json``): "venous duplex of the left leg". A name with another
word that counts, such as a negation or a second study, means nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from gym_clinic.errors import ToolError
from gym_clinic.names import LONGEST, nearest

SUGGESTED = 4
"""Names that are suggested for an unknown one, at most."""

LISTED = 16
"""Names that are listed where none is like an unknown one, at most."""

_WORD, _WORD_OR_X_RAY = re.compile(r"[a-z0-9]+"), re.compile(r"x-ray|[^-]+")


class OrderWords(NamedTuple):
    """The table of words.

    Attributes:
        same: Patterns of words, each with the one that stands for them.
        left_out: Words that tell nothing apart.
        several: Plain name -> the tests that are meant together.
    """

    same: list[tuple[re.Pattern[str], str]]
    left_out: frozenset[str]
    several: Mapping[str, tuple[str, ...]]


@lru_cache(maxsize=1)
def order_words() -> OrderWords:
    """Return the table of words."""
    table = _read("order_words")
    same = [
        (re.compile(rf"(?<![^-]){re.escape(one)}(?![^-])"), word)
        for word, others in table["same"].items()
        for one in others
    ]
    several = {hyphenated(name): tuple(tests) for name, tests in table["several"].items()}
    return OrderWords(same, frozenset(table["left out"]), several)


@lru_cache(maxsize=1)
def abbreviations() -> Mapping[str, str]:
    """Return what clinicians write -> the id of a panel, measurement, study or procedure."""
    found: dict[str, str] = _read("abbreviations")
    return found


def find_name(
    name: str, known: Mapping[str, str], what: str, others: Iterable[str], tool: str
) -> str:
    """Return what a name means.

    Args:
        name: As it was written.
        known: Plain name -> id of what can be ordered.
        what: What that is, for the error.
        others: Ids of what is ordered by another tool.
        tool: That tool.

    Raises:
        ToolError: If it is unknown, with the names that are like it, or ordered otherwise.
    """
    plain = hyphenated(name)
    plain = hyphenated(abbreviations().get(plain, plain))
    if plain in known:
        return known[plain]
    elsewhere = {hyphenated(one): one for one in others}
    if plain in elsewhere:
        raise ToolError(f"'{elsewhere[plain]}' is no {what}; use {tool}.")
    names = tuple(known)
    if (meant := _by_words(names).get(_words_of(plain))) is not None:
        return known[meant]
    near = nearest(plain, names)
    alike = [known[one] for one in (*_sharing_words(plain, names), *([near] if near else ()))]
    several = " or ".join(f"'{one}'" for one in list(dict.fromkeys(alike))[:SUGGESTED])
    every = sorted(set(known.values()))
    listed = "there are: " if len(every) <= LISTED else "there are, for example: "
    hint = f"did you mean {several}?" if several else f"{listed}{', '.join(every[:LISTED])}."
    raise ToolError(f"No {what} '{name[:LONGEST]}'; {hint}")


@lru_cache(maxsize=16)
def _by_words(names: tuple[str, ...]) -> Mapping[frozenset[str], str]:
    """Words of a name -> the one name that they mean, in whatever order."""
    short = {key: hyphenated(value) for key, value in abbreviations().items()}
    meant: dict[frozenset[str], set[str]] = {}
    for written, name in [*((one, one) for one in names), *short.items()]:
        if name in names:
            meant.setdefault(_words_of(written), set()).add(name)
    return {words: next(iter(one)) for words, one in meant.items() if words and len(one) == 1}


def _sharing_words(plain: str, names: tuple[str, ...]) -> list[str]:
    """The names that share words with an unknown one, those that share most first."""
    asked = _words_of(plain)
    shared = {name: _likeness(asked, _words_of(name)) for name in names}
    return sorted((name for name in names if shared[name]), key=lambda name: (-shared[name], name))


def _likeness(words: frozenset[str], others: frozenset[str]) -> float:
    """Return the shared words as a share of all; 0 for a name of which no word is left."""
    shared = words & others
    return len(shared) / len(words | others) if shared else 0.0


@lru_cache(maxsize=1 << 12)
def _words_of(plain: str) -> frozenset[str]:
    """The words of a plain name that tell it from others, one for all that mean the same.

    >>> _words_of("venous-duplex-of-the-left-leg") == _words_of("leg-vein-ultrasound")
    True
    """
    words = order_words()
    for written, word in words.same:
        plain = written.sub(word, plain)
    return frozenset(_WORD_OR_X_RAY.findall(plain)) - words.left_out


@lru_cache(maxsize=1 << 12)
def hyphenated(name: str) -> str:
    """Return the small letters and digits of a name, its words joined by hyphens.

    >>> hyphenated("D-dimer (serum)")
    'd-dimer-serum'
    """
    return "-".join(_WORD.findall(name.casefold()[: 2 * LONGEST]))


def _read(name: str) -> Any:
    return json.loads(Path(__file__).with_name(f"{name}.json").read_text("utf-8"))
