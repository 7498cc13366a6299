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
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS = {
    **{word: value for value, word in enumerate(_UNITS)},
    **{word: 10 * value for value, word in enumerate(_TENS, 2)},
    **{"a dozen": 12, "a single": 1, "single": 1, "no": 0},
}
_PLAIN_NUMBER = "|".join(
    [
        rf"(?:{'|'.join(_TENS)})[- ](?:{'|'.join(_UNITS[1:10])})",
        *_UNITS,
        *_TENS,
        "a dozen",
        "a single",
        "single",
        "no",
    ]
)
_NUMBER = rf"(?:\d{{1,3}}(?![\d.,]*\d|\s*%)|{_PLAIN_NUMBER})"
_PEOPLE = (
    r"(?:probands?|patients?|individuals?|famil(?:y|ies)|kindreds?|pedigrees?|cases?|subjects?"
    r"|children|persons?|people|index cases?|infants?|males?|females?|boys?|girls?|carriers?)"
)
_COUNT = re.compile(
    rf"(?<![\w.-])(?P<number>{_NUMBER})(?: (?:of (?:the|our|these) )?[\w-]+){{0,4}}? {_PEOPLE}\b"
)
_MORE = re.compile(
    rf"(?<![\w.-])(?P<number>{_NUMBER}) (?:more|others?|further|additional|of them|with|carried|had"
    rf"|harbou?red|carrying|who|were|was|by)\b|\bin (?P<last>{_NUMBER})(?=[.,;)]|$| (?:and|we)\b)"
)
_NULL = re.compile(
    r"(?<!non-)(?<!non)(?<!not )(?<!no )\b(?:null|loss[- ]of[- ]function|lof|truncat(?:ing|ed)"
    r"|nonsense|frame-?shift|stop[- ]gain\w*|premature (?:stop|termination)|protein[- ]truncating"
    r"|whole[- ](?:gene|exon) (?:deletions?|loss)|canonical splice|invariant splice|splice[- ]"
    r"(?:site|donor|acceptor)|multi-?exon deletions?|abolish\w*)\b"
)
_OTHER = re.compile(
    r"\b(?:missense|in-?frame|non[- ]?truncating|non[- ]?null|other (?:\w+ )?(?:variants?|alleles?"
    r"|mutations?|changes?)|hypomorphic|exchanges?|amino[- ]acid (?:substitutions?|changes?)"
    r"|not truncating|substitutions?|intronic)\b"
)
_NOT_COUNTED = re.compile(
    r"\b(?:not (?:be )?counted|set aside|for nothing|not part of|synonymous|too common|not scored"
    r"|none (?:is|was) counted|excluded|healthy (?:relatives|people)|do not count|benign)\b"
)
_REPORTS = re.compile(
    rf"(?<![\w.-])(?P<number>{_NUMBER}) (?:[\w-]+ ){{0,4}}?(?:publications?|papers?|reports?"
    r"|articles?|groups?|teams?)\b"
)
_YEAR = re.compile(r"\b(?:19[5-9]\d|20[0-4]\d)\b")
_FIRST = re.compile(
    r"\b(?:first|since|initial\w*|earliest|oldest|original\w*|from|starting|beginning|began|before"
    r"|dat\w+ (?:back|from)|discover\w+|as early as|no earlier)\b"
)
_EARLIER = re.compile(
    r"\b(?:earlier|previous\w*|prior|before|past|already|literature|published|other groups)\b"
)
_OF_PEOPLE = re.compile(
    rf"\b(?:reports?|reported|publi\w+|papers?|print|describ\w+|linked|associated|{_PEOPLE})\b"
)
_PREAMBLE = re.compile(
    r"^(?:as with|under|by|for|in the|on day|at the|in (?:spring|summer|autumn|winter)) "
    r"[^,]*\d[^,]*, "
)
_POINTS = re.compile(r"(\d+(?:\.\d+)?)(?: \w+)? points?\b")
_GENETIC = re.compile(
    r"\b(?:varia\w+|mutation\w*|allel\w+|proband\w*|genotyp\w+|segregat\w+|genetic\w*|reported)\b"
)


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

    def __str__(self) -> str:
        """The same facts as a sentence that `genetics_in_summary` reads."""
        said = f"Human genetic evidence: {self.points:g} points"
        if self.publications:
            plural = "" if self.publications == 1 else "s"
            said += f", {self.publications} publication{plural} to date"
        if self.first_reported is not None:
            said += f", first reported in {self.first_reported}"
        return said + "."


def number_in(text: str) -> int | None:
    """The number that a digit or an English number word means, or None.

    >>> number_in("twenty-three"), number_in("7"), number_in("many")
    (23, 7, None)
    """
    plain = text.strip().lower()
    if plain.isascii() and plain.isdigit():
        return int(plain)
    if plain in _WORDS:
        return _WORDS[plain]
    tens, _, unit = plain.replace(" ", "-").partition("-")
    if tens in _TENS and unit in _UNITS[1:10]:
        return _WORDS[tens] + _WORDS[unit]
    return None


