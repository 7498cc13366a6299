"""Reads facts out of a sentence and its rewriting, and says where they differ.

The facts of a sentence are a sequence: names of the records, ids, references to figures and tables,
numbers with sign and unit, symbols and other capitalised words, and negations. A rewriting has the
same sequence, so that no value can change places with another. Words that turn a finding (higher
and lower, woman and man, may and establish) are compared beside it. What cannot be compared with
certainty counts as different: a refused rewriting costs nothing, since the sentence stays.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from gym_clinic.domains.clingen.literature.prose.labels import (
    measure_text,
    short_arm,
    short_measure,
)
from gym_clinic.domains.clingen.literature.prose.pools import PHRASES
from gym_clinic.domains.clingen.literature.prose.style import AuthorStyle
from gym_clinic.domains.clingen.literature.records import Literature

LEAST_WORDS, MOST_WORDS = 0.5, 1.5
"""Words of a rewriting, as a share of the words of its source."""

_WORDS: dict[str, Any] = orjson.loads(Path(__file__).with_name("words.json").read_bytes())
_MARKUP = re.compile(r"</?[A-Za-z!]|[{}\[\]|#*`\\~\x00-\x1f]")
_CLAUSE = re.compile(
    r"[;:]|,? \b(?:but|while|whereas|although|though|because|since|so)\b|, (?:and|which)\b"
)
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z0-9(])")
_PLAIN = re.compile(r"[A-Z][a-z]*")


class Refusal(NamedTuple):
    """Why a rewriting was refused.

    Attributes:
        kind: What differs, such as ``number``.
        detail: Where, in words.
    """

    kind: str
    detail: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}"


class SentenceFact(NamedTuple):
    """A fact of a sentence: its kind and, in one spelling, what it says."""

    kind: str
    value: str


class FactReader:
    """Reads the facts of texts on one literature.

    Args:
        literature: Its records give the names and units.
    """

    def __init__(self, literature: Literature) -> None:
        units = {one.unit for one in literature.results if one.unit} | {*_WORDS["units"]}
        names = {*names_of(literature), *_WORDS["terms"]}
        number = (
            r"(?:(?P<sign>[<>≤≥±]|(?<!\w)[−+-])\s*)?(?<![\w.])(?P<figure>\.?\d+(?:,\d{3})*(?:[./]\d[\d,]*)?"
            rf"|(?:{_any(_WORDS['numbers'])})\b)(?![\d])(?:[ -]?(?P<unit>{_any(units)})(?!\w))?"
        )
        self._pattern = re.compile(
            rf"(?<![\w-])(?P<name>{_any(names)})(?:s|['’]s)?(?![\w-])"
            r"|\b(?P<id>SIM\w*(?:-\d+)?|F\d+-[IVX]+-\d+)\b"
            r"|\b(?P<reference>(?:figures?|tables?) \d+[a-z]?)\b"
            rf"|{number}"
            rf"|\b(?P<negation>{'|'.join(_WORDS['negation'])})\b"
            r"|(?P<symbol>(?<![\w-])(?-i:[\w-]*[A-Z])[\w-]*)",
            re.IGNORECASE,
        )

    def facts(self, sentence: str, beside: str = "") -> list[SentenceFact]:
        """Return the facts of a sentence in their order; a name said twice in a row counts once.

        Args:
            sentence: The sentence.
            beside: The sentence that it is compared with: what it writes small is no name.
        """
        alike = (list(same) for _, same in groupby(self._facts(sentence, beside.split())))
        return [
            fact
            for same in alike
            for fact in (same[:1] if same[0].kind in ("name", "symbol") else same)
        ]

    def _facts(self, sentence: str, beside: Sequence[str]) -> Iterator[SentenceFact]:
        for found in self._pattern.finditer(sentence):
            kind = str(found.lastgroup)
            if found["figure"]:
                figure = found["figure"].lower().replace(",", "")
                sign = (found["sign"] or "").replace("−", "-")
                unit = (found["unit"] or "").replace("percent", "%")
                unit = unit.removesuffix("s") if len(unit) > 3 else unit
                yield SentenceFact(
                    "number", f"{sign}{_WORDS['numbers'].get(figure, figure)} {unit}"
                )
            elif kind == "negation":
                yield SentenceFact("negation", "no")
            elif kind != "symbol":
                yield SentenceFact(kind, found[kind].casefold())
            elif not _begins(found, beside):
                yield SentenceFact(kind, found[kind])

    def kept(self, sentence: str) -> list[str]:
        """Return what a rewriting of a sentence must keep to the letter."""
        return [
            found[0]
            for found in self._pattern.finditer(sentence)
            if not found["negation"] and not (found["symbol"] and _begins(found))
        ]

    def difference(self, old: str, new: str) -> Refusal | None:
        """Compare a sentence with its rewriting.

        Args:
            old: The sentence.
            new: Its rewriting.

        Returns:
            The first difference; None if all facts are the same.
        """
        if added := Counter(_MARKUP.findall(new)) - Counter(_MARKUP.findall(old)):
            return Refusal("markup", f"{sorted(added)} was added")
        if len(sentences_of(new)) > 1 or new[-1:] != old[-1:]:
            return Refusal("sentences", f"it must be one sentence that ends in {old[-1:]!r}")
        words, were = len(new.split()), len(old.split())
        if not LEAST_WORDS * were <= words <= max(MOST_WORDS * were, were + 4):
            return Refusal("length", f"{were} words became {words}")
        before, after = self.facts(old, new), self.facts(new, old)
        for kind in ("number", "negation", "id", "reference", "name", "symbol"):
            mine = [fact.value for fact in before if fact.kind == kind]
            theirs = [fact.value for fact in after if fact.kind == kind]
            if mine != theirs:
                return Refusal(kind, f"{mine} became {theirs}")
        if before != after:
            return Refusal("order", "the facts changed places")
        if self._negated_clauses(old) != self._negated_clauses(new):
            return Refusal("negation", "it moved to another clause")
        rest = [self._pattern.sub(_kept, text) for text in (old, new)]
        for group, classes in _groups().items():
            mine, theirs = (_sequence(classes, text) for text in rest)
            if mine != theirs:
                return Refusal(group, f"{mine} became {theirs}")
        return None

    def _negated_clauses(self, sentence: str) -> tuple[int, ...]:
        """Negations of each clause; empty without any."""
        # A name may hold such a word itself.
        text = self._pattern.sub(lambda found: "¬" if found["negation"] else "_", sentence)
        counts = tuple(clause.count("¬") for clause in _CLAUSE.split(text))
        return counts if any(counts) else ()


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a paragraph."""
    return _SENTENCE.split(text)


