"""Coded cases as tasks of DxSearch, each proved by playing the best plan."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from gym_clinic import embedded
from gym_clinic.catalog import open_env
from gym_clinic.env import ClinicEnv
from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError
from gym_clinic.files import json_line
from gym_clinic.frozen import thaw
from gym_clinic.importers.cases.convert import CodedCase
from gym_clinic.policies import play
from gym_clinic.retrieval import JoinedPatients, PatientMatcher, open_embedder

ID = "clinic/DxSearch-v0"
RECORDS, MANIFEST = "records", "import.json"
SHOWN = 20
"""Patients of one match (A.4)."""

NOTICE = (
    "Cases for a simulation in which agents are trained and measured. Not for patient care, and "
    "no advice."
)
SOURCES, MOST_WORDS = ("WIKI", "PMC", "BOOK"), 12
"""Sources of a search, and words of a query at most."""

_FINDINGS_TRIED = 6

Refuse = Callable[[str, str], None]
"""What is done with the id of a case that cannot be proved, and the reason."""
_FEWEST_ASKED = 2
_CLOSE = 1e-9


class Database:
    """The patients that tasks are matched with: the shared database and the imported records.

    Args:
        patients: The option of the environment that names the shared database; None for none.
        records: The imported records.
    """

    def __init__(self, patients: str | None, records: Sequence[CodedCase]) -> None:
        base = embedded.open_patients(patients) if patients is not None else None
        self._base = () if base is None else base.table.cases
        embedder = open_embedder(base.table.embedder) if base else open_embedder()
        cases = [case.record() for case in records]
        self.own = PatientMatcher(cases, embedder) if cases else None
        matchers = [matcher for matcher in (base, self.own) if matcher is not None]
        if not matchers:
            raise ConfigError("no patient to match: no record and no database; give patients=")
        self.all = JoinedPatients(*matchers)
        self.by_disease: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
        for case in (*self._base, *cases):
            having = self.by_disease.setdefault(case.diagnosis.casefold(), [])
            having.append((case.id, case.phenotypes))

    def patients_with(self, names: Iterable[str]) -> list[tuple[str, tuple[str, ...]]]:
        """Return the patients with a disease of these names: id and phenotypes."""
        return [case for name in names for case in self.by_disease.get(name.casefold(), ())]


def diseases_of(patients: str | None) -> frozenset[str]:
    """Return the names of the diseases of a database, case-folded."""
    if patients is None:
        return frozenset()
    table = embedded.open_patients(patients).table
    return frozenset(case.diagnosis.casefold() for case in table.cases)


def make_tasks(
    cases: Iterable[CodedCase], database: Database, near: float, refuse: Refuse
) -> Iterator[Task]:
    """Make the tasks of cases for which a match finds a patient with the disease.

    Args:
        cases: The cases.
        database: What is matched.
        near: Similarity of findings from which a patient is not shown in a task (the leak check).
        refuse: Called with the id of each case that cannot be proved, and the reason.
    """
    for case in cases:
        own = case.reported.case.id
        names = [finding.name for finding in case.findings]
        excluded = database.all.near_duplicates(names, near, "mutual")
        having = [
            patient
            for patient in database.patients_with(case.disease.names)
            if patient[0] not in excluded
        ]
        if not having:
            refuse(own, "cases whose patients are all near-duplicates were left out (unprovable)")
            continue
        query = _query(case, database, excluded, [phenotypes for _, phenotypes in having])
        if query is None:
            refuse(own, "cases whose disease no match shows were left out (unprovable)")
            continue
        yield _task(case, query, excluded, database)


def prove(tasks: Iterable[Task], options: Mapping[str, Any], refuse: Refuse) -> list[Task]:
    """Return the tasks in which the best plan earns the maximum of each part of the reward.

    A stage is a weighting of the parts, so the maximum of every stage is earned. The search is
    tried in each source.

    Args:
        tasks: The tasks.
        options: Options of the environment, with ``own_records``.
        refuse: Called with the id of each case that is not proved, and the reason.
    """
    env = open_env(ID, "test", **options)
    proved = []
    for task in tasks:
        missing: list[str] = []
        for tried in _searches(task):
            missing = _missing(env, tried)
            if missing != ["search"]:
                break
        if missing:
            refuse(
                task.gold["case"],
                f"cases without the whole reward of {' and '.join(missing)} were left out "
                "(unprovable)",
            )
        else:
            proved.append(tried)
    return proved


def _searches(task: Task) -> Iterator[Task]:
    """Yield a task with each search that could be answered: a name, alone or with a finding.

    Literature that does not have a disease has no reference for its name, but has some for a name
    beside a finding.
    """
    gold = thaw(task.gold)
    names = [name.replace(",", " ") for name in gold["names"]]
    names = [name for name in names if len(name.split()) <= MOST_WORDS]
    with_finding = [
        f"{names[0]} {finding.replace(',', ' ')}"
        for finding in task.record["findings"][:_FINDINGS_TRIED]
        if names
    ]
    fitting = [query for query in with_finding if len(query.split()) <= MOST_WORDS]
    for query in (*names, *fitting):
        for source in SOURCES:
            yield replace(task, gold={**gold, "search": {"source": source, "queries": [query]}})


class _BestPlan:
    """A policy that makes the moves of the domain's best plan of one task."""

    def __init__(self, env: ClinicEnv, task: Task) -> None:
        if env.domain.solution is None:
            raise ConfigError(f"{ID} has no best plan to prove tasks by")
        self._moves = iter(env.domain.solution(task))
        self._dialect = env.dialect

    def act(self, observation: str, info: Mapping[str, Any]) -> str:
        """Return the next move as text."""
        move = next(self._moves)
        return move if isinstance(move, str) else self._dialect.write(list(move))


