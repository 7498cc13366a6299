"""Human genetic evidence in prose: how many probands with which variants, and since when.

Numbers are read as digits or English words. Points follow the default case-level scores.

Source:
    Strande NT et al. Am J Hum Genet 2017;100:895-906, figure 3: 1.5 points for a proband with a
    null variant, 0.5 for one with another variant that has some evidence of impact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

NULL_POINTS = 1.5
"""Points for a proband with a predicted or proven null variant."""

OTHER_POINTS = 0.5
"""Points for a proband with another variant with some evidence of impact."""

_UNITS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS = {word: number for number, word in enumerate(_UNITS)} | {"single": 1, "dozen": 12}
for _ten, _word in enumerate(_TENS, 2):
    _WORDS[_word] = 10 * _ten
    _WORDS |= {f"{_word}-{_UNITS[unit]}": 10 * _ten + unit for unit in range(1, 10)}
_SPELLED = "|".join(sorted(_WORDS, key=len, reverse=True))
_NUMBER = rf"(?<![\w.-])(?P<number>\d{{1,3}}|{_SPELLED})\b(?!\s*%|[.,]\d)"
_PEOPLE = re.compile(
    rf"{_NUMBER}(?: [\w-]+){{0,4}}? "
    r"(?:probands?|patients?|individuals|famil(?:y|ies)|index cases?|kindreds?|pedigrees?)\b"
)
_MORE = re.compile(rf"\bin {_NUMBER}(?=[.,;]|$)")
_REPORTS = re.compile(
    rf"{_NUMBER}(?: [\w-]+){{0,3}}? (?:publications?|papers?|reports?|articles?)\b"
)
_NULL = re.compile(
    r"(?<!non-)(?<!not )\b(?:null|loss[- ]of[- ]function|truncating|truncated|nonsense"
    r"|frame-?shift|stop[- ]gain\w*|premature stop|splice[- ](?:site|donor|acceptor)"
    r"|(?:invariant|canonical) splice|exon (?:deletions?|loss)|abolish\w*)\b"
)
_OTHER = re.compile(
    r"\b(?:missense|in-?frame|non-truncating|not truncating|other (?:\w+ )?variants?"
    r"|substitutions?|exchanges?|hypomorphic|amino[- ]acid changes?)\b"
)
_UNCOUNTED = re.compile(
    r"\b(?:not counted|no proband is|none is|too common|benign|synonymous|excluded"
    r"|healthy relatives|uninformative|do not count|not scored)\b"
)
_EARLIER = re.compile(r"\b(?:earlier|previous\w*|prior|before|already|published|preceded)\b")
_YEAR = re.compile(r"\b(?:19[5-9]\d|20[0-4]\d)\b")
_POINTS = re.compile(r"(\d+(?:\.\d+)?)(?: \w+)? points?\b")
_GENETIC = re.compile(r"\b(?:varia\w+|mutation\w*|proband\w*|genetic\w*|human)\b")


class Genetics(NamedTuple):
    """Human genetic evidence, as far as one text tells it.

    Attributes:
        points: Points of the probands that the text itself reports.
        publications: Independent publications with human genetic evidence that it knows of,
            itself included if it reports probands; 0 if it does not say.
        first_reported: Year of the first of them; None if it does not say.
    """

    points: float
    publications: int
    first_reported: int | None


def read_genetics(sections: Sequence[tuple[str, str]]) -> Genetics | None:
    """Read the human genetic evidence that an article itself reports.

    Args:
        sections: Heading and text of each section.

    Returns:
        Its probands, and the publications and the first year that it names; None if it reports
        no proband.
    """
    points, earlier = 0.0, 0
    years: list[int] = []
    for sentence in (one for _, text in sections for one in _sentences(text)):
        if _UNCOUNTED.search(sentence):
            continue
        points += _points(sentence)
        if _EARLIER.search(sentence) and (counts := list(_numbers(_REPORTS, sentence))):
            earlier = max(earlier, *(number for _, number in counts))
            years += map(int, _YEAR.findall(sentence))
    return Genetics(points, earlier + 1, min(years, default=None)) if points else None


def genetics_in_summary(text: str) -> Genetics | None:
    """Read the human genetic evidence from a curator's summary.

    Args:
        text: Some sentences that give points, the number of publications and the year of the
            first, in any order and any of them missing.

    Returns:
        What it says; None if it says nothing of human genetics.
    """
    kinds = (_GENETIC, _POINTS, _REPORTS, _YEAR)
    said = " ".join(one for one in _sentences(text) if any(kind.search(one) for kind in kinds))
    if not _POINTS.search(said) and not _REPORTS.search(said):
        return None
    points = [float(number) for number in _POINTS.findall(said)] or [_points(said)]
    publications = [number for _, number in _numbers(_REPORTS, said)]
    years = [int(year) for year in _YEAR.findall(said)]
    return Genetics(max(points), max(publications, default=0), min(years, default=None))


def _sentences(text: str) -> list[str]:
    plain = re.sub("[‐‑‒–—−]", "-", text).lower()
    return re.split(r"(?<=[.!?;])\s+(?=[a-z0-9(\[])", " ".join(plain.split()))


def _numbers(pattern: re.Pattern[str], sentence: str) -> Iterator[tuple[int, int]]:
    """Position and size of each number that a pattern finds."""
    for found in pattern.finditer(sentence):
        word = found["number"]
        yield found.start(), int(word) if word.isdigit() else _WORDS[word]


def _points(sentence: str) -> float:
    """Points of the people that a sentence counts, each group by the variants nearest to it."""
    kinds = [(one.start(), NULL_POINTS) for one in _NULL.finditer(sentence)]
    kinds += [(one.start(), OTHER_POINTS) for one in _OTHER.finditer(sentence)]
    groups = list(_numbers(_PEOPLE, sentence))
    if groups:
        groups += _numbers(_MORE, sentence)
    return sum(
        number * min(kinds, key=lambda kind: abs(kind[0] - place))[1]
        for place, number in groups
        if kinds
    )