def names_of(literature: Literature) -> set[str]:
    """Return the names that texts on a literature use, in both spellings."""
    about = literature
    names = {about.gene, about.disease, about.product, about.does, about.pathway, about.family}
    names |= {about.disease.rpartition(",")[0], about.mechanism, *about.gene_partners}
    names |= {*about.tissues, *about.phenotypes}
    names |= {one.other_cause for one in about.persons}
    names |= {name for one in about.articles for name in (one.gene, one.disease)}
    for one in about.results:
        measure = measure_text(one.measure)
        names |= {one.measure, measure, short_measure(measure), one.system, one.partner}
        names |= {one.confounder, one.organism, one.comparison.test}
        names |= {name for arm in one.arms for name in (arm.label, short_arm(arm.label))}
    american = AuthorStyle(True, False, "p", True, False)
    known = {name for name in names if name and len(name) > 2}
    return known | {american.finish(name) for name in known}


def _any(words: Iterable[str]) -> str:
    """A pattern of any of the words, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=lambda one: (-len(one), one))))


def _kept(found: re.Match[str]) -> str:
    """Symbols and negations, which may be words of a group too; other facts are left out."""
    return found[0] if found["symbol"] or found["negation"] else "_"


def _begins(found: re.Match[str], beside: Sequence[str] = ()) -> bool:
    """Whether a capital is there only because a sentence begins."""
    before, word = found.string[: found.start()].strip("(“\" '"), found["symbol"]
    if before or not _PLAIN.fullmatch(word):
        return False
    small = word.lower()
    return small in beside or small in _plain_words() or f"{small}s" in _plain_words()


@lru_cache(maxsize=1)
def _groups() -> dict[str, dict[str, re.Pattern[str]]]:
    return {
        group: {
            name: re.compile(rf"(?<![\w-])(?:{'|'.join(words)})(?![\w-])", re.IGNORECASE)
            for name, words in classes.items()
        }
        for group, classes in _WORDS["groups"].items()
    }


def _sequence(classes: dict[str, re.Pattern[str]], text: str) -> list[str]:
    """The classes of words in the order of a text; several of one class in a row count once."""
    found = sorted(
        (match.start(), name)
        for name, pattern in classes.items()
        for match in pattern.finditer(text)
    )
    return [name for name, _ in groupby(name for _, name in found)]


@lru_cache(maxsize=1)
def _plain_words() -> frozenset[str]:
    """Words of ordinary prose, which begin a sentence without being a name."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in PHRASES.glob("*.txt"))
    inside = re.findall(r"(?<![\w{])[a-z]+(?![\w}])", text)
    choices = re.findall(r"^- \[?([^\]\n]*)", text, re.MULTILINE)
    begins = re.findall(r"(?:^|\|)([A-Z][a-z]+)\b", "\n".join(choices), re.MULTILINE)
    return frozenset(map(str.lower, [*inside, *begins, *_WORDS["openers"]]))
