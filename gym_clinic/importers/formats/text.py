"""Text files, line by line; an error names the line that is not UTF-8."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from gym_clinic.errors import TaskError
from gym_clinic.facts.typed_json import OnBroken, stop
from gym_clinic.reading import numbered_lines

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")


def text_lines(path: Path, broken: OnBroken = stop) -> Iterator[tuple[int, str]]:
    """Read a text file without blank lines and line ends.

    Args:
        path: The file.
        broken: Called with the error of a line that is not UTF-8 or has a control character other
            than a tab; if it returns, the line is skipped. Raises the error by default.

    Yields:
        The number of the line, from 1, and its text.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: For a broken line, by default; the text names file and line.
    """
    for number, line in numbered_lines(path):
        try:
            text = line.decode().rstrip("\n")
        except UnicodeDecodeError as error:
            broken(TaskError(f"{path} line {number}: byte {error.start} of it is not UTF-8"))
            continue
        if found := _CONTROL.search(text):
            broken(
                TaskError(
                    f"{path} line {number}: the control character {found[0]!r}; expected text"
                )
            )
        elif text.strip():
            yield number, text
