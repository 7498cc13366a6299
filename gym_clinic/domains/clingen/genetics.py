"""Reads human genetic evidence from articles and from curators' summaries.

Source:
    Strande NT et al. Am J Hum Genet 2017;100:895-906: the default points of a proband with a
    dominant or X-linked disease.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from gym_clinic.domains.clingen.reader import cues, is_read, split_sentences

NULL_POINTS = 1.5
OTHER_POINTS = 0.5
"""Points of a proband with a null variant, and with another one."""


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

    An abstract repeats what the results tell, so each kind of variant counts as often as in the
    section that has most of it.

    Args:
        sections: Heading and text of each section.

    Returns:
        Its probands, and the publications and the first year that it names; None if it reports
        no proband.
    """
    most: Counter[bool] = Counter()
    publications, years = 1, list[int]()
    for heading, text in sections:
        here: Counter[bool] = Counter()
        for sentence in _sentences(text):
            if cues().earlier.search(sentence) and cues().counted.search(sentence):
                years += _years(sentence)
                publications = max(publications, _publications(sentence, itself=1))
            elif is_read(heading) and not cues().reported.search(sentence):
                here.update(_probands(sentence))
        most |= here
    points = _points(most)
    return Genetics(points, publications, min(years, default=None)) if points else None


@lru_cache(maxsize=4096)
def genetics_in_summary(text: str) -> Genetics | None:
    """Read the human genetic evidence from a curator's summary.

    Args:
        text: Some sentences that give probands, points, the number of publications and the year
            of the first, in any order and any of them missing.

    Returns:
        What it says; None if it says nothing of human genetics.
    """
    sentences = _sentences(text)
    absent = [one for one in sentences if cues().absent.search(one)]
    counted = Counter(kind for one in sentences if one not in absent for kind in _probands(one))
    points = _awarded(sentences) or _points(counted)
    publications = max((_publications(one, itself=0) for one in sentences), default=0)
    years = [year for one in sentences for year in _years(one)]
    if points or publications:
        return Genetics(points, publications, min(years, default=None))
    return Genetics(0.0, 0, None) if absent else None


def _awarded(sentences: Sequence[str]) -> float:
    """The points of human genetics that a summary states: their total, else their sum."""
    amounts: list[float] = []
    for sentence in sentences:
        found = list(cues().amount.finditer(sentence))
        if cues().experiment.search(sentence) and not cues().genetic.search(sentence):
            continue
        if found and (mark := cues().total.search(sentence)):
            nearest = min(found, key=lambda match: _distance(sentence, match, mark))
            return float(nearest[1] or nearest[2])
        amounts += [float(match[1] or match[2]) for match in found]
    parts_and_sum = len(amounts) > 2 and 2 * max(amounts) == sum(amounts)
    return sum(amounts) / (2 if parts_and_sum else 1)


def _sentences(text: str) -> list[str]:
    """The sentences of a text with numbers as digits and variants by their kind."""

    def digits(found: re.Match[str]) -> str:
        return str(sum(cues().numbers[word.lower()] for word in found.groups() if word))

    def kind(found: re.Match[str]) -> str:
        return "null" if cues().truncated.search(found[1]) else "missense"

    text = re.sub(r"\b(?:PMID|PMC|HGNC|OMIM|MIM)\W*\d+", "", text)
    return split_sentences(cues().spelled.sub(digits, cues().hgvs.sub(kind, text)))


def _points(probands: Counter[bool]) -> float:
    return NULL_POINTS * probands[True] + OTHER_POINTS * probands[False]


def _probands(sentence: str) -> Iterator[bool]:
    """For each proband, whether its variant, the nearest that its clause names, is null."""
    if not cues().subject.search(sentence) or cues().uncounted.search(sentence):
        return
    for part in re.split(r"[;:](?= )|,? (?:and|while|whereas|but)(?= )|, (?=\d)", sentence):
        if cues().none.search(part):
            continue
        kinds = [(found, True) for found in cues().null.finditer(part)]
        kinds += [(found, False) for found in cues().other.finditer(part)]
        found = cues().count.finditer(part) if kinds else iter(())
        counts = [one for one in found if not cues().unit.match(part[one.end() :])]
        for count in counts[: None if len(kinds) > 1 else 1]:
            nearest = min(kinds, key=lambda kind: _distance(part, kind[0], count))
            yield from [nearest[1]] * int(count[1] or 1)


def _distance(text: str, one: re.Match[str], other: re.Match[str]) -> int:
    """Characters between two matches; a comma between them counts as many."""
    first, last = sorted((one, other), key=lambda match: match.start())
    between = text[first.end() : last.start()]
    return len(between) + 50 * between.count(",")


def _publications(sentence: str, *, itself: int) -> int:
    """The publications a sentence counts; those besides the article get the article added."""
    found = list(cues().publications.finditer(sentence))
    besides = any(cues().besides.search(one[0]) for one in found)
    alone = itself if besides and not cues().including.search(sentence) else 0
    return sum(int(one[1] or one[2]) for one in found) + alone


def _years(sentence: str) -> list[int]:
    """The year that a sentence calls the first, else all it names."""
    found = list(cues().year.finditer(sentence))
    if len(found) > 1 and (mark := cues().first.search(sentence)):
        found = [min(found, key=lambda year: abs(year.start() - mark.start()))]
    return [int(year[0]) for year in found]
