"""The rule of all importing commands: if nothing can be used, the old file stays as it is.

A broken record is reported and skipped, or stops the command with --strict. If every record is
broken, or there is none, the command ends with exit status 2 and says what the file seems to be.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from gym_clinic.commands.terminal import visible
from gym_clinic.errors import TaskError
from gym_clinic.facts.typed_json import stop

Record = TypeVar("Record")

_NAMED = 20
"""Broken records that are named; of the others only the number is printed."""


class SkippedRecords:
    """Names the first broken records on the error stream, and counts them all.

    Attributes:
        count: Broken records so far.
    """

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, record: object) -> None:
        """Report a broken record that is skipped."""
        self.count += 1
        if self.count <= _NAMED:
            print(f"skipped: {visible(str(record))}", file=sys.stderr)

    def close(self) -> None:
        """Report how many were not named."""
        if self.count > _NAMED:
            print(f"and {self.count - _NAMED:,} more", file=sys.stderr)


class Import:
    """One import: what is read, skipped and left out.

    Args:
        source: The file or folder that is read.
        format: Name of the format.
        expected: What the format reads, in words.
        strict: Whether the first broken record stops the import.

    Attributes:
        broken: What a reader is given to report broken records.
        left: Why things were left out -> how many.
        count: Records so far.
    """

    def __init__(self, source: Path, format: str, expected: str, *, strict: bool = False) -> None:
        self.source, self.format, self.expected = source, format, expected
        self.skipped = SkippedRecords()
        self.broken = stop if strict else self.skipped
        self.left: Counter[str] = Counter()
        self.count = 0

    def left_out(self, reason: str) -> None:
        """Count what a reader does not keep."""
        self.left[reason] += 1

    def records(self, read: Iterable[Record]) -> Iterator[Record]:
        """Yield the records of a reader.

        Raises:
            TaskError: At the end, if there was none; the text says what the file seems to be. It
                ends the writing, and what was begun is removed.
        """
        try:
            for record in read:
                self.count += 1
                yield record
        except TaskError as error:
            raise error if self.count else self._nothing(str(error)) from None
        finally:
            self.skipped.close()
        if not self.count:
            raise self._nothing("")

    def report(self) -> None:
        """Print what was skipped and what was left out."""
        if self.skipped.count:
            print(f"{self.skipped.count:,} broken records were skipped")
        for reason, number in sorted(self.left.items()):
            print(visible(f"{number:,} {reason}"))

    def _nothing(self, why: str) -> TaskError:
        if not why and self.skipped.count:
            why = f"{self.source}: all {self.skipped.count:,} records are broken"
        elif not why:
            why = f"{self.source} holds no record that can be used"
        for reason, number in self.left.items():
            why += f"; {number:,} {reason}"
        return TaskError(f"{why}; {_guess(self.source, self.format, self.expected)}")


def refused(error: TaskError, source: Path, format: str, expected: str) -> TaskError:
    """Return the error of an import that wrote nothing, with what the file seems to be."""
    return TaskError(f"{error}; {_guess(source, format, expected)}")


def _guess(source: Path, format: str, expected: str) -> str:
    """What a file seems to be, and what would be right; only the latter if it is of the format."""
    from gym_clinic.importers.formats.recognition import recognise

    kept = "nothing is written"
    if source.is_dir():
        return f"{kept}; {format} reads {expected}"
    seen = recognise(source)
    if format in seen.formats:
        return kept
    other = f" (format {' or '.join(seen.formats)})" if seen.formats else ""
    return f"{kept}; the file seems to be {seen.what}{other}; {format} reads {expected}"
