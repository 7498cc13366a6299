"""What a text finds normal, which denies a finding: "hearing is normal", "gait and speech intact".

What was examined stands alone or in a list, before a word such as "normal" or behind it. The words
for it are in the finding terms, those for "normal" in ``wording.json``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gym_clinic.facts.records.terms import FindingTerms
from gym_clinic.retrieval.graph.symptom_graph import Node
from gym_clinic.retrieval.graph.wording import (
    BEFORE_NORMAL,
    BEHIND_NORMAL,
    NORMAL,
    NOT_NORMAL,
)
from gym_clinic.retrieval.graph.words import COLON, COMMA, PLAIN, Word, words_of

MOST_BEFORE = 5
"""Words between what was examined and the word for "normal" at most: "is grossly"."""


class Examined(NamedTuple):
    """What a text finds normal.

    Attributes:
        first: Its first word.
        end: The end of its words.
        nodes: The findings that it denies.
    """

    first: int
    end: int
    nodes: tuple[Node, ...]


class NormalIndex:
    """What is examined, and the findings that are absent where it is normal.

    Attributes:
        starts: First words of what is examined, and of "normal".
    """

    def __init__(self, nodes: Iterable[Node], terms: Mapping[str, FindingTerms]) -> None:
        found: dict[tuple[str, ...], list[Node]] = {}
        for node in nodes:
            for text in terms[node.id].normal if node.id in terms else ():
                found.setdefault(tuple(word.text for word in words_of(text)), []).append(node)
        self._names: dict[str, list[tuple[tuple[str, ...], tuple[Node, ...]]]] = {}
        for name in sorted(found, key=len, reverse=True):
            self._names.setdefault(name[0], []).append((name, tuple(found[name])))
        self.starts = frozenset(self._names)
        if found:
            self.starts |= {phrase[0] for phrase in NORMAL}

    def find(self, words: Sequence[Word], first: int) -> tuple[int, list[Examined]]:
        """Return the end of a statement that begins at a word, and what it finds normal.

        Returns:
            The position and the list; 0 and nothing if there is no such statement.
        """
        if first and words[first - 1].text in NOT_NORMAL and words[first].before == PLAIN:
            return 0, []
        if length := _said(words, first):
            listed = list(self._listed(words, first + length))
            if listed and listed[0].first == first + length and _closes(words, listed[-1].end):
                return listed[-1].end, listed
            return 0, []
        listed = list(self._listed(words, first))
        if not listed or listed[0].first != first:
            return 0, []
        place = listed[-1].end
        stop = min(len(words), place + MOST_BEFORE)
        while place < stop and words[place].before in (PLAIN, COLON):
            if length := _said(words, place):
                end = place + length
                return (end, listed) if _closes(words, end) else (0, [])
            if words[place].text not in BEFORE_NORMAL:
                break
            place += 1
        return 0, []

    def _listed(self, words: Sequence[Word], place: int) -> Iterator[Examined]:
        """Yield what is examined from a word on, while it is a list."""
        while place < len(words) and (one := self._name(words, place)):
            yield one
            place = one.end
            if place < len(words) and words[place].text in ("and", "or"):
                place += 1
            elif place == len(words) or words[place].before != COMMA:
                return

    def _name(self, words: Sequence[Word], place: int) -> Examined | None:
        for name, nodes in self._names.get(words[place].text, ()):
            here = words[place : place + len(name)]
            inside = all(word.before == PLAIN for word in here[1:])
            if inside and tuple(word.text for word in here) == name:
                return Examined(place, place + len(name), nodes)
        return None


def _said(words: Sequence[Word], place: int) -> int:
    """Return the length of the words for "normal" that begin here; 0 for none."""
    for phrase in NORMAL:
        if tuple(word.text for word in words[place : place + len(phrase)]) == phrase:
            return len(phrase)
    return 0


def _closes(words: Sequence[Word], end: int) -> bool:
    """Return whether a statement may end here: not in "normal speech development"."""
    if end == len(words) or words[end].before != PLAIN:
        return True
    return words[end].text in BEHIND_NORMAL
