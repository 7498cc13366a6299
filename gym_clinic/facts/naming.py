"""Names of diseases and findings: their words, the stems of words, and whether two names agree.

Source:
    The stems are those of Porter's second stemmer (snowballstem.org).
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from snowballstemmer.english_stemmer import EnglishStemmer

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

    British and American spelling give the same words.

    >>> words("Ménière's disease, type II")
    ('meniere', 'disease', 'type', 'ii')
    >>> words("Oesophageal tumour") == words("Esophageal tumor")
    True
    """
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold())
    plain = _MARKS.sub("", plain).translate(_LIGATURES)
    plain = _APOSTROPHE.sub("", _POSSESSIVE.sub("", plain))
    return tuple(fold_spelling(word) for word in _WORD.findall(plain))


def tokens(name: str) -> list[str]:
    """Return the words and numbers of a name as they are spelt, in small letters.

    >>> tokens("Diabetes mellitus, Type II")
    ['diabetes', 'mellitus', 'type', 'ii']
    """
    return _WORD.findall(name.casefold())


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return the stem of a word in small letters, the same for its British and American forms.

    >>> stem("oedemas") == stem("edema"), stem("tiredness") == stem("tired")
    (True, True)
    """
    word = fold_spelling(word)
    if word.endswith("itis"):
        return word  # the stemmer would give an inflamed organ the stem of the organ
    known = known_stems().get(word)
    # Twice, so that "tiredness" gets the stem of "tired".
    return _stemmed(_stemmed(word)) if known is None else known


@lru_cache(maxsize=1 << 16)
def _stemmed(word: str) -> str:
    # A stemmer keeps the word that it works on, so each call has its own.
    return str(EnglishStemmer().stemWord(word))


@lru_cache(maxsize=1)
def known_stems() -> Mapping[str, str]:
    """Return word in American spelling -> stem, for words of the names and terms of the tables.

    The stemmer gives the same (tests/facts/test_naming.py), in a second for all of them.
    """
    path = Path(__file__).with_name("stems.json")
    stems: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return stems


def same_name(one: str, other: str) -> bool:
    """Whether two names have the same words, in any order where a comma inverts one of them.

    >>> same_name("Fever, amber", "AMBER FEVER")
    True
    """
    these, those = words(one), words(other)
    inverted = "," in one or "," in other
    return bool(these) and (these == those or (inverted and sorted(these) == sorted(those)))


@lru_cache(maxsize=1 << 16)
def fold_spelling(word: str) -> str:
    """Return a word in American spelling.

    A few words only look British ("toe" gives "te"), so both sides of a comparison are folded.

    Args:
        word: A word in small letters, without accents.
    """
    for british, american in _AMERICAN:
        word = british.sub(american, word)
    return word
