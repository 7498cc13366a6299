"""The query language of the knowledge base: any text -> a tree that every engine renders.

Words side by side belong together and bind tightest; they are joined by the operator of the
search, OR unless the caller says AND. ``"quoted words"`` must stand next to one another. ``NOT``
binds tighter than ``AND``, ``AND`` tighter than ``OR``; the three count in capitals only, and
parentheses group. So ``chest pain AND troponin NOT "heart failure"`` asks for texts with chest
or pain, with troponin, and without the two words of heart failure in a row.

No text is wrong: what is no well-formed expression (a quote or parenthesis left open, an operator
without its sides, nothing but negations) is searched as its words. The commonest English function
words do not count where others stand beside them.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from gym_clinic.errors import ConfigError
from gym_clinic.names import suggest

Operator = Literal["or", "and"]

STOP_WORDS = frozenset({
    "what", "which", "who", "when", "where", "why", "how", "is", "are", "was", "were", "the", "a",
    "an", "and", "or", "of", "to", "in", "on", "for", "with", "by", "from",
})  # fmt: skip
"""Words that say nothing of the subject of a question."""

MAX_WORDS = 64
"""Distinct words of a query that count; the first ones of a longer text."""

MAX_TOKENS = 256
"""Words, quotes, operators and parentheses of an expression; a longer text is its words."""

MAX_DEPTH = 16
"""Levels of parentheses of an expression; a deeper text is its words."""

# Letters and digits as Unicode has them, with the marks upon them (the vowels of Hindi, say, which
# no letter is without); nothing else of a query ever reaches an engine.
_TOKEN = '"|[()]|{word}'
_WORD = r"[^\W_]+"
_MARKED = r"[^\W_](?:[^\W_]|[{marks}])*"


@dataclass(frozen=True)
class Phrase:
    """Words that stand in a row; most often one.

    Attributes:
        words: At least one word of letters, digits and the marks upon them, as written in the
            query.
    """

    words: tuple[str, ...]


@dataclass(frozen=True)
class AnyOf:
    """At least one of several parts; the more, the better."""

    parts: tuple[Query, ...]


@dataclass(frozen=True)
class AllOf:
    """Every one of several parts, and none of the excluded.

    Attributes:
        parts: What must be there; at least one.
        excluded: What must not be there.
    """

    parts: tuple[Query, ...]
    excluded: tuple[Query, ...] = ()


Query = Phrase | AnyOf | AllOf


def parse_query(text: str, operator: str = "or") -> Query | None:
    """Read a query.

    Args:
        text: Any text.
        operator: What joins words side by side: ``"or"`` or ``"and"``.

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
        return _Parser(tokens, operator).whole()
    except _NoExpressionError:
        words = (Phrase((one[0],)) for one in re.finditer(word, text))
        return _run(words, operator)


def _word(text: str) -> str:
    """The pattern of the words of a text."""
    if text.isascii():
        return _WORD
    marks = sorted(one for one in set(text) if unicodedata.category(one).startswith("M"))
    return _MARKED.format(marks="".join(marks)) if marks else _WORD


def _run(parts: Iterable[Query], operator: str) -> Query | None:
    """Join what stands side by side; function words count only if there is nothing else."""
    distinct: dict[object, Query] = {}
    function_words: dict[object, Query] = {}
    for part in parts:
        if isinstance(part, Phrase) and len(part.words) == 1:
            word = part.words[0]
            empty = _says_nothing(word, first=not distinct)
            (function_words if empty else distinct).setdefault(word.casefold(), part)
        else:
            distinct.setdefault(part, part)
        if len(distinct) == MAX_WORDS:
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


def _says_nothing(word: str, *, first: bool) -> bool:
    # The A of "hepatitis A" is a name; "A child with fever" begins with an article.
    return word.lower() in STOP_WORDS and (first or word != "A")


class _NoExpressionError(Exception):
    """A text is no well-formed expression."""


class _Parser:
    """Reads one expression by recursive descent."""

    def __init__(self, tokens: list[str], operator: str) -> None:
        self.tokens = tokens
        self.operator = operator
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
        found = _run(parts, self.operator)
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
        return Phrase(words)
