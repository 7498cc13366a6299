"""Linking of free text to the symptoms of a graph, with their status in the text.

A mention is the longest run of words that names a symptom, found from left to right. It matches
the preferred name (score 1.0); its stems in any order, with function words between ("pain in the
chest": 0.95); a synonym, likewise, or a term (0.9); or any of these after the correction of
misspelt words (0.85 times their likeness). British and American spelling are treated as equal.
The same text always gives the same mentions.

Terms are how patients and clinicians speak ("can't catch my breath"): their words occur in order,
with words of grammar and degree between. A name in capitals ("ALL") is an abbreviation. It
matches capitals, or small letters in a text with other shorthand ("c/o sob"); an abbreviation
with several meanings may ask for words beside it, or exclude some. Measured values ("K 6.8") are
mentions too. A negation between the words of a mention denies it: "my head doesn't hurt". Of the
time of a symptom, only what is past is told apart.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from gym_clinic.errors import ConfigError
from gym_clinic.facts.records.terms import FindingTerms
from gym_clinic.retrieval.graph.context import statuses
from gym_clinic.retrieval.graph.cues import DESCRIBED, DISEASE, MEASURED, NAMED, Status
from gym_clinic.retrieval.graph.normal import NormalIndex
from gym_clinic.retrieval.graph.phrase_index import IndexedPhrase, PhraseIndex
from gym_clinic.retrieval.graph.symptom_graph import Node, NodeKind, SymptomGraph
from gym_clinic.retrieval.graph.values import ValueIndex
from gym_clinic.retrieval.graph.wording import (
    CONTRACTIONS,
    DEGREES,
    FUNCTION_WORDS,
    GRAMMAR,
    INNER_NEGATIONS,
    NOTE_WORDS,
    SIDES,
    Key,
    root,
)
from gym_clinic.retrieval.graph.words import MINUS, PLAIN, PLUS, Word, word_set, words_of
from gym_clinic.retrieval.scored import Scored
from gym_clinic.retrieval.spelling import LONGEST_WORD, StrictCorrector

MatchKind = Literal["exact", "stemmed", "synonym", "approximate"]

SYMPTOMS: tuple[NodeKind, ...] = ("symptom",)

SCORES: dict[MatchKind, float] = {
    "exact": 1.0,
    "stemmed": 0.95,
    "synonym": 0.9,
    "approximate": 0.85,
}
SKIPPED = GRAMMAR | DEGREES
IGNORED = (FUNCTION_WORDS, GRAMMAR, SKIPPED, SKIPPED | SIDES)
"""What is ignored between the words of a mention, from the least to the most."""

DENIED_VERBS = word_set(
    "is are was were do does did has have had isn aren wasn weren don doesn didn haven hasn hadn"
)
"""Words before a "not" inside a mention; after "can't" something is the matter."""

SIGNS = (MINUS, PLUS)
_NONE: frozenset[str] = frozenset()

INFLAMED = "itis"
"""End of the names of inflammations, which are diseases: "meningitis"."""

LONGEST = 14
"""Words of a mention at most."""

NEAR = 15
"""Words around an abbreviation in small letters among which other shorthand is looked for."""

ORDINARY = SKIPPED | {"add", "all", "cap", "ed", "pet"}
"""Words that are no abbreviation in small letters."""

SHORTEST_STEM = 4
"""Letters of the stem of a mention of one word: "fit" is not a form of "fits"."""

NEGATED = 3
"""Words before a denial such as "afebrile" among which a "not" turns it around."""


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
        status: What the text says of it: that it is there, absent or past, that another has it,
            that it is only thought of, or that it is only a context, such as an allergy.
    """

    start: int = 0
    end: int = 0
    text: str = ""
    status: Status = "present"


class _Mention(NamedTuple):
    first: int
    end: int
    entry: IndexedPhrase
    kind: MatchKind
    score: float
    negated: bool = False


