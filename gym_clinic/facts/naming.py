"""Names of diseases and findings: their words, and whether two names are the same."""

from __future__ import annotations

import re
import unicodedata

_MARKS = re.compile(r"[\u0300-\u036f]")
_POSSESSIVE = re.compile(r"['’]s\b")
_APOSTROPHE = re.compile(r"['’]")
_WORD = re.compile(r"[^\W_]+")


def words(name: str) -> tuple[str, ...]:
    """Return the words of a name: small letters, no accents, no punctuation, no possessive s.

    >>> words("Ménière's disease, type II")
    ('meniere', 'disease', 'type', 'ii')
    """
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold())
    plain = _APOSTROPHE.sub("", _POSSESSIVE.sub("", _MARKS.sub("", plain)))
    return tuple(_WORD.findall(plain))


def same_name(one: str, other: str) -> bool:
    """Whether two names have the same words, in any order where a comma inverts one of them.

    >>> same_name("Fever, amber", "AMBER FEVER")
    True
    """
    these, those = words(one), words(other)
    inverted = "," in one or "," in other
    return bool(these) and (these == those or (inverted and sorted(these) == sorted(those)))
