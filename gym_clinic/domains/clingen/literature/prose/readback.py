"""The numbers and ids of a written article, read back and compared with the records.

>>> sorted(numbers_in("1.9 ± 0.6% (n = 18), 95% CI −0.1 to 0.3"))
['-0.1', '0.3', '0.6', '1.9', '18', '95']
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain

from gym_clinic.domains.clingen.literature.packing import pack
from gym_clinic.domains.clingen.literature.prose.labels import (
    measure_text,
    short_arm,
    short_measure,
)
from gym_clinic.domains.clingen.literature.prose.pools import PHRASES
from gym_clinic.domains.clingen.literature.prose.style import AuthorStyle
from gym_clinic.domains.clingen.literature.prose.write import WrittenArticle
from gym_clinic.domains.clingen.literature.records import Experiment, Literature, Publication

_NUMBER = re.compile(r"(?<![\w.-])−?\d+(?:\.\d+)?(?![\w-]|\.\d)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_ID = re.compile(r"\bSIMVAR-\d+|\bSIM\d+|\bF\d+-[IVX]+-\d+")
_SYMBOL = re.compile(r"\b[A-Z][A-Z0-9]{2,}\b")
_DIRECTIONS = {
    "higher": re.compile(r"\b(?:higher|increased|times as high)\b"),
    "lower": re.compile(r"\b(?:lower|reduced)\b"),
    "equal": re.compile(
        r"\b(?:did not differ|no significant difference|not detectably different)\b"
    ),
}
_FREE_WORDS = re.compile(r"\b(?:Figure|Table) \d+\w?|exon \d+")


def numbers_in(text: str) -> set[str]:
    """Return the numbers of a text without those inside names."""
    text = _THOUSANDS.sub("", text)
    return {found.replace("−", "-") for found in _NUMBER.findall(text)}


def mistakes(literature: Literature, article: Publication, written: WrittenArticle) -> list[str]:
    """Compare an article with its records.

    Args:
        literature: The records.
        article: The article.
        written: The article in words.

    Returns:
        One line for each number, id or gene symbol that no record of the article holds, for each
        word of direction against the numbers and for each experiment whose values are not told.
    """
    results = [one for one in literature.results if one.id in article.results]
    records = _ArticleRecords(literature, article)
    texts = {"abstract": written.abstract, **dict(written.sections)}
    found = []
    for part, text in texts.items():
        if part == "References":
            continue
        found += [
            f"{part}: {one}"
            for one in records.strange(text, methods=part in ("Methods", "abstract"))
        ]
        if part in ("Results", "abstract", "Discussion"):
            found += _wrong_directions(part, records.without_names(text), results)
    told = numbers_in(texts.get("Results", ""))
    for one in results:
        missing = {f"{arm.n}" for arm in one.arms[:2]} | {
            f"{arm.mean:g}" for arm in one.arms[:2] if arm.mean is not None
        }
        if article.kind != "review" and not missing <= told:
            found.append(f"Results: {one.id} lacks {sorted(missing - told)}")
    return found


def strange_in_notes(
    literature: Literature, article: Publication, notes: Sequence[str]
) -> list[str]:
    """Return one line for each number, id or symbol of notes that no record of the article holds.

    Args:
        literature: The records.
        article: The article.
        notes: What a curator wrote of it.
    """
    records = _ArticleRecords(literature, article)
    return [one for note in notes for one in records.strange(note)]


class _ArticleRecords:
    """The ids, symbols and numbers that texts on an article may hold."""

    def __init__(self, literature: Literature, article: Publication) -> None:
        results = [one for one in literature.results if one.id in article.results]
        persons = [one for one in literature.persons if one.id in article.persons]
        self.ids = {article.pmid, *article.cites, *article.persons}
        self.ids.update(one.first_article for one in persons)
        self.ids.update(variant for one in persons for variant in one.variants)
        cited = [one for one in literature.articles if one.pmid in article.cites]
        keys = {key for one in cited for key in one.results}
        told = results + [one for one in literature.results if one.id in keys]
        self.ids.update(found for one in told for found in _ID.findall(_words(one)))
        self.numbers = numbers_in(" ".join(_words(one) for one in told)) | {"95"}
        for one in results:
            self.numbers.update(_numbers(one))
        self.numbers.update(_people_numbers(literature, article))
        names = [article.disease, literature.disease, literature.product, literature.does]
        names += [literature.pathway or "", literature.family or "", *literature.phenotypes]
        american = AuthorStyle(True, False, "p", True, False)
        names += [american.finish(one) for one in names]
        ordered = sorted(filter(None, names), key=len, reverse=True)
        self._named = re.compile("|".join(map(re.escape, ordered)), re.IGNORECASE)
        self.symbols = _phrase_symbols() | set(
            _SYMBOL.findall(f"{pack(literature)} {article.gene} {article.disease}")
        )

    def strange(self, text: str, *, methods: bool = False) -> Iterator[str]:
        """Yield what a text holds and the records do not."""
        if strange := set(_ID.findall(text)) - self.ids:
            yield f"no record of this article holds {sorted(strange)}"
        if strange := set(_SYMBOL.findall(_ID.sub("", text))) - self.symbols:
            yield f"no record holds the symbols {sorted(strange)}"
        allowed = self.numbers | _protocol_numbers() if methods else self.numbers
        told = self.without_names(_FREE_WORDS.sub("", _ID.sub("", text)))
        if strange := numbers_in(told) - allowed:
            yield f"no record holds the numbers {sorted(strange)}"

    def without_names(self, text: str) -> str:
        """Return a text without diseases, products and phenotypes."""
        return self._named.sub("", text)


def _wrong_directions(part: str, text: str, results: list[Experiment]) -> Iterator[str]:
    """Compare the words of direction of each clause on one experiment with its arms."""
    for one in results:
        if sum(other.measure in one.measure for other in results) > 1:
            continue
        names = [short_measure(measure_text(other.measure)) for other in results]
        mine = short_measure(measure_text(one.measure))
        measures = (one.measure, mine) if names.count(mine) == 1 else (one.measure,)
        groups = [(arm.label, short_arm(arm.label)) for arm in one.arms]
        right = "equal" if one.comparison.p >= 0.05 else "higher"
        if right == "higher" and one.comparison.difference < 0:
            right = "lower"
        for sentence in re.split(r"(?<=[.?;])\s+", text):
            if not (_names(sentence, measures) and _names(sentence, groups[0])):
                continue
            if _names(sentence, [other for other in names if other not in mine]):
                continue
            for name in (*measures, *chain.from_iterable(groups)):
                sentence = re.sub(re.escape(name), "", sentence, flags=re.IGNORECASE)
            for direction, words in _DIRECTIONS.items():
                if direction != right and words.search(sentence):
                    yield f"{part}: {one.id} is {right}, told as {direction}"


def _names(text: str, names: Sequence[str]) -> bool:
    return any(name.casefold() in text.casefold() for name in names)


@lru_cache(maxsize=1)
def _phrase_symbols() -> frozenset[str]:
    texts = (path.read_text(encoding="utf-8") for path in PHRASES.glob("*.txt"))
    return frozenset(found for text in texts for found in _SYMBOL.findall(text))


@lru_cache(maxsize=1)
def _protocol_numbers() -> frozenset[str]:
    texts = ((PHRASES / f"{name}.txt").read_text("utf-8") for name in ("protocols", "methods"))
    return frozenset(found for text in texts for found in numbers_in(text))


def _words(result: Experiment) -> str:
    parts = [result.measure, result.unit, result.system, result.units_of_n, result.comparison.test]
    return " ".join([*parts, result.confounder or "", *(arm.label for arm in result.arms)])


def _numbers(result: Experiment) -> Iterator[str]:
    """All numbers that may be told of an experiment, those computed from its arms included."""
    comparison = result.comparison
    for arm in result.arms:
        yield str(arm.n)
        yield from (f"{one:g}" for one in (arm.mean, arm.sd, arm.count) if one is not None)
        if arm.count is not None:
            yield f"{arm.count}/{arm.n}"
    yield from (f"{one:g}" for one in (comparison.difference, comparison.low, comparison.high))
    yield from _p_numbers(comparison.p)
    test, reference = result.arms[:2]
    if test.mean is not None and reference.mean:
        ratio = test.mean / reference.mean
        yield f"{ratio:.1f}"
        yield f"{abs(ratio - 1) * 100:.0f}"


def _p_numbers(p: float) -> set[str]:
    return numbers_in(AuthorStyle(False, True, "p", True, False).p_value(p))


def _people_numbers(literature: Literature, article: Publication) -> Iterator[str]:
    for person in literature.persons:
        if person.id in article.persons:
            yield str(person.onset_months)
            yield f"{round(person.onset_months / 12, 1):g}"
    yield str(len(article.persons))
    told: set[str] = set()
    for cited in [one for one in literature.articles if one.pmid in article.cites]:
        yield from (str(len(cited.persons)), str(len({*article.persons, *cited.persons})))
        new = [one.id for one in literature.persons if one.first_article == article.pmid]
        yield str(len({*new, *cited.persons}))
        told.update(cited.persons)
    yield str(len(told))
    for variant in literature.variants:
        yield from map(str, (variant.population_alleles, variant.population_total))
        if variant.load is not None:
            yield str(variant.load)
    for family in literature.families:
        if family.id in article.families:
            yield f"{family.lod:g}"
            yield from map(
                str, (family.affected_carriers, family.phenocopies, family.unaffected_carriers)
            )
    if found := article.case_control:
        yield from map(
            str, (found.case_carriers, found.cases, found.control_carriers, found.controls)
        )
        yield from (f"{one:g}" for one in (found.odds_ratio, found.low, found.high))
        yield from _p_numbers(found.p)
    for one in literature.articles:
        yield str(one.year)