class _Text(NamedTuple):
    """A text to link.

    Attributes:
        text: The text.
        words: Its words.
        roots: Word -> the root of the known word that it stands for, or "", and its likeness.
    """

    text: str
    words: list[Word]
    roots: dict[str, tuple[str, float]]


class SymptomLinker:
    """Finds the symptoms that a text names; safe to use from threads."""

    def __init__(
        self,
        graph: SymptomGraph | Iterable[Node],
        *,
        kinds: Collection[NodeKind] = SYMPTOMS,
        terms: Mapping[str, FindingTerms] | None = None,
        threshold: float = 0.8,
    ) -> None:
        """Index the names.

        Args:
            graph: The graph, or nodes.
            kinds: Kinds of nodes to find.
            terms: Further terms by the id of the node; none by default.
            threshold: Least likeness of a misspelt word to its correction: 1 less the share of
                wrong letters, so that 0.8 allows one in five. 1 disables correction. Below the
                default, ordinary words are corrected to symptoms.

        Raises:
            ConfigError: If the threshold is out of range.
        """
        if not 0 < threshold <= 1:
            raise ConfigError(f"threshold is above 0 and at most 1, not {threshold!r}")
        self._threshold = threshold
        nodes = graph.nodes if isinstance(graph, SymptomGraph) else tuple(graph)
        chosen = sorted((node for node in nodes if node.kind in kinds), key=lambda node: node.id)
        diseases = {name for node in nodes if node.kind == "disease" for name in _names(node)}
        self._diseases = frozenset(
            node
            for node in chosen
            if node.name.endswith(INFLAMED) or not diseases.isdisjoint(_names(node))
        )
        self._index = PhraseIndex(chosen, terms or {})
        self._values = ValueIndex(chosen, terms or {})
        self._normal = NormalIndex(chosen, terms or {})
        self._spelling = StrictCorrector(self._index.vocabulary)

    def link(self, text: str) -> list[Link]:
        """Return the mentions in a text in order; they do not overlap."""
        words = words_of(text)
        roots: dict[str, tuple[str, float]] = {}
        for word in words:
            if word.text not in roots:
                roots[word.text] = self._nearest(word.text)
        given = _Text(text, words, roots)
        mentions: list[_Mention] = []
        place = 0
        measured = self._values.starts if any(map(str.isdigit, text)) else _NONE
        while place < len(words):
            begin = words[place].text
            if begin in measured and (value := self._values.find(text, words, place)):
                end, node = value
                entry = IndexedPhrase((node,), (False, 2, node.id), measured=True)
                mentions.append(_Mention(place, end, entry, "synonym", SCORES["synonym"]))
                place = end
                continue
            if begin in self._normal.starts and (found := self._normal.find(words, place))[0]:
                place = found[0]
                for part in found[1]:
                    entry = IndexedPhrase(part.nodes, (False, 2, part.nodes[0].id), denied=True)
                    mentions.append(
                        _Mention(part.first, part.end, entry, "synonym", SCORES["synonym"])
                    )
                continue
            known = roots[begin][0] or begin in self._index.partners or begin in SKIPPED
            denied = place and words[place - 1].text == "non" and words[place].before == PLAIN
            if not known or denied:  # "non-bloody"
                place += 1
                continue
            mention = self._mention(given, place)
            if mention is not None and (mention.entry.nodes or mention.entry.also):
                mentions.append(mention)
            place = mention.end if mention is not None else place + 1
        marks = [0] * len(words)
        for mention in mentions:
            mark = self._mark(mention.entry)
            for place in range(mention.first, mention.end):
                marks[place] = 0 if words[place].text in SIGNS else mark
        said = statuses(words, marks)
        return [
            link
            for mention in mentions
            if (status := said[mention.first + (not marks[mention.first])]) is not None
            for link in _links(given, mention, status)
        ]

    def _mark(self, entry: IndexedPhrase) -> int:
        """Return what the words of a mention are to the cues around them."""
        if entry.measured:
            return MEASURED
        if entry.nodes and self._diseases.issuperset(entry.nodes):
            return DISEASE
        return DESCRIBED if entry.rank[1] > 1 else NAMED

    def symptoms(self, text: str) -> tuple[list[Node], list[Node]]:
        """Return the symptoms that a text states as present, and those it states as absent.

        A symptom that is stated as both is present.
        """
        links = self.link(text)
        present = {one.record.id: one.record for one in links if one.status == "present"}
        absent = {one.record.id: one.record for one in links if one.status == "absent"}
        return list(present.values()), [node for key, node in absent.items() if key not in present]

    def _mention(self, given: _Text, first: int) -> _Mention | None:
        """Return the longest mention that begins at a word; of equal length, the best."""
        words, roots, index = given.words, given.roots, self._index
        begin = words[first].text
        negated = begin in CONTRACTIONS and first + 1 < len(words) and words[first + 1].text == "t"
        if begin in GRAMMAR and not negated and begin not in index.starts:
            return None
        stop = self._run(given, first)
        denied = any(word.text in INNER_NEGATIONS for word in words[first + 1 : stop])
        for end in range(stop, first, -1):
            here = words[first:end]
            entry = index.exact.get(tuple(word.text for word in here))
            if entry and _allowed(given, entry, here, first):
                how: MatchKind = "synonym" if entry.synonym else "exact"
                return _Mention(first, end, entry, how, SCORES[how])
            for kept in _readings(here, negated):
                taken_for = [roots[word] for word in kept]
                key = tuple(root for root, _ in taken_for)
                entry = index.sorted.get(tuple(sorted(key))) or index.ordered.get(key)
                if entry and (len(key) > 1 or len(key[0]) >= SHORTEST_STEM or entry.rank[1] == 2):
                    how = "synonym" if entry.synonym else "stemmed"
                    likeness = sum(how_near for _, how_near in taken_for) / len(taken_for)
                    if likeness < 1:
                        how, score = "approximate", SCORES["approximate"] * likeness
                        return _Mention(first, end, entry, how, score)
                    return _Mention(first, end, entry, how, SCORES[how])
        denials = (
            self._denied_inside(given, first, end) for end in range(stop, first, -1) if denied
        )
        return next((mention for mention in denials if mention), None)

    def _denied_inside(self, given: _Text, first: int, end: int) -> _Mention | None:
        """Return a mention with a negation inside: "my neck isn't stiff"."""
        here = given.words[first:end]
        inner = next((n for n, word in enumerate(here) if word.text in INNER_NEGATIONS), 0)
        if not inner or here[-1].text in INNER_NEGATIONS or here[-1].text in SKIPPED:
            return None
        last = here[inner - 1].text
        if here[inner].text in ("not", "t") and last in SKIPPED and last not in DENIED_VERBS:
            return None  # "can't swallow"; but "lips not swollen", "isn't stiff"
        if all(word.text in SKIPPED | DENIED_VERBS for word in here[:inner]):
            return None  # "haven't had any fever or headache" denies what follows as well
        if self._mention(given._replace(words=here[:inner]), 0):
            return None  # "a cough that is not productive"
        said = [word for word in here if word.text not in INNER_NEGATIONS]
        kept = [word.text for word in said if word.text not in SKIPPED and word.text not in SIDES]
        key = tuple(given.roots[word][0] for word in kept)
        entry = self._index.sorted.get(tuple(sorted(key))) or self._index.ordered.get(key)
        if entry is None or len(key) < 2 or entry.abbreviation or entry.denied:
            return None
        return _Mention(first, end, entry, "synonym", SCORES["synonym"], negated=True)

    def _run(self, given: _Text, first: int) -> int:
        """Return the end of the known words that begin at a word."""
        words, partners, roots = given.words, self._index.partners, given.roots
        end, limit = first, min(len(words), first + LONGEST)
        beside: Collection[str] = _NONE  # the words that occur with the first of them
        spelt: Collection[str] = _NONE  # likewise, with the first as it is spelt
        while end < limit and (end == first or words[end].before == PLAIN):
            word = words[end].text
            inner = end > first and word in INNER_NEGATIONS
            if word not in SKIPPED and word not in SIDES and not inner:
                near = roots[word][0]
                if not beside:
                    beside, spelt = partners.get(near, _NONE), partners.get(word, _NONE)
                if (
                    near not in beside
                    and word not in beside
                    and not (near in spelt or word in spelt)
                ):
                    break
            end += 1
        return end

    def _nearest(self, word: str) -> tuple[str, float]:
        """Return the known root of a word, "" for none, and its likeness."""
        if len(word) > LONGEST_WORD:
            return "", 0.0
        found = root(word)
        if found in self._index.partners:
            return found, 1.0
        if word in SKIPPED:
            return "", 0.0
        near, likeness = self._spelling.nearest(word)
        return (root(near), likeness) if likeness >= self._threshold else ("", 0.0)


