"""Linking of free text to the symptoms of a graph, with their status in the text.

A mention is the longest run of words that names a symptom, found from left to right. It matches
the preferred name (score 1.0); its stems in any order, with function words between ("pain in the
chest": 0.95); a synonym, likewise (0.9); or any of these after the correction of misspelt words
(0.85 times their likeness). British and American spelling are treated as equal. The same text
always gives the same mentions.

A name in capitals ("ALL") is an abbreviation and matches capitals only. The time of a symptom is
not determined.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from gym_clinic.errors import ConfigError
from gym_clinic.facts.naming import stem
from gym_clinic.retrieval.graph.context import Status, statuses
from gym_clinic.retrieval.graph.spelling import LONGEST_WORD, Spelling
from gym_clinic.retrieval.graph.symptom_graph import Node, NodeKind, SymptomGraph
from gym_clinic.retrieval.graph.words import PLAIN, Word, word_set, words_of
from gym_clinic.retrieval.scored import Scored

MatchKind = Literal["exact", "stemmed", "synonym", "approximate"]

SYMPTOMS: tuple[NodeKind, ...] = ("symptom",)

SCORES: dict[MatchKind, float] = {
    "exact": 1.0,
    "stemmed": 0.95,
    "synonym": 0.9,
    "approximate": 0.85,
}
FUNCTION_WORDS = word_set(
    "a an the of in on at to for from my his her their your our its this that these those is are "
    "was were been being be have has had having i he she they very some by"
)
"""Words that are ignored between the words of a name."""

LONGEST = 14
"""Words of a mention at most."""

SHORTEST_STEM = 4
"""Letters of the stem of a mention of one word: "fit" is not a form of "fits"."""

LONGEST_ABBREVIATION = 5
"""Letters of an abbreviation."""


@dataclass(frozen=True)
class Link(Scored[Node]):
    """A mention of a symptom.

    Attributes:
        record: The symptom.
        score: How sure that is, 0 to 1.
        how: How the text names it, a :data:`MatchKind`.
        start: Where the mention begins in the text.
        end: Where it ends.
        text: The mention.
        status: What the text says of it: that it is there, or absent, or that another has it, or
            that it is only thought of.
    """

    start: int = 0
    end: int = 0
    text: str = ""
    status: Status = "present"


class _Entry(NamedTuple):
    """A name of a node, with its rank among nodes that share the name."""

    synonym: bool
    node: Node
    capitals: bool

    @property
    def rank(self) -> tuple[bool, bool, str]:
        """Words before abbreviations, names before synonyms, then by id."""
        return self.capitals, self.synonym, self.node.id


class _Mention(NamedTuple):
    first: int
    end: int
    node: Node
    kind: MatchKind
    score: float


class SymptomLinker:
    """Finds the symptoms that a text names; safe to use from threads."""

    def __init__(
        self,
        graph: SymptomGraph | Iterable[Node],
        *,
        kinds: Collection[NodeKind] = SYMPTOMS,
        threshold: float = 0.8,
    ) -> None:
        """Index the names.

        Args:
            graph: The graph, or nodes.
            kinds: Kinds of nodes to find.
            threshold: Least likeness of a misspelt word to its correction: 1 less the share of
                wrong letters, so that 0.8 allows one in five. 1 disables correction. Below the
                default, ordinary words are corrected to symptoms.

        Raises:
            ConfigError: If the threshold is out of range.
        """
        if not 0 < threshold <= 1:
            raise ConfigError(f"threshold is above 0 and at most 1, not {threshold!r}")
        self._threshold = threshold
        self._exact: dict[tuple[str, ...], _Entry] = {}
        self._stems: dict[tuple[str, ...], _Entry] = {}
        vocabulary: set[str] = set()
        nodes = graph.nodes if isinstance(graph, SymptomGraph) else graph
        for node in sorted((one for one in nodes if one.kind in kinds), key=lambda one: one.id):
            for number, name in enumerate((node.name, *node.synonyms)):
                words = tuple(word.text for word in words_of(name))
                if words:
                    entry = _Entry(number > 0, node, _is_abbreviation(name))
                    _put(self._exact, words, entry)
                    if not entry.capitals and (stems := _stem_key(words)):
                        _put(self._stems, stems, entry)
                        vocabulary.update(set(words) - FUNCTION_WORDS)
        self._known = {stem for stems in self._stems for stem in stems}
        self._spelling = Spelling(vocabulary)
        self._capitals = {
            word for words, entry in self._exact.items() if entry.capitals for word in words
        }

    def link(self, text: str) -> list[Link]:
        """Return the mentions in a text in order; they do not overlap."""
        words = words_of(text)
        # The known word that each word stands for: itself or its correction.
        nearest: dict[str, tuple[str, float]] = {}
        for word in words:
            if word.text not in nearest:
                nearest[word.text] = self._nearest(word.text)
        mentions: list[_Mention] = []
        place = 0
        while place < len(words):
            mention = self._mention(text, words, place, nearest)
            if mention is not None:
                mentions.append(mention)
            place = mention.end if mention is not None else place + 1
        taken = [False] * len(words)
        for one in mentions:
            taken[one.first : one.end] = [True] * (one.end - one.first)
        said = statuses(words, taken)
        links = []
        for one in mentions:
            start, end = words[one.first].start, words[one.end - 1].end
            mentioned = text[start:end]
            links.append(
                Link(one.node, one.score, one.kind, start, end, mentioned, said[one.first])
            )
        return links

    def symptoms(self, text: str) -> tuple[list[Node], list[Node]]:
        """Return the symptoms that a text states as present, and those it states as absent.

        A symptom that is stated as both is present.
        """
        links = self.link(text)
        present = {one.record.id: one.record for one in links if one.status == "present"}
        absent = {one.record.id: one.record for one in links if one.status == "absent"}
        return list(present.values()), [node for key, node in absent.items() if key not in present]

    def _mention(
        self, text: str, words: list[Word], first: int, nearest: dict[str, tuple[str, float]]
    ) -> _Mention | None:
        """Return the longest mention that begins at a word; of equal length, the best."""
        for end in range(self._run(words, first, nearest), first, -1):
            here = words[first:end]
            entry = self._exact.get(tuple(word.text for word in here))
            if entry and (not entry.capitals or text[here[0].start : here[-1].end].isupper()):
                how: MatchKind = "synonym" if entry.synonym else "exact"
                return _Mention(first, end, entry.node, how, SCORES[how])
            if here[0].text in FUNCTION_WORDS or here[-1].text in FUNCTION_WORDS:
                continue
            taken_for = [nearest[word.text] for word in here if word.text not in FUNCTION_WORDS]
            entry = self._stems.get(tuple(sorted(stem for stem, _ in taken_for)))
            if entry and (len(taken_for) > 1 or len(taken_for[0][0]) >= SHORTEST_STEM):
                how = "synonym" if entry.synonym else "stemmed"
                likeness = sum(how_near for _, how_near in taken_for) / len(taken_for)
                if likeness < 1:
                    return _Mention(
                        first, end, entry.node, "approximate", SCORES["approximate"] * likeness
                    )
                return _Mention(first, end, entry.node, how, SCORES[how])
        return None

    def _run(self, words: list[Word], first: int, nearest: dict[str, tuple[str, float]]) -> int:
        """Return the end of the known words that begin at a word."""
        end = first
        while end < min(len(words), first + LONGEST) and (
            end == first or words[end].before == PLAIN
        ):
            word = words[end].text
            if not nearest[word][0] and word not in FUNCTION_WORDS and word not in self._capitals:
                break
            end += 1
        return end

    def _nearest(self, word: str) -> tuple[str, float]:
        """Return the known stem of a word, "" for none, and its likeness."""
        if len(word) > LONGEST_WORD:
            return "", 0.0
        root = stem(word)
        if root in self._known:
            return root, 1.0
        if word in FUNCTION_WORDS:
            return "", 0.0
        near, likeness = self._spelling.nearest(word)
        return (stem(near), likeness) if likeness >= self._threshold else ("", 0.0)


def _stem_key(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(stem(word) for word in words if word not in FUNCTION_WORDS))


def _put(index: dict[tuple[str, ...], _Entry], words: tuple[str, ...], entry: _Entry) -> None:
    """Keep the entry that ranks first if several share a name."""
    known = index.get(words)
    if known is None or entry.rank < known.rank:
        index[words] = entry


def _is_abbreviation(name: str) -> bool:
    return len(name) <= LONGEST_ABBREVIATION and name.isupper()
