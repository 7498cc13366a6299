"""Measured values in a text that are findings: "K 6.8", "BP 84/50", "temperature of 39.1".

A value is a number behind the name of a measurement, with at most a few words between. Of a blood
pressure, the first number counts. The ranges are in the finding terms; those of different units
do not overlap, or ask for the unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from gym_clinic.facts.records.terms import FindingTerms, ValueRange
from gym_clinic.retrieval.graph.symptom_graph import Node
from gym_clinic.retrieval.graph.words import COLON, PLUS, Word, word_set, words_of

BETWEEN = word_set(
    "of is was at to up as low high now today currently only just about around approx level levels "
    "count serum plasma blood came back spiked spiking peaked max reached the a than and "
    "had has risen rose climbed fallen fell dropped been measured recorded found still remains"
) | {PLUS}
"""Words between the name of a measurement and its value."""

MOST_BETWEEN = 4
"""Words between a name and its value at most."""

EXACT = 2
"""Letters of a name up to which it is compared with case: "K" and "Na"."""

_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?!\d)|\d+(?:[.,]\d+)?")
_BLANKS = re.compile(r"[\s/()-]+")

Name = tuple[str, ...]


class ValueIndex:
    """The measurements whose values are findings.

    Attributes:
        starts: First words of their names.
    """

    def __init__(self, nodes: Iterable[Node], terms: Mapping[str, FindingTerms]) -> None:
        self._ranges: dict[str, list[tuple[Name, str, Node, ValueRange]]] = {}
        for node in nodes:
            for one in terms[node.id].values if node.id in terms else ():
                for name in one.of:
                    words = tuple(word.text for word in words_of(name))
                    self._ranges.setdefault(words[0], []).append((words, name, node, one))
        for found in self._ranges.values():
            found.sort(key=lambda entry: (-len(entry[0]), entry[2].id))
        self.starts = frozenset(self._ranges)

    def find(self, text: str, words: Sequence[Word], first: int) -> tuple[int, Node] | None:
        """Find the value that is named from a word on.

        Args:
            text: The text.
            words: Its words.
            first: A word.

        Returns:
            The end of its words and the finding; None if there is no value, or a usual one.
        """
        every: set[str] | None = None
        for name, written, node, allowed in self._ranges.get(words[first].text, ()):
            here = words[first : first + len(name)]
            if tuple(word.text for word in here) != name:
                continue
            if len(written) <= EXACT and text[here[0].start : here[-1].end] != written:
                continue
            number = _number(words, first + len(name))
            match = _NUMBER.match(text, words[number].start) if number else None
            if match is None:
                continue
            if not allowed.least <= _value(match[0]) <= allowed.most:
                continue
            unit = _BLANKS.sub("", text[match.end() : match.end() + 12]).casefold()
            if not unit.startswith(allowed.unit) or unit.startswith("%") > allowed.percent:
                continue
            if allowed.unless or allowed.beside:
                every = every or {word.text for word in words}
                if not every.isdisjoint(allowed.unless):
                    continue
                if allowed.beside and every.isdisjoint(allowed.beside):
                    continue
            end = number + 1
            while end < len(words) and words[end].start < match.end():
                end += 1
            return end, node
        return None


def _number(words: Sequence[Word], place: int) -> int:
    """Return the position of the number that begins here or behind a few words; 0 for none."""
    stop = min(len(words), place + MOST_BETWEEN)
    while place < stop and words[place].before <= COLON:
        if words[place].text[0].isdigit():
            return place
        if words[place].text not in BETWEEN:
            return 0
        place += 1
    return 0


def _value(number: str) -> float:
    if "," in number and len(number.rpartition(",")[2]) == 3:
        return float(number.replace(",", ""))  # 12,000
    return float(number.replace(",", "."))
