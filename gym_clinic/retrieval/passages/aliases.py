"""Other names for what a base describes: brands, abbreviations, lay words.

An alias is looked up in the words of a query, and the terms that it stands for are searched as
well. The scores of passages are those of the query so extended.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gym_clinic.facts.naming import stem
from gym_clinic.retrieval.passages.directions import topic_of
from gym_clinic.retrieval.passages.near_names import NearNames
from gym_clinic.retrieval.passages.query import AnyOf, Phrase, Title, parse_query
from gym_clinic.retrieval.passages.vocabulary import folded, plain
from gym_clinic.retrieval.passages.word_lists import FUNCTION_WORDS

MOST_PAIRED = 6
"""Aliases of a query up to which passages on two of them are looked for."""

SHORTEST_PLURAL = 5
"""Shortest word whose final s is ignored."""

MAX_LOOSE = 4
"""Most words of an alias that is found in any order and form."""

MAX_READINGS = 8
"""Most readings of a row of words, of which each may stand for another: "tummy ache"."""

Node = Phrase | Title


@dataclass(frozen=True)
class Sense:
    """One of several meanings of an abbreviation.

    Attributes:
        context: Stems of words, of which the query must have one.
        nodes: What to search.
    """

    context: frozenset[str]
    nodes: tuple[Node, ...]


class AliasTable:
    """Terms by their aliases.

    An alias is compared without case, accents, function words and a plural s; its British and
    American spellings are one. An alias of several words is also found in another order and with
    other endings: "eyes bulging" is "bulging eye".

    Attributes:
        words: Plain words of the aliases.
        topics: The titles, in small letters.

    Args:
        aliases: Pairs of an alias and a term that it stands for; one alias may have several terms.
        capitals: Aliases that are only recognised in capitals, such as ``ALL``.
        titles: Terms that titles begin with. Where a query has such a term or an alias of it,
            passages with such a title score higher.
        pairs: Two terms, and the words in a row of a passage on both. They are searched as well
            where a query has both terms: "Coumadin with Bactrim".
        contexts: An alias, a term, and words of which a query must have one for this meaning. The
            meaning with most of its words replaces those of ``aliases`` and ``capitals``.
    """

    def __init__(
        self,
        aliases: Iterable[tuple[str, str]],
        capitals: Iterable[tuple[str, str]] = (),
        titles: Iterable[str] = (),
        pairs: Iterable[tuple[str, str, str]] = (),
        contexts: Iterable[tuple[str, str, Sequence[str]]] = (),
    ) -> None:
        self._terms: dict[tuple[str, ...], dict[Node, None]] = {}
        self._senses: dict[tuple[str, ...], list[Sense]] = {}
        self._instead: dict[str, tuple[str, ...]] = {}
        """Key of a word -> the keys of the words that it stands for: "vit" is vitamin."""
        self.words: set[str] = set()
        titled = {title.casefold(): Title(_in_row(title)) for title in titles}
        self.topics = frozenset(map(topic_of, titled))
        for title, node in titled.items():
            self._add(_words(title), _key, node)
        for alias, term in aliases:
            self._add(_words(alias), _key, Phrase(_in_row(term)), titled.get(term.casefold()))
            if _is_word(alias) and _is_word(term):
                word = _key(alias)
                self._instead[word] = (*self._instead.get(word, ()), _key(term))
        for alias, term in capitals:
            self._add(_words(alias), str.upper, Phrase(_in_row(term)), titled.get(term.casefold()))
        for alias, term, context in contexts:
            nodes = tuple(
                node for node in (Phrase(_in_row(term)), titled.get(term.casefold())) if node
            )
            key = tuple(map(str.upper, _words(alias)))
            sense = Sense(frozenset(stem(plain(word)) for word in context), nodes)
            self._senses.setdefault(key, []).append(sense)
        self._pairs = _paired(pairs)
        self._keys = {word for key in self._terms for word in key}
        self._ambiguous = {word for key in self._senses for word in key}
        self._longest: dict[str, int] = {}
        """First word of an alias -> the words of the longest one."""
        for key in (*self._terms, *self._senses):
            self._longest[key[0]] = max(len(key), self._longest.get(key[0], 0))
        self._loose: dict[tuple[str, ...], tuple[str, ...]] = {}
        """Stems of the words of an alias, sorted -> the alias."""
        for key in self._terms:
            stems = _stems(key)
            if 2 <= len(stems) <= MAX_LOOSE:
                self._loose.setdefault(stems, key)
        self._stems_instead = {
            stem(word): tuple(map(stem, others)) for word, others in self._instead.items()
        }
        self._in_loose = {word for stems in self._loose for word in stems} | {*self._stems_instead}
        self.near_names = NearNames(self._terms)

    def _add(self, words: list[str], fold: Callable[[str], str], *nodes: Node | None) -> None:
        if words:
            self.words.update(map(plain, words))
            found = self._terms.setdefault(tuple(map(fold, words)), {})
            found.update(dict.fromkeys(node for node in nodes if node and node.words))

    def __len__(self) -> int:
        return len(self._terms)

    def knows(self, word: str) -> bool:
        """Return whether an alias has this word."""
        return _key(word) in self._keys or word in self._keys or word.upper() in self._ambiguous

    @staticmethod
    def key(word: str) -> str:
        """Return what a word is compared by."""
        return _key(word)

    def find(
        self, words: Sequence[str], *, loose: bool = True
    ) -> list[tuple[range, tuple[Node, ...]]]:
        """Find the aliases in a row of words; the longest one goes first.

        Args:
            words: Words of a query as they are written.
            loose: Whether an alias of several words is also found in another order and form.

        Returns:
            The places of the words of each alias, and what to search as well.
        """
        keys = [_key(word) for word in words]
        stems = [stem(plain(word)) for word in words] if loose or self._senses else []
        exact: list[tuple[range, tuple[Node, ...]]] = []
        at = 0
        while at < len(words):
            places, nodes = self._longest_at(words, keys, stems, at)
            if nodes:
                exact.append((places, nodes))
            at = places.stop
        if not loose:
            return exact
        taken = {at for places, _ in exact if len(places) > 1 for at in places}
        other = list(self._loose_in(keys, stems, taken))
        covered = {at for places, _ in other for at in places}
        kept = [(places, nodes) for places, nodes in exact if places.start not in covered]
        return sorted((*kept, *other), key=lambda found: found[0].start)

    def on_both(self, found: Collection[Sequence[Node]]) -> list[Phrase]:
        """Return what to search for passages on two terms of a query.

        Args:
            found: What each alias of the query stands for.
        """
        names = [{" ".join(node.words).casefold() for node in nodes} for nodes in found]
        if not self._pairs or len(names) > MOST_PAIRED:
            return []
        both = (
            frozenset(two)
            for first, second in itertools.combinations(names, 2)
            for two in itertools.product(sorted(first), sorted(second))
        )
        return list(dict.fromkeys(row for pair in both for row in self._pairs.get(pair, ())))

    def _longest_at(
        self, words: Sequence[str], keys: Sequence[str], stems: Sequence[str], at: int
    ) -> tuple[range, tuple[Node, ...]]:
        """Return the places of the longest alias from a place on, or this place alone."""
        upper = words[at].upper()
        most = max(self._longest.get(word, 0) for word in (keys[at], words[at], upper))
        most = max(
            (most, *(self._longest.get(word, 0) for word in self._instead.get(keys[at], ())))
        )
        for end in range(min(len(words), at + most), at, -1):
            row = tuple(keys[at:end])
            nodes = dict(self._terms.get(row, {}))
            if all(word.isupper() for word in words[at:end]):
                nodes |= self._terms.get(tuple(words[at:end]), {})
            if not nodes and len(row) > 1:
                others = _readings(row, self._instead)
                other = next((term for term in others if term in self._terms), ())
                nodes = dict(self._terms.get(other, {}))
            if senses := self._senses.get(tuple(word.upper() for word in words[at:end])):
                written = bool(nodes) or all(word.isupper() for word in words[at:end])
                chosen = _in_context(senses, {*stems[:at], *stems[end:]}, not nodes and written)
                nodes = dict.fromkeys(chosen) if chosen else nodes
            if nodes:
                return range(at, end), tuple(nodes)
        return range(at, at + 1), ()

    def _loose_in(
        self, keys: Sequence[str], stems: Sequence[str], taken: Collection[int]
    ) -> Iterator[tuple[range, tuple[Node, ...]]]:
        """Yield the longest aliases in any order and form of their words, at places not taken."""
        at = 0
        while at < len(keys):
            row: list[str] = []
            end = at
            best: tuple[range, tuple[Node, ...]] | None = None
            while end < len(keys) and end not in taken and len(row) < MAX_LOOSE:
                if keys[end] not in FUNCTION_WORDS or not row:
                    if stems[end] not in self._in_loose:
                        break
                    row.append(stems[end])
                    if len(row) > 1 and (alias := self._any_order(row)):
                        best = range(at, end + 1), tuple(self._terms[alias])
                end += 1
            if best is not None:
                yield best
            at = best[0].stop if best is not None else at + 1

    def _any_order(self, stems: Sequence[str]) -> tuple[str, ...] | None:
        """Return the alias that has these stems, or those of what the words stand for."""
        if alias := self._loose.get(tuple(sorted(stems))):
            return alias
        rows = (tuple(sorted(row)) for row in _readings(stems, self._stems_instead))
        return next((self._loose[row] for row in rows if row in self._loose), None)


def _readings(
    row: Sequence[str], instead: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[str, ...]]:
    """Yield rows of words for a row, in which words are replaced by what they stand for."""
    if any(word in instead for word in row):
        words = ((word, *instead.get(word, ())) for word in row)
        yield from itertools.islice(itertools.product(*words), 1, MAX_READINGS)


def _in_context(senses: Sequence[Sense], stems: set[str], undecided: bool) -> list[Node]:
    """Return what to search for the meanings that the other words of a query speak for.

    Args:
        senses: The meanings.
        stems: Stems of the other words.
        undecided: Whether all meanings are searched where no word decides.
    """
    fit = [len(sense.context & stems) for sense in senses]
    most = max(fit)
    if not most and not undecided:
        return []
    chosen = (sense for sense, words in zip(senses, fit, strict=True) if words == most)
    return [node for sense in chosen for node in sense.nodes]


def _paired(pairs: Iterable[tuple[str, str, str]]) -> dict[frozenset[str], dict[Phrase, None]]:
    rows: dict[str, Phrase] = {}
    found: dict[frozenset[str], dict[Phrase, None]] = {}
    for first, second, words in pairs:
        if words not in rows:
            rows[words] = Phrase(_in_row(words))
        both = frozenset((first.casefold(), second.casefold()))
        found.setdefault(both, {})[rows[words]] = None
    return found


def _in_row(text: str) -> tuple[str, ...]:
    tree = parse_query(f'"{text}"')
    return tree.words if isinstance(tree, Phrase) else ()


def _words(text: str) -> list[str]:
    """Return the words of an alias; the s of a possessive is none."""
    tree = parse_query(text)
    parts = tree.parts if isinstance(tree, AnyOf) else (tree,)
    return [
        word for part in parts if isinstance(part, Phrase) for word in part.words if word != "s"
    ]


def _stems(key: Iterable[str]) -> tuple[str, ...]:
    """Return the stems of the words of an alias that are no function words, sorted."""
    return tuple(sorted(stem(word) for word in key if word not in FUNCTION_WORDS))


def _is_word(text: str) -> bool:
    return text.isalpha() and text.islower()


def _key(word: str) -> str:
    key = folded(plain(word))
    plural = len(key) >= SHORTEST_PLURAL and key[-1] == "s" and key[-2] not in "sui"
    return key[:-1] if plural else key
