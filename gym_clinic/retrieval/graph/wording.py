"""How phrases are compared: roots of words, words that are ignored, and alternatives.

The root of a word is its stem; irregular forms share one ("threw", "throw"), and so do the
negations ("not", "can't"). The lists are in ``wording.json``.

A phrase has alternatives in brackets, which may be nested or empty, and named ones in braces:
``(tight|heavy) chest``, ``blood in (the|) urine``, ``{cannot} swallow``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import orjson

from gym_clinic.facts.naming import stem

Key = tuple[str, ...]
"""The roots of a phrase."""

_LISTS = orjson.loads(Path(__file__).with_name("wording.json").read_bytes())
_IRREGULAR = {form: root for root, forms in _LISTS["irregular"].items() for form in forms}

FUNCTION_WORDS = frozenset(_LISTS["function"])
"""Words that are ignored between the words of a name."""
GRAMMAR = FUNCTION_WORDS | frozenset(_LISTS["grammar"])
"""Words that are ignored between the words of a term, in the term and in the text."""
DEGREES = frozenset(_LISTS["degree"])
"""Words that are ignored in the text if nothing is found with them: "really", "a lot"."""
SIDES = frozenset(_LISTS["sides"])
"""Sides of the body, which are ignored if nothing is found with them."""
CONTRACTIONS = frozenset(_LISTS["contractions"])
"""Words before the "t" of a negation: "don't"."""
INNER_NEGATIONS = frozenset(_LISTS["inner_negation"])
"""Negations between the words of a mention; "cannot" is none."""
NOTE_WORDS = frozenset(_LISTS["note_words"])
"""Shorthand; where it is used, abbreviations may be written in small letters."""
PAIN: tuple[str, ...] = tuple(_LISTS["pain"])
"""Words for the pain of a part of the body."""
NO_FINDING: tuple[str, ...] = tuple(_LISTS["no_finding"])
"""Phrases with the words of a finding that name none: "fell asleep"."""

NORMAL: tuple[tuple[str, ...], ...] = tuple(tuple(one.split()) for one in _LISTS["normal"])
"""Words for what was examined and is normal, the longest first."""
BEFORE_NORMAL = frozenset(_LISTS["before_normal"])
"""Words between what was examined and "normal"."""
BEHIND_NORMAL = frozenset(_LISTS["behind_normal"])
"""Words behind such a statement; another word belongs to it: "normal speech development"."""
NOT_NORMAL = frozenset(_LISTS["not_normal"])
"""Words before such a statement that make it none."""

_WORD = re.compile(r"[^\W_]+")
_PIECE = re.compile(r"[^\s(){}|]+|[(){}|]")


@lru_cache(maxsize=1 << 16)
def root(word: str) -> str:
    """Return the root of a word in small letters.

    >>> root("threw") == root("throwing"), root("swollen") == root("swelling")
    (True, True)
    """
    return stem(_IRREGULAR.get(word, word))


def keys_of(phrase: str) -> frozenset[Key]:
    """Return the keys of a phrase, without grammar words, one for each choice of alternatives.

    Raises:
        ValueError: If a bracket is not closed or alternatives have no such name.

    >>> sorted(keys_of("blood in (the|my) (wee|pee|)"))
    [('blood',), ('blood', 'pee'), ('blood', 'wee')]
    """
    return _keys(phrase) - {()}


@lru_cache(maxsize=1 << 12)
def _keys(phrase: str) -> frozenset[Key]:
    pieces = iter(_PIECE.findall(phrase))
    found, end = _alternatives(pieces)
    if end:
        raise ValueError(f"{phrase!r}: unexpected {end!r}")
    return frozenset(found)


def _alternatives(pieces: Iterator[str]) -> tuple[set[Key], str]:
    """Read alternatives up to the bracket that closes them; return it, or "" at the end."""
    found: set[Key] = set()
    keys: set[Key] = {()}
    for piece in pieces:
        if piece in (")", "}"):
            return found | keys, piece
        if piece == "|":
            found, keys = found | keys, {()}
        elif piece == "(":
            inner, end = _alternatives(pieces)
            if end != ")":
                raise ValueError("a bracket is not closed")
            keys = {one + other for one in keys for other in inner}
        elif piece == "{":
            name, end = next(pieces, ""), next(pieces, "")
            if end != "}" or name not in _LISTS["alternatives"]:
                raise ValueError(f"no alternatives {name!r}")
            named = {one for text in _LISTS["alternatives"][name] for one in _keys(text)}
            keys = {one + other for one in keys for other in named}
        else:
            here = tuple(root(word) for word in plain_words(piece) if word not in GRAMMAR)
            keys = {one + here for one in keys}
    return found | keys, ""


def plain_words(text: str) -> list[str]:
    """Return the words of a phrase in small letters, without what stands between them."""
    return _WORD.findall(text.casefold())
