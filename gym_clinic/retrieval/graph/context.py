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
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from gym_clinic.retrieval.graph.cues import (
    DESCRIBED,
    DISEASE,
    MEASURED,
    NAMED,
    Cue,
    Direction,
    Kind,
    Layer,
    Status,
    cues_by_word,
    words_of_class,
)
from gym_clinic.retrieval.graph.words import (
    COLON,
    COMMA,
    PLAIN,
    PLUS,
    QUESTION,
    SEMICOLON,
    Word,
)

LAYERS: tuple[Layer, ...] = ("denial", "time", "doubt", "person")
"""The layers that give a status, in the order in which they are applied."""

REACH = 40
"""Most words of a scope that reaches back; it bounds the time for any text."""

ANSWER = 6
"""Words of an answer that are read."""

REPEATED = 2
"""Items in a row that begin with "no", behind which an item without it is not denied."""

REFERS_WITHIN = 5
"""Words between "but that" and its verb at most."""

BEFORE_THE_REST = ("by", "and", "on", "or")
"""Words behind a denial that acts backward: "was denied by the patient"."""

JOINS = ("and", "or", "nor")

_ADJECTIVE, _FILLER, _GOES_ON, _OWNER, _STATE, _PREDICATE, _REFERS, _ASIDE, _AMOUNT, _COUNTING, _OPEN = map(
    words_of_class,
    (
        "adjective", "filler", "goes_on", "owner", "state", "predicate", "refers", "aside", "amount",
        "counting", "open",
    ),
)  # fmt: skip

_HELD = {
    "any": (DESCRIBED, NAMED, DISEASE, MEASURED),
    "name": (NAMED, DISEASE),
    "disease": (DISEASE,),
}
"""Marks of the findings that a kind of cue holds for."""


class Hit(NamedTuple):
    """A cue in a sentence, from its first word to its end."""

    first: int
    end: int
    cue: Cue


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


