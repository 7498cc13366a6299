"""Names of diseases and findings: their words, and whether two names are the same."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_MARKS = re.compile(r"[\u0300-\u036f]")
_LIGATURES = str.maketrans({"æ": "ae", "œ": "oe"})
_AMERICAN = (
    (re.compile(r"[ao]+e"), "e"),  # haemorrhage, oesophagus, diarrhoea
    (re.compile(r"(?<=...)our(?=s?$)"), "or"),  # tumour
    (re.compile(r"(?<=[bt])re(?=s?$)"), "er"),  # fibre, titre
    (re.compile(r"(?<=...)is(?=(e|es|ed|ing|ation|ations)$)"), "iz"),  # generalised
    (re.compile(r"sulph"), "sulf"),
)
_POSSESSIVE = re.compile(r"['’]s\b")
_APOSTROPHE = re.compile(r"['’]")
_WORD = re.compile(r"[^\W_]+")


def words(name: str) -> tuple[str, ...]:
    """Return the words of a name: small letters, no accents, no punctuation, no possessive s.

    Spelling is American.

    >>> words("Ménière's disease, type II")
    ('meniere', 'disease', 'type', 'ii')
    >>> words("Oesophageal tumour") == words("Esophageal tumor")
    True
    """
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold())
    plain = _MARKS.sub("", plain).translate(_LIGATURES)
    plain = _APOSTROPHE.sub("", _POSSESSIVE.sub("", plain))
    return tuple(american(word) for word in _WORD.findall(plain))


@lru_cache(maxsize=1 << 16)
def american(word: str) -> str:
    """Return a word in American spelling.

    A few words only look British ("toe" gives "te"): both that are compared are to be spelt so.

    Args:
        word: A word in small letters, without accents.
    """
    for british, spelt in _AMERICAN:
        word = british.sub(spelt, word)
    return word


def same_name(one: str, other: str) -> bool:
    """Whether two names have the same words, in any order where a comma inverts one of them.

    >>> same_name("Fever, amber", "AMBER FEVER")
    True
    """
    these, those = words(one), words(other)
    inverted = "," in one or "," in other
    return bool(these) and (these == those or (inverted and sorted(these) == sorted(those)))
