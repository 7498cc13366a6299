"""The words of a clinical text, and the separators between them."""

from __future__ import annotations

import itertools
import re
import unicodedata
from typing import NamedTuple

PLAIN, COMMA, COLON, SEMICOLON, SENTENCE, QUESTION = range(6)

MINUS, PLUS, DOUBT = "(-)", "(+)", "(?)"
"""Signs of a review of systems; they are words: "(-) fever", "+cough", "rash -", "?DVT"."""

SIGN_WORDS = {"?": DOUBT, "&": "and", "ø": MINUS, "Ø": MINUS, "∅": MINUS}
"""Other signs that stand for words; an arrow is "high" or "low"."""

_SIGN = "[-−–+]"
_WORD = re.compile(
    rf"\({_SIGN}\)|"  # (-) fever
    r"(?<![\w/])(?:[chrw]/o|s/p|d/c|p/w|c/f)(?![\w/])|"
    rf"(?<![^\s(,;:/])(?:{_SIGN}|[+]\s)(?=[^\W\d_])|"  # -fever, + cough
    rf"(?<=[,;:]\s){_SIGN}\s(?=[^\W\d_])|"  # fatigue, - fever
    rf"(?<=[^\W\d_]{{2}})[+]{{1,3}}(?=\s*(?:[,;./]|$))|"  # cough++
    rf"(?<=[^\W_]\s){_SIGN}{{1,3}}(?=\s*(?:[,;./]|$))|"  # fever -, cough ++
    r"\[[ x]?\](?=\s?[^\W\d_])|"  # [x] cough [ ] fever
    r"(?<![^\s(,;:/])\?(?=[^\W\d_])|"  # ?DVT
    r"(?<![^\W_])[øØ∅](?![^\W_])|"  # ø fever
    r"[↑↓]+|"  # ↑HR, appetite ↓
    r"(?<![^\W_])(?:(?:HR|RR|BP|GCS|temp|sats?|Hb|WBC|WCC|CRP)(?=\d)|T(?=3[4-9]|4[0-3]))|"  # HR134
    r"&|[^\W_]+",
    re.IGNORECASE,
)
_BULLET = re.compile(r"(?m)^[-−–+](?=[^\W\d_])(?!.*[\s,][-−–+][^\W\d_])")
_SIGNED = re.compile(rf"(?<![^\s(,:])[+]\s(?=[^\W\d_])[^,.;:\n]*?\s{_SIGN}\s(?=[^\W\d_])[^,.;:\n]*")
"""A list whose signs stand apart: "+ fever - cough + rash"."""
_APART = re.compile(rf"({_SIGN})\s(?=[^\W\d_])")
_SENTENCE = re.compile(r"[.!](?=\s|$)")
_QUESTION = re.compile(r"^\W?\?|\?\s")  # but not "?fever", a clinical notation for doubt
_DASH = re.compile(r"\s[-–—]+\s")


class Word(NamedTuple):
    """A word of a text.

    Attributes:
        text: The word in lower case, without accents.
        start: Its start in the text.
        end: Its end in the text.
        before: The separator before it: PLAIN (blanks, a hyphen, an apostrophe, a slash), COMMA
            (also brackets and other marks), COLON (also a dash), SEMICOLON, SENTENCE (the end
            of a sentence) or QUESTION (the end of a question).
        after: The separator after it, likewise.
    """

    text: str
    start: int
    end: int
    before: int
    after: int


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text that are separated by blanks."""
    return frozenset(text.split())


GOES_ON = word_set("a an and for in no nor not of or the to with without")
"""A line that ends with one of these words continues on the next line."""


def words_of(text: str) -> list[Word]:
    """Return the words of a text in order."""
    text = _SIGNED.sub(lambda match: _APART.sub(r" \1", match[0]), text)  # of the same length
    bullets = {match.start() for match in _BULLET.finditer(text)}
    matches = [match for match in _WORD.finditer(text) if match.start() not in bullets]
    folded = [_folded(match.group()) for match in matches]
    gaps = [SENTENCE]
    for place, (one, other) in enumerate(itertools.pairwise(matches)):
        gaps.append(_gap(text[one.end() : other.start()], folded[place], folded[place + 1]))
    gaps.append(QUESTION if matches and "?" in text[matches[-1].end() :] else SENTENCE)
    return [
        Word(word, match.start(), match.end(), gaps[place], gaps[place + 1])
        for place, (word, match) in enumerate(zip(folded, matches, strict=True))
    ]


def _folded(word: str) -> str:
    if word[0] in "↑↓":
        return "high" if word[0] == "↑" else "low"
    if word[0] in "([-−–+":
        return PLUS if "+" in word or "x" in word.casefold() else MINUS
    if word in SIGN_WORDS:
        return SIGN_WORDS[word]
    if word.isascii():
        return word.casefold()
    folded = unicodedata.normalize("NFKD", word).casefold()
    return "".join(letter for letter in folded if not unicodedata.combining(letter))


def _gap(between: str, last: str, following: str) -> int:
    if between in (".", ",") and last.isdigit() and following.isdigit():
        return PLAIN  # 38.5
    if last.isdigit() and between.strip(" ") in ("+", "++"):
        return PLAIN  # 3+ protein
    if _QUESTION.search(between):
        return QUESTION
    if _SENTENCE.search(between):
        return SENTENCE
    if ";" in between:
        return SEMICOLON
    if lines := between.count("\n"):
        # A wrapped line continues; any other line break ends a sentence.
        if lines > 1 or ("," not in between and last not in GOES_ON):
            return SENTENCE
        return COMMA if between.strip() else PLAIN
    if ":" in between or _DASH.search(between) or between.strip() == "(":
        return COLON
    return COMMA if set(between) - set(" \t\r-‐‑'’`/<>≤≥") or " / " in between else PLAIN
