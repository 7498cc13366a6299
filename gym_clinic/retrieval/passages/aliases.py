"""Other names for what a base describes: brands, abbreviations, lay words.

An alias is looked up in the words of a query, and the terms that it stands for are searched as
well. The scores of passages are those of the query so extended.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Sequence

from gym_clinic.retrieval.passages.query import AnyOf, Phrase, Title, parse_query
from gym_clinic.retrieval.passages.vocabulary import folded, plain

MOST_PAIRED = 6
"""Aliases of a query up to which passages on two of them are looked for."""

SHORTEST_PLURAL = 5
"""Shortest word whose final s is ignored."""


class AliasTable:
    """Terms by their aliases.

    An alias is compared without case, accents, function words and a plural s; its British and
    American spellings are one.

    Attributes:
        words: Plain words of the aliases.

    Args:
        aliases: Pairs of an alias and a term that it stands for; one alias may have several terms.
        capitals: Aliases that are only recognised in capitals, such as ``ALL``.
        titles: Terms that titles begin with. Where a query has such a term or an alias of it,
            passages with such a title score higher.
        pairs: Two terms, and the words in a row of a passage on both. They are searched as well
            where a query has both terms: "Coumadin with Bactrim".
    """

    def __init__(
        self,
        aliases: Iterable[tuple[str, str]],
        capitals: Iterable[tuple[str, str]] = (),
        titles: Iterable[str] = (),
        pairs: Iterable[tuple[str, str, str]] = (),
    ) -> None:
        self._terms: dict[tuple[str, ...], dict[Phrase | Title, None]] = {}
        self.words: set[str] = set()
        titled = {title.casefold(): Title(_in_row(title)) for title in titles}
        for title, node in titled.items():
            self._add(_words(title), _key, node)
        for alias, term in aliases:
            self._add(_words(alias), _key, Phrase(_in_row(term)), titled.get(term.casefold()))
        for alias, term in capitals:
            self._add(_words(alias), str.upper, Phrase(_in_row(term)), titled.get(term.casefold()))
        rows: dict[str, Phrase] = {}
        self._pairs: dict[frozenset[str], dict[Phrase, None]] = {}
        for one, other, words in pairs:
            if words not in rows:
                rows[words] = Phrase(_in_row(words))
            both = frozenset((one.casefold(), other.casefold()))
            self._pairs.setdefault(both, {})[rows[words]] = None
        self._keys = {word for key in self._terms for word in key}
        self._longest: dict[str, int] = {}
        """First word of an alias -> the words of the longest one."""
        for key in self._terms:
            self._longest[key[0]] = max(len(key), self._longest.get(key[0], 0))

    def _add(
        self, words: list[str], fold: Callable[[str], str], *nodes: Phrase | Title | None
    ) -> None:
        if words:
            self.words.update(map(plain, words))
            found = self._terms.setdefault(tuple(map(fold, words)), {})
            found.update(dict.fromkeys(node for node in nodes if node and node.words))

    def __len__(self) -> int:
        return len(self._terms)

    def knows(self, word: str) -> bool:
        """Return whether an alias has this word."""
        return _key(word) in self._keys or word in self._keys

    def find(self, words: Sequence[str]) -> list[tuple[range, tuple[Phrase | Title, ...]]]:
        """Find the aliases in a row of words; the longest one goes first.

        Args:
            words: Words of a query as they are written.

        Returns:
            The places of the words of each alias, and what to search as well.
        """
        keys = [_key(word) for word in words]
        found: list[tuple[range, tuple[Phrase | Title, ...]]] = []
        at = 0
        while at < len(words):
            places, nodes = self._longest_at(words, keys, at)
            if nodes:
                found.append((places, nodes))
            at = places.stop
        return found

    def on_both(self, found: Collection[Sequence[Phrase | Title]]) -> list[Phrase]:
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
        self, words: Sequence[str], keys: Sequence[str], at: int
    ) -> tuple[range, tuple[Phrase | Title, ...]]:
        """Return the places of the longest alias from a place on, or this place alone."""
        most = max(self._longest.get(keys[at], 0), self._longest.get(words[at], 0))
        for end in range(min(len(words), at + most), at, -1):
            nodes = dict(self._terms.get(tuple(keys[at:end]), {}))
            if all(word.isupper() for word in words[at:end]):
                nodes |= self._terms.get(tuple(words[at:end]), {})
            if nodes:
                return range(at, end), tuple(nodes)
        return range(at, at + 1), ()


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


def _key(word: str) -> str:
    key = folded(plain(word))
    plural = len(key) >= SHORTEST_PLURAL and key[-1] == "s" and key[-2] not in "sui"
    return key[:-1] if plural else key
