"""What an episode of DxSearch draws on: guidelines, patient records, literature, a summariser."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from pydantic import BaseModel, Field

from gym_clinic import embedded
from gym_clinic.case import Case
from gym_clinic.consult import Consultant, Question, Rules, make_consultant, read_prompt
from gym_clinic.domains.dxsearch.options import SITE
from gym_clinic.domains.dxsearch.site_records import OWN_SITES, site_patients
from gym_clinic.domains.dxsearch.transcript import SOURCES, Limits
from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError
from gym_clinic.names import suggest
from gym_clinic.retrieval import (
    FoundPassage,
    GuidelineIndex,
    JoinedPatients,
    PassageBase,
    PatientCase,
    PatientMatcher,
)

CATEGORIES: Mapping[str, frozenset[str]] = {
    "WIKI": frozenset({"presentation", "finding", "drug"}),
    "PMC": frozenset({"management", "guideline", "red flags"}),
    "BOOK": frozenset({"look-alikes", "instrument"}),
}
"""Source -> kinds of embedded passages: what a thing is; studies and management; handbook pages."""

READ_AHEAD = 12
"""Passages that are ranked for each one wanted, since a source has some kinds only."""

NO_REFERENCE = "no reference"

TRIES = 50
"""Patients that are looked at for each irrelevant one."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z(0-9])|\n+")
_REFERS_BACK = re.compile(r"(?:It|Its|They|Their|This|These|Such|In short)\b")
"""Begins a sentence whose subject is named before it; the title of its passage says which."""

_WORD = re.compile(r"[^\W_]{3,}")
_SUMMARY = read_prompt(Path(__file__).with_name("prompts") / "summarise.md")
MOST_POINTS = 10
"""Sentences that the offline summariser keeps of one document (A.4)."""


class DocumentSummary(BaseModel):
    """What the summariser answers."""

    answer: str = Field(description='the relevant facts, or "no reference"')


def extract(question: Question[Any], case: Any) -> DocumentSummary:
    """Answer by the sentences of a document that share a word with the query."""
    wanted = set(_WORD.findall(question.values["query"].casefold()))
    sentences = [part.strip() for part in _SENTENCE.split(question.values["document"])]
    subject = sentences[0].rstrip(".").partition(":")[0]
    kept = [
        f"{subject}: {part}" if _REFERS_BACK.match(part) else part
        for part in sentences
        if wanted & set(_WORD.findall(part.casefold()))
    ]
    return DocumentSummary(answer=" ".join(kept[:MOST_POINTS]) or NO_REFERENCE)


OFFLINE: Mapping[str, Consultant] = {"extract": Rules(extract)}


@dataclass(frozen=True)
class Sources:
    """The options of retrieval, each plain JSON; what they name is opened when it is first used.

    Attributes:
        guidelines: Whether there are guidelines, or else every look-up has no reference.
        patients: ``"embedded"`` or the folder of a patient database; None for none.
        own_records: ``"site"`` for the records of the site that a task is of, the folder of a
            patient database, or None: what is matched beside the database.
        literature: Source -> a knowledge base, as :func:`gym_clinic.embedded.open_knowledge`
            takes it; empty for none.
        summariser: Condenses each document; None gives it whole.
        limits: What a trajectory may hold.
        passages: Passages of one query.
        matches: Patients of one match.
        near_duplicates: Similarity to the case from which a patient of the database is left out.
        irrelevant: Patients without a phenotype of the query that are shown among the others.
    """

    guidelines: bool
    patients: str | None
    own_records: str | None
    literature: Mapping[str, Any]
    summariser: Consultant | None
    limits: Limits
    passages: int
    matches: int
    near_duplicates: float | None
    irrelevant: int = 0

    def guideline_index(self) -> GuidelineIndex | None:
        """Return the guidelines; None where the option leaves them out."""
        return embedded.guidelines() if self.guidelines else None

    def matcher(self, site: str) -> PatientMatcher | JoinedPatients | None:
        """Return the patients to match for a task of a site; None where options leave all out."""
        base = None if self.patients is None else embedded.open_patients(self.patients)
        own = self._own(site)
        if base is None or own is None:
            return base or own
        return _joined(base, own)

    def _own(self, site: str) -> PatientMatcher | None:
        if self.own_records is None:
            return None
        if self.own_records == SITE:
            return site_patients(site) if site in OWN_SITES else None
        return embedded.open_patients(self.own_records)

    def search(self, source: str, query: str) -> Sequence[FoundPassage]:
        """Return the best passages of a source."""
        option = self.literature.get(source)
        if option is None:
            return ()
        base: PassageBase = embedded.open_knowledge(option)
        if option != embedded.EMBEDDED:
            return base.search(query, self.passages)
        found = base.search(query, self.passages * READ_AHEAD)
        kinds = CATEGORIES[source]
        return [passage for passage in found if passage.record.category in kinds][: self.passages]


