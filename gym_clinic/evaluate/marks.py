"""Marks the calls of recorded episodes as needed or extra, and lists those that were missed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gym_clinic.domain import CallSpec, Domain
from gym_clinic.episode import Task
from gym_clinic.evaluate.clinical_marks import is_clinical, marks_by_meaning
from gym_clinic.evaluate.recorded import RecordedTasks, checked_calls, read_episodes, trace_files
from gym_clinic.frozen import thaw
from gym_clinic.rewards.process import signature
from gym_clinic.toolbox import Kind


def mark_calls(
    traces: Sequence[str | Path], *, env_options: Mapping[str, Any] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield recorded episodes with each of their calls marked.

    The gold is joined here by task id, since no trace holds it. Each call gets ``"mark"``:
    ``"needed"`` for the first answered call that equals a call of the task's solution, and for
    the call that gave the accepted answer; else ``"extra"``. The episode gets ``"missed"``: the
    calls of the solution that were not made, as ``{"name", "arguments"}``, without those that
    give the answer. Calls of clinical domains are compared by what they read or do, as
    :mod:`.clinical_marks` says.

    Args:
        traces: ``trace.jsonl`` files, folders of a run, or folders that hold folders of runs.
        env_options: Arguments of the environment instead of the recorded ones.

    Raises:
        ConfigError: If there is no trace, or its tasks are no longer the recorded ones.
        TaskError: If a line is not an episode; it names file and line.
    """
    tasks = RecordedTasks(env_options)
    for path in trace_files(traces):
        for where, row in read_episodes(path):
            domain, task = tasks.find(where, row)
            calls, missed = mark(domain, task, checked_calls(where, row))
            yield {**row, "calls": calls, "missed": missed}


def mark(
    domain: Domain, task: Task, calls: Sequence[Mapping[str, Any]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the calls with their marks, and the calls that were missed."""
    submits = {tool.name for tool in domain.tools if tool.kind is Kind.SUBMIT}
    if is_clinical(domain, task):
        wanted = _solution(domain, task, submits)
        flags, left = marks_by_meaning(domain, task, calls, wanted)
        rows = [
            _marked(call, flag or (call["ok"] and call["name"] in submits))
            for call, flag in zip(calls, flags, strict=True)
        ]
        return rows, [{"name": name, "arguments": thaw(given)} for name, given in left]
    waiting = {signature(*call): call for call in _solution(domain, task, submits)}
    marked = []
    for call in calls:
        found = (
            waiting.pop(signature(call["name"], call["arguments"]), None) if call["ok"] else None
        )
        needed = found is not None or (call["ok"] and call["name"] in submits)
        marked.append(_marked(call, needed))
    missed = [{"name": name, "arguments": thaw(given)} for name, given in waiting.values()]
    return marked, missed


def _marked(call: Mapping[str, Any], needed: bool) -> dict[str, Any]:
    return {**call, "mark": "needed" if needed else "extra"}


def _solution(domain: Domain, task: Task, submits: set[str]) -> list[CallSpec]:
    """Return the calls of a task's solution, without those that give the answer."""
    batches = [move for move in domain.solve(task) if not isinstance(move, str)]
    return [
        (name, thaw(given)) for batch in batches for name, given in batch if name not in submits
    ]
