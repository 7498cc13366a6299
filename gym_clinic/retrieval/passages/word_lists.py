"""Words that tell little of what a query asks for, and words that a drug is named like."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

from gym_clinic.facts.naming import stem

_HERE = Path(__file__).parent
_WEAK = json.loads((_HERE / "weak_words.json").read_text(encoding="utf-8"))
_DRUG_STEMS = tuple(json.loads((_HERE / "drug_stems.json").read_text(encoding="utf-8"))["endings"])

FUNCTION_WORDS = frozenset(_WEAK["function"])
"""Words that are ignored beside others."""

NARRATIVE_WORDS = frozenset(_WEAK["narrative"])
"""Words that are ignored in long texts."""

ASPECT_WORDS = frozenset(_WEAK["aspect"])
"""Words for what is asked of a topic, such as its dose: alone they name no topic."""

SHORTEST_DRUG = 6
"""Shortest word that is read as the name of a drug by its ending."""


@lru_cache(maxsize=1)
def ordinary_stems() -> frozenset[str]:
    """Return the stems of ordinary words, which are no misspelt terms of medicine."""
    words = (_HERE / "ordinary_words.txt").read_text(encoding="utf-8").split()
    return frozenset(map(stem, words)) | FUNCTION_WORDS | NARRATIVE_WORDS | ASPECT_WORDS


def is_like_a_drug(word: str) -> bool:
    """Return whether a plain word ends as international names of drugs do.

    >>> is_like_a_drug("cetuximab"), is_like_a_drug("headache")
    (True, False)
    """
    return len(word) >= SHORTEST_DRUG and word.endswith(_DRUG_STEMS)
