"""An index of the names and terms of findings by the roots of their words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from gym_clinic.facts.records.terms import Abbreviation, FindingTerms
from gym_clinic.retrieval.graph.symptom_graph import Node
from gym_clinic.retrieval.graph.wording import (
    FUNCTION_WORDS,
    GRAMMAR,
    NO_FINDING,
    PAIN,
    Key,
    keys_of,
    plain_words,
    root,
)
from gym_clinic.retrieval.graph.words import words_of

LONGEST_ABBREVIATION = 5
"""Letters of a name or synonym in capitals that is an abbreviation."""

LEAST_LETTERS = 8
"""Letters of the words of terms that a misspelt word may be corrected to."""


class IndexedPhrase(NamedTuple):
    """What a phrase stands for.

    Attributes:
        nodes: The finding; several for a list of letters; none if the phrase names no finding.
        rank: Order among entries of one phrase, the first wins: words before abbreviations, names
            before synonyms before terms, then by id.
        abbreviation: The conditions of an abbreviation; None for words.
        denied: Whether the phrase says that the finding is absent.
        also: Findings that are absent too where this phrase is denied: "no organomegaly".
        measured: Whether it is a measured value, which no "no" before it denies.
    """

    nodes: tuple[Node, ...]
    rank: tuple[bool, int, str]
    abbreviation: Abbreviation | None = None
    denied: bool = False
    also: tuple[Node, ...] = ()
    measured: bool = False

    @property
    def synonym(self) -> bool:
        """Whether the phrase is not the preferred name."""
        return self.rank[1] > 0


class PhraseIndex:
    """The phrases of findings.

    Attributes:
        exact: Phrases by their words, in small letters.
        sorted: Names by their roots without function words, sorted.
        ordered: Terms by their roots without grammar words, in order.
        partners: Word or root -> the words and roots beside it in phrases.
        starts: First words of the exact phrases.
        vocabulary: Words that a misspelt word may be corrected to.
    """

    def __init__(self, nodes: Iterable[Node], terms: Mapping[str, FindingTerms]) -> None:
        self.exact: dict[Key, IndexedPhrase] = {}
        self.sorted: dict[Key, IndexedPhrase] = {}
        self.ordered: dict[Key, IndexedPhrase] = {}
        self.partners: dict[str, set[str]] = {}
        self.starts: set[str] = set()
        self.vocabulary: set[str] = set()
        letters: dict[str, dict[int, Node]] = {}
        also: dict[Key, tuple[Node, ...]] = {}
        for node in nodes:
            self._add_names(node)
            if record := terms.get(node.id):
                self._add_terms(node, record)
                for text in record.denied_by:
                    also[_words(text)] = (*also.get(_words(text), ()), node)
                for text in record.letters:
                    places = (place for place, part in enumerate(text.split("/")) if part.isupper())
                    letters.setdefault(text.casefold(), {})[next(places)] = node
        for text, found in letters.items():
            self._add_letters(tuple(text.split("/")), found)
        for words, several in also.items():
            self._put(self.exact, words, IndexedPhrase((), (True, 3, "")))
            self.exact[words] = self.exact[words]._replace(also=several)
        if letters:
            for phrase in NO_FINDING:
                self._put(self.exact, _words(phrase), IndexedPhrase((), (False, 3, "")))

    def _add_names(self, node: Node) -> None:
        for number, name in enumerate((node.name, *node.synonyms)):
            words = _words(name)
            if not words:
                continue
            capitals = len(name) <= LONGEST_ABBREVIATION and name.isupper()
            abbreviation = Abbreviation(text=name) if capitals else None
            entry = IndexedPhrase((node,), (capitals, int(number > 0), node.id), abbreviation)
            self._put(self.exact, words, entry)
            key = tuple(sorted(root(word) for word in words if word not in FUNCTION_WORDS))
            if not capitals and key:
                self._put(self.sorted, key, entry)
                self.vocabulary.update(set(words) - FUNCTION_WORDS)

    def _add_terms(self, node: Node, record: FindingTerms) -> None:
        entry = IndexedPhrase((node,), (False, 2, node.id))
        for phrase in record.terms:
            if phrase.startswith("="):
                self._put(self.exact, _words(phrase), entry)
                continue
            keys = keys_of(phrase)
            for key in keys:
                self._keep(self.ordered, key, entry)
            # Alternatives of one phrase count as beside each other: it costs a word more to try.
            self._join({part for key in keys for part in key})
            self.vocabulary.update(
                word
                for word in plain_words(phrase)
                if len(word) >= LEAST_LETTERS and word not in GRAMMAR
            )
        for part in record.aches:
            roots = tuple(root(word) for word in _words(part))
            for pain in PAIN:
                self._put(self.sorted, tuple(sorted({*roots, root(pain)})), entry)
        for one in record.shorthand:
            short = IndexedPhrase((node,), (True, 2, node.id), one)
            self._put(self.exact, _words(one.text), short)
        for phrase in record.denials:
            self._deny(node, phrase)
        for one in record.denials_beside:
            self._deny(node, one.text, one)

    def _deny(self, node: Node, phrase: str, beside: Abbreviation | None = None) -> None:
        """Add a phrase that says that a finding, or one more, is absent."""
        words = _words(phrase)
        known = self.exact.get(words)
        nodes = (*known.nodes, node) if known is not None and known.denied else (node,)
        self.exact.pop(words, None)
        self._put(self.exact, words, IndexedPhrase(nodes, (False, 2, node.id), beside, denied=True))

    def _add_letters(self, parts: Key, found: Mapping[int, Node]) -> None:
        nodes = tuple(found[place] for place in sorted(found))
        if len(nodes) != len(parts):
            return  # a graph without one of the findings
        rank = (True, 2, nodes[0].id)
        self._put(self.exact, parts, IndexedPhrase(nodes, rank))
        self._put(self.exact, (*parts[:-1], "and", parts[-1]), IndexedPhrase(nodes, rank))
        joined = "".join(parts)
        self._put(
            self.exact, (joined,), IndexedPhrase(nodes, rank, Abbreviation(text=joined.upper()))
        )

    def _put(self, index: dict[Key, IndexedPhrase], key: Key, entry: IndexedPhrase) -> None:
        """Add a phrase with its words, which occur beside each other."""
        self._keep(index, key, entry)
        parts = set(key)
        if index is self.exact:  # by their words and by their roots
            self.starts.add(key[0])
            parts.update(map(root, key))
        self._join(parts)

    def _keep(self, index: dict[Key, IndexedPhrase], key: Key, entry: IndexedPhrase) -> None:
        """Keep the entry that ranks first if several share a phrase."""
        known = index.get(key)
        if known is None or entry.rank < known.rank:
            index[key] = entry

    def _join(self, parts: set[str]) -> None:
        """Note which words and roots occur beside each other."""
        for one in parts:
            self.partners.setdefault(one, set()).update(parts)


def _words(text: str) -> Key:
    return tuple(word.text for word in words_of(text))
