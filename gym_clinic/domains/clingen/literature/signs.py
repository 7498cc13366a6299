"""The findings of a person: what defines the disease, what fits the sex and the age at onset.

``onsets.json`` holds the ages and sexes that findings name, and findings that exclude each other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any


@lru_cache(maxsize=1)
def course_tables() -> Mapping[str, Any]:
    """Read ``onsets.json`` once a process."""
    path = Path(__file__).with_name("onsets.json")
    found: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def defining_signs(disease: str, signs: Sequence[str], sex: str | None = None) -> list[str]:
    """Return the findings without which nobody has the disease.

    Dossiers list the finding by which a disease is known first; others define it if they are in
    its name.

    Args:
        disease: Name of the disease.
        signs: Its findings, in the order of the dossier.
        sex: "female" or "male"; findings of the other sex are left out.

    >>> defining_signs("congenital glaucoma", ["Buphthalmos", "Photophobia", "Glaucoma"])
    ['Buphthalmos', 'Glaucoma']
    """
    able = [one for one in signs if sex is None or not _excluded(one, sex)]
    name = disease.lower().partition("with or without")[0].replace("hearing loss", "hearing imp")
    named = [one for one in able[1:] if one.lower() in name or _is_hearing(one, name)]
    found = able[:1]
    for one in named[:1]:
        if not excludes(one, found):
            found.append(one)
    return found


def draw_signs(
    rng: Random, disease: str, signs: Sequence[str], sex: str, low: int, high: int
) -> tuple[list[str], list[str], tuple[int, int]]:
    """Draw the findings that a person has and lacks, with the months of onset that they allow.

    Args:
        rng: Source of randomness.
        disease: Name of the disease.
        signs: Its findings, in the order of the dossier.
        sex: "female" or "male".
        low: Earliest age at onset in months.
        high: Latest.
    """
    shown: list[str] = []
    sure = defining_signs(disease, signs, sex)
    rest = [one for one in signs if one not in sure and not _excluded(one, sex)]
    rest = [one for one in rest if not _is_death(one)]
    number = rng.randint(2, 4)
    for one in (*sure, *rng.sample(rest, len(rest))):
        first, last = age_limits(one)
        fits = max(low, first) <= min(high, last)
        if one in sure or (fits and len(shown) < number and not excludes(one, shown)):
            shown.append(one)
            if fits:
                low, high = max(low, first), min(high, last)
    lacking = [
        one
        for one in rest
        if one not in shown
        and age_limits(one) == _ANY_AGE
        and not any(_words(one) & _words(other) for other in shown)
    ]
    absent = rng.sample(lacking, min(len(lacking), rng.randint(0, 2)))
    return rng.sample(shown, len(shown)), absent, (low, high)


def excludes(sign: str, others: Sequence[str]) -> bool:
    """Whether a finding cannot stand beside one of the others.

    >>> excludes("Microcephaly", ["Relative macrocephaly"])
    True
    """
    for pair in course_tables()["opposites"]:
        for one, opposite in (pair, pair[::-1]):
            if one in sign.lower() and any(opposite in other.lower() for other in others):
                return True
    return False


_ANY_AGE = (-100, 10_000)


def age_limits(sign: str) -> tuple[int, int]:
    """Months between which a disease with this finding begins, if the finding names an age."""
    for word, low, high in course_tables()["signs"]:
        if word in sign.lower():
            return low, high
    return _ANY_AGE


def _is_hearing(sign: str, disease: str) -> bool:
    return "hearing" in disease and "hearing impairment" in sign.lower()


def _excluded(sign: str, sex: str) -> bool:
    """Whether a finding does not occur in this sex."""
    other = "male" if sex == "female" else "female"
    return any(word in f" {sign.lower()}" for word in course_tables()["sexes"][other])


def _is_death(sign: str) -> bool:
    """Whether a finding is one of relatives: those who give blood have not died."""
    return any(word in sign.lower() for word in course_tables()["deaths"])


def _words(sign: str) -> set[str]:
    """The longer words of a finding without their endings, by which kindred findings are known."""
    return {one[:6] for one in re.findall(r"[a-z]{6,}", sign.lower())}
