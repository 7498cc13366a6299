"""The tasks of DxSearch: made from seeds, each with a first match that finds the disease.

A task is refused if the match of all its findings does not bring a patient of the database with
the disease, so that the oracle's plan exists for every task. How difficult a task is, is drawn
first: in most, patients with other diseases are nearer than those with the disease. What tells them
apart is told: findings that are absent, and typical of the other diseases by their guidelines.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from random import Random
from typing import Any

from gym_clinic import embedded
from gym_clinic.domains.dxsearch.cases.draw import (
    Style,
    ToldFindings,
    draw_told,
    pertinent_absences,
    presentations,
)
from gym_clinic.domains.dxsearch.cases.kinds import overlaps
from gym_clinic.domains.dxsearch.cases.write import write_case
from gym_clinic.domains.dxsearch.limits import GUIDELINE_SHOWS, SHOWN
from gym_clinic.episode import Task
from gym_clinic.errors import TaskError
from gym_clinic.facts import Disease
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

RANKS = {"first": 0.18, "near": 0.14, "far": 0.68}
"""Where the disease stands among those of the first match -> the share of such cases: first; after
other diseases, in the first five; or later."""

FIRST_FIVE = 5

DIFFERENTIAL = 8
"""Diseases of the first match against which absent findings are told."""

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
        random = Random(name)
        disease = draw_disease(random)
        (rank,) = random.choices(list(RANKS), weights=list(RANKS.values()))
        for told in draw_told(disease, name, style):
            task = _task(told, rank, name, phrases, style)
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


def draw_disease(random: Random) -> Disease:
    """Draw the disease of a case: rare in `RARE_SHARE` of the cases."""
    common, rare = _pools()
    return random.choice(rare if random.random() < RARE_SHARE else common)


def _task(told: ToldFindings, rank: str, seed: str, split: Split, style: Style) -> Task | None:
    """Return the task of a patient; None if the disease is not where it should be, or is named."""
    room = presentations()
    disease = room.diseases[told.patient.disease]
    findings = [room.facts.phenotypes[key].name for key in told.findings]
    query = [name.replace(",", " ") for name in findings]  # a comma ends an item in tags
    left_out = near_duplicates(told.patient.phenotypes)
    matched = embedded.patients().match(query, SHOWN, exclude=left_out)
    diseases = list(dict.fromkeys(scored.record.diagnosis for scored in matched))
    if rank != rank_in(diseases, disease.name):
        return None
    others = [name for name in diseases if name != disease.name][:DIFFERENTIAL]
    profiles = typical([disease.name, *others])
    absent = pertinent_absences(told, profiles[1:], profiles[0], style, Random(f"absent:{seed}"))
    told = replace(told, absent=absent)
    text = write_case(told, seed, split, style)
    if overlaps(disease, text):
        return None
    digest = hashlib.sha256(f"dxsearch:{seed}".encode()).hexdigest()
    nearest = matched[0].record
    return Task(
        id=f"dx-{digest[:10]}",
        ticket=text,
        record={"findings": findings, "absent": list(absent), "left_out": sorted(left_out),
                "used": {}, "site": style},
        gold={"disease": disease.id, "names": names_of(disease), "rare": disease.rare,
              "query": query,
              "confounder": "" if nearest.diagnosis == disease.name else nearest.id},
        provenance="synthetic",
    )  # fmt: skip


def rank_in(diseases: Sequence[str], disease: str) -> str | None:
    """Return where a disease stands in those of a match, as `RANKS` names it; None if nowhere."""
    if disease not in diseases:
        return None
    place = diseases.index(disease)
    return "first" if place == 0 else "near" if place < FIRST_FIVE else "far"


def typical(diseases: Sequence[str]) -> list[list[str]]:
    """Return the ids of the findings that the guideline of each disease shows."""
    index = embedded.guidelines()
    return [[finding.id for finding in index.lookup([name], GUIDELINE_SHOWS)[0].present]
            for name in diseases]  # fmt: skip


def names_of(disease: Disease) -> list[str]:
    """Return the names under which the taxonomy has a disease, the preferred one first."""
    return list(dict.fromkeys([disease.name, *disease.synonyms]))


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


def as_row(task: Task) -> dict[str, Any]:
    """Return a task as the line of a task file."""
    return {"id": task.id, "ticket": task.ticket, "record": task.record, "gold": task.gold,
            "provenance": task.provenance}  # fmt: skip
