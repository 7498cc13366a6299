"""A run on disk: one JSON line for each episode, and a journal for resuming a killed run."""

from __future__ import annotations

import dataclasses
import enum
import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from gym_clinic.errors import ConfigError
from gym_clinic.evaluate.summary import Result
from gym_clinic.files import lock, replace_file

TRACE, JOURNAL, TIMING = "trace.jsonl", "journal.jsonl", "timing.jsonl"

MAX_DEPTH = 64
"""Maximum nesting of an agent's arguments in a trace."""

Key = tuple[str, int]
"""Task id and trial."""

# Lone surrogates have no UTF-8 form; some readers take the other characters for line ends.
_ESCAPED = re.compile("[\ud800-\udfff\x7f\x85\u2028\u2029]")
_WORDS = "key|token|secret|password|passwd|authorization|cookie"
_SECRET = re.compile(rf"(?:(?:^|_|-)(?i:{_WORDS})|[a-z](?:{_WORDS.title()}))$")
_USERINFO = re.compile(r"://[^/@\s]*@")
_QUERY = re.compile(r"([?&][^=&#\s]+=)[^&#\s]+")


def encode(value: Any) -> bytes:
    """Return a value as one line of JSON, keys in the order given, valid UTF-8 throughout.

    Raises:
        TypeError: If it contains a value without a JSON form.
    """
    text = json.dumps(plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode() + b"\n"


def plain(value: Any, depth: int = 0) -> Any:
    """Return a copy of a value of an agent or a domain as plain JSON.

    Numbers without a JSON form become null, and nesting is cut after 64 levels.

    Raises:
        TypeError: If it contains a value without a JSON form.
    """
    if value is None or isinstance(value, str | bool | int):
        return value.value if isinstance(value, enum.Enum) else value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if depth >= MAX_DEPTH:
        return "…"
    if isinstance(value, Mapping):
        return {str(key): plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, depth + 1) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((plain(item, depth + 1) for item in value), key=str)
    if isinstance(value, enum.Enum):
        return plain(value.value, depth)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        return {one.name: plain(getattr(value, one.name), depth + 1) for one in fields}
    if callable(dump := getattr(value, "model_dump", None)):  # a pydantic model
        return plain(dump(mode="json"), depth)
    if callable(text := getattr(value, "isoformat", None)):  # a date or time
        return text()
    if callable(number := getattr(value, "item", None)):  # a number of numpy or torch
        return plain(number(), depth + 1)
    raise TypeError(
        f"{type(value).__name__} has no JSON form; expected text, numbers, lists or objects"
    )


def redact(value: Any) -> Any:
    """Return a copy of options without secrets: keys, tokens, passwords, credentials in URLs.

    ``api_key_env``, which only names a variable, stays.
    """
    if isinstance(value, Mapping):
        return {
            str(name): "***" if _SECRET.search(str(name)) and item is not None else redact(item)
            for name, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [redact(item) for item in value]
    if isinstance(value, str) and "://" in value:
        return _QUERY.sub(r"\1***", _USERINFO.sub("://***@", value))
    return value


class Journal:
    """The finished episodes of a run, appended as they finish.

    Opening it reads the trace of an earlier run, and the journal of a stopped one. An
    incomplete last line is dropped. Episodes in which an outside service failed are not read,
    so that they are played again.

    Args:
        folder: The folder of the run.
        plan: Task id and trial of every episode of the run -> its seed.

    Attributes:
        results: The figures of every finished episode.

    Raises:
        ConfigError: If another process is writing to the folder.
    """

    def __init__(self, folder: Path, plan: Mapping[Key, int]) -> None:
        self.folder = folder
        self.results: dict[Key, Result] = {}
        self._places: dict[Key, tuple[Path, int, int]] = {}
        self._lock = (folder / ".lock").open("wb")
        if not lock(self._lock):
            self._lock.close()
            raise ConfigError(f"another process is writing to {folder}")
        for name in (TRACE, JOURNAL):
            self._read(folder / name, plan)
        self._journal = _open_log(folder / JOURNAL)
        self._timing = _open_log(folder / TIMING)

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the files; their content stays."""
        for file in (self._journal, self._timing, self._lock):
            file.close()

    def add(self, row: Mapping[str, Any], timing: Mapping[str, Any]) -> Result:
        """Append a finished episode.

        Args:
            row: Its line of the trace.
            timing: Its wall-clock times.
        """
        key = (row["task_id"], row["trial"])
        line = encode(row)
        # Read from the line, not the row, so that a resumed run has the same figures.
        result = Result.of(json.loads(line))
        place = (self.folder / JOURNAL, self._journal.tell(), len(line))
        self._journal.write(line)
        self._journal.flush()
        self._timing.write(encode(timing))
        self._timing.flush()
        self.results[key], self._places[key] = result, place
        return result

    def lines(self, keys: Iterable[Key]) -> Iterator[bytes]:
        """Yield the lines of episodes, in the order of ``keys``."""
        files: dict[Path, IO[bytes]] = {}
        try:
            for key in keys:
                path, start, length = self._places[key]
                if path not in files:
                    files[path] = path.open("rb")
                files[path].seek(start)
                yield files[path].read(length)
        finally:
            for file in files.values():
                file.close()

    def finish(self, keys: Iterable[Key]) -> None:
        """Write the trace, in the order of ``keys``."""
        replace_file(self.folder / TRACE, self.lines(keys))

    def discard(self) -> None:
        """Remove the journal; all of its episodes are in the trace."""
        self._journal.close()
        (self.folder / JOURNAL).unlink(missing_ok=True)

    def _read(self, path: Path, plan: Mapping[Key, int]) -> None:
        if not path.is_file():
            return
        place = 0
        with path.open("rb") as lines:
            for line in lines:
                self._take(path, place, line, plan)
                place += len(line)

    def _take(self, path: Path, place: int, line: bytes, plan: Mapping[Key, int]) -> None:
        try:
            row = json.loads(line)
            key = (row["task_id"], row["trial"])
            fits = row["error"] is None and plan.get(key) == row["seed"]
            result = Result.of(row)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return  # incomplete or foreign: the episode is played again
        if fits and line.endswith(b"\n"):
            self.results[key], self._places[key] = result, (path, place, len(line))


def _open_log(path: Path) -> IO[bytes]:
    """Open a file of lines for appending; an incomplete last line is removed."""
    file = path.open("ab+")
    end = file.seek(0, os.SEEK_END)
    while end > 0:
        start = max(0, end - 65_536)
        file.seek(start)
        found = file.read(end - start).rfind(b"\n")
        if found >= 0:
            end = start + found + 1
            break
        end = start
    file.truncate(end)
    file.seek(end)
    return file