def _names(node: Node) -> Iterator[str]:
    """Yield the names of a node in small letters."""
    yield node.name.casefold()
    yield from (name.casefold() for name in node.synonyms)


def _readings(here: list[Word], negated: bool) -> Iterator[Key]:
    """Yield the words that count: as a name, as a term, without degrees, without sides.

    None of them ignores the last word, nor the first, but for that of a negation ("can't").
    """
    words = tuple(word.text for word in here)
    last: Key = ()
    for ignored in IGNORED:
        if words[-1] in ignored or (words[0] in ignored and not negated):
            return
        kept = tuple(word for word in words if word not in ignored)
        if kept != last:
            yield kept
        last = kept


def _allowed(given: _Text, entry: IndexedPhrase, here: list[Word], first: int) -> bool:
    """Return whether an entry that may be an abbreviation fits the text."""
    short = entry.abbreviation
    if short is None:
        return True
    mention = given.text[here[0].start : here[-1].end]
    if short.text.islower():
        mention = mention.casefold()
    if not (entry.denied or mention == short.text or mention.isupper()):
        near = given.words[max(0, first - NEAR) : first + NEAR]
        if here[0].text in ORDINARY or NOTE_WORDS.isdisjoint(word.text for word in near):
            return False
    beside, unless = set(short.beside), set(short.unless)
    return (not beside or not beside.isdisjoint(given.roots)) and unless.isdisjoint(given.roots)