@lru_cache(maxsize=8)
def _joined(base: PatientMatcher, own: PatientMatcher) -> JoinedPatients:
    return JoinedPatients(base, own)


class DxCase(Case):
    """One case: its presentation, and the sources that its tools draw on.

    Args:
        task: The task.
        sources: What the tools draw on.
    """

    def __init__(self, task: Task, sources: Sources) -> None:
        super().__init__(task.record)
        self.sources = sources

    def use(self, kind: str) -> int:
        """Count a use of a tool and return how many there were, this one included."""
        used = self.edit("used")
        used[kind] = used.get(kind, 0) + 1
        return int(used[kind])

    def matcher(self) -> PatientMatcher | JoinedPatients | None:
        """Return the patients to match; None where the options leave them out."""
        return self.sources.matcher(self["site"])

    def left_out(self, matcher: PatientMatcher | JoinedPatients) -> frozenset[str]:
        """Return the patients that are too near to the case to be shown."""
        named = frozenset(self["left_out"])
        threshold = self.sources.near_duplicates
        if threshold is None:
            return named
        return named | matcher.near_duplicates(self["findings"], threshold, "mutual")

    def references(self, phenotypes: Sequence[str]) -> list[PatientCase] | None:
        """Return the patients of a match, in the order shown; None without a database."""
        matcher = self.matcher()
        if matcher is None:
            return None
        left_out = self.left_out(matcher)
        matched = matcher.match(phenotypes, self.sources.matches, exclude=left_out)
        shown = [scored.record for scored in matched]
        for patient in self._strangers(phenotypes, matcher, left_out):
            shown.insert(self._place(patient, len(shown)), patient)
        return shown

    def _strangers(
        self, phenotypes: Sequence[str], matcher: PatientMatcher | JoinedPatients,
        left_out: frozenset[str],
    ) -> list[PatientCase]:  # fmt: skip
        """Return patients without a phenotype of the query, the same for the same query."""
        wanted, cases = self.sources.irrelevant, matcher.cases
        random = Random(f"irrelevant:{sorted(phenotypes)}")
        asked = {name.casefold() for name in phenotypes}
        tried = (cases[random.randrange(len(cases))] for _ in range(TRIES * wanted))
        strangers = {
            patient.id: patient
            for patient in tried
            if patient.id not in left_out
            and asked.isdisjoint(name.casefold() for name in patient.phenotypes)
        }
        return list(strangers.values())[:wanted]

    @staticmethod
    def _place(patient: PatientCase, shown: int) -> int:
        return Random(f"place:{patient.id}").randrange(shown + 1)

    def summary(self, source: str, query: str, passage: FoundPassage) -> str:
        """Return a document in short, as an answer to the query."""
        document = f"{passage.title}. {passage.text}"
        summariser = self.sources.summariser
        if summariser is None:
            return document
        values = {"source": source, "query": query, "document": document}
        return summariser.ask(
            Question("summariser", _SUMMARY, values, DocumentSummary), self
        ).answer


def literature_of(option: str | Mapping[str, Any] | None) -> dict[str, Any]:
    """Return source -> base for an option: one base for all, or a base for each source.

    Raises:
        ConfigError: If it names no source of the paper.
    """
    if option is None:
        return {}
    if isinstance(option, str) or (isinstance(option, Mapping) and not set(option) & set(SOURCES)):
        return dict.fromkeys(SOURCES, option)
    if not isinstance(option, Mapping):
        raise ConfigError(f"literature is a base, or {{source: base}}, not {option!r}")
    if unknown := sorted(set(option) - set(SOURCES)):
        raise ConfigError(f"no source {unknown[0]!r}; {suggest(unknown[0], SOURCES)}")
    return dict(option)


def summariser_of(option: str | Mapping[str, Any] | None) -> Consultant | None:
    """Return the summariser of an option: ``"extract"``, a chat server, or None for none."""
    return None if option is None else make_consultant(option, OFFLINE)
