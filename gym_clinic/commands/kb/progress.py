"""The progress of a build: bars on a terminal, broken records on the error stream."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from gym_clinic.commands.importing import SkippedRecords
from gym_clinic.commands.terminal import console, visible
from gym_clinic.retrieval import BrokenRecord, BuildListener


class BuildProgress(BuildListener):
    """Shows how a build advances.

    Args:
        files: The number of files that are read.
    """

    def __init__(self, files: int) -> None:
        self.progress = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
            TimeElapsedColumn(), console=console(), disable=not sys.stdout.isatty(),
            transient=True,
        )  # fmt: skip
        self.done: dict[str, int] = {}
        self.skipped = SkippedRecords()
        self.reading = self.progress.add_task("files", total=files)
        self.indexing = self.progress.add_task("passages indexed", total=None, visible=False)

    def __enter__(self) -> BuildProgress:
        self.progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.progress.stop()
        if error[0] is None:
            self.skipped.close()

    def resumed(self, records: int) -> None:
        """Print how many records an earlier build has read."""
        print(f"going on after {records:,} records", file=sys.stderr)

    def broken(self, record: BrokenRecord) -> None:
        """Print a broken record that is skipped."""
        self.skipped(record)

    def read(self, source: str, records: int) -> None:
        """Show the number of records of a file."""
        self.done[source] = records
        self.progress.update(
            self.reading,
            description=f"{visible(Path(source).name)}: {records:,} records",
            completed=len(self.done),
        )

    def indexed(self, passages: int, total: int) -> None:
        """Show the number of passages in the index."""
        self.progress.update(self.indexing, completed=passages, total=total, visible=True)
