"""Thinking aloud, names of findings, a differential diagnosis, and patients like this one."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

from gym_clinic.case import Case
from gym_clinic.chart import Chart
from gym_clinic.clinical.differential import differential
from gym_clinic.clinical.naming import findings_named
from gym_clinic.embedded import open_patients
from gym_clinic.errors import ToolError
from gym_clinic.facts import load
from gym_clinic.facts.records.epidemiology import Person, Pregnancy
from gym_clinic.toolbox import Kind, tool

LONGEST_THOUGHT = 4_000
"""Characters of a thought at most."""

MOST_FINDINGS = 30
"""Findings of one call at most."""

FEWEST_LISTED, MOST_LISTED = 5, 10
"""Diseases or patients of a list; with fewer, the list would be the conclusion."""

SEARCHED = 60
"""Most similar patients of the register, of whom the nearest of each disease is listed."""


@tool(kind=Kind.THINK)
def think(thought: str) -> str:
    """Think; nothing happens and no time passes.

    Args:
        thought: What you think.
    """
    if not thought.strip() or len(thought) > LONGEST_THOUGHT:
        raise ToolError(f"expected a thought of 1 to {LONGEST_THOUGHT} characters")
    return "Noted."


@tool
def name_findings(text: str) -> dict[str, Any]:
    """Read which symptoms and signs of the library a text names, with their standard names.

    Args:
        text: Words of a patient or a note.
    """
    if not text.strip() or len(text) > LONGEST_THOUGHT:
        raise ToolError(f"expected a text of 1 to {LONGEST_THOUGHT} characters")
    names = load().phenotypes
    found = [{"finding": names[key].name, "present": there} for key, there in findings_named(text)]
    return {"findings": found or "none"}


@tool
def generate_ddx(
    case: Case, present: list[str], absent: list[str] | None = None, limit: int = MOST_LISTED
) -> dict[str, Any]:
    """List diseases of the library that may explain findings, in order of their names.

    Where few fit, what these are mistaken for is listed as well. It does not see the patient, and
    does not say which of them is likely.

    Args:
        present: Findings that are there, in standard or plain words.
        absent: Findings that are not there.
        limit: How many diseases to list, from 5 to 10; which of the ten most likely are left out
            is chance.
    """
    _check_length(limit)
    facts = load()
    there, unknown = _resolved(present)
    away, also_unknown = _resolved(absent or [])
    if not there:
        raise ToolError("None of the findings is known; name_findings gives standard names.")
    person = None
    if isinstance(case, Chart):
        person = _person(case)
        case.log("generate_ddx", present=sorted(there), absent=sorted(away))
    ranked = differential(there, away, person)
    fitting = [one.disease for one in ranked if one.fits]
    alike = (it for one in fitting for it in facts.diseases[one].look_alikes if _admits(it, person))
    rest = (one.disease for one in ranked)
    likely = [*dict.fromkeys((*fitting, *alike, *(() if fitting else rest)))][:MOST_LISTED]
    listed = _some([facts.diseases[one].name for one in likely], limit, there, away)
    return {"differential": listed, "not understood": [*unknown, *also_unknown] or "none"}


@tool
def find_similar_patients(findings: list[str], limit: int = MOST_LISTED) -> dict[str, Any]:
    """Search a register of simulated patients for similar ones, one of each disease, by its name.

    Args:
        findings: Findings that are there.
        limit: How many patients to list, from 5 to 10; which of the ten most similar are left out
            is chance.
    """
    _check_length(limit)
    there, unknown = _resolved(findings)
    if not there:
        raise ToolError("None of the findings is known; name_findings gives standard names.")
    names = load().phenotypes
    nearest: dict[str, list[str]] = {}
    wanted = [names[key].name for key in sorted(there)]
    for one in open_patients().match(wanted, limit=SEARCHED):
        if len(nearest) < MOST_LISTED:
            nearest.setdefault(one.record.diagnosis or "unknown", list(one.record.phenotypes))
    listed = [
        {"diagnosis": disease, "findings": nearest[disease]}
        for disease in _some([*nearest], limit, there)
    ]
    return {"patients": listed, "not understood": unknown or "none"}


def _some(names: list[str], limit: int, *asked: Iterable[str]) -> list[str]:
    """Return some of the names in their order; what is left out says nothing about its rank."""
    Random(repr([sorted(one) for one in asked])).shuffle(names)
    return sorted(names[:limit], key=str.casefold)


def _admits(disease: str, person: Person | None) -> bool:
    """Whether such a person may have a disease."""
    who = load().diseases[disease].epidemiology
    return person is None or who is None or who.admits(person)


def _check_length(limit: int) -> None:
    """Refuse a list that is so short that it would be a conclusion, or too long."""
    if not FEWEST_LISTED <= limit <= MOST_LISTED:
        raise ToolError(f"limit is {limit}; expected {FEWEST_LISTED} to {MOST_LISTED}.")


def _person(chart: Chart) -> Person:
    record, pregnancy = chart["person"], chart["history"]["pregnancy"] or ""
    state: Pregnancy | None = None
    if pregnancy:
        state = "pregnant" if "pregnant" in pregnancy else "postpartum"
    return Person(record["age"], record["sex"], state)


def _resolved(texts: list[str]) -> tuple[set[str], list[str]]:
    """The findings that texts name, and the texts that name none."""
    if len(texts) > MOST_FINDINGS:
        raise ToolError(f"expected at most {MOST_FINDINGS} findings, got {len(texts)}.")
    found: set[str] = set()
    unknown = []
    for text in texts:
        named = findings_named(text)
        found |= {key for key, _ in named}
        unknown += [] if named else [text[:80]]
    return found, unknown
