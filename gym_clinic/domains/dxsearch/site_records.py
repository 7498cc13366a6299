"""The own records of a held-out site: an extra source of similar patients at test time.

The patients are of other seeds than all tasks. As many are rare as in the tasks, and of each that
much is recorded as its site tells. None is nearly the same as a patient of an evaluation case. The
findings have the names of the tables, as every record of a database: what differs between sites is
whom they see and how much they write down.

Source:
    Deep-DxSearch paper, A.3: the records of Xinhua Hospital that are not evaluated are an extra
    retrieval source of the zero-shot test.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from random import Random

from gym_clinic import embedded
from gym_clinic.domains.dxsearch.cases.draw import draw_told, presentations
from gym_clinic.domains.dxsearch.limits import EVALUATION_SPLITS, SHOWN
from gym_clinic.domains.dxsearch.tasks import SITES, draw_disease
from gym_clinic.episode import Task
from gym_clinic.paths import tasks_dir
from gym_clinic.retrieval import HashedNgrams, JoinedPatients, PatientCase, PatientMatcher
from gym_clinic.simulate.patients import NEAR
from gym_clinic.taskset import TaskFolder

COUNT = 800
"""Records of a site."""

OWN_SITES = frozenset({"vocabulary", "sparse"})
"""Sites that have records: those held out."""


@lru_cache(maxsize=2)
def site_patients(site: str) -> PatientMatcher:
    """Return the records of a site, the same in every process.

    A record that would push the last patient with the disease of an evaluation case of the site
    out of its match is left out, so that the best plan of every case stays.

    Args:
        site: A site of `OWN_SITES`.
    """
    records = {case.id: case for case in islice(_records(site), COUNT)}
    while crowding := _crowding(PatientMatcher(records.values(), HashedNgrams()), site):
        for case in crowding:
            del records[case]
    return PatientMatcher(records.values(), HashedNgrams())


def _crowding(records: PatientMatcher, site: str) -> set[str]:
    """Return the last record in the match of each case whose disease is not found beside them."""
    joined = JoinedPatients(embedded.patients(), records)
    own = {case.id for case in records.table.cases}
    last: set[str] = set()
    for task in _tasks(site):
        excluded = task.record["left_out"]
        matched = joined.match(task.gold["query"], SHOWN, exclude=excluded)
        if task.gold["names"][0] not in {scored.record.diagnosis for scored in matched}:
            last.add([scored.record.id for scored in matched if scored.record.id in own][-1])
    return last


def _tasks(site: str) -> list[Task]:
    """Return the evaluation tasks of a site."""
    splits = [split for split, (_, style) in SITES.items() if style == site]
    folder = TaskFolder(tasks_dir("dxsearch"), splits)
    return [task for split in folder for task in folder[split]]


def _records(site: str) -> Iterator[PatientCase]:
    (style,) = {style for _, style in SITES.values() if style == site}
    evaluated = _evaluated()
    number = 0
    while True:
        seed = f"records:{style}:{number}"
        number += 1
        told = next(draw_told(draw_disease(Random(seed)), seed, style), None)
        if told is None:
            continue
        names = frozenset(presentations().facts.phenotypes[key].name for key in told.findings)
        if any(len(names & case) >= NEAR * len(names | case) for case in evaluated):
            continue
        disease = presentations().diseases[told.patient.disease]
        yield PatientCase(
            id=f"{site}-{number:05d}",
            diagnosis=disease.name,
            phenotypes=tuple(sorted(names)),
            provenance="synthetic",
            age=told.patient.age,
            sex=told.patient.sex,
        )


@lru_cache(maxsize=1)
def _evaluated() -> tuple[frozenset[str], ...]:
    """Return the findings of each evaluation case."""
    folder = TaskFolder(tasks_dir("dxsearch"), EVALUATION_SPLITS)
    return tuple(frozenset(task.record["findings"]) for split in folder for task in folder[split])
