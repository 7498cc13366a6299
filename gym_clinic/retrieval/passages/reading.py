"""How a base reads a query: misspelt words, aliases, and the words of long texts.

Words that are joined by OR are read freely. A phrase in quotes and an expression with AND or NOT
are searched as they are written; for a misspelt word in them there is only a suggestion.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Protocol

from rapidfuzz.distance import OSA

from gym_clinic.facts.naming import stem
from gym_clinic.retrieval.passages import compounds
from gym_clinic.retrieval.passages.absent import absent_terms
from gym_clinic.retrieval.passages.aliases import AliasTable
from gym_clinic.retrieval.passages.directions import Direction, direction_of
from gym_clinic.retrieval.passages.passage import absence_note
from gym_clinic.retrieval.passages.query import (
    MAX_WORDS,
    AnyOf,
    Phrase,
    Query,
    Title,
    parse_query,
)
from gym_clinic.retrieval.passages.vocabulary import Vocabulary, plain
from gym_clinic.retrieval.passages.word_lists import (
    FUNCTION_WORDS,
    NARRATIVE_WORDS,
    is_like_a_drug,
    ordinary_stems,
)
from gym_clinic.retrieval.spelling import Corrector, is_correctable, sound

MOST_READ = 2_000
"""Distinct words of a text that are read; the first ones of a longer one."""

LONG = 32
"""Distinct words above which a text is read as a narrative, such as the history of a patient: words
of narrative and numbers are left out, and nothing is corrected, since it has enough other words."""

SHORTEST_ALIKE = 6
"""Shortest name that is a slip of another because both sound the same."""


@dataclass(frozen=True)
class QueryReading:
    """A query as a base searches it.

    Attributes:
        query: The tree that is searched; None if there is no word in the text, or if no passage is
            about what it asks for.
        corrected: Misspelt words -> the words that are searched instead.
        suggested: Word that no passage has, in quotes or beside AND and NOT -> the nearest known
            word, which is not searched.
        aliases: Words of the text -> the terms that are searched as well.
        left_out: Number of words of a long text that are not searched.
        absent: Terms of the text, as they are written, that no passage is about.
        direction: Whether the text asks for too little or too much of something.
        topics: Beginnings of titles that the text names, in small letters.
    """

    query: Query | None
    corrected: Mapping[str, str] = field(default_factory=dict)
    suggested: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    left_out: int = 0
    absent: tuple[str, ...] = ()
    direction: Direction | None = None
    topics: frozenset[str] = frozenset()

    def describe(self) -> str:
        """Return what differs from the text, a line for each kind; empty if nothing does."""
        lines = [
            ("corrected", [f"{word} -> {right}" for word, right in self.corrected.items()]),
            ("did you mean", [f"{word} -> {right}" for word, right in self.suggested.items()]),
            ("also", [f"{name} -> {', '.join(terms)}" for name, terms in self.aliases.items()]),
            ("left out", [f"{self.left_out} less informative words"] * bool(self.left_out)),
        ]
        said = [f"{kind}: {'; '.join(items)}" for kind, items in lines if items]
        return "\n".join(filter(None, (*said, absence_note(self.absent))))

    def spelt_out(self, text: str) -> str:
        """Return the text with its corrections and with the terms of its aliases, to be embedded.

        Args:
            text: The text that was read.
        """
        terms = dict.fromkeys(term for found in self.aliases.values() for term in found)
        words = text
        for written, right in self.corrected.items():
            row = r"[\W_]+".join(map(re.escape, written.split()))
            words = re.sub(rf"(?<![^\W_]){row}(?![^\W_])", right, words)
        return " ".join((words, *terms))


class WordIndex(Protocol):
    """Knows the words of the passages by stem."""

    def knows(self, *words: str) -> bool:
        """Return whether any passage has a form of this word, or of these words in a row."""


class QueryReader:
    """Reads queries for one base.

    Args:
        vocabulary: The words of the base.
        aliases: Further names of what it describes.
    """

    def __init__(self, vocabulary: Vocabulary, aliases: AliasTable | None) -> None:
        self._vocabulary, self._aliases = vocabulary, aliases
        self._corrector: Corrector | None = None
        self._words: dict[str, int] | None = None

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
        if is_long:
            known = self._vocabulary.spellings([plain(word) for word in words])
            corrected, unknown = dict[str, str](), set[str]()
        else:
            words, known, corrected, unknown = self._spelt_right(words, index)
        absence = absent_terms(text, words, unknown)
        if absence.is_topic and not fixed:
            return QueryReading(None, corrected, absent=absence.terms)
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
            absence.terms,
            None if is_long else direction_of(words),
            frozenset(" ".join(node.words).casefold() for node in nodes if isinstance(node, Title)),
        )

    def _spelt_right(
        self, words: list[str], index: WordIndex
    ) -> tuple[list[str], dict[str, dict[str, int]], dict[str, str], set[str]]:
        """Return words as they should be written.

        Returns:
            The words, the spellings of each that the base has, what was corrected, and the words
            that neither passages nor aliases have.
        """
        joined = [word for _, word in compounds.pairs(words)]
        known = self._vocabulary.spellings([*map(plain, words), *joined])

        def is_word(word: str) -> bool:
            return word in known[word] or self._is_alias(word)

        words, corrected = compounds.join(words, is_word, partial(self._are_beside, index))
        named = self._named_instead(words, index, known)
        slips = self._corrected([word for word in words if word not in named], index, known, words)
        changed = named | slips
        corrected |= changed
        words = [part for word in words for part in changed.get(word, word).split()]
        if changed:
            right = (part for words in changed.values() for part in words.split())
            known |= self._vocabulary.spellings([plain(word) for word in right])
        unknown = {
            word for word in words if not word.isdecimal() and not self._is_word(word, known, index)
        }
        return words, known, corrected, unknown

    def _named_instead(
        self, words: Sequence[str], index: WordIndex, known: Mapping[str, Collection[str]]
    ) -> dict[str, str]:
        """Return the words that make a name with their neighbours if they are spelt otherwise."""
        if self._aliases is None or len(words) < 2:
            return {}
        keys = [self._aliases.key(word) for word in words]
        named = {at for places, _ in self._aliases.find(words) if len(places) > 1 for at in places}
        found: dict[str, str] = {}
        for at, word in enumerate(words):
            if at in named or keys[at] in FUNCTION_WORDS:
                continue
            near = self._aliases.near_names.completing(
                keys, at, plain(word), partial(self._is_word, word, known, index)
            )
            beside = [words[other] for other in (at - 1, at + 1) if 0 <= other < len(words)]
            if (right := next(near, "")) and not any(
                index.knows(word, other) or index.knows(other, word) for other in beside
            ):
                found[word] = right
        return found

    def _found_aliases(
        self, words: Sequence[str], is_long: bool
    ) -> tuple[dict[str, tuple[str, ...]], list[Phrase | Title]]:
        """Return the terms of the aliases in a row of words, and what to search as well."""
        terms: dict[str, tuple[str, ...]] = {}
        nodes: list[Phrase | Title] = []
        every = self._aliases.find(words, loose=not is_long) if self._aliases else []
        if self._aliases and not is_long:
            nodes += self._aliases.on_both([found for _, found in every])
        content = {at for at, word in enumerate(words) if word.casefold() not in FUNCTION_WORDS}
        for places, found in every:
            alias = " ".join(words[at] for at in places)
            phrases = [node for node in found if isinstance(node, Phrase)]
            if content <= set(places):  # nothing else is asked for
                nodes += (Title(node.words) for node in phrases)
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
        row: Sequence[str] = (),
    ) -> dict[str, str]:
        """Return the corrections of the words that base and aliases do not know.

        Of several known words that are near, one that makes a name with its neighbours goes first:
        "breat cancer" is breast cancer, and not breath.

        Args:
            words: The words to correct.
            index: The index of the base.
            known: Plain word -> its spellings in the base.
            row: All words in their order; those to correct by default.
        """
        row = list(row or words)
        corrected: dict[str, str] = {}
        for word in words:
            written = plain(word)
            if not is_correctable(written) or self._is_word(word, known, index):
                continue
            parts = compounds.split(written, self._all_words(), partial(self._are_beside, index))
            if parts is not None:
                corrected[word] = " ".join(parts)
                continue
            near = self._nearest(written)
            if not near and written.endswith("s"):  # "Hirshprungs disease"
                near = self._nearest(written[:-1])
            if is_like_a_drug(written) or (word.isupper() and not "".join(row).isupper()):
                near = tuple(name for name in near if _is_small_slip(written, name))
            at = row.index(word)
            rows = ((name, [*row[:at], name, *row[at + 1 :]]) for name in near)
            named = (one for one, other in rows if self._is_named(other, at))
            if right := next(named, next(iter(near), "")):
                corrected[word] = right
        return corrected

    def _is_word(self, word: str, known: Mapping[str, Collection[str]], index: WordIndex) -> bool:
        written = plain(word)
        return written in known.get(written, ()) or self._knows(word, index)

    def _knows(self, word: str, index: WordIndex) -> bool:
        if {plain(word), stem(plain(word))} & ordinary_stems():
            return True
        return self._is_alias(word) or index.knows(word)

    def _is_alias(self, word: str) -> bool:
        return self._aliases is not None and self._aliases.knows(word)

    def _are_beside(self, index: WordIndex, first: str, second: str) -> bool:
        """Return whether a name or a passage has two words in a row."""
        return self._is_named([first, second], 0) or index.knows(first, second)

    def _all_words(self) -> Mapping[str, int]:
        if self._words is None:
            also = self._aliases.words if self._aliases else ()
            self._words = dict.fromkeys(also, 0) | self._vocabulary.all_words()
        return self._words

    def _nearest(self, word: str) -> tuple[str, ...]:
        if self._corrector is None:
            self._corrector = Corrector(self._all_words())
        return self._corrector.near(word)

    def _is_named(self, words: list[str], at: int) -> bool:
        """Return whether a word is part of a name of several words."""
        found = self._aliases.find(words, loose=False) if self._aliases else ()
        return any(at in places and len(places) > 1 for places, _ in found)


def _is_small_slip(written: str, right: str) -> bool:
    """Return whether a name differs from a known one by no more than a slip.

    Another drug may have a name that is as near as a coarse misspelling: "cetuximab", "rituximab".
    """
    if written[0] != right[0]:
        return False
    alike = len(written) >= SHORTEST_ALIKE and sound(written) == sound(right)
    return alike or OSA.distance(written, right) <= 1


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
