"""Where the clauses of a sentence begin, and which of them tell of a distant past.

A clause is past that names a time of life ("had seizures as a toddler"), or a distant time with a
verb such as "had" and no word of an onset: "tremor began three years ago" and "asthma since
childhood" are present.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gym_clinic.retrieval.graph.triggers import (
    BEFORE,
    BEGINNERS,
    COUNTING,
    DISTANT,
    ENDS,
    EXAMINING,
    FORMERLY,
    HAD,
    HAVING,
    HISTORY,
    LONG_AGO,
    MONTH,
    NAMED_BEFORE,
    NOT_POSSIBLE,
    NOW,
    ONSET,
    OWNERS,
    REFERS,
    STATES,
    SUBJECTS,
    TIMES,
    VERBS,
    matched,
)
from gym_clinic.retrieval.graph.words import COLON, COMMA, PLAIN, PLUS, Word

REFERS_WITHIN = 5
"""Words between "but that" and its verb at most."""


REPEATED = 2
"""Items in a row that begin with "no", behind which an item without it is not denied."""


def begins(words: Sequence[Word], place: int) -> bool:
    """Return whether a subject begins a new clause at a word."""
    word, joined = words[place], place > 0 and words[place - 1].text in ("and", "or")
    if not joined and word.before not in (COMMA, COLON):
        return False
    if word.text == "on" and place + 1 < len(words):
        return words[place + 1].text in EXAMINING
    return word.text in BEGINNERS


def supposes(words: Sequence[Word], place: int) -> bool:
    """Return whether a "may" is the verb of a supposition: not "since May", "May 5"."""
    if words[place].after != PLAIN or place + 1 == len(words):
        return False
    following = words[place + 1].text
    if following[0].isdigit() or following in NOT_POSSIBLE:
        return False
    return place == 0 or words[place - 1].text not in MONTH


def referred(words: Sequence[Word], place: int) -> int:
    """Return the last word of what a clause before this word speaks of: "a cough, but that has".

    Returns:
        The position before "but"; 0 if no such clause begins a few words before.
    """
    for first in range(place - 1, max(1, place - REFERS_WITHIN), -1):
        if words[first].text in REFERS and words[first - 1].text in ("but", "and"):
            return first - 2 if first > 1 else 0
        if words[first].before != PLAIN:
            break
    return 0


def new_clauses(words: Sequence[Word], taken: Sequence[bool]) -> frozenset[int]:
    """Return the positions after a comma where a clause with its own time or verb begins.

    Args:
        words: The words of a sentence.
        taken: For each word, whether it is part of a symptom name.
    """
    found = set()
    listed = clause = False  # whether the following words are a list, or a clause
    for place in range(len(words) - 1, -1, -1):
        word = words[place]
        if not taken[place]:
            clause = clause or word.text in VERBS or word.text in TIMES
            if word.text in ENDS or matched(BEFORE, words, place) or begins(words, place):
                listed = clause = False
            if word.text in ("or", "nor") and word.after == PLAIN:
                listed = listed or words[place + 1].text not in COUNTING
            clause = clause or (word.text == PLUS and word.before == PLAIN != word.after)
        elif word.text in STATES:
            clause = True
        joined = place > 0 and words[place - 1].text == "and" and word.text in OWNERS
        if joined and clause:
            found.add(place)
        if word.before in (COMMA, COLON):
            if (clause and not listed) or (not listed and _behind_denials(words, place)):
                found.add(place)
            clause = False
    return frozenset(found)


def _behind_denials(words: Sequence[Word], place: int) -> bool:
    """Return whether a list that repeats its "no" ends before a word: "no X, no Y, pale"."""
    repeated = 0
    for first in range(place - 1, -1, -1):
        if words[first].before == PLAIN:
            continue
        if words[first].text not in ("no", "nil"):
            return False
        repeated += 1
        if repeated == REPEATED:
            return True
    return False


def past_clauses(words: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of the clauses of a sentence that tell of a distant past.

    A list of earlier diseases, "PMH: asthma, eczema", is one.

    Args:
        words: The words of a sentence.
    """
    for place, word in enumerate(words):
        if word.text in HISTORY and word.after in (PLAIN, COLON):
            yield place, _listed(words, place + 1)
    places = [
        (place, length)
        for place, word in enumerate(words)
        if word.text in DISTANT
        and (length := matched(FORMERLY, words, place) or matched(LONG_AGO, words, place))
    ]
    for place, length in places:
        first, end = _clause(words, place)
        texts = {word.text for word in words[first:end]}
        if end - first <= length + 1 and end < len(words) and words[place].before != PLAIN:
            first, end = _clause(words, end)  # "As a child, he had seizures"
            texts = {word.text for word in words[first:end]}
        is_distant = not HAD.isdisjoint(texts) and ONSET.isdisjoint(texts)
        if is_distant or (matched(FORMERLY, words, place) and NOW.isdisjoint(texts)):
            yield first, end


def _listed(words: Sequence[Word], first: int) -> int:
    """Return the end of a list of diseases: the next word that begins something new."""
    end = first
    while end < len(words) and words[end].text not in ENDS | NAMED_BEFORE | NOW | SUBJECTS:
        end += 1
    return end


def _clause(words: Sequence[Word], place: int) -> tuple[int, int]:
    """Return the start and the end of the clause around a word."""
    first = place
    while first > 0 and words[first].before == PLAIN and not _divides(words, first):
        first -= 1
    end = place + 1
    while end < len(words) and words[end].before == PLAIN and not _divides(words, end):
        end += 1
    return first, end


def _divides(words: Sequence[Word], place: int) -> bool:
    """Return whether a new clause begins at a word without a comma: "but", "and is now"."""
    word = words[place].text
    if word == "and" and place + 1 < len(words):
        return words[place + 1].text in HAVING | NOW
    return word in ENDS or word in NOW
