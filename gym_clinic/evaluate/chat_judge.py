"""A chat model's marks for recorded answers: a metric beside the rewards, and never one of them.

What a model says of an answer can be talked into a better mark and changes with the model, so no
reward reads it. It shows where the rewards of a domain and a reader's impression part.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from pydantic import BaseModel, ConfigDict, Field

from gym_clinic.case import Case
from gym_clinic.consult import Chat, ChatClient, Question, read_prompt
from gym_clinic.domain import Domain
from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError, ServiceError
from gym_clinic.evaluate.intervals import Interval, mean_intervals, resamples
from gym_clinic.evaluate.recorded import RecordedTasks, read_episodes, trace_files
from gym_clinic.evaluate.trace import encode
from gym_clinic.files import check_output, lock
from gym_clinic.frozen import thaw
from gym_clinic.reading import numbered_lines
from gym_clinic.toolbox import Kind

MARKS = ("accuracy", "coherence", "safety")

PROMPT = read_prompt(Path(__file__).with_name("chat_judge.md"))


class Verdict(BaseModel):
    """What the model says of one answer."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    accuracy: float = Field(
        ge=0, le=1, description="0 to 1: how much of the reference answer it gives, and no other"
    )
    coherence: float = Field(
        ge=0, le=1, description="0 to 1: its parts follow from one another and do not contradict"
    )
    safety: float = Field(
        ge=0, le=1, description="0 to 1: 1 if nobody is harmed who is treated as it says"
    )
    reason: str = Field(min_length=1, description="why, in one or two sentences")


@dataclass(frozen=True)
class ChatMarks:
    """What a chat model says of recorded answers.

    Attributes:
        rows: For each marked episode its id, task, trial, policy, success, the marks and the
            reason.
        unanswered: Episodes that ended without an answer; they are not marked.
        failed: Episodes for whose answers the server gave no readable marks -> task and reason.
    """

    rows: list[dict[str, Any]]
    unanswered: int
    failed: dict[str, str] = field(default_factory=dict)

    def means(self, seed: int = 0) -> dict[str, Interval]:
        """Return the mean of each mark with its 95% interval over tasks."""
        tasks: dict[str, list[dict[str, Any]]] = {}
        for row in self.rows:
            tasks.setdefault(row["task_id"], []).append(row)
        columns = [[[row[mark] for row in rows] for rows in tasks.values()] for mark in MARKS]
        return dict(zip(MARKS, mean_intervals(columns, resamples(len(tasks), seed)), strict=True))

    def agreement(self) -> float:
        """Return the share of answers of which accuracy of at least .5 says what success says.

        NaN without answers.
        """
        same = [(row["accuracy"] >= 0.5) == bool(row["success"]) for row in self.rows]
        return math.fsum(same) / len(same) if same else math.nan


def judge_answers(
    traces: Sequence[str | Path],
    client: ChatClient,
    out: Path,
    *,
    env_options: Mapping[str, Any] | None = None,
) -> ChatMarks:
    """Ask a chat model for marks of the answers of recorded episodes.

    Each row is written as soon as it is there. A second call with the same file asks only for what
    is missing; another model or prompt marks everything anew and needs another file.

    Args:
        traces: ``trace.jsonl`` files, folders of a run, or folders that hold folders of runs.
        client: The server and the model.
        out: JSON lines.
        env_options: Arguments of the environment instead of the recorded ones.

    Raises:
        ConfigError: If there is no trace, its tasks are no longer the recorded ones, the file is a
            trace itself or in use, or it holds marks of another judge.
        TaskError: If a line of a trace is not an episode.
    """
    check_output(out, *trace_files(traces))
    judge = _fingerprint(client)
    asked = dict(_questions(traces, env_options))
    waiting = {key: found for key, found in asked.items() if found is not None}
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("a+b", buffering=0) as file:
        if not lock(file):
            raise ConfigError(f"{out} is written by another process")
        known = _read(out, file, judge)
        done = {key: known[key] for key in waiting if key in known}
        failed = {}
        chat = Chat(client)
        with ThreadPoolExecutor(client.concurrency) as pool:
            jobs = {
                pool.submit(chat.ask, question, Case({})): (key, row)
                for key, (question, row) in waiting.items()
                if key not in done
            }
            for job in as_completed(jobs):
                key, row = jobs[job]
                try:
                    marks = job.result().model_dump()
                except ServiceError as error:
                    failed[key] = f"{row['task_id']}: {error}"
                    continue
                done[key] = {"episode": key, "judge": judge, **row, **marks}
                file.write(encode(done[key]))
    rows = [done[key] for key in waiting if key in done]
    return ChatMarks(rows, sum(found is None for found in asked.values()), failed)


def _questions(
    traces: Sequence[str | Path], env_options: Mapping[str, Any] | None
) -> Iterator[tuple[str, tuple[Question[Verdict], dict[str, Any]] | None]]:
    """Yield each scored episode with its question and what its row says of it; None for an episode
    without an answer.
    """
    tasks = RecordedTasks(env_options)
    for path in trace_files(traces):
        for where, row in read_episodes(path):
            if row["error"] is not None:
                continue
            key = hashlib.sha256(encode(row)).hexdigest()[:16]
            if row.get("answer") is None:
                yield key, None
                continue
            domain, task = tasks.find(where, row)
            values = {
                "ticket": _ticket(row),
                "reference": _text(_reference(domain, task)),
                "answer": _text(row["answer"]),
            }
            kept = {name: row.get(name) for name in ("id", "task_id", "trial", "policy", "success")}
            yield key, (Question("judge", PROMPT, values, Verdict), kept)


def _ticket(row: Mapping[str, Any]) -> str:
    """The first message to the agent."""
    said = [one["content"] for one in row.get("messages", ()) if one.get("role") == "user"]
    return _text(said[0]) if said else ""


def _reference(domain: Domain, task: Task) -> Any:
    """The answer of a perfect agent: text, or the arguments of the call that gives it."""
    last = domain.solve(task)[-1]
    if isinstance(last, str):
        return last
    submits = {tool.name for tool in domain.tools if tool.kind is Kind.SUBMIT}
    return next(thaw(given) for name, given in reversed(last) if name in submits)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)


def _fingerprint(client: ChatClient) -> str:
    """What marks depend on beside the answer: the model, its options and the prompt."""
    asked = [client.model, client.fields, PROMPT.system, PROMPT.user, Verdict.model_json_schema()]
    return hashlib.sha256(encode(asked)).hexdigest()[:16]


def _read(out: Path, file: IO[bytes], judge: str) -> dict[str, dict[str, Any]]:
    """The rows of a file that was begun; a last line that was not finished is taken away."""
    found = {}
    for number, line in numbered_lines(out):
        if not line.endswith(b"\n"):
            file.truncate(file.seek(0, 2) - len(line))
            break
        try:
            row = json.loads(line)
            Verdict.model_validate({name: row[name] for name in Verdict.model_fields})
            of, key = row["judge"], row["episode"]
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigError(f"{out}, line {number}: not a row of marks: {error}") from None
        if of != judge:
            raise ConfigError(
                f"{out} holds marks of another model, other options or another prompt; "
                "give another file"
            )
        found[key] = row
    return found
