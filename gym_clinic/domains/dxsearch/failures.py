"""Causes of a failure that structure shows, to fill a physicians' sheet in advance.

They are four of the twelve categories of section 2.8. In the paper physicians decide all of them;
the rules are chosen here [R], and whoever fills the sheet may overrule them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gym_clinic import embedded
from gym_clinic.domains.dxsearch.limits import GUIDELINE_SHOWS, SHOWN
from gym_clinic.domains.dxsearch.matching import mentions
from gym_clinic.domains.dxsearch.reading import first_diseases, profiles
from gym_clinic.domains.dxsearch.sources import NO_REFERENCE, DxCase
from gym_clinic.domains.dxsearch.tools import (
    lookup_guidelines,
    match_patients,
    search_literature,
    submit_diagnoses,
    without_tags,
)
from gym_clinic.episode import Call, Episode

FAILURES = ("premature_closure", "evidence_dismissed", "feature_never_queried", "knowledge_gap")
"""Categories of failure that structure decides."""

LEAST_REFERENCES = 2
"""Calls with a reference below which a wrong diagnosis was premature [R]."""


def causes_of_failure(episode: Episode, names: Sequence[str], *, failed: bool) -> dict[str, float]:
    """Return which causes of a failure the structure of an episode shows: 1 or 0 each.

    ``premature_closure``: fewer than two calls brought a reference. ``evidence_dismissed``: a reply
    names the disease. ``feature_never_queried``: a finding of the case that the guideline of the
    disease calls typical is in no query. ``knowledge_gap``: neither a guideline of the disease nor
    a patient with it is found by who knows what to look for.

    Args:
        episode: The finished episode.
        names: The names of the right disease.
        failed: Whether the disease is not among the five diagnoses; all causes are 0 if it is.
    """
    if not failed:
        return dict.fromkeys(FAILURES, 0.0)
    case = episode.case
    assert isinstance(case, DxCase)
    replies = [call for call in episode.calls if _brought(call)]
    queried = _queried(episode.calls)
    return {
        "premature_closure": float(len(replies) < LEAST_REFERENCES),
        "evidence_dismissed": float(any(_shows(call, names) for call in replies)),
        "feature_never_queried": float(
            any(name.casefold() not in queried for name in _key_features(case, names[0]))
        ),
        "knowledge_gap": float(_unknown(case, episode.task.gold, names)),
    }


def _brought(call: Call) -> bool:
    """Whether a call brought any reference."""
    text = call.response if call.ok else ""
    return call.name != submit_diagnoses.name and any(
        line.strip() and not line.endswith(NO_REFERENCE) for line in text.splitlines()
    )


def _named(call: Call) -> Iterable[str]:
    """Return the diseases that a reply names as such, case-folded."""
    if call.name == match_patients.name:
        return map(str.casefold, first_diseases(call.response, SHOWN))
    if call.name == lookup_guidelines.name:
        return map(str.casefold, profiles(call.response))
    return ()


def _shows(call: Call, names: Sequence[str]) -> bool:
    if call.name == search_literature.name:
        lines = [line for line in call.response.splitlines() if not line.endswith(NO_REFERENCE)]
        return any(mentions(line, name) for line in lines for name in names)
    known = {without_tags(name).casefold() for name in names}
    return not known.isdisjoint(_named(call))


def _queried(calls: Sequence[Call]) -> frozenset[str]:
    """Return the findings that matches and searches name, by their own and by the linker's name."""
    texts = [
        str(name)
        for call in calls
        for argument in ("phenotypes", "queries")
        if isinstance(listed := call.arguments.get(argument), list)
        for name in listed
    ]
    found = {text.casefold() for text in texts}
    for text in texts:
        present, absent = embedded.linker().symptoms(text)
        found.update(symptom.name.casefold() for symptom in (*present, *absent))
    return frozenset(found)


def _key_features(case: DxCase, disease: str) -> list[str]:
    """Return the findings of a case that are typical of a disease by its guideline."""
    index = case.sources.guideline_index() or embedded.guidelines()
    (guidance,) = index.lookup([disease], GUIDELINE_SHOWS)
    typical = {(has.name or has.id).casefold() for has in guidance.present}
    return [name.replace(",", " ") for name in case["findings"] if name.casefold() in typical]


def _unknown(case: DxCase, gold: Mapping[str, object], names: Sequence[str]) -> bool:
    index, matcher = case.sources.guideline_index(), case.matcher()
    if index is not None and index.lookup([names[0]], 1)[0].record is not None:
        return False
    if matcher is None:
        return True
    query = gold["query"]
    assert isinstance(query, Sequence)  # of the task file
    matched = matcher.match(query, SHOWN, exclude=case.left_out(matcher))
    known = {name.casefold() for name in names}
    return all(scored.record.diagnosis.casefold() not in known for scored in matched)
