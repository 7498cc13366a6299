"""The tasks of DxSearch: made from seeds, each with a first match that finds the disease.

A task is refused if no match with phenotypes of its patient brings a patient of the database with
the disease, so that the oracle's plan exists for every task.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any

from gym_clinic import embedded
from gym_clinic.domains.dxsearch.cases.draw import Style, Told, draw_case, presentations
from gym_clinic.domains.dxsearch.cases.write import write_case
from gym_clinic.domains.dxsearch.matching import tokens
from gym_clinic.episode import Task
from gym_clinic.errors import TaskError
from gym_clinic.facts import Disease
from gym_clinic.retrieval import PatientMatcher
from gym_clinic.simulate.patients import NEAR
from gym_clinic.simulate.split import Split

SIZES = {"train": 1500, "dev": 200, "test": 300, "test_vocabulary": 150, "test_sparse": 150}
"""Split -> number of tasks."""

SITES: Mapping[str, tuple[Split, Style]] = {
    "train": ("train", "main"), "dev": ("dev", "main"), "test": ("test", "main"),
    "test_vocabulary": ("test", "vocabulary"), "test_sparse": ("test", "sparse"),
}  # fmt: skip
"""Split -> whose phrases it has, and how its site writes."""

RARE_SHARE = 0.27
"""Share of the cases with a rare disease (section 4.1: 26.9%)."""

SHOWN = 20
"""Patients of one match (A.4)."""

CONFOUNDED = 0.6
"""Similarity from which a patient with another disease is a confounder."""

TRIES = 40
"""Patients tried for the task of one seed."""


def make_task(seed: str, split: str) -> Task:
    """Make the task of a seed.

    Args:
        seed: Any text; the same seed and split give the same task.
        split: A split of `SITES`; endless tasks are made as those of train.

    Raises:
        TaskError: If no patient of the seed makes a task.
    """
    phrases, style = SITES[split]
    for number in range(TRIES):
        name = f"{split}:{seed}:{number}"
        told = draw_case(_disease(Random(name)), name, style)
        task = None if told is None else _task(told, name, phrases, style)
        if task is not None:
            return task
    raise TaskError(f"seed {seed!r}: none of {TRIES} patients makes a task of {split}")


def make_split(split: str, count: int | None = None) -> Iterator[Task]:
    """Yield the tasks of a split, unlike one another and with opaque ids."""
    seen: set[tuple[str, ...]] = set()
    number = made = 0
    while made < (SIZES[split] if count is None else count):
        task = make_task(f"{number}", split)
        number += 1
        key = (task.gold["disease"], *sorted(task.record["findings"]))
        if key not in seen:
            seen.add(key)
            made += 1
            yield task


@lru_cache(maxsize=1)
def _pools() -> tuple[tuple[Disease, ...], tuple[Disease, ...]]:
    """Return the common and the rare diseases that have enough findings."""
    diseases = presentations().diseases.values()
    return (
        tuple(disease for disease in diseases if not disease.rare),
        tuple(disease for disease in diseases if disease.rare),
    )


def _disease(random: Random) -> Disease:
    common, rare = _pools()
    return random.choice(rare if random.random() < RARE_SHARE else common)


def _task(told: Told, seed: str, split: Split, style: Style) -> Task | None:
    room, matcher = presentations(), embedded.patients()
    disease = room.diseases[told.patient.disease]
    findings = [room.facts.phenotypes[key].name for key in told.findings]
    text = write_case(told, seed, split, style)
    names = names_of(disease)
    if any(_named(text, name) for name in names):
        return None
    left_out = near_duplicates(told.patient.phenotypes)
    query, best = first_hit(matcher, findings, disease.name, left_out, Random(seed))
    if not query:
        return None
    digest = hashlib.sha256(f"dxsearch:{seed}".encode()).hexdigest()
    return Task(
        id=f"dx-{digest[:10]}",
        ticket=text,
        record={"findings": findings, "absent": list(told.absent), "left_out": sorted(left_out),
                "used": {}, "site": style},
        gold={"disease": disease.id, "names": names, "rare": disease.rare, "query": query,
              "confounder": best},
        provenance="synthetic",
    )  # fmt: skip


def names_of(disease: Disease) -> list[str]:
    """Return the names under which the taxonomy has a disease, the preferred one first."""
    return list(dict.fromkeys([disease.name, *disease.synonyms]))


def first_hit(
    matcher: PatientMatcher,
    findings: Sequence[str],
    disease: str,
    left_out: frozenset[str],
    random: Random,
) -> tuple[list[str], str]:
    """Return phenotypes whose match brings the disease, and a confounder of all findings.

    Returns:
        The phenotypes: all findings if these do, else some of them; empty if none of the subsets
        tried does. And the id of the nearest patient with another disease where it is nearer than
        every patient with this one; else "".
    """
    found = matcher.match(findings, SHOWN, exclude=left_out)
    nearest = found[0]
    other = nearest.record.diagnosis != disease and nearest.score >= CONFOUNDED
    confounder = nearest.record.id if other else ""
    subsets = [list(findings)]
    subsets += [random.sample(findings, size) for size in range(len(findings) - 1, 1, -1)] * 2
    for subset in subsets:
        matched = matcher.match(subset, SHOWN, exclude=left_out)
        if any(scored.record.diagnosis == disease for scored in matched):
            return subset, confounder
    return [], confounder


def near_duplicates(phenotypes: Sequence[str]) -> frozenset[str]:
    """Return the patients of the embedded database that are nearly the same (Jaccard)."""
    having = _having()
    own = {name.casefold() for name in phenotypes}
    shared: dict[int, int] = {}
    for name in own:
        for place in having.get(name, ()):
            shared[place] = shared.get(place, 0) + 1
    cases = embedded.patients().table.cases
    return frozenset(
        cases[place].id
        for place, both in shared.items()
        if both >= NEAR * (len(own) + len(cases[place].phenotypes) - both)
    )


@lru_cache(maxsize=1)
def _having() -> dict[str, list[int]]:
    """Phenotype -> the places of the patients of the embedded database who have it."""
    found: dict[str, list[int]] = {}
    for place, case in enumerate(embedded.patients().table.cases):
        for name in {name.casefold() for name in case.phenotypes}:
            found.setdefault(name, []).append(place)
    return found


def _named(text: str, name: str) -> bool:
    words, wanted = tokens(text), tokens(name)
    return any(words[at : at + len(wanted)] == wanted for at in range(len(words)))


def as_row(task: Task) -> dict[str, Any]:
    """Return a task as the line of a task file."""
    return {"id": task.id, "ticket": task.ticket, "record": task.record, "gold": task.gold,
            "provenance": task.provenance}  # fmt: skip
