"""How a base reads a query: misspelt words, aliases, and the words of long texts.

Words that are joined by OR are read freely. A phrase in quotes and an expression with AND or NOT
are searched as they are written; for a misspelt word in them there is only a suggestion.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from gym_clinic.facts.naming import stem
from gym_clinic.retrieval.passages.aliases import AliasTable
from gym_clinic.retrieval.passages.query import (
    MAX_WORDS,
    AnyOf,
    Phrase,
    Query,
    Title,
    parse_query,
)
from gym_clinic.retrieval.passages.vocabulary import Vocabulary, plain
from gym_clinic.retrieval.spelling import Corrector, is_correctable

MOST_READ = 2_000
"""Distinct words of a text that are read; the first ones of a longer one."""

LONG = 32
"""Distinct words above which a text is read as a narrative, such as the history of a patient: words
of narrative and numbers are left out, and nothing is corrected, since it has enough other words."""

_WEAK = json.loads(Path(__file__).with_name("weak_words.json").read_text(encoding="utf-8"))

FUNCTION_WORDS = frozenset(_WEAK["function"])
"""Words that are ignored beside others."""

NARRATIVE_WORDS = frozenset(_WEAK["narrative"])
"""Words that are ignored in long texts."""


@dataclass(frozen=True)
class QueryReading:
    """A query as a base searches it.

    Attributes:
        query: The tree that is searched; None if there is no word in the text.
        corrected: Misspelt word -> the word that is searched instead.
        suggested: Word that no passage has, in quotes or beside AND and NOT -> the nearest known
            word, which is not searched.
        aliases: Words of the text -> the terms that are searched as well.
        left_out: Number of words of a long text that are not searched.
    """

    query: Query | None
    corrected: Mapping[str, str] = field(default_factory=dict)
    suggested: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    left_out: int = 0

    def describe(self) -> str:
        """Return what differs from the text, a line for each kind; empty if nothing does."""
        lines = [
            ("corrected", [f"{word} -> {right}" for word, right in self.corrected.items()]),
            ("did you mean", [f"{word} -> {right}" for word, right in self.suggested.items()]),
            ("also", [f"{name} -> {', '.join(terms)}" for name, terms in self.aliases.items()]),
            ("left out", [f"{self.left_out} less informative words"] * bool(self.left_out)),
        ]
        return "\n".join(f"{kind}: {'; '.join(items)}" for kind, items in lines if items)

    def spelt_out(self, text: str) -> str:
        """Return the text with its corrections and with the terms of its aliases, to be embedded.

        Args:
            text: The text that was read.
        """
        terms = dict.fromkeys(term for found in self.aliases.values() for term in found)
        words = re.sub(r"[^\W_]+", lambda word: self.corrected.get(word[0], word[0]), text)
        return " ".join((words, *terms))


class WordIndex(Protocol):
    """Knows the words of the passages by stem."""

    def knows(self, word: str) -> bool:
        """Return whether any passage has a form of this word."""


class QueryReader:
    """Reads queries for one base.

    Args:
        vocabulary: The words of the base.
        aliases: Further names of what it describes.
    """

    def __init__(self, vocabulary: Vocabulary, aliases: AliasTable | None) -> None:
        self._vocabulary, self._aliases = vocabulary, aliases
        self._corrector: Corrector | None = None

    def read(self, text: str, operator: str, index: WordIndex) -> QueryReading:
        """Read a query.

        Args:
            text: Any text.
            operator: Joins adjacent words: ``"or"`` or ``"and"``.
            index: The index of the base.
        """
        tree = parse_query(text, operator, MOST_READ)
        if tree is None:
            return QueryReading(None)
        words, fixed, is_long = split_words(tree)
        if not words:
            as_written = parse_query(text, operator)
            return QueryReading(as_written, suggested=self._corrected(list(_words(fixed)), index))
        known = self._vocabulary.spellings([plain(word) for word in words])
        corrected = {} if is_long else self._corrected(words, index, known)
        if corrected:
            words = [corrected.get(word, word) for word in words]
            known |= self._vocabulary.spellings(corrected.values())
        aliases, nodes = self._found_aliases(words, is_long)
        if is_long:
            passages = {word: known[plain(word)].get(plain(word), 0) for word in words}
            kept = informative_words(words, passages.__getitem__, len(fixed))
        else:
            kept = [word for word in words if word.casefold() not in FUNCTION_WORDS]
        if not (kept or fixed or nodes):
            kept = words
        spellings = (
            Phrase((spelling,))
            for word in kept
            for spelling in sorted(known.get(plain(word), ()))
            if spelling != plain(word)
        )
        read = dict.fromkeys((*fixed, *(Phrase((word,)) for word in kept), *spellings, *nodes))
        return QueryReading(
            AnyOf(tuple(read)) if len(read) > 1 else next(iter(read)),
            corrected,
            self._corrected(list(_words(fixed)), index),
            aliases,
            len(words) - len(kept) if is_long else 0,
        )

    def _found_aliases(
        self, words: Sequence[str], is_long: bool
    ) -> tuple[dict[str, tuple[str, ...]], list[Phrase | Title]]:
        """Return the terms of the aliases in a row of words, and what to search as well."""
        terms: dict[str, tuple[str, ...]] = {}
        nodes: list[Phrase | Title] = []
        every = self._aliases.find(words) if self._aliases else []
        if self._aliases and not is_long:
            nodes += self._aliases.on_both([found for _, found in every])
        for places, found in every:
            alias = " ".join(words[at] for at in places)
            phrases = [node for node in found if isinstance(node, Phrase)]
            if is_long:
                # What a history mentions is rarely its topic; abbreviations are spelt out.
                nodes += phrases if alias.isupper() else ()
            else:
                nodes += found
            if phrases and (alias.isupper() or not is_long):
                terms[alias] = tuple(" ".join(node.words) for node in phrases)
        return terms, nodes

    def _corrected(
        self,
        words: Sequence[str],
        index: WordIndex,
        known: Mapping[str, Collection[str]] = MappingProxyType({}),
    ) -> dict[str, str]:
        """Return the corrections of the words in a row that base and aliases do not know.

        Of several known words that are near, one that makes a name with its neighbours goes first:
        "breat cancer" is breast cancer, and not breath.
        """
        corrected: dict[str, str] = {}
        for at, word in enumerate(words):
            written = plain(word)
            if (
                written in known.get(written, ())
                or not is_correctable(written)
                or self._knows(word, index)
            ):
                continue
            near = self._nearest(written)
            if not near and written.endswith("s"):  # "Hirshprungs disease"
                near = self._nearest(written[:-1])
            rows = ((one, [*words[:at], one, *words[at + 1 :]]) for one in near)
            named = (one for one, row in rows if self._is_named(row, at))
            if right := next(named, next(iter(near), "")):
                corrected[word] = right
        return corrected

    def _knows(self, word: str, index: WordIndex) -> bool:
        if {plain(word), stem(plain(word))} & _ordinary_stems():
            return True
        return (self._aliases is not None and self._aliases.knows(word)) or index.knows(word)

    def _nearest(self, word: str) -> tuple[str, ...]:
        if self._corrector is None:
            known = self._vocabulary.all_words()
            also = self._aliases.words if self._aliases else ()
            self._corrector = Corrector(dict.fromkeys(also, 0) | known)
        return self._corrector.near(word)

    def _is_named(self, words: list[str], at: int) -> bool:
        """Return whether a word is part of a name of several words."""
        found = self._aliases.find(words) if self._aliases else ()
        return any(at in places and len(places) > 1 for places, _ in found)


@lru_cache(maxsize=1)
def _ordinary_stems() -> frozenset[str]:
    """Return the stems of ordinary words, which are no misspelt terms of medicine."""
    words = Path(__file__).with_name("ordinary_words.txt").read_text(encoding="utf-8").split()
    return frozenset(map(stem, words)) | FUNCTION_WORDS | NARRATIVE_WORDS


def split_words(tree: Query) -> tuple[list[str], list[Query], bool]:
    """Return the words of a query that are read freely, its other parts, and whether it is long.

    Args:
        tree: The query, with up to :data:`MOST_READ` words.
    """
    parts = tree.parts if isinstance(tree, AnyOf) else (tree,)
    words = [word for part in parts if _is_free(part) for word in _words([part])]
    words = [word for word in words if word != "s"] or words  # Crohn's disease
    return words, [part for part in parts if not _is_free(part)], len(parts) > LONG


def _is_free(part: Query) -> bool:
    """Return whether a part is a single word that is not in quotes."""
    return isinstance(part, Phrase) and len(part.words) == 1 and not part.quoted


def _words(parts: Iterable[Query]) -> Iterator[str]:
    """Yield the words of some parts, without those that they exclude."""
    for part in parts:
        yield from part.words if isinstance(part, (Phrase, Title)) else _words(part.parts)


def informative_words(
    words: Iterable[str], passages: Callable[[str], int], beside: int
) -> list[str]:
    """Return the words of a long text that are searched, in their order.

    They are neither numbers nor words of narrative; of more than :data:`MAX_WORDS` those that the
    fewest passages have.

    Args:
        words: Distinct words of the text.
        passages: Word -> number of passages that have it.
        beside: Number of other parts that are searched.
    """
    telling = telling_words(words)
    rank = {word: (not passages(word), passages(word)) for word in telling}
    kept = set(sorted(telling, key=rank.__getitem__)[: max(1, MAX_WORDS - beside)])
    return [word for word in telling if word in kept]


def telling_words(words: Iterable[str]) -> list[str]:
    """Return the words of a long text that are neither numbers nor words of narrative."""
    weak = FUNCTION_WORDS | NARRATIVE_WORDS
    return [word for word in words if not (word.isdecimal() or word.casefold() in weak)]
