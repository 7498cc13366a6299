"""A chat model's marks for recorded answers: a metric beside the rewards, and never one of them.

What a model says of an answer can be talked into a better mark and changes with the model, so no
reward reads it. It shows where the rewards of a domain and a reader's impression part.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from pydantic import BaseModel, ConfigDict, Field

from gym_clinic.case import Case
from gym_clinic.consult import Chat, ChatClient, Prompt, Question, read_prompt
from gym_clinic.domain import Domain
from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError, ServiceError
from gym_clinic.evaluate.intervals import Interval, mean_intervals, resamples
from gym_clinic.evaluate.recorded import RecordedTasks, read_episodes, trace_files
from gym_clinic.evaluate.replay import messages_of
from gym_clinic.evaluate.trace import encode
from gym_clinic.files import check_output, lock
from gym_clinic.frozen import thaw
from gym_clinic.names import at_least_one, suggest
from gym_clinic.reading import numbered_lines
from gym_clinic.toolbox import Kind


class Verdict(BaseModel):
    """Marks of one answer, 0 to 1."""

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


class Dimension(BaseModel):
    """The score of one dimension of the reasoning."""

    model_config = ConfigDict(extra="forbid", strict=True)

    score: int = Field(ge=1, le=4, description="1 (poor) to 4 (excellent)")
    justification: str = Field(min_length=1, description="why, by the criteria, in a sentence")


class ReasoningVerdict(BaseModel):
    """Scores of a whole transcript, 1 to 4 (table 1 and A.5 of the Deep-DxSearch paper)."""

    model_config = ConfigDict(extra="forbid", strict=True)

    overall_correctness: Dimension = Field(description="is the diagnosis right and ranked first")
    clinical_utility: Dimension = Field(description="does it help the physician of this patient")
    reasoning_consistency: Dimension = Field(description="does each step follow from the others")
    reference_relevance: Dimension = Field(description="does all of it bear on this case")
    hallucination_severity: Dimension = Field(description="4 where nothing is made up")


@dataclass(frozen=True)
class MarkForm:
    """What a judge is asked for.

    Attributes:
        prompt: Its placeholders are ``ticket``, ``reference``, ``answer`` and ``transcript``.
        reply: The model of the reply.
        marks: Names of the marks, each a number in the reply or an object with a ``score``.
        right_from: The first mark from which it says that the answer is right.
    """

    prompt: Prompt
    reply: type[BaseModel]
    marks: tuple[str, ...]
    right_from: float

    def read(self, verdict: BaseModel) -> dict[str, Any]:
        """Return the reply as the fields of a row, its marks as numbers."""
        fields = verdict.model_dump()
        scores = {
            name: mark["score"] if isinstance(mark := fields[name], dict) else mark
            for name in self.marks
        }
        kept = {name: value for name, value in fields.items() if name not in scores}
        justified = {
            name: fields[name]["justification"]
            for name in self.marks
            if isinstance(fields[name], dict)
        }
        return {**scores, **kept, **({"justifications": justified} if justified else {})}


FORMS: Mapping[str, MarkForm] = {
    "answer": MarkForm(
        read_prompt(Path(__file__).with_name("chat_judge.md")),
        Verdict,
        ("accuracy", "coherence", "safety"),
        0.5,
    ),
    "reasoning": MarkForm(
        read_prompt(Path(__file__).with_name("reasoning_judge.md")),
        ReasoningVerdict,
        tuple(ReasoningVerdict.model_fields),
        3,
    ),
}
"""Marks of the answer alone, and scores of the reasoning that led to it."""


@dataclass(frozen=True)
class ChatMarks:
    """What a chat model says of recorded answers.

    Attributes:
        rows: For each marked episode its id, task, trial, policy, success, model, run, the marks
            and the reasons.
        unanswered: Episodes that ended without an answer; they are not marked.
        failed: Requests to which a server gave no readable marks -> task and reason. They count as
            failures of the judge, never as a low mark.
        form: What was asked for.
    """

    rows: list[dict[str, Any]]
    unanswered: int
    failed: dict[str, str] = field(default_factory=dict)
    form: MarkForm = FORMS["answer"]

    def means(self, seed: int = 0) -> dict[str, Interval]:
        """Return the mean of each mark, over judges and runs, with its 95% interval over tasks."""
        tasks: dict[str, list[dict[str, Any]]] = {}
        for row in self.rows:
            tasks.setdefault(row["task_id"], []).append(row)
        columns = [
            [[row[mark] for row in rows] for rows in tasks.values()] for mark in self.form.marks
        ]
        return dict(
            zip(self.form.marks, mean_intervals(columns, resamples(len(tasks), seed)), strict=True)
        )

    def agreement(self) -> float:
        """Return the share of verdicts whose first mark says of the answer what success says.

        NaN without answers.
        """
        first, right = self.form.marks[0], self.form.right_from
        same = [(row[first] >= right) == bool(row["success"]) for row in self.rows]
        return math.fsum(same) / len(same) if same else math.nan


def judge_answers(
    traces: Sequence[str | Path],
    clients: ChatClient | Sequence[ChatClient],
    out: Path,
    *,
    form: str = "answer",
    runs: int = 1,
    env_options: Mapping[str, Any] | None = None,
) -> ChatMarks:
    """Ask chat models for marks of the answers of recorded episodes.

    Each row is written as soon as it is there. A second call with the same file asks only for what
    is missing; other options of a model or another prompt mark everything anew and need another
    file.

    Args:
        traces: ``trace.jsonl`` files, folders of a run, or folders that hold folders of runs.
        clients: The servers and their models; each marks every answer.
        out: JSON lines.
        form: What is asked for, a key of `FORMS`.
        runs: How often each model is asked.
        env_options: Arguments of the environment instead of the recorded ones.

    Raises:
        ConfigError: If there is no trace, its tasks are no longer the recorded ones, the file is a
            trace itself or in use, or it holds marks of another judge.
        TaskError: If a line of a trace is not an episode.
    """
    if form not in FORMS:
        raise ConfigError(f"no form {form!r}; {suggest(form, FORMS)}")
    asked_form = FORMS[form]
    judges = {
        _fingerprint(client, asked_form): Chat(client)
        for client in ([clients] if isinstance(clients, ChatClient) else clients)
    }
    check_output(out, *trace_files(traces))
    asked = dict(_questions(traces, asked_form, env_options))
    waiting = {
        (key, judge, run): question
        for key, question in asked.items()
        if question is not None
        for judge in judges
        for run in range(at_least_one("runs", runs))
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("a+b", buffering=0) as file:
        if not lock(file):
            raise ConfigError(f"{out} is written by another process")
        known = _read(out, file, judges, asked_form)
        done = {key: known[key] for key in waiting if key in known}
        failed = {}
        with ThreadPoolExecutor(max(chat.client.concurrency for chat in judges.values())) as pool:
            jobs = {
                pool.submit(judges[key[1]].ask, question, Case({})): (key, row)
                for key, (question, row) in waiting.items()
                if key not in done
            }
            for job in as_completed(jobs):
                key, row = jobs[job]
                episode, judge, run = key
                try:
                    marks = asked_form.read(job.result())
                except ServiceError as error:
                    failed[" ".join(map(str, key))] = f"{row['task_id']}: {error}"
                    continue
                about = {"model": judges[judge].client.model, "run": run}
                done[key] = {"episode": episode, "judge": judge, **row, **about, **marks}
                file.write(encode(done[key]))
    rows = [done[key] for key in waiting if key in done]
    unanswered = sum(question is None for question in asked.values())
    return ChatMarks(rows, unanswered, failed, asked_form)


def _questions(
    traces: Sequence[str | Path], form: MarkForm, env_options: Mapping[str, Any] | None
) -> Iterator[tuple[str, tuple[Question[Any], dict[str, Any]] | None]]:
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
                "reference": text_of(reference_answer(domain, task)),
                "answer": text_of(row["answer"]),
                "transcript": _transcript(row),
            }
            kept = {name: row.get(name) for name in ("id", "task_id", "trial", "policy", "success")}
            yield key, (Question("judge", form.prompt, values, form.reply), kept)


def _transcript(row: Mapping[str, Any]) -> str:
    """All that the agent wrote and was told, after the first messages."""
    told = [(turn, author, text) for turn, author, text in messages_of(row) if turn]
    return "\n\n".join(f"[{author}] {text}" for _, author, text in told)


def _ticket(row: Mapping[str, Any]) -> str:
    """The first message to the agent."""
    said = [one["content"] for one in row.get("messages", ()) if one.get("role") == "user"]
    return text_of(said[0]) if said else ""


def reference_answer(domain: Domain, task: Task) -> Any:
    """Return the answer of a perfect agent: text, or the arguments of the call that gives it."""
    last = domain.solve(task)[-1]
    if isinstance(last, str):
        return last
    submits = {tool.name for tool in domain.tools if tool.kind is Kind.SUBMIT}
    return next(thaw(given) for name, given in reversed(last) if name in submits)


def text_of(value: Any) -> str:
    """Return an answer as text: JSON where it is none."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)


def _fingerprint(client: ChatClient, form: MarkForm) -> str:
    """What marks depend on beside the answer: the model, its options and the prompt."""
    prompt = form.prompt
    asked = [
        client.model,
        client.fields,
        prompt.system,
        prompt.user,
        form.reply.model_json_schema(),
    ]
    return hashlib.sha256(encode(asked)).hexdigest()[:16]


def _read(
    out: Path, file: IO[bytes], judges: Collection[str], form: MarkForm
) -> dict[tuple[str, str, int], dict[str, Any]]:
    """The rows of a file that was begun; a last line that was not finished is taken away."""
    rows = {}
    for number, line in numbered_lines(out):
        if not line.endswith(b"\n"):
            file.truncate(file.seek(0, 2) - len(line))
            break
        try:
            row = json.loads(line)
            if not all(isinstance(row[mark], int | float) for mark in form.marks):
                raise TypeError(f"marks are numbers: {form.marks}")
            judge, key = row["judge"], (row["episode"], row["judge"], int(row.get("run", 0)))
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigError(f"{out}, line {number}: not a row of marks: {error}") from None
        if judge not in judges:
            raise ConfigError(
                f"{out} holds marks of another model, other options or another prompt; "
                "give another file"
            )
        rows[key] = row
    return rows
