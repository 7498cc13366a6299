"""Reads human genetic evidence from articles and from curators' reports, by plain patterns.

A person is known by a number ("F2-II-1", "II-3", "patient 4"); what follows the number, up to the
next one, is about this person. Families count by their LOD score, case-control studies by odds
ratio and p value. Reports of imported curations state points instead, which stand as they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from gym_clinic.domains.clingen.genetic_table import (
    LEAST_LOD,
    PersonGenetics,
    case_control_points,
    contradicted,
    genetic_points,
    row_of_person,
    segregation_points,
)
from gym_clinic.domains.clingen.sop import GENETIC_CAP

_PERSON = re.compile(
    r"\b(?:F(?:amily )?\d+[-:. ]{1,2})?(?:I{1,3}|IV|V)[-:.]\d+\b"
    r"|\b(?:[Pp]atient|[Pp]roband|[Ss]ubject|[Pp]erson|[Ii]ndividual|[Cc]ase) "
    r"(?:\d+|[A-Z]\d*)\b(?!-)"
)
_NULL = re.compile(
    r"\b(?:nonsense|stop[- ]gain\w*|frame-?shift\w*|splic\w+|truncat\w+|null|start[- ]loss|"
    r"(?:exon|gene|whole-gene|multi-exon|intragenic)[- ]deletion\w*|deletion of exons?)\b",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"\b(?:missense|in-?frame\w*|repeat expansion|promoter|mtDNA|heteroplasm\w+|RNA,|"
    r"substitution)\b|\d+ repeats",
    re.IGNORECASE,
)
_VARIANT = re.compile(r"\b(?:SIMVAR-\d+|[cpnm]\.\S+)")
_DE_NOVO = re.compile(
    r"\bde novo\b|\bneither parent\b|(?:absent|not (?:present|found|detected|seen))\b[^.;]{0,40}"
    r"\b(?:both|either|the|two)?\s?parents?\b|parents?\b[^.;]{0,30}tested negative|"
    r"negative in both parents",
    re.IGNORECASE,
)
_UNTESTED = re.compile(
    r"parent\w*[^.;]{0,30}\b(?:unavailable|not (?:tested|available|sampled|sequenced))|"
    r"no parental|(?:origin|phase|inheritance) (?:\w+ )?(?:un\w+|could not|not)|untested|"
    r"without parental",
    re.IGNORECASE,
)
_TRANS = re.compile(
    r"\bin trans\b|one (?:\w+ )?from (?:each|either)|inherited from (?:both|each|either) parents?|"
    r"both parents (?:were|are|being) (?:heterozygous|carriers)|biallelic by|homozygous",
    re.IGNORECASE,
)
_HOMOZYGOUS = re.compile(r"\bhomozygous\b(?! for the wild)", re.IGNORECASE)
_ALLELES = re.compile(r"(\d[\d,]*)\s*(?:of|in|/|out of)\s*(\d[\d,]{3,})")
_COUNT_STANDS = re.compile(
    r"\b(?:allele|population|database|reference|chromosomes)\w*", re.IGNORECASE
)
_OTHER_CAUSE = re.compile(
    r"\b(?:another|second|other) (?:gene|genes|cause|molecular cause)\b[^.]*|"
    r"chromosomal (?:deletion|duplication)|covers? other genes|alternative (?:cause|diagnosis)",
    re.IGNORECASE,
)
_LOD = re.compile(r"\bLOD\b(?:[^\d.]|(?<=[A-Z])\d){0,40}?(?<![A-Z])(\d+(?:\.\d+)?)", re.IGNORECASE)
_FAMILY = re.compile(r"\b[Ff]amil(?:y|ies) ([A-Z]?\d+)\b")
_ODDS = re.compile(r"\b(?:odds ratio|OR)\b[^\d.]{0,12}(\d+(?:\.\d+)?)", re.IGNORECASE)
_P_VALUE = re.compile(r"\b[Pp](?:[- ]value)?\s*([=<≤])\s*(\d*\.\d+(?:[eE×x ]*10?[-−]\d+)?)")
_POINTS = re.compile(
    r"human genetic evidence[^:]*: (\d+(?:\.\d+)?) points?, from (\d+) publications?"
    r"(?:, first reported in (\d{4}))?",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-Z(])(?!P ?[=<≤])|\n+")
_SKIPPED = re.compile(r"introduction|method|reference|discussion", re.IGNORECASE)


_NUMBERS = [
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
_COUNTED = re.compile(
    rf"\b(\d{{1,3}}|{'|'.join(_NUMBERS)})(?: (?:of|out of) \d+)?(?: \w+){{0,2}} "
    r"(?:probands?|patients?|cases|families|index cases|individuals)\b[^.,;]*",
    re.IGNORECASE,
)
_NOT_THEIRS = re.compile(
    r"\b(?:no|not|mice|mouse|previously|earlier|have been|has been|were screened)\b", re.IGNORECASE
)


class StatedPoints(NamedTuple):
    """Points that a curator states for an article.

    Attributes:
        points: Genetic points.
        publications: Independent publications with human genetic evidence, this one included.
        first_reported: Year of the first of them.
    """

    points: float
    publications: int
    first_reported: int | None


class HumanGenetics(NamedTuple):
    """Human genetics of an article, as far as one text tells it.

    Attributes:
        persons: Number of the person -> what decides on the points.
        lods: Family -> LOD score.
        studies: Odds ratio and p value of each case-control study.
        stated: Points that a curator states, which then stand for all else.
    """

    persons: Mapping[str, PersonGenetics]
    lods: Mapping[str, float]
    studies: tuple[tuple[float, float], ...]
    stated: StatedPoints | None = None

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self.persons or self.lods or self.studies or self.stated)


class GeneticsTally(NamedTuple):
    """The sum over articles.

    Attributes:
        points: Genetic points.
        publications: Articles that count.
        first_reported: Year of the first of them.
        contradicted: Whether families contradict the relationship.
    """

    points: float
    publications: int
    first_reported: int | None
    contradicted: bool = False


def results_of(sections: Iterable[tuple[str, str]]) -> str:
    """Return the text of the sections that may report persons."""
    return "\n\n".join(text for heading, text in sections if not _SKIPPED.search(heading))


@lru_cache(maxsize=2048)
def read_genetics(text: str) -> HumanGenetics:
    """Read the human genetics that a text reports."""
    if found := _POINTS.search(text):
        year = int(found[3]) if found[3] else None
        stated = StatedPoints(float(found[1]), int(found[2]), year)
        return HumanGenetics({}, {}, (), stated if stated.points else None)
    told: dict[str, list[str]] = {}
    lods: dict[str, float] = {}
    studies: list[tuple[float, float]] = []
    for paragraph in re.split(r"\n\s*\n", text):
        person, family = "", ""
        for sentence in _SENTENCE.split(paragraph):
            named = list(dict.fromkeys(one[0] for one in _PERSON.finditer(sentence)))
            families = _FAMILY.findall(sentence)
            family = families[-1] if families else family
            lod = _LOD.search(sentence)
            odds, p = _ODDS.search(sentence), _P_VALUE.search(sentence)
            if odds and p:
                studies.append((float(odds[1]), _p_value(p)))
            elif lod:
                lods[family] = float(lod[1])
            elif not (named or person):
                told |= _counted(sentence, len(told))
            else:
                for place, part in _parts(sentence, named):
                    person = place or person
                    told.setdefault(person, []).append(part)
    persons = {name: _person(" ".join(parts)) for name, parts in told.items()}
    counted = {name: one for name, one in persons.items() if one.hits}
    return HumanGenetics(counted, lods, tuple(dict.fromkeys(studies)))


def tally(
    articles: Sequence[tuple[str, int, HumanGenetics]], inheritance: str, mechanism: str | None
) -> GeneticsTally:
    """Add up human genetics; a person or family counts where it is told first.

    Args:
        articles: Id, year and genetics of each article, in order of time.
        inheritance: AD, AR, XL, SD, MT or UD.
        mechanism: Mechanism of the disease, if it is known.
    """
    rows: Counter[str] = Counter()
    lods: dict[str, float] = {}
    studies: list[tuple[float, float]] = []
    seen: set[str] = set()
    counted: dict[str, int] = {}
    segregating: dict[str, int] = {}
    stated, others = 0.0, 0
    for pmid, year, found in articles:
        if found.stated:
            stated += found.stated.points
            others += found.stated.publications - 1
            counted[pmid] = found.stated.first_reported or year
            continue
        new = {name: one for name, one in found.persons.items() if name not in seen}
        seen |= new.keys()
        mine = [row_of_person(one, inheritance, mechanism) for one in new.values()]
        rows.update(row for row in mine if row)
        families = {name: lod for name, lod in found.lods.items() if name not in lods}
        lods |= families
        controls = [one for one in found.studies if case_control_points(*one)]
        studies += controls
        if any(mine) or controls:
            counted[pmid] = year
        if max(families.values(), default=0) >= LEAST_LOD:
            segregating[pmid] = year
    if segregation_points(lods.values()):
        counted = segregating | counted
    points = min(stated + genetic_points(rows, lods.values(), studies), GENETIC_CAP)
    first = min(counted.values(), default=None)
    return GeneticsTally(points, len(counted) + others, first, contradicted(lods.values()))


def _parts(sentence: str, named: Sequence[str]) -> list[tuple[str, str]]:
    """Divide a sentence at the persons it names; one that lists several tells nothing of each."""
    if len(named) < 2:
        return [(named[0] if named else "", sentence)]
    if not _VARIANT.search(sentence) and not _NULL.search(sentence) and not _OTHER.search(sentence):
        return []
    marks = [sentence.index(name) for name in named] + [len(sentence)]
    return [
        (name, sentence[start:end])
        for name, start, end in zip(named, marks, marks[1:], strict=False)
    ]


def _counted(sentence: str, start: int) -> dict[str, list[str]]:
    """Persons that a sentence counts instead of numbering: "four probands with null variants"."""
    if _NOT_THEIRS.search(sentence):
        return {}
    found: dict[str, list[str]] = {}
    parts = re.split(r",| and ", sentence)
    for one in (match for part in parts for match in _COUNTED.finditer(part)):
        if _NULL.search(one[0]) or _OTHER.search(one[0]):
            word = one[1].lower()
            number = int(word) if word.isdigit() else _NUMBERS.index(word) + 1
            found |= {f"counted {start + len(found) + n}": [one[0]] for n in range(number)}
    return found


def _person(text: str) -> PersonGenetics:
    nulls, others = len(_NULL.findall(text)), len(_OTHER.findall(text))
    named = len(set(_VARIANT.findall(text)))
    untested = bool(_UNTESTED.search(text))
    shares = [
        int(k.replace(",", "")) / int(n.replace(",", ""))
        for k, n in _ALLELES.findall(text)
        if _COUNT_STANDS.search(text) and int(n.replace(",", ""))
    ]
    return PersonGenetics(
        hits=2 if _HOMOZYGOUS.search(text) else named or min(nulls + others, 2),
        null=nulls > 0,
        de_novo=bool(_DE_NOVO.search(text)) and not untested,
        in_trans=bool(_TRANS.search(text)) and not untested,
        common=max(shares, default=0.0),
        other_cause=bool(_OTHER_CAUSE.search(text)),
    )


def _p_value(found: re.Match[str]) -> float:
    value = (
        re.sub(r"[×x ]*10?[-−]", "e-", found[2]) if re.search(r"10|[eE]", found[2]) else found[2]
    )
    number = float(value)
    return number * 0.999 if found[1] in "<≤" else number
