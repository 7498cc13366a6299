"""The status of each word of a clinical text: one engine that applies the table of cues.

A text is read sentence by sentence and layer by layer (:mod:`cues`). A cue that acts forward marks
the words behind it up to the first end of its kind; one that acts backward marks its clause, or a
list before it. An end is a kind of the layer "end", or one of these:

* comma: a comma, unless the list goes on to an "or", or with a disease;
* colon: a colon or a dash;
* clause: a comma, if the words up to the next one have a verb or a time of their own
  ("no fever, cough for two days") and the list does not go on to an "or";
* denial: another denial, behind a comma if the scope is none itself;
* repeat: a finding that the scope has named already ("no pain at rest, pain on movement");
* finding: the end of the first finding.

A question is decided by the "no" or "yes" that answers it. Times are not determined, with one
exception: a finding that has resolved, or that the patient had long ago, is past.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from gym_clinic.retrieval.graph.cued_sentence import REACH, CuedSentence, Hit
from gym_clinic.retrieval.graph.cues import (
    DESCRIBED,
    DISEASE,
    MEASURED,
    NAMED,
    Cue,
    CueKind,
    Direction,
    Status,
    cue_table,
    words_of_class,
)
from gym_clinic.retrieval.graph.words import COLON, COMMA, PLAIN, QUESTION, SEMICOLON, Word

ENDS = frozenset({"comma", "colon", "clause", "denial", "repeat", "finding"})
"""Ends of scopes that are no cues."""

ANSWER = 6
"""Words of an answer that are read."""

BEFORE_THE_REST = ("by", "and", "on", "or", "with", "at", "in", "via")
"""Words behind a denial that acts backward: "was denied by the patient"."""

JOINS = ("and", "or", "nor")

_HELD = {
    "any": (DESCRIBED, NAMED, DISEASE, MEASURED),
    "name": (NAMED, DISEASE),
    "disease": (DISEASE,),
}
"""Marks of the findings that a kind of cue holds for."""


def statuses(words: Sequence[Word], marks: Sequence[int]) -> list[Status | None]:
    """Return the status of each word, in time linear in the number of words.

    Args:
        words: The words of a text.
        marks: For each word, whether it is part of a finding: 0, or a mark of :mod:`cues`.

    Returns:
        The statuses; None for the words of a cue that names no finding, as "worried" in "worried
        that".
    """
    found: list[Status | None] = []
    first = 0
    heading: Cue | None = None
    for place, word in enumerate(words):
        if word.after < SEMICOLON:
            continue
        sentence = _Sentence(words[first : place + 1], marks[first : place + 1])
        sentence.read(heading)
        heading = sentence.heading if word.after == SEMICOLON else None
        first = place + 1
        if word.after == QUESTION and not sentence.asks_openly():
            answer = _Sentence(words[first : first + ANSWER], (0,) * ANSWER).answer()
            if answer != "yes":
                sentence.mark("absent" if answer else "hypothetical", 0, len(sentence.words))
        found += sentence.found
    return found


class _Sentence(CuedSentence):
    """A sentence, and the status of its words.

    Attributes:
        found: The statuses.
        heading: The cue before a colon at the start, whose scope goes on behind a semicolon.
    """

    def __init__(self, words: Sequence[Word], marks: Sequence[int]) -> None:
        super().__init__(words, marks)
        self.found: list[Status | None] = ["present"] * len(words)
        self.heading: Cue | None = None
        self._reached: dict[str, int] = {}  # kind of cue -> the end of its last scope

    def read(self, heading: Cue | None = None) -> None:
        """Determine the status of each word.

        Args:
            heading: A cue before the sentence whose scope goes on, as "Allergies:".
        """
        for layer in cue_table().layers:
            if heading is not None and heading.kind.layer == layer and 0 not in self.ends:
                self._forward(Hit(0, 0, heading))
            for hit in self.hits.get(layer, ()):
                kind = hit.cue.kind
                denied = kind.unless_denied and self.found[hit.first] == "absent"
                if kind.status is not None and not denied:
                    any(self._acts(direction, hit, kind.status) for direction in hit.cue.directions)
        for hit in chain.from_iterable(self.hits.values()):
            if hit.cue.kind.covers:
                self.found[hit.first : hit.end] = [None] * (hit.end - hit.first)

    def mark(self, status: Status, first: int, end: int) -> None:
        """Set the status of the words from one position to another."""
        self.found[first:end] = [status] * (end - first)

    def asks_openly(self) -> bool:
        """Return whether it asks about a present finding: "How long have you had it?"."""
        return self.words[self._opening()].text in words_of_class("open")

    def answer(self) -> str:
        """Return "yes" or "no" if the sentence begins with it, else ""."""
        hits = (hit for hit in self.hits.get("answer", ()) if hit.first == self._opening())
        return next((hit.cue.name for hit in hits), "")

    def _opening(self) -> int:
        """Return the position of the first word, without the name of a speaker."""
        return int(len(self.words) > 1 and self.words[0].after == COLON)

    def _acts(self, direction: Direction, hit: Hit, status: Status) -> bool:
        """Mark the scope of a cue in a direction; return whether the direction fits."""
        first, last = hit.first, self.words[hit.end - 1]
        if direction == "forward" or (direction == "heading" and last.after == COLON):
            if not self._answers(hit):
                self._forward(hit)
            return True
        if direction in ("adjacent", "beside") and first and self.marks[first - 1]:
            while first and self.marks[first - 1] and self.words[first].before == PLAIN:
                first -= 1
            self.mark(status, first, hit.first)
            return direction == "adjacent"
        if direction == "clause":
            self._mark_clause(hit, status)
            return True
        if direction in ("heading", "adjacent", "beside") or not first:
            return False
        if direction == "list":
            self._backward(hit, status, first, joined=True)
            return True
        if direction == "anywhere" and (named := self.referred(first)):
            self.mark(status, named, named + 1)
            self._backward(hit, status, named)
            return True
        if self.words[first].before == COMMA or not self._closes(direction, hit):
            return False
        self._backward(hit, status, first)
        return True

    def _closes(self, direction: Direction, hit: Hit) -> bool:
        """Return whether a cue refers to the words before it."""
        last = self.words[hit.end - 1]
        following = self.words[hit.end].text if hit.end < len(self.words) else ""
        if direction == "anywhere":
            goes_on = hit.cue.kind.layer == "denial" and following in words_of_class("goes_on")
            return not goes_on and self.names_before(hit.first)
        if last.after == PLAIN and (direction == "final" or following not in BEFORE_THE_REST):
            return False
        beside_colon = direction == "final" and self.words[hit.first].before == COLON
        return beside_colon or self.names_before(hit.first)

    def _answers(self, hit: Hit) -> bool:
        """Return whether a "no" is an answer: "No, I have a fever"."""
        word = self.words[hit.first]
        if word.after != COMMA or word.text not in words_of_class("no"):
            return False
        if hit.first == 0:
            return True
        wanted = ("subject", "owner", "contrast", "cause")
        return not self.ends_at(hit.end).isdisjoint(wanted)

    def _forward(self, hit: Hit) -> None:
        """Mark the words behind a cue, or from the first finding in it, to the end of the scope."""
        kind = hit.cue.kind
        if hit.first < self._reached.get(hit.cue.name, 0):
            return  # the scope of a cue of this kind holds it already
        start = next((place for place in range(hit.first, hit.end) if self.marks[place]), hit.end)
        named, seen = False, set[str]()
        place = start
        while place < len(self.words):
            if self._stops(place, start, kind, named, seen):
                break
            if not self.marks[place] or self.marks[place] in _HELD[kind.only]:
                self.found[place] = kind.status
            text = self.words[place].text
            if self.marks[place]:
                seen.add(text)
            named = named or not self._fills(place)
            place += 1
        self._reached[hit.cue.name] = place
        if any(end.kind.voids and end.name in kind.ends for end in self.ends.get(place, ())):
            self.mark("present", start, place)
        heads = hit.end == 0 or self.words[hit.end - 1].after == COLON
        if kind.section and heads and hit.first == 0 and place == len(self.words):
            self.heading = hit.cue

    def _fills(self, place: int) -> bool:
        """Return whether a word may stand between a cue and the finding."""
        text = self.words[place].text
        if self.marks[place]:
            return False
        return (
            "report" in self.ends_at(place)
            or text in words_of_class("filler")
            or text.endswith("ly")
        )

    def _stops(self, place: int, start: int, kind: CueKind, named: bool, seen: set[str]) -> bool:
        """Return whether a scope ends before a word."""
        ends, mark = kind.ends, self.marks[place]
        gap = self.words[place].before if place > start else PLAIN
        if gap != PLAIN:
            if gap == COLON and "colon" in ends:
                return True
            if "comma" in ends and not self.goes_on(place):
                return True
            if mark and "repeat" in ends and self.words[place].text in seen:
                return True
        if named and "clause" in ends and place in self.clauses:
            return True
        if "finding" in ends and place > start and self.marks[place - 1] and (not mark or gap):
            listed = self.goes_on(place) if gap == COMMA else self.words[place].text == "or"
            if not listed:
                return True
        if mark:
            return False
        behind = named if kind.layer == "denial" else gap != PLAIN and place not in self.listed
        if behind and "denial" in ends and place in self.denials:
            return True
        before = self.words[place - 1].text if place > start else ""
        holds = {
            "always": True,
            "named": named and before not in ("or", "nor"),
            "joined": gap != PLAIN or before == "and",
            "comma": gap == COMMA,
        }
        return any(
            end.name in ends and holds.get(end.kind.when) for end in self.ends.get(place, ())
        )

    def _backward(self, hit: Hit, status: Status, place: int, *, joined: bool = False) -> None:
        """Mark the words before this one: their clause, or a list that ends with "and".

        Args:
            hit: The cue.
            status: Their status.
            place: The word.
            joined: Whether they are known to be a list.
        """
        ends = hit.cue.kind.ends
        stop = max(0, place - REACH)
        while place > stop:
            before = self.ends.get(place - 1, ())
            if self.words[place].before == COMMA and (start := self.aside(place)) >= 0:
                place = start
            elif self.words[place].before == COMMA:
                if not joined or not self.is_item(place - 1):
                    return
            elif any(end.name in ends and end.kind.stops_back for end in before):
                return
            place -= 1
            joined = joined or self.words[place].text in JOINS
            self.found[place] = status

    def _mark_clause(self, hit: Hit, status: Status) -> None:
        """Mark the clause around a time, if its words allow it."""
        kind = hit.cue.kind
        first, end = self.clause(hit.first)
        length = hit.end - hit.first
        behind_comma = self.words[hit.first].before != PLAIN
        if end - first <= length + 1 and end < len(self.words) and behind_comma:
            first, end = self.clause(end)  # "As a child, he had seizures"
        inside = (place for place in range(first, end) if not hit.first <= place < hit.end)
        texts = {self.words[place].text for place in inside}
        needed = not kind.needs or texts & words_of_class(kind.needs)
        if needed and not (kind.unless and texts & words_of_class(kind.unless)):
            self.mark(status, first, end)
