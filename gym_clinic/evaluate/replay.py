"""Recorded episodes, played again so that they can be judged as when they ended."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gym_clinic.catalog import make, unwrap
from gym_clinic.env import ClinicEnv
from gym_clinic.episode import Call, Episode, Task, Turn
from gym_clinic.errors import ConfigError
from gym_clinic.evaluate.debrief import Ended
from gym_clinic.evaluate.recorded import RecordedTasks, checked_calls, read_episodes
from gym_clinic.evaluate.trace import JOURNAL, TRACE
from gym_clinic.names import nearest

MANY = 8
"""Maximum number of names that an error lists."""


def run_files(place: Path) -> list[Path]:
    """Return the traces of a run or a folder of runs; of one that goes on, its journal.

    Raises:
        ConfigError: If there is none; it names the folder that was probably meant.
    """
    if place.is_file():
        return [place]
    folders = [place, *sorted(path for path in place.glob("*") if path.is_dir())]
    files = [
        next(path for path in (folder / TRACE, folder / JOURNAL) if path.is_file())
        for folder in folders
        if (folder / TRACE).is_file() or (folder / JOURNAL).is_file()
    ]
    if not files:
        beside = place.parent.glob("*") if place.parent.is_dir() else ()
        near = nearest(place.name, tuple(path.name for path in beside if path != place))
        hint = f"; did you mean {str(place.parent / near)!r}?" if near else ""
        raise ConfigError(f"no run at {str(place)!r}: expected a folder of 'eval'{hint}")
    return files


def find_episodes(
    place: Path, task_id: str, *, trials: Sequence[int], policies: Sequence[str] | None = None
) -> list[tuple[str, dict[str, Any]]]:
    """Return the recorded episodes of a task, each with its place for errors.

    Args:
        place: The folder of a run, or of several, or a trace.
        task_id: The task.
        trials: Which of its trials.
        policies: Which policies, by label; all by default.

    Raises:
        ConfigError: If there are none; it names the nearest task, policy or trial.
    """
    found: dict[tuple[str, int], tuple[str, dict[str, Any]]] = {}
    known: dict[str, set[int]] = {}
    labels: dict[str, None] = {}
    for path in run_files(place):
        for where, row in read_episodes(path):
            labels.setdefault(str(row["policy"]))
            if policies is None or row["policy"] in policies:
                known.setdefault(row["task_id"], set()).add(row["trial"])
                if row["task_id"] == task_id and row["trial"] in trials:
                    found[row["policy"], row["trial"]] = (where, row)  # the last one counts
    for label in policies or ():
        if label not in labels:
            raise ConfigError(f"{place} has no policy {label!r}; {_advice(label, list(labels))}")
    if task_id not in known:
        raise ConfigError(f"{place} has no task {task_id!r}; {_advice(task_id, list(known))}")
    if missing := sorted(set(trials) - known[task_id]):
        have = ", ".join(map(str, sorted(known[task_id])))
        raise ConfigError(f"{place} has no trial {missing[0]} of {task_id}; it has {have}")
    return [
        found[key] for key in sorted(found, key=lambda key: (list(labels).index(key[0]), key[1]))
    ]


def replay(where: str, row: Mapping[str, Any]) -> tuple[ClinicEnv, Ended, str]:
    """Play a recorded episode again.

    Args:
        where: Its place, for errors.
        row: Its line of the trace.

    Returns:
        The environment, the episode, and why it could not be played again, empty if it was.

    Raises:
        ConfigError: If the environment cannot be made, or has other tasks or another scoring now.
        TaskError: If there is no such task.
    """
    _, task = RecordedTasks().find(where, row)
    clinic = unwrap(make(row["id"], **{**row["env_options"], "split": row["split"]}))
    if clinic.domain.blocking:
        return clinic, _as_recorded(where, clinic, task, row), "its tools ask a server"
    said = [str(part["content"]) for part in row["messages"] if part["role"] == "assistant"]
    _, info = clinic.reset(seed=row["seed"], options={"task_id": row["task_id"]})
    heard, reward = _contents(info), 0.0
    for number, action in enumerate(said):
        _, paid, terminated, truncated, info = clinic.step(action)
        heard += _contents(info)
        reward += float(paid)
        if (terminated or truncated) != (number == len(said) - 1):
            break
    told = [_text(part["content"]) for part in row["messages"] if part["role"] != "assistant"]
    if heard != told or not math.isclose(reward, row["reward"], abs_tol=1e-9):
        why = "it would end otherwise today"
        return clinic, _as_recorded(where, clinic, task, row), why
    return clinic, Ended(clinic.episode, reward, info), ""


def _as_recorded(where: str, clinic: ClinicEnv, task: Task, row: Mapping[str, Any]) -> Ended:
    """Return an episode as far as its trace tells it."""
    calls = tuple(
        Call(call["name"], call["arguments"], call["ok"], call["response"])
        for call in checked_calls(where, row)
    )
    episode = Episode(task, clinic.domain.open_case(task), [Turn("", calls)])
    episode.answer, episode.stop = row["answer"], row["stop"]
    return Ended(episode, float(row["reward"]), row, whole=False)


def _contents(info: Mapping[str, Any]) -> list[str]:
    return [_text(message["content"]) for message in info["messages"]]


def _text(content: Any) -> str:
    """Return the text of a message's content, without images."""
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content if part["type"] == "text")


def _advice(name: str, names: Sequence[str]) -> str:
    """Return what was probably meant, or some of what there is."""
    near = nearest(name, tuple(names))
    if near:
        return f"did you mean {near!r}?"
    more = f" and {len(names) - MANY:,} more" if len(names) > MANY else ""
    return f"it has {', '.join(names[:MANY])}{more}"


def messages_of(row: Mapping[str, Any]) -> Iterator[tuple[int, str, str]]:
    """Yield turn, author and text of each message of a recorded episode; images as their paths.

    The turn is 0 before the first action.
    """
    turn = 0
    for message in row["messages"]:
        role = str(message["role"])
        turn += role == "assistant"
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        text = "".join(
            str(part["text"]) if part.get("type") == "text" else _other(part) for part in parts
        )
        yield turn, str(message.get("name") or role), text


def _other(part: Mapping[str, Any]) -> str:
    return f"<image: {part['path']}>" if "path" in part else str(part)
