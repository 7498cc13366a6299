"""Finds experimental evidence in an article: the offline reader behind ClinGen's baselines.

A passage is a result if it compares groups with a p value of .05 or less or, where it gives none,
if it states an effect that it does not deny. Which kind of experiment it is follows from words of
the usual language of genetics papers, by rules that are tried in order (``cues.json``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import orjson

SIGNIFICANT = 0.05

_PERSON = re.compile(r"\b(?:F\d+-)?(?:I{1,3}|IV|V)-\d+\b|\b[Pp](?:atient|roband) ?\d+\b")
_VARIANT = re.compile(r"\bSIMVAR-\d+\b|\b[pcm]\.\S+")
_SYMBOL = re.compile(r"\b(?!DNA|RNA|CI\b|SD\b|SEM\b|PCR|GFP|GST|HEK|COS|U2OS|HAP1|RPE1|HPO|II|IV)"
                     r"(?=\w*[A-Z]\w*[A-Z0-9])[A-Z][A-Z0-9]{1,}(?:-[A-Z0-9]+)?\b")  # fmt: skip
_P_VALUE = re.compile(r"\b[Pp](?:[- ]values?)?(?: of)?\s*([=<>≤])\s*(\d*\.\d+)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z(\d])")
_UNREAD = re.compile(r"introduction|background|method|reference|discussion|material|author|ethic",
                     re.IGNORECASE)  # fmt: skip
_ASIDE = re.compile(r"^(?:\||Table|Figure)")


@dataclass(frozen=True)
class Finding:
    """Evidence of one subtype in an article.

    Attributes:
        subtype: Key of the subtype.
        sentence: The passage that says so.
    """

    subtype: str
    sentence: str


class Cues:
    """The vocabulary, compiled: patterns by name, and the rules that make a subtype of them."""

    def __init__(self) -> None:
        data = orjson.loads(Path(__file__).with_name("cues.json").read_bytes())
        self.features = {name: _pattern(words) for name, words in data["features"].items()}
        self.caveat = re.compile("|".join(data["caveat"]), re.IGNORECASE)
        self.rules: list[tuple[str, set[str], set[str]]] = [
            (key, set(needs.split()), set(bars.split())) for key, needs, bars in data["rules"]
        ]


def _pattern(words: Sequence[str]) -> re.Pattern[str]:
    flexible = re.sub(r" (\??)", lambda gap: rf"[\s-]{'*' if gap[1] else '+'}", "|".join(words))
    return re.compile(rf"(?<!\w)(?:{flexible})(?!\w)", re.IGNORECASE)


@lru_cache(maxsize=1)
def cues() -> Cues:
    """Return the vocabulary of this package."""
    return Cues()


@lru_cache(maxsize=64)  # six sub-agents read the same article in turn
def _read(gene: str, sections: tuple[tuple[str, str], ...]) -> tuple[Finding, ...]:
    symbol = re.compile(rf"(?<![A-Za-z0-9]){re.escape(gene)}(?![A-Z0-9])", re.IGNORECASE)
    found: dict[str, Finding] = {}
    caveats = [
        sentence
        for heading, text in sections
        if "discussion" in heading.lower()
        for sentence in text.split("\n")
        if cues().caveat.search(sentence)
    ]
    for heading, text in sections:
        if _UNREAD.search(heading):
            continue
        for passage in _passages(text):
            masked = _mask(symbol, passage)
            subtype = _subtype(masked)
            if subtype and not any(_same_measure(passage, one) for one in caveats):
                found.setdefault(subtype, Finding(subtype, passage))
    return tuple(found.values())


def read_article(gene: str, sections: Sequence[tuple[str, str]]) -> list[Finding]:
    """Find the experimental evidence that an article reports for a gene.

    Args:
        gene: Symbol of the gene.
        sections: Heading and text of each section; an abstract is one section.

    Returns:
        One finding for each subtype, in the order of the text.
    """
    return list(_read(gene, tuple((heading, text) for heading, text in sections)))


def _passages(text: str) -> Iterator[str]:
    """Paragraphs that compare groups, of one experiment each; else single sentences."""
    for paragraph in text.split("\n"):
        if _ASIDE.match(paragraph):
            continue
        sentences = _SENTENCE.split(paragraph)
        tested = sum(bool(_P_VALUE.search(one)) for one in sentences)
        if tested == 1:
            yield paragraph
        else:
            yield from sentences


def _mask(symbol: re.Pattern[str], passage: str) -> str:
    text = _VARIANT.sub("somevariant", _PERSON.sub("someperson", passage))
    return _SYMBOL.sub("othergene", symbol.sub("owngene", text))


def _subtype(text: str) -> str:
    """The subtype of the first rule that a passage fulfils; empty for none."""
    found = {name for name, pattern in cues().features.items() if pattern.search(text)}
    found |= {name for name in ("owngene", "othergene") if name in text}
    if "othergene" in found and "owngene" not in found:
        return ""
    values = _P_VALUE.findall(text)
    if values:
        if not any(sign != ">" and float(p) <= SIGNIFICANT for sign, p in values):
            return ""
    elif "effect" not in found or found & {"denied", "doubtful"}:
        return ""
    return next(
        (key for key, needs, bars in cues().rules if needs <= found and not bars & found), ""
    )


def _same_measure(passage: str, caveat: str) -> bool:
    """Whether a caveat stands with the words of a passage: most of its longer words recur."""
    words = set(re.findall(r"[a-z]{5,}", caveat.lower()))
    mine = set(re.findall(r"[a-z]{5,}", passage.lower()))
    return len(words & mine) >= max(3, len(mine) // 4)
