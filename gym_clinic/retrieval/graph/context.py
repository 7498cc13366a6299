"""The status of a finding in a clinical text: present, absent, of another person, hypothetical.

The scope of a negation is the words that follow it ("no fever, cough or chills"), to the end of
the sentence or to the start of a new statement: "but", "reports", ", she has". Words after a comma
with their own time or verb are a new statement ("no fever, cough for two days"), unless the list
continues to an "or". A negation of the preceding words ("... was ruled out", "fever: no") reaches
back to the last comma, and over a list that ends with "and". Pseudo-negations ("not only", "no
relief", "does not deny") are ignored. The scope of a relative who has a finding, and of a
condition ("if", "return for", "rule out"), is determined in the same way. A question is decided
by the "no" or "yes" that answers it.

Times are not determined, with one exception: a finding that has resolved, or that the patient had
long ago, is past, and neither present nor absent.

Source:
    After NegEx (Chapman et al., J Biomed Inform 2001, 34:301-310): triggers before and behind,
    pseudo-triggers, terms that end a scope; and ConText (Harkema et al., J Biomed Inform 2009,
    42:839-851): experiencer and hypothetical findings. The lists and the rules for commas are
    this project's.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Literal

from gym_clinic.retrieval.graph.clauses import (
    begins,
    new_clauses,
    past_clauses,
    referred,
    supposes,
)
from gym_clinic.retrieval.graph.triggers import (
    AFTER,
    AFTER_AN_ANSWER,
    ALL,
    AMOUNTS,
    AN_ITEM_HAS_NO,
    ANSWERS,
    ASIDES,
    BEARERS,
    BEFORE,
    BESIDE_AT_MOST,
    BESIDE_RELATIVES,
    CONDITION,
    CONDITION_AFTER,
    DENIALS,
    DOUBT_OF,
    DOUBTS,
    ENDED,
    ENDS,
    ENDS_BACKWARDS,
    FAMILY,
    FILLING,
    GOES_ON,
    HAVING,
    HEADING,
    KIN,
    NAMED_BEFORE,
    NO,
    OPEN,
    OWNERS,
    PAST,
    POSSIBLE,
    PSEUDO,
    REACH,
    RELATIVES,
    REPORTS,
    SUFFERS,
    TELLS,
    YES,
    Phrases,
    matched,
)
from gym_clinic.retrieval.graph.wording import CONTRACTIONS, INNER_NEGATIONS
from gym_clinic.retrieval.graph.words import COLON, COMMA, PLAIN, QUESTION, SENTENCE, Word

Status = Literal["present", "absent", "past", "other", "hypothetical"]
"""Of the patient; negated; resolved or long ago; of another; asked, feared or conditional."""

ANSWER = 6
"""Words of an answer that are read."""


def statuses(words: Sequence[Word], taken: Sequence[bool]) -> list[Status]:
    """Return the status of each word, in time linear in the number of words.

    Args:
        words: The words of a text.
        taken: For each word, whether it is part of a symptom name, like "no" in "no social smile".
    """
    found: list[Status] = []
    first = 0
    for place, word in enumerate(words):
        if word.after < SENTENCE:
            continue
        sentence = _ScopedSentence(words[first : place + 1], taken[first : place + 1])
        sentence.read()
        first = place + 1
        if word.after == QUESTION and not sentence.opens_with(OPEN):
            answer = _ScopedSentence(words[first : first + ANSWER], (False,) * ANSWER)
            if answer.begins_with(NO):
                sentence.mark("absent", 0, len(sentence.words))
            elif not answer.begins_with(YES):
                sentence.mark("hypothetical", 0, len(sentence.words))
        found += sentence.found
    return found


class _ScopedSentence:
    """A sentence, and the status of its words."""

    def __init__(self, words: Sequence[Word], taken: Sequence[bool]) -> None:
        self.words = words
        self.taken = taken
        self.found: list[Status] = ["present"] * len(words)

    def read(self) -> None:
        """Determine the status of each word; "other" goes before "hypothetical" before the rest."""
        place = 0
        while place < len(self.words):
            place = self._deny(place)
        for first, end in past_clauses(self.words):
            self.mark("past", first, end)
        place = 0
        while place < len(self.words):
            place = self._suppose(place)
        place = 0
        while place < len(self.words):
            start = self._relative(place)
            place = self._reach("other", start) if start else place + 1

    def mark(self, status: Status, first: int, end: int) -> None:
        """Set the status of the words from one position to another."""
        self.found[first:end] = [status] * (end - first)

    def opens_with(self, wanted: frozenset[str]) -> bool:
        """Return whether one of these words comes first, or first after the name of a speaker."""
        named = len(self.words) > 1 and self.words[0].after == COLON
        return len(self.words) > 0 and self.words[named].text in wanted

    def begins_with(self, wanted: Phrases) -> bool:
        """Return whether one of these phrases comes first, or first after a speaker."""
        named = len(self.words) > 1 and self.words[0].after == COLON
        return len(self.words) > 0 and self._matched(wanted, int(named)) > 0

    # Denials ----------------------------------------------------------------------------------

    def _deny(self, place: int) -> int:
        """Mark the scope of a negation that begins here; return the next position."""
        if self.taken[place] or self.words[place].text not in DENIALS:
            return place + 1
        length = self._matched(PSEUDO, place)
        if length and not any(self.taken[place : place + length]):
            return place + length
        if (length := self._matched(ALL, place)) and place > 0:
            self._mark_before(self._negated(place), place, joined=True)
            return place + length
        length = self._matched(AFTER, place)
        if length and self._matched(ENDED, place) and (named := referred(self.words, place)):
            self.mark("past", named, named + 1)
            self._mark_before("past", named)
            return place + length
        if length and self._closes(place, length):
            self._mark_before(self._negated(place), place)
            return place + length
        length = self._matched(HEADING, place)
        if length and self.words[place + length - 1].after == COLON:
            return self._deny_after(place + length)
        if (length := self._matched(BEFORE, place)) and not self._answers(place):
            return self._deny_after(place + length, self._negated(place))
        return place + 1

    def _negated(self, place: int) -> Status:
        """Return what the negation here makes of a finding."""
        return "past" if self._matched(PAST, place) else "absent"

    def _closes(self, place: int, length: int) -> bool:
        """Return whether a negation refers to the words before it."""
        word, last = self.words[place], self.words[place + length - 1]
        if place == 0 or word.before == COMMA:
            return False
        if word.text in HAVING or word.text in CONTRACTIONS:  # "..., whereas a rash is not"
            return last.after != PLAIN and self._names_before(place)
        if word.text in ("no", "none", "n"):
            return last.after != PLAIN and (word.before == COLON or self._names_before(place))
        following = self.words[place + length].text if place + length < len(self.words) else ""
        if self._matched(ENDED, place):
            return following not in GOES_ON and self._names_before(place)
        if last.after == COLON and not self._names_before(place):
            return False
        return last.after != PLAIN or following in ("by", "and", "on", "or")

    def _names_before(self, place: int) -> bool:
        """Return whether the clause names a symptom before this word."""
        stop = max(0, place - REACH)
        while place > stop:
            if self.words[place].before not in (PLAIN, COLON):
                if self.words[place].before != COMMA or (start := self._aside(place)) < 0:
                    return False
                place = start
            place -= 1
            if self.taken[place]:
                return True
        return False

    def _aside(self, place: int) -> int:
        """Return where a clause "which ..." starts that a comma begins or ends here; or -1."""
        text = self.words[place].text
        if text in ASIDES or (text in AMOUNTS and self._opens(place + 1, ("of", "which"))):
            return place
        start, stop = place - 1, max(1, place - REACH)
        while start > stop and self.words[start].before == PLAIN:
            start -= 1
        aside = start > 0 and self.words[start].before == COMMA
        return start if aside and self.words[start].text in ASIDES else -1

    def _answers(self, place: int) -> bool:
        """Return whether a "no" is an answer: "No, I have a fever"."""
        word = self.words[place]
        if word.text not in ANSWERS or word.after != COMMA:
            return False
        return place == 0 or self.words[place + 1].text in AFTER_AN_ANSWER

    def _mark_before(self, status: Status, place: int, *, joined: bool = False) -> None:
        """Mark the words before this one: their clause, or a list that ends with "and".

        Args:
            status: Their status.
            place: The word.
            joined: Whether they are known to be a list.
        """
        stop = max(0, place - REACH)
        while place > stop:
            if self.words[place].before == COMMA and (start := self._aside(place)) >= 0:
                place = start
            elif self.words[place].before == COMMA:
                if not joined or not self._is_item(place - 1):
                    return
            elif self.words[place - 1].text in ENDS_BACKWARDS and not self.taken[place - 1]:
                return
            place -= 1
            joined = joined or self.words[place].text in ("and", "or", "nor")
            self.found[place] = status

    def _is_item(self, place: int) -> bool:
        """Return whether the clause that ends here is an item of a list."""
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

    def _deny_after(self, place: int, status: Status = "absent") -> int:
        """Mark the scope of a negation, from the word after it; return its end."""
        named = False  # whether a word that is no filler was negated
        while place < len(self.words):
            word = self.words[place]
            if named and place in self._anew:
                break
            if not self.taken[place]:
                if word.text in ENDS or self._opens(place, ("other", "than")):
                    break
                if named and (
                    word.text in NAMED_BEFORE
                    or begins(self.words, place)
                    or self._matched(AFTER, place)
                ):
                    break
            self.found[place] = status
            filling = word.text in FILLING or word.text in REPORTS or word.text.endswith("ly")
            named = named or self.taken[place] or not filling
            place += 1
        return place

    def _opens(self, place: int, wanted: tuple[str, ...]) -> bool:
        return tuple(word.text for word in self.words[place : place + len(wanted)]) == wanted

    @cached_property
    def _anew(self) -> frozenset[int]:
        return new_clauses(self.words, self.taken)

    # Conditions and relatives -----------------------------------------------------------------

    def _suppose(self, place: int) -> int:
        """Mark the scope of a condition or doubt that begins here; return the next position."""
        if self.taken[place] or self.words[place].text not in DOUBTS:
            return place + 1
        if length := self._matched(CONDITION, place):
            end = place + length  # "may feel dizzy": the finding may begin in the phrase
            if self.words[place].text in ("any", "red") and self.found[place] == "absent":
                return end  # "failed to show any sign of", "no red flags"
            owned = end < len(self.words) and self.words[end].text in OWNERS
            if owned and self.words[place].text == "concerned":
                return end  # "concerned about his tremor": he has one
            named = (one for one in range(place, end) if self.taken[one])
            return self._reach("hypothetical", next(named, end))
        if length := self._matched(CONDITION_AFTER, place):
            self._mark_before("hypothetical", place)
            return place + length
        if self.words[place].text in POSSIBLE and supposes(self.words, place):
            return self._reach("hypothetical", place + 1)
        length = self._matched(DOUBT_OF, place)
        inverted = self.words[place].text == "should"
        if length or inverted:
            first = place + max(length, 1)
            end = self._next_finding(first)
            if end and inverted:  # "should a rash appear"
                return self._reach("hypothetical", first)
            self.mark("hypothetical", first, max(first, end))
        return place + 1

    def _next_finding(self, place: int) -> int:
        """Return the end of the finding that begins here or behind fillers; 0 for none."""
        while (
            place < len(self.words)
            and not self.taken[place]
            and self.words[place].before == PLAIN
            and self.words[place].text in FILLING
        ):
            place += 1
        first = place
        while place < len(self.words) and self.taken[place]:
            place += 1
            if self.words[place - 1].after != PLAIN:
                return place  # "?pneumonia, cough"
        return place if place > first else 0

    def _reach(self, status: Status, place: int) -> int:
        """Mark the scope of a condition or a relative; return its end."""
        first = place
        while place < len(self.words) and not (
            not self.taken[place]
            and (
                self.words[place].text in ENDS
                or self._matched(BEARERS, place)
                or (
                    place > first
                    and self.words[place - 1].text != "or"  # "if you faint or you vomit"
                    and begins(self.words, place)
                    and not self._relative(place)
                    and (status != "other" or self.words[place].text not in RELATIVES)
                )
            )
        ):
            place += 1
        self.mark(status, first, place)
        return place

    def _relative(self, place: int) -> int:
        """Return the start of the findings of a relative named here; 0 if there is none."""
        if length := self._matched(FAMILY, place):
            return place + length
        if self.words[place].text not in RELATIVES:
            return 0
        before = place - 1
        stop = max(0, place - BESIDE_AT_MOST)
        while before >= stop and self.words[before].text in BESIDE_RELATIVES:
            before -= 1
        if before >= stop and (beside := self.words[before].text) in ("in", "by"):
            if beside == "in":
                self._had_before(before)
            return 0
        behind = place + 1
        stop = min(len(self.words), behind + BESIDE_AT_MOST)
        while behind < stop and self.words[behind - 1].after == PLAIN:
            if self.words[behind].text not in KIN:
                break
            behind += 1
        if behind == stop or self.words[behind].before != PLAIN:
            return 0
        named = behind + 1 < len(self.words) and self.taken[behind + 1]
        suffers = self.words[behind].text in SUFFERS
        said = (word.text for word in self.words[behind + 1 : behind + 3])
        if suffers and next((one for one in said if one not in INNER_NEGATIONS), "") in TELLS:
            return 0  # "his wife has noticed that he ...", "his mother has not seen any ..."
        return behind + 1 if suffers or (named and self.words[behind].text in HAVING) else 0

    def _had_before(self, place: int) -> None:
        """Mark the findings before this word: "seizures in his mother"."""
        end = place
        stop = max(0, place - REACH)
        while place > stop and self.words[place].before == PLAIN:
            if self.words[place - 1].text in ENDS | HAVING:
                break
            place -= 1
        self.mark("other", place, end)

    def _matched(self, phrases: Phrases, place: int) -> int:
        return matched(phrases, self.words, place)
