"""What a question asks: findings, topics, medicines and illnesses.

Findings are found by the linker of the symptom graph with the lay words of the patients as further
terms; topics by the patterns of ``topics.json``.
"""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gym_clinic.chart.talk.asked_tables import (
    circumstances,
    common_words,
    illness_groups,
    medicine_groups,
    rewordings,
)
from gym_clinic.facts import Facts
from gym_clinic.facts.records.terms import FindingTerms, read_terms
from gym_clinic.retrieval.graph import SymptomLinker, graph_of_facts
from gym_clinic.simulate.clinic.telling.lay_words import bare, lay_words, of_children
from gym_clinic.simulate.clinic.telling.life import lay_names
from gym_clinic.simulate.clinic.texts.voice import americanised

_HERE = Path(__file__).parent
_SLOT = re.compile(r"\{\w+\}")
_PHRASE = re.compile(r"[\w'-]+")

NO_MEDICINES = ("alcohol", "smoking", "caffeine", "grapefruit-juice")
"""Drugs of the tables that are asked about otherwise."""

HEARD = 2048
"""Questions that are remembered."""

EVENTS = (
    "Falls",
    "Cold exposure",
    "Exposure to fumes or smoke",
    "Tick bite",
    "Overdose of tablets",
)
"""Findings that are events: a question that names one is one about what happened, too."""

LONGEST_NAME = 6
"""Words of the name of a medicine or an illness at most."""


@dataclass(frozen=True)
class Heard:
    """What a question asks.

    Attributes:
        findings: Ids of findings, in order.
        topics: Topics, in the order of the table.
        areas: Such as "bowels".
        drugs: Ids of medicines.
        illnesses: Ids of conditions that people live with.
        circumstances: What may have come before, such as "heat" or "surgery".
        groups: Groups of illnesses, such as "heart".
        medicine_groups: Groups of medicines, such as "blood thinners".
        words: Words of the question that name none of these.
        cues: Topics that only say how another one is meant; known once the question is.
    """

    findings: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    areas: tuple[str, ...] = ()
    drugs: tuple[str, ...] = ()
    illnesses: tuple[str, ...] = ()
    circumstances: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    medicine_groups: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()
    cues: tuple[str, ...] = ()


class Hearing:
    """Finds what texts are about; one for all patients of the same fact tables.

    Args:
        facts: The fact tables.

    Attributes:
        hear: Returns what a question asks; the last questions are remembered, since episodes of one
            task, and many agents, ask the same.
    """

    def __init__(self, facts: Facts) -> None:
        self.linker = SymptomLinker(graph_of_facts(facts), terms=lay_terms(facts))
        self._drugs = _drug_index(facts)
        self._illnesses = _illness_index(facts)
        self._topics = {name: _any_of(patterns) for name, patterns in _table("topics").items()}
        self._circumstances, self._groups, self._medicine_groups = (
            {name: _any_of(one.asked) for name, one in table.items()}
            for table in (circumstances(), illness_groups(), medicine_groups())
        )
        ids = facts.finding_ids
        self._events = frozenset(ids[one] for one in EVENTS)
        self._reworded = [
            (re.compile(one, re.IGNORECASE), words) for one, words in rewordings().items()
        ]
        self.hear = lru_cache(maxsize=HEARD)(self._hear)
        # Who asks whether somebody is sleepy does not ask about the sleep.
        self._areas = {
            name: re.compile(rf"\b{name}(?!y|iness| to\b)", re.IGNORECASE) for name in areas()
        }

    def _hear(self, question: str) -> Heard:
        text = spelled_right(question.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))
        plain = text
        for pattern, words in self._reworded:
            plain = pattern.sub(words, plain)
        links = self.linker.link(plain)
        # An area is asked about by its word alone, not by a word inside the name of a finding.
        areas_left, events_left = plain, text
        for link in links:
            if link.text.casefold() not in self._areas:
                areas_left = areas_left.replace(link.text, " ")
            if link.record.id not in self._events:
                events_left = events_left.replace(link.text, " ")
        drugs = tuple(dict.fromkeys(self.drugs(text)))
        return Heard(
            findings=tuple(dict.fromkeys(link.record.id for link in links)),
            topics=_found(self._topics, text),
            areas=tuple(
                name for name, one in self._areas.items()
                if one.search(text if name == "mood" else areas_left)
            ),
            drugs=drugs,
            illnesses=tuple(dict.fromkeys(self.illnesses(text))),
            circumstances=_found(self._circumstances, events_left),
            groups=_found(self._groups, text),
            medicine_groups=_found(self._medicine_groups, events_left),
            words=content_words(events_left) - {word for one in drugs for word in one.split("-")},
        )  # fmt: skip

    def drugs(self, text: str) -> Iterator[str]:
        """Yield the ids of the medicines that a text names."""
        return _named(text, self._drugs)

    def illnesses(self, text: str) -> Iterator[str]:
        """Yield the ids of the conditions that a text names."""
        return _named(text, self._illnesses)


