"""A study of physicians with and without agents: a sheet for each physician, a key, a protocol."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

from gym_clinic.errors import ConfigError
from gym_clinic.evaluate.sheets.forms import FORMS
from gym_clinic.evaluate.sheets.writing import recorded, transcript_of, write_sheet
from gym_clinic.names import at_least_one

UNAIDED = "unaided"
"""The condition without an agent."""


def study_files(
    traces: Sequence[str | Path], physicians: int = 3, cases: int | None = None, seed: int = 0
) -> dict[str, bytes]:
    """Return the files of a study: ``physician-1.csv`` and so on, ``key.csv``, ``protocol.md``.

    Every physician reads every case in every condition: without help, and with the transcript of
    each policy of the traces. A session has each case once; its condition rotates over cases,
    sessions and physicians, so that each comes equally often in each session.

    Args:
        traces: Traces with the same tasks for each policy.
        physicians: Number of sheets.
        cases: Cases drawn; all that every policy has by default.
        seed: Decides what is drawn, and the orders.

    Raises:
        ConfigError: If the policies share no task, or there are fewer cases than asked for.
    """
    at_least_one("physicians", physicians)
    tickets: dict[str, tuple[str, str]] = {}
    key: dict[str, str] = {}
    transcripts: dict[str, dict[str, str]] = {}
    for _, stratum, ticket, reference, row in recorded(traces):
        if row["trial"] == 0:
            tickets[row["task_id"]], key[row["task_id"]] = (stratum, ticket), reference
            transcripts.setdefault(row["policy"], {})[row["task_id"]] = transcript_of(row)
    shared = sorted(task for task in tickets if all(task in of for of in transcripts.values()))
    if not shared or (cases is not None and not 1 <= cases <= len(shared)):
        raise ConfigError(
            f"{len(shared)} tasks have an episode of each of {sorted(transcripts)}; give traces of "
            "the same tasks, and at most so many cases"
        )
    drawn = sorted(Random(f"{seed}:cases").sample(shared, cases or len(shared)))
    conditions = [UNAIDED, *sorted(transcripts)]
    files = {
        f"physician-{person + 1}.csv": write_sheet(
            FORMS["study"], _readings(person, drawn, conditions, tickets, transcripts, seed)
        )
        for person in range(physicians)
    }
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(
        [("case", "reference"), *((task, key[task]) for task in drawn)]
    )
    protocol = Path(__file__).with_name("protocol.md").read_bytes()
    return {**files, "key.csv": written.getvalue().encode(), "protocol.md": protocol}


def _readings(
    person: int,
    drawn: Sequence[str],
    conditions: Sequence[str],
    tickets: Mapping[str, tuple[str, str]],
    transcripts: Mapping[str, Mapping[str, str]],
    seed: int,
) -> list[dict[str, str]]:
    """Return the rows of one physician, in the order in which they are read."""
    form, rows = FORMS["study"], []
    places = {task: place for place, task in enumerate(drawn)}
    for session in range(len(conditions)):
        order = Random(f"{seed}:{person}:{session}").sample(drawn, len(drawn))
        for task in order:
            condition = conditions[(places[task] + session + person) % len(conditions)]
            rows.append(
                {
                    "row": f"{task} {condition}",
                    "session": str(session + 1),
                    "stratum": condition,
                    "class": tickets[task][0],
                    "case": tickets[task][1],
                    "transcript": transcripts.get(condition, {}).get(task, ""),
                    **dict.fromkeys(form.free, ""),
                    **{column.name: "" for column in form.columns},
                }
            )
    return rows