class _Sentence:
    """A sentence, and the status of its words.

    Attributes:
        found: The statuses.
        heading: The cue before a colon at the start, whose scope goes on behind a semicolon.
    """

    def __init__(self, words: Sequence[Word], marks: Sequence[int]) -> None:
        self.words = words
        self.marks = marks
        self.found: list[Status | None] = ["present"] * len(words)
        self.heading: Cue | None = None
        self._hits: dict[str, list[Hit]] = {}
        self._ends: dict[int, list[Cue]] = {}
        self._denials: dict[int, Hit] = {}
        self._find()

    def _find(self) -> None:
        """Find the cues; in each layer, none begins inside another one or in a finding."""
        cues, reached = cues_by_word(), dict[str, int]()
        for place, word in enumerate(self.words):
            possible = cues.get(word.text)
            if possible is None:
                continue
            best: dict[str, Hit] = {}
            for cue in possible:
                layer = cue.kind.layer
                if place < reached.get(layer, 0) or (self.marks[place] and not cue.kind.covers):
                    continue
                end = cue.end(self.words, self.marks, place + 1)
                if not end or (cue.kind.covers and self._runs_on(end)):
                    continue
                if layer == "end":
                    self._ends.setdefault(place, []).append(cue)
                elif not (cue.kind.status or cue.kind.covers) and any(self.marks[place:end]):
                    continue
                elif layer not in best or end > best[layer].end:
                    best[layer] = Hit(place, end, cue)
            for layer, hit in best.items():
                reached[layer] = hit.end
                self._hits.setdefault(layer, []).append(hit)
                if layer == "denial":
                    self._denials[place] = hit

    def _runs_on(self, end: int) -> bool:
        """Return whether a finding goes on behind a cue: "fear of dying"."""
        inside = end < len(self.words) and self.words[end].before == PLAIN
        return inside and self.marks[end - 1] > 0 and self.marks[end] > 0

    def read(self, heading: Cue | None = None) -> None:
        """Determine the status of each word.

        Args:
            heading: A cue before the sentence whose scope goes on, as "Allergies:".
        """
        for layer in LAYERS:
            if heading is not None and heading.kind.layer == layer and 0 not in self._ends:
                self._forward(Hit(0, 0, heading))
            for hit in self._hits.get(layer, ()):
                kind = hit.cue.kind
                denied = kind.unless_denied and self.found[hit.first] == "absent"
                if kind.status is not None and not denied:
                    any(self._acts(direction, hit, kind.status) for direction in hit.cue.directions)
        for hit in chain.from_iterable(self._hits.values()):
            if hit.cue.kind.covers:
                self.found[hit.first : hit.end] = [None] * (hit.end - hit.first)

    def mark(self, status: Status, first: int, end: int) -> None:
        """Set the status of the words from one position to another."""
        self.found[first:end] = [status] * (end - first)

    def asks_openly(self) -> bool:
        """Return whether it asks about a present finding: "How long have you had it?"."""
        return self.words[self._opening()].text in _OPEN

    def answer(self) -> str:
        """Return "yes" or "no" if the sentence begins with it, else ""."""
        hits = (hit for hit in self._hits.get("answer", ()) if hit.first == self._opening())
        return next((hit.cue.name for hit in hits), "")

    def _opening(self) -> int:
        """Return the position of the first word, without the name of a speaker."""
        return int(len(self.words) > 1 and self.words[0].after == COLON)

    # Directions -------------------------------------------------------------------------------

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
        if direction == "anywhere" and (named := self._referred(first)):
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
            return following not in _GOES_ON and self._names_before(hit.first)
        if last.after == PLAIN and (direction == "final" or following not in BEFORE_THE_REST):
            return False
        beside_colon = direction == "final" and self.words[hit.first].before == COLON
        return beside_colon or self._names_before(hit.first)

    def _answers(self, hit: Hit) -> bool:
        """Return whether a "no" is an answer: "No, I have a fever"."""
        word = self.words[hit.first]
        if word.after != COMMA or word.text not in words_of_class("no"):
            return False
        if hit.first == 0:
            return True
        names = {end.name for end in self._ends.get(hit.end, ())}
        return not names.isdisjoint(("subject", "owner", "contrast", "cause"))

    def _forward(self, hit: Hit) -> None:
        """Mark the words behind a cue, or from the first finding in it, to the end of the scope."""
        kind, status = hit.cue.kind, hit.cue.kind.status
        assert status is not None
        start = next((place for place in range(hit.first, hit.end) if self.marks[place]), hit.end)
        named, seen = False, set[str]()
        place = start
        while place < len(self.words):
            if self._stops(place, start, kind, named, seen):
                break
            if not self.marks[place] or self.marks[place] in _HELD[kind.only]:
                self.found[place] = status
            text = self.words[place].text
            if self.marks[place]:
                seen.add(text)
            named = named or not self._fills(place)
            place += 1
        if any(end.kind.voids and end.name in kind.ends for end in self._ends.get(place, ())):
            self.mark("present", start, place)
        if hit.first == 0 and place == len(self.words) and kind.section:
            if hit.end == 0 or self.words[hit.end - 1].after == COLON:
                self.heading = hit.cue

    def _fills(self, place: int) -> bool:
        """Return whether a word may stand between a cue and the finding."""
        text = self.words[place].text
        if self.marks[place]:
            return False
        reports = any(end.name == "report" for end in self._ends.get(place, ()))
        return reports or text in _FILLER or text.endswith("ly")

    def _stops(self, place: int, start: int, kind: Kind, named: bool, seen: set[str]) -> bool:
        """Return whether a scope ends before a word."""
        ends, mark = kind.ends, self.marks[place]
        gap = self.words[place].before if place > start else PLAIN
        if gap != PLAIN:
            if gap == COLON and "colon" in ends:
                return True
            if "comma" in ends and not self._goes_on(place):
                return True
            if mark and "repeat" in ends and self.words[place].text in seen:
                return True
        if named and "clause" in ends and place in self._clauses:
            return True
        if "finding" in ends and place > start and self.marks[place - 1] and (not mark or gap):
            listed = self._goes_on(place) if gap == COMMA else self.words[place].text == "or"
            if not listed:
                return True
        if mark:
            return False
        if "denial" in ends and place in self._denials:
            if named if kind.layer == "denial" else gap and place not in self._listed:
                return True
        before = self.words[place - 1].text if place > start else ""
        holds = {
            "always": True,
            "named": named and before not in ("or", "nor"),
            "joined": gap != PLAIN or before == "and",
            "comma": gap == COMMA,
        }
        return any(
            end.name in ends and holds.get(end.kind.when) for end in self._ends.get(place, ())
        )

    def _goes_on(self, place: int) -> bool:
        """Return whether a list goes on behind a comma: to an "or", or with a disease."""
        if place in self._listed:
            return True
        while place < len(self.words) and self.words[place].text in _FILLER:
            place += 1
        return place < len(self.words) and self.marks[place] == DISEASE

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
            before = self._ends.get(place - 1, ())
            if self.words[place].before == COMMA and (start := self._aside(place)) >= 0:
                place = start
            elif self.words[place].before == COMMA:
                if not joined or not self._is_item(place - 1):
                    return
            elif any(end.name in ends and end.kind.stops_back for end in before):
                return
            place -= 1
            joined = joined or self.words[place].text in JOINS
            self.found[place] = status

    def _names_before(self, place: int) -> bool:
        """Return whether the clause names a finding before this word."""
        stop = max(0, place - REACH)
        while place > stop:
            if self.words[place].before not in (PLAIN, COLON):
                if self.words[place].before != COMMA or (start := self._aside(place)) < 0:
                    return False
                place = start
            place -= 1
            if self.marks[place]:
                return True
        return False

    def _aside(self, place: int) -> int:
        """Return where a clause "which ..." starts that a comma begins or ends here; or -1."""
        texts = [word.text for word in self.words[place : place + 3]]
        if texts[0] in _ASIDE or (texts[0] in _AMOUNT and texts[1:] == ["of", "which"]):
            return place
        start, stop = place - 1, max(1, place - REACH)
        while start > stop and self.words[start].before == PLAIN:
            start -= 1
        aside = start > 0 and self.words[start].before == COMMA
        return start if aside and self.words[start].text in _ASIDE else -1

    def _referred(self, place: int) -> int:
        """Return the last word of what a clause here speaks of: "a cough, but that has gone".

        Returns:
            The position before "but"; 0 if no such clause begins a few words before.
        """
        if self.words[place - 1].text == "but":
            return max(0, place - 2)
        for first in range(place - 1, max(1, place - REFERS_WITHIN), -1):
            if self.words[first].text in _REFERS and self.words[first - 1].text in ("but", "and"):
                return max(0, first - 2)
            if self.words[first].before != PLAIN:
                break
        return 0

    def _is_item(self, place: int) -> bool:
        """Return whether the segment that ends here is an item of a list."""
        stop = max(0, place - REACH)
        while True:
            hit = self._denials.get(place)
            clausal = any(end.kind.in_clauses for end in self._ends.get(place, ()))
            if clausal or (hit and hit.cue.kind.status):
                return False
            if place == stop or self.words[place].before != PLAIN:
                return True
            place -= 1

    # Clauses ----------------------------------------------------------------------------------

    @cached_property
    def _clauses(self) -> frozenset[int]:
        """The positions behind a comma where a clause with its own time or verb begins."""
        return self._segments[0]

    @cached_property
    def _listed(self) -> frozenset[int]:
        """The positions behind a comma from which a list goes on to an "or"."""
        return self._segments[1]

    @cached_property
    def _segments(self) -> tuple[frozenset[int], frozenset[int]]:
        clauses, lists = set[int](), set[int]()
        listed = clause = False  # whether the following words are a list, or a clause
        for place in range(len(self.words) - 1, -1, -1):
            word = self.words[place]
            ends = () if self.marks[place] else self._ends.get(place, ())
            names = {end.name for end in ends}
            if self.marks[place]:
                clause = clause or self._predicates(place)
                listed = listed and self.marks[place] != MEASURED
            else:
                clause = clause or any(end.kind.makes_clause for end in ends)
                hit = self._denials.get(place)
                anew = hit is not None and "forward" in hit.cue.directions
                if anew or names & {"contrast", "cause"} or self._begins(place, names):
                    listed = clause = False
                if word.text in ("or", "nor") and word.after == PLAIN:
                    listed = listed or self.words[place + 1].text not in _COUNTING
                clause = clause or (word.text == PLUS and word.before == PLAIN != word.after)
            if clause and "owner" in names and place and self.words[place - 1].text == "and":
                clauses.add(place)
            if word.before in (COMMA, COLON):
                if listed:
                    lists.add(place)
                elif clause or word.text[0].isdigit() or self._behind_denials(place):
                    clauses.add(place)
                clause = False
        return frozenset(clauses), frozenset(lists)

    def _begins(self, place: int, names: set[str]) -> bool:
        """Return whether a subject begins a new clause at a word."""
        joined = place > 0 and self.words[place - 1].text in ("and", "or")
        behind = joined or self.words[place].before in (COMMA, COLON)
        return behind and not names.isdisjoint(("subject", "relative"))

    def _predicates(self, place: int) -> bool:
        """Return whether a word of a finding states it: "raised CRP", "speech slurred"."""
        word = self.words[place]
        if word.text in _STATE:
            return True
        if word.before != PLAIN and word.text in _ADJECTIVE:
            return True  # "no headache, dizzy": no adjective is an item behind a "no"
        follows = word.before == PLAIN and place > 0 and self.marks[place - 1] > 0
        return follows and word.after != PLAIN and word.text in _PREDICATE

    def _behind_denials(self, place: int) -> bool:
        """Return whether a list that repeats its "no" ends before a word: "no X, no Y, pale"."""
        repeated = 0
        for first in range(place - 1, -1, -1):
            if self.words[first].before == PLAIN:
                continue
            if self.words[first].text not in ("no", "nil"):
                return False
            repeated += 1
            if repeated == REPEATED:
                return True
        return False

    def _mark_clause(self, hit: Hit, status: Status) -> None:
        """Mark the clause around a time, if its words allow it."""
        kind = hit.cue.kind
        first, end = self._clause(hit.first)
        length = hit.end - hit.first
        behind_comma = self.words[hit.first].before != PLAIN
        if end - first <= length + 1 and end < len(self.words) and behind_comma:
            first, end = self._clause(end)  # "As a child, he had seizures"
        inside = (place for place in range(first, end) if not hit.first <= place < hit.end)
        texts = {self.words[place].text for place in inside}
        needed = not kind.needs or not words_of_class(kind.needs).isdisjoint(texts)
        if needed and words_of_class(kind.unless).isdisjoint(texts):
            self.mark(status, first, end)

    def _clause(self, place: int) -> tuple[int, int]:
        """Return the start and the end of the clause around a word."""
        first = place
        while first > 0 and self.words[first].before == PLAIN and not self._divides(first):
            first -= 1
        end = place + 1
        while (
            end < len(self.words) and self.words[end].before == PLAIN and not self._divides(end)
        ):
            end += 1
        return first, end

    def _divides(self, place: int) -> bool:
        """Return whether a new clause begins at a word without a comma: "but", "and is now"."""
        if self.words[place].text == "and":
            place += 1
            wanted = ("having", "now")
        else:
            wanted = ("contrast", "cause", "now")
        return any(end.name in wanted for end in self._ends.get(place, ()))
