"""No look-alike passage says that a finding speaks against a disease that has it, or is it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from gym_clinic.facts import Disease, Facts, ancestors, restates_diagnosis, tables
from gym_clinic.facts.passages import HandbookPassage, comparing, handbook
from gym_clinic.facts.passages.sentences import inside
from gym_clinic.facts.records.models import Phenotype

POINTS = re.compile(r"Findings that point to (?:it rather than )?([^:]+?): (.+?)\.(?= [A-Z]|$)")
"""The sentences of a comparison: the other disease, and the findings for either."""
NONE = re.compile(r"With ([^.:]+?) it shares none of the findings described here\.")


class Reader:
    """Reads the statements of look-alike passages back, by their text alone."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.above = ancestors(facts.phenotypes)
        self.kin = {key: {key, *several} for key, several in self.above.items()}
        for key, several in self.above.items():
            for one in several:
                self.kin[one].add(key)
        self.findings = {inside(one.name): key for key, one in facts.phenotypes.items()}
        self.diseases = {inside(one.name): one for one in facts.diseases.values()}

    def listed(self, text: str) -> list[str]:
        """Return the ids of the findings of a list."""
        if text in self.findings:
            return [self.findings[text]]
        parts = re.split(r"; (?:and )?" if "; " in text else r", | and ", text)
        return [self.findings[part] for part in parts]

    def has(self, disease: Disease) -> set[str]:
        return {one.phenotype for one in disease.phenotypes if not one.frequency.absent}

    def related(self, this: str, that: str) -> bool:
        return this in self.kin[that]

    def wrong(self, passage: HandbookPassage) -> Iterator[tuple[str, str]]:
        """Yield each finding that is said to speak against a disease and does not."""
        assert isinstance(passage.record, Disease)
        for sentence in POINTS.finditer(passage.text):
            other, findings = sentence.groups()
            against_other = "it rather than" in sentence[0]
            disease = self.diseases[other] if against_other else passage.record
            for key in self.listed(findings):
                if any(self.related(key, own) for own in self.has(disease)) or any(
                    restates_diagnosis(disease, self.facts.phenotypes[one]) for one in self.kin[key]
                ):
                    yield self.facts.phenotypes[key].name, disease.name
        for name in NONE.findall(passage.text):
            mine, theirs = self.has(passage.record), self.has(self.diseases[name])
            if any(self.related(this, that) for this in mine for that in theirs):
                yield "none", name


def broken(facts: Facts, passages: list[HandbookPassage]) -> dict[str, list[tuple[str, str]]]:
    """Return the passages with a wrong statement, and how many statements were read."""
    reader = Reader(facts)
    looks = [one for one in passages if one.category == "look-alikes"]
    assert len(looks) >= 580
    assert sum(len(POINTS.findall(one.text)) for one in looks) >= 2500
    return {one.id: wrong for one in looks if (wrong := list(reader.wrong(one)))}


def test_no_finding_speaks_against_a_disease_that_has_it(
    facts: Facts, passages: list[HandbookPassage]
) -> None:
    assert broken(facts, passages) == {}


def test_without_the_hierarchy_passages_are_wrong(
    facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flat(phenotypes: Mapping[str, Phenotype]) -> dict[str, frozenset[str]]:
        return {key: frozenset() for key in phenotypes}

    monkeypatch.setattr(tables, "ancestors", flat)
    assert len(broken(facts, handbook(replace(facts)))) > 100


def test_without_the_names_of_diseases_passages_are_wrong(
    facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparing, "restates_diagnosis", lambda disease, finding: False)
    assert broken(facts, handbook(facts))


def test_shared_findings_are_had_by_both(facts: Facts, passages: list[HandbookPassage]) -> None:
    reader = Reader(facts)
    shares = re.compile(
        r"(?:Findings in common with ([^.:]+): |With ([^.:]+?) it shares (?!none))"
        r"(.+?)\.(?= [A-Z]|$)"
    )
    read = 0
    for one in passages:
        if one.category == "look-alikes":
            for first, second, findings in shares.findall(one.text):
                pair = (one.record, reader.diseases[first or second])
                for key in reader.listed(findings):
                    read += 1
                    for disease in pair:
                        assert isinstance(disease, Disease)
                        own = reader.has(disease)
                        assert any(key == has or key in reader.above[has] for has in own), (
                            one.id,
                            key,
                        )
    assert read > 2000
