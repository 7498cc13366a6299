"""The query language of the knowledge base: any text -> a tree that every engine renders.

Adjacent words bind tightest; they are joined by the operator of the search, which is OR by
default. ``"quoted words"`` match in a row only. ``NOT`` binds tighter than ``AND``, ``AND``
tighter than ``OR``; the three are operators in capitals only, and parentheses group. So
``chest pain AND troponin NOT "heart failure"`` asks for texts with chest or pain, with troponin,
and without "heart failure".

Every text is a valid query: a text that is no well-formed expression (an open quote or
parenthesis, an operator without an operand, negations only) is searched by its words. The most
common English function words are ignored beside other words.

A word is a letter or digit with the letters, digits and combining marks that follow it. Each
engine then analyses it with the tokenizer that analysed the passages.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, get_args

from gym_clinic.errors import ConfigError
from gym_clinic.names import suggest

Operator = Literal["or", "and"]

STOP_WORDS = frozenset({
    "what", "which", "who", "when", "where", "why", "how", "is", "are", "was", "were", "the", "a",
    "an", "and", "or", "of", "to", "in", "on", "for", "with", "by", "from",
})  # fmt: skip
"""Function words, which do not narrow a search."""

MAX_WORDS = 64
"""Distinct words of a query that are searched."""

MAX_TOKENS = 256
"""Longest expression in tokens; a longer text is searched by its words."""

MAX_DEPTH = 16
"""Deepest nesting of parentheses; a deeper text is searched by its words."""

# Letters and digits of Unicode with their combining marks (Hindi writes vowels as marks). Nothing
# else of a query reaches an engine.
_TOKEN = '"|[()]|{word}'
_WORD = r"[^\W_]+"
_MARKED = r"[^\W_](?:[^\W_]|[{marks}])*"


@dataclass(frozen=True)
class Phrase:
    """Words in a row, or a single word.

    Attributes:
        words: At least one word, as written in the query.
        quoted: Whether it was written in quotes.
    """

    words: tuple[str, ...]
    quoted: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class Title:
    """Words in a row at the start of a title; the parser makes none.

    Attributes:
        words: At least one word.
    """

    words: tuple[str, ...]


@dataclass(frozen=True)
class AnyOf:
    """At least one of several parts; more of them score higher."""

    parts: tuple[Query, ...]


@dataclass(frozen=True)
class AllOf:
    """Every one of several parts, and none of the excluded.

    Attributes:
        parts: At least one.
        excluded: Parts that must not match.
    """

    parts: tuple[Query, ...]
    excluded: tuple[Query, ...] = ()


Query = Phrase | Title | AnyOf | AllOf


def parse_query(text: str, operator: str = "or", most: int = MAX_WORDS) -> Query | None:
    """Parse a query.

    Args:
        text: Any text.
        operator: Joins adjacent words: ``"or"`` or ``"and"``.
        most: Of adjacent words, the first so many distinct ones are kept.

    Returns:
        The tree; None if there is no word in the text.

    Raises:
        ConfigError: If the operator is neither.
    """
    if operator not in get_args(Operator):
        raise ConfigError(f"no operator {operator!r}; {suggest(str(operator), get_args(Operator))}")
    text = unicodedata.normalize("NFC", text)  # as the passages are
    word = _word(text)
    found = re.finditer(_TOKEN.format(word=word), text)
    tokens = [token[0] for token in itertools.islice(found, MAX_TOKENS + 1)]
    try:
        return _Parser(tokens, operator, most).whole()
    except _NoExpressionError:
        words = (Phrase((one[0],)) for one in re.finditer(word, text))
        return _run(words, operator, most)


def _word(text: str) -> str:
    """Return the pattern of the words of a text."""
    if text.isascii():
        return _WORD
    marks = sorted(one for one in set(text) if unicodedata.category(one).startswith("M"))
    return _MARKED.format(marks="".join(marks)) if marks else _WORD


def _run(parts: Iterable[Query], operator: str, most: int) -> Query | None:
    """Join adjacent parts; function words are kept only if there is nothing else."""
    distinct: dict[object, Query] = {}
    function_words: dict[object, Query] = {}
    for part in parts:
        if isinstance(part, Phrase) and len(part.words) == 1:
            word = part.words[0]
            empty = _is_function_word(word, first=not distinct)
            (function_words if empty else distinct).setdefault(word.casefold(), part)
        else:
            distinct.setdefault(part, part)
        if len(distinct) == most:
            break
    found = tuple(distinct.values()) or tuple(function_words.values())
    if len(found) < 2:
        return found[0] if found else None
    return _any_of(found) if operator == "or" else AllOf(found)


def _any_of(parts: Iterable[Query]) -> AnyOf:
    """Join parts by OR; an OR inside an OR is the same OR."""
    flat: list[Query] = []
    for part in parts:
        flat += part.parts if isinstance(part, AnyOf) else (part,)
    return AnyOf(tuple(flat))


def _is_function_word(word: str, *, first: bool) -> bool:
    # The A of "hepatitis A" is a name; "A child with fever" begins with an article.
    return word.lower() in STOP_WORDS and (first or word != "A")


class _NoExpressionError(Exception):
    """A text is no well-formed expression."""


class _Parser:
    """Reads one expression by recursive descent."""

    def __init__(self, tokens: list[str], operator: str, most: int) -> None:
        self.tokens = tokens
        self.operator = operator
        self.most = most
        self.at = 0
        self.depth = 0

    def whole(self) -> Query | None:
        if not self.tokens:
            return None
        if len(self.tokens) > MAX_TOKENS:
            raise _NoExpressionError
        found = self.either()
        if self.at < len(self.tokens):
            raise _NoExpressionError
        return found

    def next_is(self, *tokens: str) -> bool:
        return self.at < len(self.tokens) and self.tokens[self.at] in tokens

    def take(self, token: str) -> bool:
        found = self.next_is(token)
        self.at += found
        return found

    def either(self) -> Query:
        parts = [self.both()]
        while self.take("OR"):
            parts.append(self.both())
        return parts[0] if len(parts) == 1 else _any_of(parts)

    def both(self) -> Query:
        parts: list[Query] = []
        excluded: list[Query] = []
        while True:
            (excluded if self.take("NOT") else parts).append(self.side_by_side())
            if not self.take("AND") and not self.next_is("NOT"):
                break
        if not parts:
            raise _NoExpressionError
        if len(parts) == 1 and not excluded:
            return parts[0]
        return AllOf(tuple(parts), tuple(excluded))

    def side_by_side(self) -> Query:
        parts: list[Query] = []
        while self.at < len(self.tokens) and not self.next_is(")", "AND", "OR", "NOT"):
            parts.append(self.part())
        found = _run(parts, self.operator, self.most)
        if found is None:
            raise _NoExpressionError
        return found

    def part(self) -> Query:
        if self.take("("):
            return self.group()
        if self.take('"'):
            return self.phrase()
        self.at += 1
        return Phrase((self.tokens[self.at - 1],))

    def group(self) -> Query:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _NoExpressionError
        found = self.either()
        if not self.take(")"):
            raise _NoExpressionError
        self.depth -= 1
        return found

    def phrase(self) -> Query:
        start = self.at
        while self.at < len(self.tokens) and not self.next_is('"'):
            self.at += 1
        words = tuple(word for word in self.tokens[start : self.at] if word not in "()")
        if not self.take('"') or not words:
            raise _NoExpressionError
        return Phrase(words, quoted=True)
