"""The tools of DxSearch: look guidelines up, match patients, search literature, diagnose."""

from __future__ import annotations

import re

from gym_clinic.domains.dxsearch.limits import EXCLUDED, GUIDELINE_SHOWS
from gym_clinic.domains.dxsearch.sources import NO_REFERENCE, DxCase
from gym_clinic.domains.dxsearch.transcript import SOURCES, source_of
from gym_clinic.errors import ConfigError, ToolError
from gym_clinic.retrieval import Guidance
from gym_clinic.toolbox import Kind, tool

WORDS = 12
"""Most words of one search query [R]."""

MOST_PHENOTYPES = 60
"""Most phenotypes of one match."""

_TAG = re.compile(r"</?(?:reason|lookup|guide|match|refer|search|result|diagnose)>")


def without_tags(text: str) -> str:
    """Return a text in which no tag of the dialect stands."""
    return _TAG.sub(" ", text)


@tool(kind=Kind.WRITE)
def lookup_guidelines(case: DxCase, diseases: list[str]) -> str:
    """Look up the typical phenotypes of diseases.

    Args:
        diseases: Names of diseases, not of symptoms.
    """
    limits = case.sources.limits
    _count(case, "lookup", limits.lookup)
    names = _names(diseases, "diseases", limits.diseases)
    index = case.sources.guideline_index()
    if index is None:
        return without_tags("\n".join(f"{name}: {NO_REFERENCE}" for name in names))
    return without_tags("\n".join(map(_guide, index.lookup(names, GUIDELINE_SHOWS))))


def _guide(guidance: Guidance) -> str:
    if guidance.record is None:
        several = f"; several diseases match: {', '.join(guidance.candidates)}"
        return f"{guidance.query}: {NO_REFERENCE}{several * bool(guidance.candidates)}"
    features = ", ".join(has.name or has.id for has in guidance.present)
    excluded = ", ".join(has.name or has.id for has in guidance.absent)
    return f"{guidance.record.name}: {features}" + f"{EXCLUDED}{excluded}" * bool(excluded)


@tool(kind=Kind.WRITE)
def match_patients(case: DxCase, phenotypes: list[str]) -> str:
    """Find patients of the record database with similar phenotypes.

    Args:
        phenotypes: Symptoms, signs and findings, not diseases.
    """
    _count(case, "match", case.sources.limits.match)
    names = _names(phenotypes, "phenotypes", MOST_PHENOTYPES)
    try:
        patients = case.references(names)
    except ConfigError as error:  # a phenotype without a letter has no vector
        raise ToolError(f"phenotypes: {error}") from None
    lines = [
        f"Phenotype: {', '.join(patient.phenotypes)}. Confirmed disease: [{patient.diagnosis}]"
        for patient in patients or ()
    ]
    return without_tags("\n".join(lines) or NO_REFERENCE)


@tool(kind=Kind.WRITE)
def search_literature(case: DxCase, source: str, queries: list[str]) -> str:
    """Search medical literature; each query is answered in short.

    Args:
        source: "WIKI" (what a thing is), "PMC" (studies and management) or "BOOK" (handbook).
        queries: Free-text queries of at most twelve words.
    """
    limits = case.sources.limits
    _count(case, "search", limits.search)
    chosen = source_of(source)
    if chosen is None:
        raise ToolError(f"no source {source[:40]!r}; choose from {list(SOURCES)}")
    asked = _names(queries, "queries", limits.queries)
    if long := next((query for query in asked if len(query.split()) > WORDS), None):
        raise ToolError(f"a query has at most {WORDS} words, not {len(long.split())}")
    blocks = []
    for query in asked:
        passages = case.sources.search(chosen, query)
        summaries = [case.summary(chosen, query, passage) for passage in passages]
        told = [text for text in summaries if text.strip().casefold() != NO_REFERENCE]
        blocks.append(f"{query}: " + ("\n".join(told) or NO_REFERENCE))
    return without_tags("\n\n".join(blocks))


@tool(kind=Kind.SUBMIT)
def submit_diagnoses(diagnoses: list[str]) -> tuple[str, ...]:
    """Commit to the final diagnosis.

    Args:
        diagnoses: One to five diseases, the most likely first.
    """
    return tuple(name.strip() for name in diagnoses)


def _count(case: DxCase, kind: str, most: int) -> None:
    if case.use(kind) > most:
        raise ToolError(f"{kind} may be used {most} times in a case; go on without it")


def _names(given: list[str], what: str, most: int) -> list[str]:
    """Return the names given, without blank ones.

    Raises:
        ToolError: If there is none, or more than allowed.
    """
    names = [" ".join(name.split()) for name in given if name.strip()]
    if not 1 <= len(names) <= most:
        raise ToolError(f"{what}: give 1 to {most}, not {len(names)}")
    return names
