"""The page of what decides in each condition of clinical diagnosis."""

from __future__ import annotations

from gym_clinic.domains.clinical_diagnosis.deciding import (
    NOT,
    READ,
    DecidingSet,
    Ordered,
    discriminators,
)
from gym_clinic.facts import Facts


def deciding_page(facts: Facts) -> str:
    """Return what each condition is known by, as Markdown."""
    found = discriminators()
    lines = [
        "# What decides between conditions",
        "",
        f"**A simulation, not for patient care.** What tells each of {len(found)} conditions from "
        "those that look like it, in the order in which a clinician turns to it. Each set of facts "
        "(+ joins those that are needed together) that is so in the patient and can be had in time "
        "decides; an answer of `clinic/ClinicalDiagnosis-v0` has to read and cite all of one set, "
        "without what the ticket tells. A test of reference that shows nothing decides nothing, "
        "and a patient in whom nothing decides makes no task. A condition is looked for, as a "
        "look-alike of another, by the first fact of each set and by the third column. Who has "
        "known an illness is not tested for it as if it were new. Beside what leaves no doubt no "
        "further test is asked for to exclude a look-alike; what makes an illness dangerous is to "
        "be known whatever it shows, and what its danger or treatment asks for is ordered and "
        "read, not cited. Written for this simulation "
        "(`decisive.json` beside the domain). This page is made by "
        "`python -m kb.build.pages`.",
        "",
        "| condition | decided by | also looked for by | leaves no doubt | to be known | ordered |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for key in sorted(found, key=lambda one: facts.diseases[one].name.casefold()):
        one = found[key]
        name = facts.diseases[key].name
        further = (_listed(facts, each) for each in (one.sought, one.settled_by, one.assessed))
        besides = "; ".join(_ordered(facts, each) for each in one.ordered)
        lines.append(f"| {name} | {_sets(facts, one.by)} | {' | '.join(further)} | {besides} |")
    return "\n".join(lines) + "\n"


_KNOWN = {True: " (if the illness is known)", False: " (if the illness is not known yet)"}


def _listed(facts: Facts, entries: tuple[str, ...]) -> str:
    return "; ".join(_words(facts, one) for one in entries)


def _ordered(facts: Facts, one: Ordered) -> str:
    listed = "; ".join((*(_words(facts, each) for each in one.tests), *one.services))
    return listed if one.when == "True" else f"{listed} (if `{one.when}`)"


def _sets(facts: Facts, sets: tuple[DecidingSet, ...]) -> str:
    shown = []
    for one in sets:
        forms = f" (form: {', '.join(one.forms)})" if one.forms else ""
        known = "" if one.known is None else _KNOWN[one.known]
        shown.append(" + ".join(_words(facts, entry) for entry in one.facts) + forms + known)
    return "; ".join(shown)


def _words(facts: Facts, entry: str) -> str:
    """An entry in words, such as "examination: skin" or "normal: troponin"."""
    kind, _, of = entry.removeprefix(NOT).removeprefix(READ).partition(":")
    if kind in ("lab", "vital"):
        of = facts.measurements[of].name
    text = {
        "study": of.replace("-", " "),
        "site": f"examination: {of}",
        "habit": f"habit: {of}",
    }.get(kind, of)
    if entry.startswith(READ):
        return f"{text} (whatever it shows)"
    if not entry.startswith(NOT):
        return text
    return f"absent: {text}" if kind == "told" else f"normal: {text}"