@lru_cache(maxsize=2)
def _hearing_of(folder: Path) -> Hearing:
    from gym_clinic.facts import load

    collects = gc.isenabled()
    gc.disable()  # all that is made here stays
    try:
        return Hearing(load(folder))
    finally:
        if collects:
            gc.enable()


_WORD = re.compile(r"[A-Za-z]{5,}")


def hearing_of(facts: Facts) -> Hearing:
    """Return the hearing of some fact tables; made once."""
    return _hearing_of(facts.folder)


def spelled_right(text: str) -> str:
    """Return a text without common misspellings.

    >>> spelled_right("Any diahrea or vomitting?")
    'Any diarrhea or vomiting?'
    """
    known = _misspelled()
    return _WORD.sub(lambda match: known.get(match[0].lower(), match[0]), text)


@lru_cache(maxsize=1)
def _misspelled() -> Mapping[str, str]:
    read: dict[str, list[str]] = json.loads(
        (_HERE / "misspellings.json").read_text(encoding="utf-8")
    )
    return {wrong: right for right, all_wrong in read.items() for wrong in all_wrong}


def lay_terms(facts: Facts) -> Mapping[str, FindingTerms]:
    """Return the terms of findings with their lay words."""
    found = dict(read_terms(facts.folder))
    for name, words in (*lay_words().items(), *of_children().items()):
        key = facts.finding_ids[name]
        said = tuple(
            " ".join(_PHRASE.findall(_SLOT.sub(" ", one)))
            for one in (*map(bare, words.nouns), *words.says)
        )
        known = found.get(key)
        if known is None:
            fields = {"sources": ("authored",), "provenance": "authored", "reviewed": "2026-11-22"}
            known = FindingTerms.model_validate({"id": key, "name": name, **fields})
        found[key] = known.model_copy(update={"terms": (*known.terms, *said)})
    return found


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{one})" for one in patterns), re.IGNORECASE)


def _found(table: Mapping[str, re.Pattern[str]], text: str) -> tuple[str, ...]:
    return tuple(name for name, one in table.items() if one.search(text))


def content_words(text: str) -> frozenset[str]:
    """Return the words of a text that say what an event was.

    >>> sorted(content_words("Have you been to a wedding at the weekend?"))
    ['wedding']
    """
    words = (one.casefold() for one in _WORD.findall(text))
    return frozenset(one.removesuffix("s") for one in words if one not in common_words())


def areas() -> Mapping[str, tuple[str, ...]]:
    """Return area that questions ask about -> the names of its findings."""
    return _table("areas")


@lru_cache(maxsize=2)
def _table(name: str) -> Mapping[str, tuple[str, ...]]:
    read = json.loads((_HERE / f"{name}.json").read_text(encoding="utf-8"))
    return {key: tuple(values) for key, values in read.items()}


def _drug_index(facts: Facts) -> Mapping[str, str]:
    return {
        name.casefold(): key
        for key, one in facts.drugs.items()
        if key not in NO_MEDICINES
        for british in (one.name, key, *one.synonyms)
        for name in (british, americanised(british))
    }


def _illness_index(facts: Facts) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for key, names in lay_names().items():
        disease = facts.diseases[key]
        for name in (*names, disease.name, *disease.synonyms):
            found.setdefault(" ".join(_PHRASE.findall(bare(name).casefold())), key)
    return found


def _named(text: str, index: Mapping[str, str]) -> Iterator[str]:
    words = _PHRASE.findall(text.casefold())
    place = 0
    while place < len(words):
        for length in range(min(LONGEST_NAME, len(words) - place), 0, -1):
            name = " ".join(words[place : place + length])
            key = index.get(name) or index.get(name.removesuffix("'s"))
            if key is not None:
                yield key
                place += length - 1
                break
        place += 1