def _missing(env: ClinicEnv, task: Task) -> list[str]:
    """Return the parts of the reward of which the best plan does not earn all."""
    outcome = play(env, task, _BestPlan(env, task))
    parts, ranges = outcome.info["rewards"], env.rubric.ranges
    low = [name for name, (_, most) in ranges.items() if parts[name] < most - _CLOSE]
    return low or (["format"] if outcome.reward < env.reward_range[1] - _CLOSE else [])


def _query(
    case: CodedCase,
    database: Database,
    excluded: frozenset[str],
    having: Sequence[Sequence[str]],
) -> list[str] | None:
    """Return findings whose match shows the disease: all of them, or the most that do."""
    names = [finding.name.replace(",", " ") for finding in case.findings]
    shared = {
        tuple(name for name in names if name in known)
        for known in ({name.replace(",", " ") for name in phenotypes} for phenotypes in having)
    }
    without = [tuple(names[:place] + names[place + 1 :]) for place in range(len(names))]
    fewer = sorted({*shared, *without}, key=lambda asked: (-len(asked), asked))
    wanted = {name.casefold() for name in case.disease.names}
    for asked in (tuple(names), *fewer):
        if len(asked) >= _FEWEST_ASKED:
            matched = database.all.match(asked, SHOWN, exclude=excluded)
            if any(scored.record.diagnosis.casefold() in wanted for scored in matched):
                return list(asked)
    return None


def _task(case: CodedCase, query: list[str], excluded: frozenset[str], database: Database) -> Task:
    disease, reported = case.disease, case.reported.case
    wanted = {name.casefold() for name in disease.names}
    nearest = database.all.match(query, 1, exclude=excluded)[0].record
    return Task(
        id=f"dx-{case.digest[:10]}",
        ticket=case.text,
        record={
            "findings": [finding.name for finding in case.findings],
            "absent": list(case.absent),
            "left_out": sorted(excluded),
            "used": {},
            "site": "own",
        },
        gold={
            "disease": disease.id,
            "names": list(disease.names),
            "rare": disease.rare,
            "query": query,
            "confounder": "" if nearest.diagnosis.casefold() in wanted else nearest.id,
            "case": reported.id,
            "codes": list(disease.codes),
            "hpo": {finding.name: finding.hpo for finding in case.findings if finding.hpo},
        },
        provenance=reported.provenance,
    )


@contextmanager
def staged(out: Path) -> Iterator[Path]:
    """Give a folder to fill, which takes the place of `out` at the end; nothing stays on an error.

    Raises:
        ConfigError: If `out` exists and holds anything, or cannot be written.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ConfigError(f"{out} is not empty; an import fills a new folder, so name another")
    stage = out.absolute().with_name(f".{out.name}.{os.getpid()}.part")
    try:
        stage.mkdir(parents=True)
        yield stage
        if out.exists():
            out.rmdir()
        stage.replace(out)
    except OSError as error:
        raise ConfigError(f"cannot write {error.filename or out}: {error.strerror}") from None
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def write_tasks(folder: Path, tasks: Mapping[str, Sequence[Task]], manifest: Any) -> None:
    """Write the task files of each split, and what they were made of."""
    for split, listed in tasks.items():
        rows = [
            json_line(
                {"id": task.id, "ticket": task.ticket, "record": thaw(task.record),
                 "gold": thaw(task.gold), "provenance": task.provenance}
            )
            for task in sorted(listed, key=lambda task: task.id)
        ]  # fmt: skip
        (folder / f"{split}.jsonl").write_bytes(b"".join(rows))
    (folder / MANIFEST).write_bytes(orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
