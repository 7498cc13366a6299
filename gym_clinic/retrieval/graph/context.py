"""What a clinical text says of what it names: there, absent, another person's, or only thought of.

A denial reaches over the words that follow it ("no fever, cough or chills") to the end of the
sentence, or to what begins something new: "but", "reports", ", she has". What stands behind a
comma and has a time or a verb of its own is such ("no fever, cough for two days"), unless the
list goes on to an "or". Words that deny what came before ("... was ruled out", "fever: no") reach
back to the last comma, and over a list that ends with "and". Words that look like a denial and
deny no symptom ("not only", "no relief", "does not deny") are passed over. A relative who has
something, and a condition ("if", "return for", "rule out"), reach forward in the same way; a
question is decided by the "no" or "yes" that answers it.

When something was is not told, but for one thing: what has resolved is absent.

Source:
    After NegEx (Chapman et al., J Biomed Inform 2001, 34:301-310): triggers before and behind,
    pseudo-triggers, terms that end a scope; and ConText (Harkema et al., J Biomed Inform 2009,
    42:839-851): who has it, and whether it is hypothetical. The lists, and the rules of commas,
    are this project's.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Literal

from gym_clinic.retrieval.graph.triggers import (
    AFTER,
    AFTER_AN_ANSWER,
    AN_ITEM_HAS_NO,
    BEFORE,
    BEGINNERS,
    BESIDE_AT_MOST,
    BESIDE_RELATIVES,
    CONDITION,
    COUNTING,
    ENDED,
    ENDS,
    ENDS_BACKWARDS,
    FAMILY,
    FILLING,
    HAVING,
    KIN,
    NAMED_BEFORE,
    NO,
    OPEN,
    PSEUDO,
    REACH,
    RELATIVES,
    REPORTS,
    SUFFERS,
    TIMES,
    VERBS,
    YES,
    Phrases,
)
from gym_clinic.retrieval.graph.words import COLON, COMMA, PLAIN, QUESTION, SENTENCE, Word

Status = Literal["present", "absent", "other", "hypothetical"]
"""There; said to be absent; had by another than the patient; asked, feared or provided for."""


def statuses(words: Sequence[Word], taken: Sequence[bool]) -> list[Status]:
    """Return for each word what is said of it; linear in the number of words.

    Args:
        words: The words of a text.
        taken: For each, whether it is part of a symptom's name: "no" in "no social smile" is.
    """
    found: list[Status] = []
    first = 0
    for place, word in enumerate(words):
        if word.after < SENTENCE:
            continue
        sentence = _Sentence(words[first : place + 1], taken[first : place + 1])
        sentence.read()
        first = place + 1
        if word.after == QUESTION and not sentence.opens_with(OPEN):
            answer = _Sentence(words[first : first + 3], (False,) * 3)
            if answer.opens_with(NO):
                sentence.mark("absent", 0, len(sentence.words))
            elif not answer.opens_with(YES):
                sentence.mark("hypothetical", 0, len(sentence.words))
        found += sentence.found
    return found


class _Sentence:
    """A sentence, and what is found of its words."""

    def __init__(self, words: Sequence[Word], taken: Sequence[bool]) -> None:
        self.words = words
        self.taken = taken
        self.found: list[Status] = ["present"] * len(words)

    def read(self) -> None:
        """Find what is said of each word; whose it is goes before whether, that before absent."""
        place = 0
        while place < len(self.words):
            place = self._deny(place)
        place = 0
        while place < len(self.words):
            length = 0 if self.taken[place] else self._matched(CONDITION, place)
            place = self._reach("hypothetical", place + length) if length else place + 1
        place = 0
        while place < len(self.words):
            start = self._relative(place)
            place = self._reach("other", start) if start else place + 1

    def mark(self, status: Status, first: int, end: int) -> None:
        """Say this of the words from one place to another."""
        self.found[first:end] = [status] * (end - first)

    def opens_with(self, wanted: frozenset[str]) -> bool:
        """Whether one of these words comes first, behind the name of who speaks."""
        named = len(self.words) > 1 and self.words[0].after == COLON
        return len(self.words) > 0 and self.words[named].text in wanted

    # Denials ----------------------------------------------------------------------------------

    def _deny(self, place: int) -> int:
        """Mark what a word denies, if it does; return where to go on."""
        if self.taken[place]:
            return place + 1
        if length := self._matched(PSEUDO, place):
            return place + length
        if (length := self._matched(AFTER, place)) and self._closes(place, length):
            self._deny_before(place)
            return place + length
        if (length := self._matched(BEFORE, place)) and not self._answers(place):
            return self._deny_after(place + length)
        return place + 1

    def _closes(self, place: int, length: int) -> bool:
        """Whether a denial is of the words before it."""
        word, last = self.words[place], self.words[place + length - 1]
        if place == 0 or word.before == COMMA:
            return False
        if word.text in ("no", "none"):
            return last.after != PLAIN and (word.before == COLON or self._names_before(place))
        following = self.words[place + length].text if place + length < len(self.words) else ""
        if word.text in ENDED:
            return following not in ("to", "worse") and self._names_before(place)
        return last.after != PLAIN or following in ("by", "and", "on", "or")

    def _names_before(self, place: int) -> bool:
        """Whether the clause names a symptom before this word."""
        stop = max(0, place - REACH)
        while place > stop and self.words[place].before in (PLAIN, COLON):
            place -= 1
            if self.taken[place]:
                return True
        return False

    def _answers(self, place: int) -> bool:
        """Whether a "no" answers what was said before: "No, I have a fever"."""
        word = self.words[place]
        if word.text not in NO or word.after != COMMA:
            return False
        return place == 0 or self.words[place + 1].text in AFTER_AN_ANSWER

    def _deny_before(self, place: int) -> None:
        joined = False  # the clause is the end of a list
        stop = max(0, place - REACH)
        while place > stop:
            if self.words[place].before == COMMA:
                if not joined or not self._is_item(place - 1):
                    return
            elif self.words[place - 1].text in ENDS_BACKWARDS and not self.taken[place - 1]:
                return
            place -= 1
            joined = joined or self.words[place].text in ("and", "or", "nor")
            self.found[place] = "absent"

    def _is_item(self, place: int) -> bool:
        """Whether the clause that ends here only names something."""
        stop = max(0, place - REACH)
        while True:
            text = self.words[place].text
            if not self.taken[place] and (
                text in AN_ITEM_HAS_NO
                or self._matched(BEFORE, place)
                or self._matched(AFTER, place)
            ):
                return False
            if place == stop or self.words[place].before != PLAIN:
                return True
            place -= 1

    def _deny_after(self, place: int) -> int:
        """Mark what a denial reaches, from the word behind it; return where that ends."""
        named = False  # something that is not filling has been denied
        while place < len(self.words):
            word = self.words[place]
            if named and place in self._anew:
                break
            if not self.taken[place]:
                if word.text in ENDS or self._other_than(place):
                    break
                if named and (
                    word.text in NAMED_BEFORE or self._begins(place) or self._matched(AFTER, place)
                ):
                    break
            self.found[place] = "absent"
            filling = word.text in FILLING or word.text in REPORTS or word.text.endswith("ly")
            named = named or self.taken[place] or not filling
            place += 1
        return place

    def _other_than(self, place: int) -> bool:
        return [word.text for word in self.words[place : place + 2]] == ["other", "than"]

    def _begins(self, place: int) -> bool:
        """Whether a subject begins a new clause here."""
        word, joined = self.words[place], place > 0 and self.words[place - 1].text in ("and", "or")
        return (joined or word.before in (COMMA, COLON)) and word.text in BEGINNERS

    @cached_property
    def _anew(self) -> frozenset[int]:
        """Where what stands behind a comma has a time or a verb of its own."""
        found = set()
        listed = clause = False  # what stands behind is the rest of a list, or a clause
        for place in range(len(self.words) - 1, -1, -1):
            word = self.words[place]
            if not self.taken[place]:
                clause = clause or word.text in VERBS | TIMES
                if word.text in ENDS or self._matched(BEFORE, place) or self._begins(place):
                    listed = clause = False
                if word.text in ("or", "nor") and word.after == PLAIN:
                    listed = listed or self.words[place + 1].text not in COUNTING
            if word.before in (COMMA, COLON):
                if clause and not listed:
                    found.add(place)
                clause = False
        return frozenset(found)

    # Conditions and relatives -----------------------------------------------------------------

    def _reach(self, status: Status, place: int) -> int:
        """Mark what a condition or a relative reaches; return where that ends."""
        first = place
        while place < len(self.words) and not (
            not self.taken[place]
            and (
                self.words[place].text in ENDS
                or (place > first and self._begins(place) and not self._relative(place))
            )
        ):
            place += 1
        self.mark(status, first, place)
        return place

    def _relative(self, place: int) -> int:
        """Where what a relative has begins, 0 if none is named here who has something."""
        if length := self._matched(FAMILY, place):
            return place + length
        if self.words[place].text not in RELATIVES:
            return 0
        before = place - 1
        stop = max(0, place - BESIDE_AT_MOST)
        while before >= stop and self.words[before].text in BESIDE_RELATIVES:
            before -= 1
        if before >= stop and self.words[before].text in ("in", "by"):
            if self.words[before].text == "in":
                self._had_before(before)
            return 0
        behind = place + 1
        stop = min(len(self.words), behind + BESIDE_AT_MOST)
        while behind < stop and (
            self.words[behind].text in KIN and self.words[behind].before == PLAIN
        ):
            behind += 1
        if behind == stop or self.words[behind].before != PLAIN:
            return 0
        return behind + 1 if self.words[behind].text in SUFFERS else 0

    def _had_before(self, place: int) -> None:
        """Mark what the clause names before this word: "seizures in his mother"."""
        end = place
        stop = max(0, place - REACH)
        while place > stop and self.words[place].before == PLAIN:
            if self.words[place - 1].text in ENDS | HAVING:
                break
            place -= 1
        self.mark("other", place, end)

    def _matched(self, phrases: Phrases, place: int) -> int:
        """The number of words of the longest phrase that begins here, 0 for none."""
        for phrase in phrases.get(self.words[place].text, ()):
            here = self.words[place : place + len(phrase)]
            inside = all(word.before == PLAIN for word in here[1:])
            if inside and tuple(word.text for word in here) == phrase:
                return len(phrase)
        return 0
