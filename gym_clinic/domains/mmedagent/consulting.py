"""Opinions for a folder of tasks that has none: asked once, kept, and stored with the tasks.

Replies are appended to ``opinions.jsonl`` in the folder as they come, so that an interrupted run
goes on where it stopped. When all tasks have theirs, the task files are written anew with the
opinions in their records and the level in their gold.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import orjson

from gym_clinic.case import Case
from gym_clinic.consult import Consultant
from gym_clinic.domains.mmedagent.curriculum import KL, difficulty
from gym_clinic.domains.mmedagent.departments import department_of
from gym_clinic.domains.mmedagent.pictures import image_of
from gym_clinic.domains.mmedagent.specialists import draw_votes
from gym_clinic.domains.mmedagent.specialists.consultants import RECORDED, ask, make_specialists
from gym_clinic.domains.mmedagent.specialists.opinions import write_rationale
from gym_clinic.domains.mmedagent.specialists.votes import rights_of
from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError
from gym_clinic.files import json_line, replace_files
from gym_clinic.frozen import thaw
from gym_clinic.taskset import TaskFolder

LOG = "opinions.jsonl"


@dataclass
class ConsultReport:
    """What a run did.

    Attributes:
        asked: Tasks whose specialists were asked now.
        kept: Tasks whose opinions were there before.
        levels: Level -> number of tasks, once all have theirs.
    """

    asked: int = 0
    kept: int = 0
    levels: Counter[str] = field(default_factory=Counter)


def consult_folder(
    folder: Path,
    consultant: str | Mapping[str, Any],
    *,
    images: Path | None = None,
    specialists: int = 3,
    concurrency: int = 8,
    progress: Callable[[ConsultReport], None] = lambda report: None,
) -> ConsultReport:
    """Ask specialists about every task of a folder and store what they reply.

    Args:
        folder: The task folder, as an importer wrote it.
        consultant: ``{"kind": "chat", "url": …, "model": …}``, or ``"recorded"`` for simulated
            opinions: levels in equal shares, errors by the habits of the department.
        images: Where the image files lie; ``images`` in the folder by default.
        specialists: How many are asked.
        concurrency: Tasks asked about at once.
        progress: Called after each task.

    Raises:
        ConfigError: If the folder has no tasks, or its replies are of other specialists.
        TaskError: If an image cannot be read.
        ServiceError: If the server fails; what was said before is kept.
    """
    tasks = TaskFolder(folder)
    report = ConsultReport()
    head = _head(consultant, specialists)
    replies = _read_log(folder / LOG, head)
    report.kept = len(replies)
    every = [task for split in tasks for task in tasks[split]]
    missing = [task for task in every if task.id not in replies]
    where = str(images or folder / "images")
    say = _asker(consultant, where, specialists)
    with (folder / LOG).open("ab") as log, ThreadPoolExecutor(concurrency) as pool:
        if not replies and log.tell() == 0:
            log.write(json_line(head))
        for task, opinions in zip(missing, pool.map(say, missing), strict=True):
            log.write(json_line({"id": task.id, "opinions": opinions}))
            log.flush()
            os.fsync(log.fileno())
            replies[task.id] = opinions
            report.asked += 1
            progress(report)
    replace_files({folder / f"{split}.jsonl": list(_rows(tasks[split], replies, report))
                   for split in tasks})  # fmt: skip
    return report


def _asker(
    consultant: str | Mapping[str, Any], where: str, specialists: int
) -> Callable[[Task], list[dict[str, str]]]:
    """Return the function that gives the opinions about a task, as JSON."""
    if consultant == RECORDED:
        return lambda task: simulated(task, specialists)
    doctor: Consultant = make_specialists(consultant)

    def say(task: Task) -> list[dict[str, str]]:
        specialty = department_of(task.record) or "specialist"
        replies = ask(doctor, task.record, Case({}), specialty, image_of(task.record, where),
                      inside=True, count=specialists)  # fmt: skip
        return [reply.model_dump() for reply in replies]

    return say


def simulated(task: Task, specialists: int) -> list[dict[str, str]]:
    """Return simulated opinions about a task: drawn by its id, with levels in equal shares."""
    random = Random(f"simulated:{task.id}")
    rights = rights_of(random.choice(list(KL)), random)
    specialty = department_of(task.record) or "specialist"
    options, kind = task.record["options"], str(task.record.get("kind", "other"))
    votes = draw_votes(options, task.gold["answer"], rights, specialty, random)[:specialists]
    return [
        {"answer": label,
         "rationale": write_rationale(kind, options[label], f"{task.id}:{number}", "train")}
        for number, label in enumerate(votes)
    ]  # fmt: skip


def _rows(
    tasks: Any, replies: Mapping[str, list[dict[str, str]]], report: ConsultReport
) -> Iterator[bytes]:
    for task in tasks:
        opinions = replies[task.id]
        level = difficulty([reply["answer"] == task.gold["answer"] for reply in opinions]).value
        report.levels[level] += 1
        yield json_line({"id": task.id,
                         "record": {**thaw(task.record), "opinions": opinions},
                         "gold": {**thaw(task.gold), "level": level},
                         "provenance": task.provenance})  # fmt: skip


def _head(consultant: str | Mapping[str, Any], specialists: int) -> dict[str, Any]:
    who = consultant if isinstance(consultant, str) else consultant.get("model")
    return {"specialists": specialists, "consultant": who}


def _read_log(path: Path, head: Mapping[str, Any]) -> dict[str, list[dict[str, str]]]:
    """Return the replies that a folder has; a last line that was cut off is left out.

    Raises:
        ConfigError: If they are of other specialists.
    """
    if not path.exists():
        return {}
    text = path.read_bytes()
    whole = text[: text.rfind(b"\n") + 1]
    if whole != text:
        path.write_bytes(whole)
    first, *rest = [orjson.loads(line) for line in whole.splitlines()] or [dict(head)]
    if first != dict(head):
        raise ConfigError(
            f"{path} holds replies of {first['specialists']} specialists by "
            f"{first['consultant']!r}; ask the same, or move the file away"
        )
    return {row["id"]: row["opinions"] for row in rest}
