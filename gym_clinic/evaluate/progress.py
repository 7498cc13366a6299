"""The progress of a run on standard error: a bar in a terminal, now and then a line elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Protocol

PAUSE = 60.0
"""Seconds after which a line is printed though fewer than a tenth of the episodes were added."""

LEAST_PAUSE = 5.0
"""Seconds between two lines at least."""


class RunProgress(Protocol):
    """What is told of a run while it goes on."""

    def __enter__(self) -> RunProgress: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None: ...

    def advance(self, failed: bool) -> None:
        """Count a finished episode."""

    def wait(self) -> None:
        """Take note that nothing has finished for a while."""


def progress(name: str, total: int, done: int, *, shown: bool = True) -> RunProgress:
    """Return the progress of a run.

    Args:
        name: The policy.
        total: Number of episodes.
        done: Those that an earlier run has finished.
        shown: Whether anything is shown.
    """
    if not shown:
        return _Silent()
    return _Bar(total, done) if sys.stderr.isatty() else Lines(name, total, done)


class _Silent:
    def __enter__(self) -> RunProgress:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def advance(self, failed: bool) -> None:
        pass

    def wait(self) -> None:
        pass


class _Bar(_Silent):
    """A progress bar."""

    def __init__(self, total: int, done: int) -> None:
        from rich.console import Console
        from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._failed = 0
        self._progress = Progress(
            *Progress.get_default_columns()[:2],
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
            console=Console(stderr=True),
        )
        self._task = self._progress.add_task("episodes", total=total, completed=done, note="")

    def __enter__(self) -> RunProgress:
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()

    def advance(self, failed: bool) -> None:
        self._failed += failed
        self._progress.update(self._task, advance=1, note=_note(self._failed))


class Lines(_Silent):
    """A line for every tenth of the episodes, or after a minute without any, and the last one."""

    def __init__(self, name: str, total: int, done: int) -> None:
        self._name, self._total, self._done = name, total, done
        self._failed, self._told, self._clock = 0, done, time.monotonic()
        if 0 < done < total:
            self._tell()

    def advance(self, failed: bool) -> None:
        """Count a finished episode."""
        self._done += 1
        self._failed += failed
        tenth = self._done - self._told >= self._total / 10
        if self._done == self._total or (tenth and self._paused() >= LEAST_PAUSE):
            self._tell()
        else:
            self.wait()

    def wait(self) -> None:
        """Print a line where none was printed for a minute."""
        if self._paused() >= PAUSE:
            self._tell()

    def _paused(self) -> float:
        return time.monotonic() - self._clock

    def _tell(self) -> None:
        self._told, self._clock = self._done, time.monotonic()
        note = _note(self._failed)
        line = f"{self._name}: {self._done}/{self._total} episodes{f', {note}' if note else ''}"
        print(line, file=sys.stderr, flush=True)


def _note(failed: int) -> str:
    return f"{failed} failed" if failed else ""
