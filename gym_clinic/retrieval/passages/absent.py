"""What a query asks for and no passage is about: said, instead of answered with something else."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

from gym_clinic.retrieval.passages.vocabulary import plain
from gym_clinic.retrieval.passages.word_lists import (
    ASPECT_WORDS,
    FUNCTION_WORDS,
    NARRATIVE_WORDS,
    is_like_a_drug,
)

_TERM = re.compile(r"[^\W_]+(?:[-‐‑/][^\W_]+)*")
"""A word with those that hyphens join to it: "5-FU"."""

_PART = re.compile(r"[^\W_]+")


MAX_TERMS = 3
"""Most terms that are reported; a text with more unknown words is in another language."""


@dataclass(frozen=True)
class Absence:
    """The terms of a query that no passage has.

    Attributes:
        terms: As they are written.
        is_topic: Whether nothing else in the query names a topic.
    """

    terms: tuple[str, ...] = ()
    is_topic: bool = False


def absent_terms(text: str, words: Sequence[str], unknown: Set[str]) -> Absence:
    """Return the terms that no passage is about, if they are what a query asks for.

    A term is reported if it is the only one that names a topic, or looks like a drug or a code. An
    unknown word beside a topic, such as a place, says little and is not reported.

    Args:
        text: The query.
        words: The words that are read freely.
        unknown: Those that neither passages nor aliases have, however they are spelt.
    """
    if not unknown:
        return Absence()
    parts_of = {term[0]: _PART.findall(term[0]) for term in _TERM.finditer(text)}
    terms = {term: parts for term, parts in parts_of.items() if not unknown.isdisjoint(parts)}
    of_terms = {part for parts in terms.values() for part in parts}
    if len(terms) > MAX_TERMS:
        return Absence()
    others = [word for word in words if word not in of_terms and _names_a_topic(word)]
    if not others:
        return Absence(tuple(terms), is_topic=True)
    return Absence(tuple(term for term in terms if _is_a_name(term)))


def _names_a_topic(word: str) -> bool:
    small = plain(word)
    weak = small in ASPECT_WORDS or small in FUNCTION_WORDS or small in NARRATIVE_WORDS
    return not (weak or word.isdecimal())


def _is_a_name(term: str) -> bool:
    """Return whether a term looks like a drug, or like a code of letters and digits."""
    code = any(letter.isdigit() for letter in term) and any(letter.isupper() for letter in term)
    return code or is_like_a_drug(plain(term))
