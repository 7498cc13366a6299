"""Questions labelled with disciplines, for ``clinic/DisciplineGraph-v0`` with ``questions=FOLDER``.

JSON Lines, one question a line; `disciplines` or `annotations`, or both::

    {"question": "…", "disciplines": ["Cardiology"]}
    {"question": "…", "annotations": [["Cardiology"], ["Cardiology"], ["Pulmonology"]]}

or CSV with a header; several disciplines are separated by ``|``, and each annotator has a column::

    question,disciplines
    "…",Cardiology|Nephrology
    question,annotator_1,annotator_2,annotator_3
    "…",Cardiology,Cardiology,Pulmonology

Without `disciplines`, right is what more than half of the annotators name; a question on which they
do not agree is left out. Each annotator's first discipline counts for `agreement`, Fleiss's kappa.

In place of `question`, a file may give the `id` of a question of another benchmark: name it with
the options `benchmark` and `file`, as ``benchmark="medqa", file="test.jsonl"``. MedQA, MedMCQA,
PubMedQA, MMLU, Medbullets, JAMA and the patients of DDXPlus have no disciplines of their own: what
is needed is one such label for each question that is to be played. Ids are those that
``gym-clinic tasks import`` gives.

Source:
    The layout is this project's own; three annotators and their majority as in the KACR paper, 4.1.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from gym_clinic.embedded import EMBEDDED, linker, linker_of, open_graph
from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts.typed_json import read_lines
from gym_clinic.importers import TASKS
from gym_clinic.importers.formats.csv import csv_rows
from gym_clinic.importers.tasks.annotations import fleiss_kappa, majority
from gym_clinic.names import import_named, suggest

ANNOTATOR = "annotator"
"""Begins the names of the columns of annotators."""

SEPARATOR = "|"


class LabelledQuestion(BaseModel):
    """A line of a file.

    Attributes:
        question: The question; empty if an id stands for it.
        id: Id of a question of a benchmark.
        disciplines: Names of the right disciplines.
        annotations: The disciplines that each annotator names.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, str_strip_whitespace=True)

    question: str = ""
    id: str = ""
    disciplines: list[str] = Field(default_factory=list)
    annotations: list[list[str]] = Field(default_factory=list)


def read(
    path: str | os.PathLike[str],
    *,
    benchmark: str = "",
    file: str = "",
    graph: str = EMBEDDED,
    linked_only: bool = True,
) -> Iterator[Task]:
    """Read labelled questions.

    Args:
        path: A ``.jsonl`` or ``.csv`` file in the layout of this module.
        benchmark: A key of `gym_clinic.importers.TASKS`, where the file gives ids.
        file: The file of that benchmark.
        graph: The graph that will be walked, for `linked_only`.
        linked_only: Leave out questions that mention no symptom of the graph: no walk begins there.

    Yields:
        Tasks with ``record["question"]`` and ``gold["disciplines"]``.

    Raises:
        ConfigError: If a file cannot be opened, or there is no such benchmark.
        TaskError: For a broken row, a question without labels or an id of no question; the text
            names the place. If no question is left.
    """
    texts = _benchmark(benchmark, file) if benchmark else {}
    found_linker = linker() if graph == EMBEDDED else linker_of(open_graph(graph))
    made = 0
    for place, row in _rows(Path(path)):
        question = row.question
        if row.id:
            if row.id not in texts:
                known = suggest(row.id, list(texts)[:1000]) if texts else "name the benchmark"
                raise TaskError(f"{place}, id: no question {row.id!r}; {known}")
            question = question or texts[row.id]
        if not question:
            raise TaskError(f"{place}: no question; give question, or id and a benchmark")
        if not row.disciplines and not row.annotations:
            raise TaskError(f"{place}: no disciplines; give disciplines, or those of annotators")
        right = row.disciplines or majority(row.annotations)
        if not right or (linked_only and not found_linker.link(question)):
            continue
        made += 1
        digest = hashlib.sha256(question.encode()).hexdigest()[:16]
        yield Task(
            f"labelled-{digest}",
            {"style": "imported", "question": question},
            {"disciplines": list(right)},
            provenance=f"labelled:{benchmark}" if benchmark else "labelled",
        )
    if not made:
        raise TaskError(f"{path}: no question has labels that agree and a symptom of the graph")


def agreement(path: str | os.PathLike[str]) -> float:
    """Return Fleiss's kappa of the annotators of a file, by the first discipline of each.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: For a broken row, or if questions have unequally many annotators.
    """
    return fleiss_kappa(
        [[labels[0] for labels in row.annotations] for _, row in _rows(Path(path))
         if row.annotations]
    )  # fmt: skip


def _rows(path: Path) -> Iterator[tuple[str, LabelledQuestion]]:
    if path.suffix == ".jsonl":
        for number, line in read_lines(path, LabelledQuestion):
            yield f"{path} line {number}", line
        return
    if path.suffix != ".csv":
        raise ConfigError(f"{path}: labelled questions are a .jsonl or a .csv file")
    for place, cells in csv_rows(path, (), others=True):
        row = {name.strip(): cell.strip() for name, cell in cells.items()}
        names = [name for name in row if name.startswith(ANNOTATOR)]
        known = {"question", "id", "disciplines", *names}
        if unknown := sorted(set(row) - known):
            raise TaskError(f"{place}: unknown column {unknown[0]!r}; {suggest(unknown[0], known)}")
        annotations = [_split(row[name]) for name in names if row[name]]
        yield (
            place,
            LabelledQuestion(
                question=row.get("question", ""),
                id=row.get("id", ""),
                disciplines=_split(row.get("disciplines", "")),
                annotations=annotations,
            ),
        )


def _split(cell: str) -> list[str]:
    return [name.strip() for name in cell.split(SEPARATOR) if name.strip()]


def _benchmark(name: str, file: str) -> dict[str, str]:
    """Return the questions of a benchmark by their ids."""
    if name not in TASKS:
        raise ConfigError(f"no importer of tasks {name!r}; {suggest(name, TASKS)}")
    if not file:
        raise ConfigError(f"benchmark={name!r} needs file, the file of its questions")
    reader: Any = import_named(TASKS[name].reader, "importer")
    return {task.id: _question_of(task) for task in reader(file)}


def _question_of(task: Task) -> str:
    if task.ticket:
        return task.ticket
    parts = [*task.record.get("context", ()), str(task.record.get("question", ""))]
    return "\n".join(parts)
