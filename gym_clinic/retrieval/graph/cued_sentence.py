"""A sentence with the cues in it, and what they make of its words: clauses, lists, asides."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from gym_clinic.retrieval.graph.cues import (
    DISEASE,
    MEASURED,
    Cue,
    Layer,
    cues_by_word,
    words_of_class,
)
from gym_clinic.retrieval.graph.words import COLON, COMMA, PLAIN, PLUS, Word

REACH = 40
"""Most words that are looked back over; it bounds the time for any text."""

REPEATED = 2
"""Items in a row that begin with "no", behind which an item without it is not denied."""

REFERS_WITHIN = 5
"""Words between "but that" and its verb at most."""


class Hit(NamedTuple):
    """A cue in a sentence, from its first word to its end."""

    first: int
    end: int
    cue: Cue


class CuedSentence:
    """A sentence and its cues.

    Attributes:
        words: Its words.
        marks: For each word, 0 or the mark of the finding that it is part of.
        hits: The cues of each layer in order; none begins inside another one or in a finding.
        ends: Place -> the cues of the layer "end" that begin there, which may overlap.
        denials: Place -> the cue of denial that begins there.
    """

    def __init__(self, words: Sequence[Word], marks: Sequence[int]) -> None:
        self.words = words
        self.marks = marks
        self.hits: dict[Layer, list[Hit]] = {}
        self.ends: dict[int, list[Cue]] = {}
        self.denials: dict[int, Hit] = {}
        self._find()

    def ends_at(self, place: int) -> set[str]:
        """Return the kinds of the ends that begin at a word."""
        return {end.name for end in self.ends.get(place, ())}

    def _find(self) -> None:
        """Find the cues; in each layer, none begins inside another one or in a finding."""
        cues, reached = cues_by_word(), dict[Layer, int]()
        for place, word in enumerate(self.words):
            possible = cues.get(word.text)
            if possible is None:
                continue
            best: dict[Layer, Hit] = {}
            for cue in possible:
                layer = cue.kind.layer
                if place < reached.get(layer, 0) or (self.marks[place] and not cue.kind.covers):
                    continue
                end = cue.end(self.words, self.marks, place + 1)
                if not end or (cue.kind.covers and self._runs_on(end)):
                    continue
                if layer == "end":
                    self.ends.setdefault(place, []).append(cue)
                elif not (cue.kind.status or cue.kind.covers) and any(self.marks[place:end]):
                    continue
                elif layer not in best or end > best[layer].end:
                    best[layer] = Hit(place, end, cue)
            for layer, hit in best.items():
                reached[layer] = hit.end
                self.hits.setdefault(layer, []).append(hit)
                if layer == "denial":
                    self.denials[place] = hit

    def _runs_on(self, end: int) -> bool:
        """Return whether a finding goes on behind a cue: "fear of dying"."""
        inside = end < len(self.words) and self.words[end].before == PLAIN
        return inside and self.marks[end - 1] > 0 and self.marks[end] > 0

    def names_before(self, place: int) -> bool:
        """Return whether the clause names a finding before this word."""
        stop = max(0, place - REACH)
        while place > stop:
            if self.words[place].before not in (PLAIN, COLON):
                if self.words[place].before != COMMA or (start := self.aside(place)) < 0:
                    return False
                place = start
            place -= 1
            if self.marks[place]:
                return True
        return False

    def aside(self, place: int) -> int:
        """Return where a clause "which ..." starts that a comma begins or ends here; or -1."""
        texts = [word.text for word in self.words[place : place + 3]]
        if texts[0] in words_of_class("aside") or (
            texts[0] in words_of_class("amount") and texts[1:] == ["of", "which"]
        ):
            return place
        start, stop = place - 1, max(1, place - REACH)
        while start > stop and self.words[start].before == PLAIN:
            start -= 1
        aside = start > 0 and self.words[start].before == COMMA
        return start if aside and self.words[start].text in words_of_class("aside") else -1

    def referred(self, place: int) -> int:
        """Return the last word of what a clause here speaks of: "a cough, but that has gone".

        Returns:
            The position before "but"; 0 if no such clause begins a few words before.
        """
        if self.words[place - 1].text == "but":
            return max(0, place - 2)
        for first in range(place - 1, max(1, place - REFERS_WITHIN), -1):
            if self.words[first].text in words_of_class("refers") and self.words[
                first - 1
            ].text in ("but", "and"):
                return max(0, first - 2)
            if self.words[first].before != PLAIN:
                break
        return 0

    def is_item(self, place: int) -> bool:
        """Return whether the segment that ends here is an item of a list."""
        stop = max(0, place - REACH)
        while True:
            hit = self.denials.get(place)
            clausal = any(end.kind.in_clauses for end in self.ends.get(place, ()))
            if clausal or (hit and hit.cue.kind.status):
                return False
            if place == stop or self.words[place].before != PLAIN:
                return True
            place -= 1

    def goes_on(self, place: int) -> bool:
        """Return whether a list goes on behind a comma: to an "or", or with a disease."""
        if place in self.listed:
            return True
        while place < len(self.words) and self.words[place].text in words_of_class("filler"):
            place += 1
        return place < len(self.words) and self.marks[place] == DISEASE

    @cached_property
    def clauses(self) -> frozenset[int]:
        """The positions behind a comma where a clause with its own time or verb begins."""
        return self._segments[0]

    @cached_property
    def listed(self) -> frozenset[int]:
        """The positions behind a comma from which a list goes on to an "or"."""
        return self._segments[1]

    @cached_property
    def _segments(self) -> tuple[frozenset[int], frozenset[int]]:
        clauses, lists = set[int](), set[int]()
        listed = clause = False  # whether the following words are a list, or a clause
        for place in range(len(self.words) - 1, -1, -1):
            word = self.words[place]
            ends = () if self.marks[place] else self.ends.get(place, ())
            names = {end.name for end in ends}
            if self.marks[place]:
                clause = clause or self._predicates(place)
                listed = listed and self.marks[place] != MEASURED
            else:
                clause = clause or any(end.kind.makes_clause for end in ends)
                hit = self.denials.get(place)
                anew = hit is not None and "forward" in hit.cue.directions
                if anew or names & {"contrast", "cause"} or self._begins(place, names):
                    listed = clause = False
                if word.text in ("or", "nor") and word.after == PLAIN:
                    listed = listed or self.words[place + 1].text not in words_of_class("counting")
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
        if word.text in words_of_class("state"):
            return True
        if word.before != PLAIN and word.text in words_of_class("adjective"):
            return True  # "no headache, dizzy": no adjective is an item behind a "no"
        follows = word.before == PLAIN and place > 0 and self.marks[place - 1] > 0
        return follows and word.after != PLAIN and word.text in words_of_class("predicate")

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

    def clause(self, place: int) -> tuple[int, int]:
        """Return the start and the end of the clause around a word."""
        first, stop = place, max(0, place - REACH)
        while first > stop and self.words[first].before == PLAIN and not self._divides(first):
            first -= 1
        end, stop = place + 1, min(len(self.words), place + REACH)
        while end < stop and self.words[end].before == PLAIN and not self._divides(end):
            end += 1
        return first, end

    def _divides(self, place: int) -> bool:
        """Return whether a new clause begins at a word without a comma: "but", "and is now"."""
        if self.words[place].text == "and":
            return not self.ends_at(place + 1).isdisjoint(("having", "now"))
        return not self.ends_at(place).isdisjoint(("contrast", "cause", "now"))
