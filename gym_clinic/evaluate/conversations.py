"""Recorded episodes as conversations, to fine-tune the models that answer behind the tools.

A trace tells which calls were made and what came back; the task it names is opened again for
what the model behind the tool was asked.
"""

from __future__ import annotations

import hashlib
import importlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gym_clinic.catalog import ids, make, unwrap
from gym_clinic.domain import Conversation, Domain
from gym_clinic.episode import Call, Task
from gym_clinic.errors import ClinicError, ConfigError, TaskError
from gym_clinic.evaluate.trace import JOURNAL, TRACE, encode
from gym_clinic.files import json_line, replace_file
from gym_clinic.taskset import data_hash, first

_Hook = Callable[[Any, Call], Conversation | None]

_FIELDS: Mapping[str, type | tuple[type, ...]] = {
    "id": str, "env_options": dict, "data": str, "split": str, "task_id": str, "calls": list,
    "success": (bool, type(None)), "error": (str, type(None)),
}  # fmt: skip


@dataclass
class Collected:
    """The conversations of recorded episodes.

    Attributes:
        conversations: Each once, in the order of traces, episodes and calls.
        episodes: Split -> episodes they were taken from.
        kept: Split -> conversations that were first met in it.
        repeated: How many further ones were identical to one of these.
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
        split: Take the episodes of this split only.
        only_success: Take the episodes only whose task was solved.
        env_options: Arguments of the environment instead of the recorded ones, such as another
            ``consultant`` where the server of the recorded one is not at hand.

    Raises:
        ConfigError: If there is no trace, its domain has no model behind its tools, its tasks
            are no longer the recorded ones, or nothing was found.
        TaskError: If a line is not an episode; it names file and line.
    """
    found = Collected()
    seen: set[bytes] = set()
    cases = _Cases(env_options or {})
    read = 0
    for path in trace_files(traces):
        for where, row in _episodes(path):
            read += 1
            if (split is not None and row["split"] != split) or (
                only_success and not row["success"]
            ):
                continue
            if row["error"] is not None:
                found.failed += 1
                continue
            found.episodes[row["split"]] += 1
            for one in cases.conversations(where, row):
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


def trace_files(places: Sequence[str | Path]) -> list[Path]:
    """Return the traces that files and folders mean, each once, in the order given.

    Raises:
        ConfigError: If one of them holds none.
    """
    files: dict[Path, None] = {}
    for place in map(Path, places):
        inside = [place / TRACE, *sorted(place.glob(f"*/{TRACE}"))]
        found = [place] if place.is_file() else [path for path in inside if path.is_file()]
        if not found:
            unfinished = (place / JOURNAL).is_file()
            hint = "the run is not finished" if unfinished else f"expected a {TRACE}, or its folder"
            raise ConfigError(f"no trace at {str(place)!r}: {hint}")
        files |= dict.fromkeys(path.resolve() for path in found)
    return list(files)


def writer(path: Path) -> Callable[[Sequence[Conversation]], None]:
    """Return what writes conversations to a file, one a row under ``messages``.

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


class _Cases:
    """Opens the tasks that traces name, with the options they were recorded with.

    Args:
        env_options: Options instead of the recorded ones.
    """

    def __init__(self, env_options: Mapping[str, Any]) -> None:
        self._env_options = env_options
        self._opened: dict[bytes, tuple[Domain, _Hook, dict[str, Task]]] = {}

    def conversations(self, where: str, row: Mapping[str, Any]) -> Iterator[Conversation]:
        """Yield the conversation behind each answered call of an episode."""
        key = encode([row["id"], row["split"], row["data"], row["env_options"]])
        if key not in self._opened:
            self._opened[key] = self._open(where, row)
        domain, hook, tasks = self._opened[key]
        if row["task_id"] not in tasks:
            raise TaskError(f"{where}: split {row['split']!r} has no task {row['task_id']!r}")
        case = domain.open_case(tasks[row["task_id"]])
        for call in _answered(where, row["calls"]):
            try:
                one = hook(case, call)
            except ClinicError as error:
                raise TaskError(f"{where}: {error}") from None
            if one is not None:
                yield one

    def _open(self, where: str, row: Mapping[str, Any]) -> tuple[Domain, _Hook, dict[str, Task]]:
        env_id, split = row["id"], row["split"]
        try:
            env = unwrap(
                make(env_id, **{**row["env_options"], **self._env_options, "split": split})
            )
        except ConfigError as error:
            raise ConfigError(f"{where}: {error}") from None
        hook = env.domain.conversation
        if hook is None:
            able = ", ".join(filter(_has_conversations, ids())) or "none of the registered ones"
            raise ConfigError(f"{where}: {env_id} has no sub-agents to fine-tune; these do: {able}")
        if (here := data_hash(env.tasks)) != row["data"]:
            raise ConfigError(
                f"{where}: recorded on other tasks: {env_id}, {split} was {row['data']} then and "
                f"is {here} now; give the option 'folder' if they lie elsewhere"
            )
        return env.domain, hook, {task.id: task for task in first(env.tasks)}


def _has_conversations(env_id: str) -> bool:
    try:
        return unwrap(make(env_id)).domain.conversation is not None
    except ClinicError:
        return False


def _answered(where: str, calls: Sequence[Any]) -> Iterator[Call]:
    for call in calls:
        try:
            made = Call(call["name"], call["arguments"], call["ok"], call["response"])
        except (KeyError, TypeError):
            raise TaskError(
                f"{where}: a call has name, arguments, ok and response, not {str(call)[:80]}"
            ) from None
        if made.ok:
            yield made


def _episodes(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place and the content of each line of a trace.

    Raises:
        TaskError: If a line is no episode.
    """
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            where = f"{path}, line {number}"
            try:
                row = json.loads(line)
            except ValueError as error:
                raise TaskError(f"{where}: {error}") from None
            if not isinstance(row, dict):
                raise TaskError(f"{where}: expected a JSON object, an episode")
            wrong = [name for name, of in _FIELDS.items() if not isinstance(row.get(name, ...), of)]
            if wrong:
                raise TaskError(f"{where}: not an episode of 'gym-clinic eval': see {wrong}")
            yield where, row


def _key(where: str, one: Conversation) -> bytes:
    """Return what identical conversations share, having checked the form.

    Raises:
        TaskError: If it is no conversation that a model can be trained on.
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
