"""The text in which the fact tables are written by hand, read into entries.

A file begins with the day of its last review, ``# reviewed: 2026-01-31``. An entry begins with
``== Name | synonym; synonym`` (``==~`` marks a rare disease) and goes on with lines of a letter,
a blank and a value; values of a list are parted by semicolons. Blank lines and further lines that
begin with ``#`` are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gym_clinic.errors import TaskError
from gym_clinic.files import numbered_lines

_REVIEWED = re.compile(r"# reviewed: ([0-9]{4}-[0-9]{2}-[0-9]{2})")
_HEAD = re.compile(r"==(~?) (.+)")
_FIELD = re.compile(r"([A-Z]) (.+)")


@dataclass(frozen=True)
class Entry:
    """One entry as it was written.

    Attributes:
        name: What follows the equals signs.
        synonyms: What follows the bar.
        rare: Whether the head has a tilde.
        fields: Letter -> its value.
        reviewed: Day on the first line of the file.
        place: File and line, for errors.
    """

    name: str
    synonyms: tuple[str, ...]
    rare: bool
    fields: Mapping[str, str]
    reviewed: str
    place: str

    def text(self, letter: str) -> str:
        """Return a field that must be there.

        Raises:
            TaskError: If it is missing.
        """
        if letter not in self.fields:
            raise TaskError(f"{self.place}: {self.name!r} has no line {letter!r}")
        return self.fields[letter]

    def items(self, letter: str, mark: str = ";") -> tuple[str, ...]:
        """Return the values of a list; none where the entry has no such line."""
        return split(self.fields.get(letter, ""), mark)


def split(text: str, mark: str = ";") -> tuple[str, ...]:
    """Return what stands between marks, without blanks around it."""
    return tuple(part.strip() for part in text.split(mark) if part.strip())


def slug(name: str) -> str:
    """Return the id that a name gives.

    >>> slug("Crohn disease, of the ileum")
    'crohn-disease-of-the-ileum'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")


def read_entries(path: Path, letters: Sequence[str]) -> Iterator[Entry]:
    """Read a file of entries.

    Args:
        path: The file.
        letters: The letters that may begin a line.

    Raises:
        ConfigError: If the file cannot be read.
        TaskError: For a line that is none of these; the text names file and line.
    """
    lines = _lines(path)
    reviewed = _REVIEWED.fullmatch(lines[0]) if lines else None
    if reviewed is None:
        raise TaskError(f"{path} line 1: expected '# reviewed: YYYY-MM-DD'")
    head: re.Match[str] | None = None
    place = ""
    fields: dict[str, str] = {}
    for number, line in enumerate(map(str.rstrip, lines[1:]), 2):
        if not line or line.startswith("#"):
            continue
        here = f"{path} line {number}"
        if found := _HEAD.fullmatch(line):
            if head is not None:
                yield _entry(head, fields, reviewed[1], place)
            head, place, fields = found, here, {}
            continue
        field = _FIELD.fullmatch(line)
        if head is None or field is None or field[1] not in letters:
            raise TaskError(
                f"{here}: {line[:60]!r} is no line of an entry; expected '== Name' or one of "
                f"{''.join(letters)} with a blank and a value"
            )
        if field[1] in fields:
            raise TaskError(f"{here}: a second line {field[1]!r} in one entry")
        fields[field[1]] = field[2]
    if head is not None:
        yield _entry(head, fields, reviewed[1], place)


def _entry(head: re.Match[str], fields: Mapping[str, str], reviewed: str, place: str) -> Entry:
    name, _, synonyms = head[2].partition(" | ")
    return Entry(name.strip(), split(synonyms), bool(head[1]), fields, reviewed, place)


def _lines(path: Path) -> list[str]:
    found = []
    for number, line in numbered_lines(path):
        try:
            found.append(line.decode().rstrip("\r\n"))
        except UnicodeDecodeError as error:
            raise TaskError(
                f"{path} line {number}: byte {error.start} of it is not UTF-8"
            ) from None
    return found


def read_table(path: Path, columns: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Read a tab-separated table with a header, a row after the other.

    Args:
        path: The file.
        columns: Its header.

    Yields:
        The place of a row, and its cells.

    Raises:
        ConfigError: If the file cannot be read.
        TaskError: If its header is another, or a row is longer or shorter.
    """
    lines = _lines(path)
    if not lines or lines[0].split("\t") != list(columns):
        raise TaskError(f"{path} line 1: expected the columns {list(columns)}")
    for number, line in enumerate(lines[1:], 2):
        cells = tuple(line.split("\t"))
        if len(cells) != len(columns):
            raise TaskError(f"{path} line {number}: {len(cells)} cells, expected {len(columns)}")
        yield f"{path} line {number}", cells
