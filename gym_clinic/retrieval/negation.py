"""Which words of a clinical text are said to be absent: "no fever", "denies chest pain".

Words that deny what follows reach to the end of the sentence, or to a word that begins something
new ("but", "reports", ", she has"). Words that deny what came before ("… was ruled out",
"fever: no") reach back to the last comma. Words of denial that do not deny a symptom ("not only",
"no relief") are passed over.

Source:
    After NegEx (Chapman et al., J Biomed Inform 2001, 34:301-310); the lists are this project's,
    with the short forms of spoken English.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

PLAIN, COMMA, COLON, SENTENCE = range(4)

_WORD = re.compile(r"[^\W_]+")
_SENTENCE = re.compile(r"[.!?](?=\s|$)|[;\n]")


class Word(NamedTuple):
    """A word of a text.

    Attributes:
        text: The word in lower case, without accents.
        start: Where it begins in the text.
        end: Where it ends.
        gap: What stands before it: PLAIN (blanks, a hyphen, an apostrophe, a slash), COMMA (also
            brackets and other marks), COLON or SENTENCE (the end of one).
    """

    text: str
    start: int
    end: int
    gap: int


def words_of(text: str) -> list[Word]:
    """Return the words of a text in their order."""
    found: list[Word] = []
    last = 0
    for match in _WORD.finditer(text):
        folded = unicodedata.normalize("NFKD", match.group()).casefold()
        word = "".join(letter for letter in folded if not unicodedata.combining(letter))
        gap = _gap(text[last : match.start()]) if found else SENTENCE
        found.append(Word(word, match.start(), match.end(), gap))
        last = match.end()
    return found


def _gap(between: str) -> int:
    if _SENTENCE.search(between):
        return SENTENCE
    marks = set(between) - set(" \t\r-‐‑'’`/")
    if not marks:
        return PLAIN
    return COLON if ":" in marks else COMMA


def word_set(text: str) -> frozenset[str]:
    """Return the words of a list that is written with blanks between."""
    return frozenset(text.split())


def _phrases(text: str) -> dict[str, list[tuple[str, ...]]]:
    """Phrases by their first word, the longest first."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in text.split(","):
        words = tuple(phrase.split())
        found.setdefault(words[0], []).append(words)
    return {first: sorted(phrases, key=len, reverse=True) for first, phrases in found.items()}


BEFORE = _phrases(
    "no, not, non, never, without, nor, neither, none of, denies, denied, deny, denying, "
    "negative for, absence of, lack of, lacks, lacking, free of, free from, ruled out, "
    "doesn t, don t, didn t, hasn t, haven t, hadn t, isn t, wasn t, aren t, weren t, "
    "doesnt, dont, didnt, hasnt, havent, hadnt, isnt, wasnt, arent, werent"
)
"""What denies the words that follow."""

AFTER = _phrases(
    "absent, ruled out, excluded, not present, not seen, not noted, not observed, not found, "
    "not reported, isn t present, denied, negative, no, none"
)
"""What denies the words before; it stands at the end of its clause."""

PSEUDO = _phrases(
    "no increase, no change, no improvement, no relief, no response, no better, no worse, "
    "no doubt, no matter, no idea, not only, not just, not sure, not certain, not necessarily, "
    "not improving, not improved, not improve, not relieved, not resolved, not resolving, "
    "not responding, not respond, not responded, not controlled, not better, not getting better, "
    "not going away, not gone away, not go away, not gone, not settled, not settling, not stopped, "
    "not rule out, not ruled out, not been ruled out, not excluded, not been excluded, "
    "not explained, not helped, not help, without relief, without improvement, without warning, "
    "don t know, doesn t know, doesn t help, didn t help, hasn t helped, "
    "hasn t improved, isn t improving, isn t getting better, isn t going away, won t go away, "
    "hasn t gone away, doesn t go away, don t go away, hasn t stopped"
)
"""Words of denial that deny no symptom."""

NEW = word_set(
    "but however although though except yet despite because whereas while instead presents "
    "presented presenting reports reported reporting complains complained complaining endorses "
    "endorsed admits developed develops notes noted describes positive"
)
"""What begins something new, wherever it stands."""

HAVING = word_set("has have had having is are was were feels feel felt")
"""What begins something new once something was denied: "no fever and has a cough"."""

SUBJECTS = word_set("i he she they we it you there patient mother father with")
"""What begins something new after a comma or "and"."""

FILLING = word_set(
    "a an the any of in on at to for my his her their your our its this that these those "
    "been be being ever also really actually currently recently had have has he she i they "
    "patient is was are were evidence sign signs symptom symptoms history"
)
"""What may stand between a denial and what it denies."""


def absent_words(words: Sequence[Word], taken: Sequence[bool]) -> list[bool]:
    """Return for each word whether it is said to be absent.

    Args:
        words: The words of a text.
        taken: For each, whether it is part of a symptom's name: "no" in "no social smile" is.
    """
    absent = [False] * len(words)
    place = 0
    while place < len(words):
        if taken[place] or (length := _matched(PSEUDO, words, place)):
            place += 1 if taken[place] else length
        elif (length := _matched(AFTER, words, place)) and _closes(words, place, length):
            _deny_before(words, place, absent)
            place += length
        elif length := _matched(BEFORE, words, place):
            place = _deny_after(words, place + length, taken, absent)
        else:
            place += 1
    return absent


def _matched(phrases: dict[str, list[tuple[str, ...]]], words: Sequence[Word], place: int) -> int:
    """The number of words of the longest phrase that begins here, 0 for none."""
    for phrase in phrases.get(words[place].text, ()):
        here = words[place : place + len(phrase)]
        if tuple(word.text for word in here) == phrase and not any(word.gap for word in here[1:]):
            return len(phrase)
    return 0


def _closes(words: Sequence[Word], place: int, length: int) -> bool:
    """Whether a clause ends after these words, and a lone "no" or "none" answers a colon."""
    end = place + length
    ended = end == len(words) or words[end].gap != PLAIN or words[end].text in ("by", "and", "on")
    answers = words[place].text not in ("no", "none") or words[place].gap == COLON
    return ended and answers and words[place].gap in (PLAIN, COLON)


def _deny_before(words: Sequence[Word], place: int, absent: list[bool]) -> None:
    while place > 0 and words[place].gap in (PLAIN, COLON):
        place -= 1
        if words[place].text in NEW:
            return
        absent[place] = True


def _deny_after(
    words: Sequence[Word], place: int, taken: Sequence[bool], absent: list[bool]
) -> int:
    """Mark what a denial reaches, from the word behind it; return where that ends."""
    named = False  # something that is not filling has been denied
    while place < len(words) and words[place].gap != SENTENCE:
        word = words[place]
        joined = word.gap == COMMA or (place > 0 and words[place - 1].text == "and")
        if not taken[place] and (
            word.text in NEW
            or (named and word.text in HAVING)
            or (named and joined and word.text in SUBJECTS)
            or (named and _matched(AFTER, words, place))
        ):
            break
        absent[place] = True
        named = named or taken[place] or word.text not in FILLING
        place += 1
    return place
