"""Sheets to be filled: a row for each episode, failed episode or step of recorded runs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gym_clinic.errors import ConfigError
from gym_clinic.evaluate.chat_judge import reference_answer, text_of
from gym_clinic.evaluate.recorded import RecordedTasks, read_episodes, trace_files
from gym_clinic.evaluate.replay import messages_of
from gym_clinic.evaluate.sheets.forms import SheetForm

FAILED = "acc_at_5"
"""Metric that is 0 where the disease is not among the diagnoses; success where there is none."""

SHOWN = ("row", "stratum", "case", "transcript", "answer", "reference")
"""Columns for the physician to read."""

REMARKS = "remarks"

_TAGGED = re.compile(r"<(\w+)>(.*?)(?:</\1>|\Z)", re.DOTALL)


def write_sheet(form: SheetForm, rows: Sequence[Mapping[str, str]]) -> bytes:
    """Return a sheet as CSV; what the columns mean stands above the header, behind "#".

    Raises:
        ConfigError: If there is no row.
    """
    if not rows:
        raise ConfigError(f"no {form.rows} in these traces, so nothing to fill")
    remarks = [f"# {form.title} ({form.source}). A simulation, no advice.\n"]
    remarks += [
        f"# {column.name}: {' / '.join(column.values)}; {column.help}\n" for column in form.columns
    ]
    written = io.StringIO()
    writer = csv.DictWriter(written, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return ("".join(remarks) + written.getvalue()).encode()


def sheet_rows(form: SheetForm, traces: Sequence[str | Path]) -> list[dict[str, str]]:
    """Return the rows of a sheet over recorded episodes.

    Args:
        form: What is filled in; a row stands for an episode, a failed one, or a step.
        traces: Traces, or folders of runs.

    Raises:
        ConfigError: If there is no trace, or its tasks are no longer the recorded ones.
        TaskError: If a line of a trace is not an episode.
    """
    rows = []
    for key, stratum, ticket, reference, row in recorded(traces):
        if form.rows == "failed episode" and row["metrics"].get(FAILED, row["success"]):
            continue
        about = {"row": key, "stratum": stratum, "case": ticket}
        judged = {"answer": text_of(row["answer"]), "reference": reference}
        blank = {column.name: _in_advance(column.prefilled, row) for column in form.columns}
        if form.rows == "step":
            for number, (action, content, reply) in enumerate(_steps(row), 1):
                step = {"action": action, "step": content, "reply": reply}
                rows.append({**about, "row": f"{key} {number}", **step, "reference": reference,
                             **blank, REMARKS: ""})  # fmt: skip
        else:
            transcript = {"transcript": transcript_of(row)}
            rows.append({**about, **transcript, **judged, **blank, REMARKS: ""})
    return rows


def recorded(
    traces: Sequence[str | Path],
) -> Iterator[tuple[str, str, str, str, dict[str, Any]]]:
    """Yield key, stratum, case, right answer and trace line of each scored episode."""
    tasks = RecordedTasks()
    for path in trace_files(traces):
        for where, row in read_episodes(path):
            if row["error"] is None:
                domain, task = tasks.find(where, row)
                stratum = domain.classes(task) if domain.classes else "all"
                key = f"{row['policy']} {row['task_id']} {row['trial']}"
                ticket = next(text for _, author, text in messages_of(row) if author == "user")
                yield key, stratum, ticket, text_of(reference_answer(domain, task)), row


def transcript_of(row: Mapping[str, Any]) -> str:
    """Return what agent and environment wrote after the case."""
    return "\n".join(text for turn, _, text in messages_of(row) if turn)


def _in_advance(metric: str | None, row: Mapping[str, Any]) -> str:
    value = None if metric is None else row["metrics"].get(metric)
    return "" if value is None else "yes" if value else "no"


def _steps(row: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield action, content and reply of each step; a message without tags is one step."""
    messages = [item for item in messages_of(row) if item[0]]
    for place, (_, author, text) in enumerate(messages):
        if author != "assistant":
            continue
        after = messages[place + 1 : place + 2]
        reply = after[0][2].strip() if after and after[0][1] != "assistant" else ""
        steps = _TAGGED.findall(text) or [("message", text)]
        for number, (action, content) in enumerate(steps, 1):
            yield action, content.strip(), reply if number == len(steps) else ""
