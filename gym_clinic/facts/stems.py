"""What the forms of an English word of medicine have in common, British and American alike.

Source:
    The stems are those of Porter's second stemmer (snowballstem.org).
"""

from __future__ import annotations

from functools import lru_cache

from snowballstemmer.english_stemmer import EnglishStemmer

from gym_clinic.facts.naming import american


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return the stem of a word in small letters.

    >>> stem("oedemas") == stem("edema"), stem("tiredness") == stem("tired")
    (True, True)
    """
    word = american(word)
    if word.endswith("itis"):
        return word  # the stemmer takes an inflamed organ for the organ
    # A stemmer holds the word that it is at, so each word has its own; and twice, so that
    # "tiredness" comes to what "tired" comes to.
    return str(EnglishStemmer().stemWord(EnglishStemmer().stemWord(word)))