def _links(given: _Text, mention: _Mention, said: Status) -> Iterator[Link]:
    """Yield the links of a mention: one, or one for each letter of a list."""
    entry, words = mention.entry, given.words[mention.first : mention.end]
    spans = [(words[0].start, words[-1].end)]
    if entry.denied:
        spans *= len(entry.nodes)
    elif len(entry.nodes) > 1:
        letters = [place for word in words for place in range(word.start, word.end)]
        if len(words) > 1:
            letters = [word.start for word in words if len(word.text) == 1]
        spans = [(place, place + 1) for place in letters]
    status = said
    if entry.denied and said in ("present", "absent"):
        status = "present" if _is_negated(given.words, mention.first) else "absent"
    elif mention.negated and said == "present":
        status = "absent"
    elif entry.measured and said == "absent":
        status = "present"  # "no syncope, HR 160"
    elif said == "past" and words[0].text == "no":
        status = "absent"  # "no appetite that has gone"
    nodes = entry.nodes
    if status == "absent" and entry.also:
        nodes, spans = (*nodes, *entry.also), spans[:1] * (len(nodes) + len(entry.also))
    for node, (start, end) in zip(nodes, spans if nodes else (), strict=True):
        text = given.text[start:end]
        yield Link(node, mention.score, mention.kind, start, end, text, status)


def _is_negated(words: Sequence[Word], first: int) -> bool:
    """Return whether a negation stands just before a word, with no comma or stop between."""
    for place in range(first, max(0, first - NEGATED), -1):
        if words[place].before != PLAIN:
            return False  # "JVP not raised, trachea central"
        if words[place - 1].text in INNER_NEGATIONS:
            return True
    return False