def read_genetics(sections: Sequence[tuple[str, str]]) -> Genetics | None:
    """Read the human genetic evidence that an article reports.

    Args:
        sections: Heading and text of each section.

    Returns:
        Its own probands' points, the publications it counts and the year of the first; None if
        it reports none of these.
    """
    told = [_section(text) for _, text in sections]
    # An abstract repeats what the results say, so the fullest section is taken, not the sum.
    best = max(told, key=lambda one: one.points, default=Genetics(0.0, 0, None))
    years = [one.first_reported for one in told if one.first_reported is not None]
    earlier, first = best.publications, best.first_reported
    if first is None:
        earlier = max((one.publications for one in told), default=0)
        first = min(years, default=None)
    if not best.points and not earlier and first is None:
        return None
    return Genetics(best.points, earlier + (best.points > 0), first)


def _section(text: str) -> Genetics:
    """What one section tells; its publications are the earlier ones only."""
    points, earlier, first = 0.0, 0, None
    for sentence in _split(text):
        reports, year = _history(sentence)
        earlier = max(earlier, reports)
        if year is not None and (first is None or year < first):
            first = year
        if not reports:
            points += _points(_probands(sentence))
    return Genetics(points, earlier, first)


def genetics_in_summary(text: str) -> Genetics | None:
    """Read the human genetic evidence from a curator's summary.

    Args:
        text: One or a few sentences that give probands or points, the number of publications
            and the year of the first report, in any order and any of them missing.

    Returns:
        What it says; None if it says nothing of human genetics.
    """
    points: float | None = None
    publications, first = 0, None
    for sentence in _split(text):
        if not any(one.search(sentence) for one in (_GENETIC, _POINTS, _REPORTS)):
            continue
        counted = _points(_probands(sentence))
        if stated := _POINTS.search(sentence):
            points = max(points or 0.0, float(stated[1]))
        elif counted:
            points = max(points or 0.0, counted)
        for found in _REPORTS.finditer(sentence):
            publications = max(publications, number_in(found["number"]) or 0)
        year = _first_year(sentence)
        if year is not None and (first is None or year < first):
            first = year
    if points is None and not publications and first is None:
        return None
    return Genetics(points or 0.0, publications, first)


def _split(text: str) -> list[str]:
    plain = re.sub("[‐‑‒–—−]", "-", text).replace("’", "'").lower()
    return re.split(r"(?<=[.!?])\s+(?=[a-z0-9(\[])", " ".join(plain.split()))


def _points(counts: tuple[int, int]) -> float:
    return NULL_POINTS * counts[0] + OTHER_POINTS * counts[1]


def _history(sentence: str) -> tuple[int, int | None]:
    """Earlier publications that a sentence counts, and the year it says they began."""
    sentence = _PREAMBLE.sub("", sentence)
    if not _OF_PEOPLE.search(sentence):
        return 0, None
    reports = 0
    if _EARLIER.search(sentence):
        numbers = [number_in(found["number"]) for found in _REPORTS.finditer(sentence)]
        reports = max((number or 0 for number in numbers), default=0)
    return reports, _first_year(sentence)


def _first_year(sentence: str) -> int | None:
    if not (_FIRST.search(sentence) or _REPORTS.search(sentence)):
        return None
    years = [int(year) for year in _YEAR.findall(sentence)]
    return min(years) if years else None


def _probands(sentence: str) -> tuple[int, int]:
    """Probands with null and with other variants that a sentence counts."""
    sentence = _PREAMBLE.sub("", sentence)
    if _NOT_COUNTED.search(sentence):
        return 0, 0
    kinds = sorted(
        [(found.start(), 0) for found in _NULL.finditer(sentence)]
        + [(found.start(), 1) for found in _OTHER.finditer(sentence)]
    )
    counts = list(_counts(sentence)) if kinds else []
    totals = [0, 0]
    for position, number in counts:
        ahead = [kind for kind in kinds if kind[0] > position]
        behind = [kind for kind in kinds if kind[0] < position]
        # "N probands with A and M with B" or "A in N probands and B in M": the first tells.
        first = ahead[:1] if counts[0][0] < kinds[0][0] else behind[-1:]
        for _, kind in first or ahead[:1] or behind[-1:]:
            totals[kind] += number
    return totals[0], totals[1]


def _counts(sentence: str) -> Iterator[tuple[int, int]]:
    """Position and size of each group of people that a sentence counts."""
    seen: dict[int, int] = {}
    for pattern in (_COUNT, _MORE):
        for found in pattern.finditer(sentence):
            word = found["number"] or found.groupdict().get("last")
            number = number_in(word or "")
            if number is not None and (pattern is _COUNT or seen):
                seen.setdefault(found.start("number") if found["number"] else found.start(), number)
    yield from sorted(seen.items())
