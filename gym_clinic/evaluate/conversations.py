"""Recorded episodes as conversations, to fine-tune the models that answer behind the tools.

A trace holds the calls and their responses. The question to the model behind the tool is built
again from the task that the trace names.
"""

from __future__ import annotations

import hashlib
import importlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gym_clinic.catalog import ids, make, unwrap
from gym_clinic.domain import Conversation
from gym_clinic.episode import Call
from gym_clinic.errors import ClinicError, ConfigError, TaskError
from gym_clinic.evaluate.recorded import RecordedTasks, checked_calls, read_episodes, trace_files
from gym_clinic.files import json_line, replace_file


@dataclass
class Collected:
    """The conversations of recorded episodes.

    Attributes:
        conversations: The distinct conversations, in the order of traces, episodes and calls.
        episodes: Split -> episodes they were taken from.
        kept: Split -> conversations that occur first in it.
        repeated: Number of duplicates that were left out.
        failed: Episodes left out because a service failed in them.
    """

    conversations: list[Conversation] = field(default_factory=list)
    episodes: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    repeated: int = 0
    failed: int = 0


def collect(
    traces: Sequence[str | Path],
    *,
    split: str | None = None,
    only_success: bool = False,
    env_options: Mapping[str, Any] | None = None,
) -> Collected:
    """Collect the conversation behind every answered call of recorded episodes.

    Args:
        traces: ``trace.jsonl`` files, folders of a run, or folders that hold folders of runs.
        split: Take only episodes of this split.
        only_success: Take only episodes whose task was solved.
        env_options: Arguments of the environment instead of the recorded ones, such as another
            ``consultant`` if the server of the recorded one is not available.

    Raises:
        ConfigError: If there is no trace, its domain has no model behind its tools, its tasks
            are no longer the recorded ones, or nothing was found.
        TaskError: If a line is not an episode; it names file and line.
    """
    found = Collected()
    seen: set[bytes] = set()
    tasks = RecordedTasks(env_options)
    read = 0
    for path in trace_files(traces):
        for where, row in read_episodes(path):
            read += 1
            if (split is not None and row["split"] != split) or (
                only_success and not row["success"]
            ):
                continue
            if row["error"] is not None:
                found.failed += 1
                continue
            found.episodes[row["split"]] += 1
            for one in _conversations(where, row, tasks):
                key = _key(where, one)
                if key in seen:
                    found.repeated += 1
                    continue
                seen.add(key)
                found.conversations.append(one)
                found.kept[row["split"]] += 1
    if not found.conversations:
        limits = [*([f"of split {split!r}"] if split else []), *["solved"] * only_success]
        such = f" ({', '.join(limits)})" if limits else ""
        raise ConfigError(
            f"no conversation found: {sum(found.episodes.values())} of {read} episodes were "
            f"looked at{such}, and none holds an answered call of a sub-agent"
        )
    return found


def writer(path: Path) -> Callable[[Sequence[Conversation]], None]:
    """Return a function that writes conversations to a file, one a row under ``messages``.

    Args:
        path: A ``.jsonl`` file, or a ``.parquet`` file as verl's MultiTurnSFTDataset reads it.

    Raises:
        ConfigError: If it is neither, or pyarrow is needed and missing.
    """
    if path.suffix == ".jsonl":
        return lambda rows: replace_file(path, (json_line({"messages": row}) for row in rows))
    if path.suffix != ".parquet":
        raise ConfigError(f"conversations are written to a .jsonl or .parquet file, not {path}")
    try:
        arrow: Any = importlib.import_module("pyarrow")
        parquet: Any = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise ConfigError(
            'a .parquet file needs pyarrow: pip install "gym_clinic[train-cpu]"; .jsonl needs none'
        ) from None

    def write(rows: Sequence[Conversation]) -> None:
        message = arrow.struct([("role", arrow.string()), ("content", arrow.string())])
        schema = arrow.schema([("messages", arrow.list_(message))])
        table = arrow.Table.from_pylist([{"messages": row} for row in rows], schema=schema)
        sink = arrow.BufferOutputStream()
        parquet.write_table(table, sink)
        replace_file(path, [sink.getvalue().to_pybytes()])

    return write


def _conversations(
    where: str, row: Mapping[str, Any], tasks: RecordedTasks
) -> Iterator[Conversation]:
    """Yield the conversation behind each answered call of an episode."""
    domain, task = tasks.find(where, row)
    hook = domain.conversation
    if hook is None:
        able = ", ".join(filter(_has_conversations, ids())) or "none of the registered ones"
        raise ConfigError(f"{where}: {row['id']} has no sub-agents to fine-tune; these do: {able}")
    case = domain.open_case(task)
    for made in checked_calls(where, row):
        if not made["ok"]:
            continue
        call = Call(made["name"], made["arguments"], True, made["response"])
        try:
            found = hook(case, call)
        except ClinicError as error:
            raise TaskError(f"{where}: {error}") from None
        if found is not None:
            yield found


def _has_conversations(env_id: str) -> bool:
    try:
        return unwrap(make(env_id)).domain.conversation is not None
    except ClinicError:
        return False


def _key(where: str, one: Conversation) -> bytes:
    """Check the form of a conversation, and return a key that identical ones share.

    Raises:
        TaskError: If a model cannot be trained on it.
    """
    good = isinstance(one, list) and all(
        isinstance(message, dict)
        and message.keys() == {"role", "content"}
        and all(isinstance(text, str) for text in message.values())
        for message in one
    )
    if not good or not one or one[-1]["role"] != "assistant":
        raise TaskError(
            f"{where}: a conversation is a list of messages with the texts role and content, the "
            f"last by the assistant, not {str(one)[:80]}"
        )
    try:
        return hashlib.sha256(json_line({"messages": one})).digest()
    except TypeError as error:
        raise TaskError(f"{where}: {error}") from None
