"""The quality rules of stage III: which cases are tasks, and which are records of the database.

Source:
    Deep-DxSearch paper, section 4.1, stage III.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gym_clinic.facts import restates_diagnosis, words
from gym_clinic.importers.cases.taxonomy import CodedFinding, ListedDisease

FEWEST_FINDINGS, MOST_FINDINGS = 3, 60
"""Findings of a task; the paper's cases have 4 to 12 on average, a match at most 60."""

_SHORT = 3


@dataclass(frozen=True)
class _Name:
    name: str
    synonyms: tuple[str, ...] = ()


def restates(disease: ListedDisease, finding: CodedFinding) -> bool:
    """Whether a finding only restates the disease."""
    return restates_diagnosis(disease, _Name(finding.name))


def names_disease(disease: ListedDisease, text: str) -> bool:
    """Whether a text has a name of the disease; short names only in the same letters."""
    tokens = words(text)
    spelled = set(text.replace(",", " ").replace(".", " ").split())
    for name in disease.names:
        wanted = words(name)
        if len(wanted) == 1 and len(wanted[0]) <= _SHORT:
            if name in spelled:
                return True
        elif any(
            tokens[place : place + len(wanted)] == wanted
            for place in range(len(tokens) - len(wanted) + 1)
        ):
            return True
    return False


def why_record(disease: ListedDisease, findings: Sequence[CodedFinding], text: str) -> str:
    """Return why a case goes to the database instead of the tasks; empty if it is a task."""
    if names_disease(disease, text):
        return "cases whose text names the disease went to the database"
    if any(restates(disease, finding) for finding in findings):
        return "cases with a finding that restates the disease went to the database"
    if len(findings) < FEWEST_FINDINGS:
        return f"cases of fewer than {FEWEST_FINDINGS} findings went to the database"
    return ""
