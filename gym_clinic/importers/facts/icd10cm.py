"""The ICD-10-CM order file (`icd10cm_order_YYYY.txt`) -> codes with their titles.

The columns are fixed. Counted from 1 they are: 1-5 the order number, 7-13 the code without its
point, 15 whether it is a valid code (1) or a header (0), 17-76 the short title, from 78 the long
title.

Source:
    Centers for Medicare & Medicaid Services, ICD-10-CM, code descriptions in tabular order.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from gym_clinic.errors import TaskError
from gym_clinic.facts.typed_json import OnBroken, stop
from gym_clinic.importers.formats.records import intact_records
from gym_clinic.importers.formats.text import text_lines

_EXPECTED = {
    "order number (columns 1-5)": (slice(0, 5), r"[0-9]{5}", "five digits"),
    "code (columns 7-13)": (slice(6, 13), r"[A-Z][0-9][0-9A-Z]{1,5} *", "a code like E119"),
    "valid (column 15)": (slice(14, 15), r"[01]", "0 or 1"),
    "short title (columns 17-76)": (slice(16, 76), r"\S.*", "the short title"),
    "long title (from column 78)": (slice(77, None), r"\S.*", "the long title"),
}
_GAPS = (5, 13, 15, 76)  # blank columns between the fields, counted from 0


@dataclass(frozen=True)
class IcdCode:
    """A code or a header of ICD-10-CM.

    Attributes:
        code: The code with its point.
        valid: Whether it may be used for coding; a header only groups the codes below it.
        title: Long title.
        short_title: Title of at most 60 characters.
    """

    code: str
    valid: bool
    title: str
    short_title: str


def read_icd10cm(path: str | os.PathLike[str], broken: OnBroken = stop) -> Iterator[IcdCode]:
    """Read the order file.

    Args:
        path: The file.
        broken: Called with the error of a broken line; if it returns, the line is skipped. Raises
            the error by default.

    Yields:
        One code for each line, in the order of the file.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: For a file without codes; by default, for a broken line. The text names file,
            line, columns and what would be right.
    """
    file = Path(path)
    last = 0

    def read(line: str, place: str) -> IcdCode:
        nonlocal last
        order, code, valid, short, title = (_field(place, name, line) for name in _EXPECTED)
        if any(line[gap : gap + 1].strip() for gap in _GAPS):
            gap = next(gap for gap in _GAPS if line[gap : gap + 1].strip())
            raise TaskError(
                f"{place}, column {gap + 1}: {line[gap]!r}; expected a blank between the fields"
            )
        if int(order) <= last:
            raise TaskError(f"{place}: order number {order} after {last:05}; expected a higher one")
        last = int(order)
        return IcdCode(
            code=code if len(code) <= 3 else f"{code[:3]}.{code[3:]}",
            valid=valid == "1",
            title=title,
            short_title=short,
        )

    lines = ((f"{file} line {number}", line) for number, line in text_lines(file, broken))
    found = False
    for one in intact_records(lines, read, broken, field="code", key=attrgetter("code")):
        found = True
        yield one
    if not found:
        raise TaskError(f"{file}: no codes; expected the order file of ICD-10-CM")


def _field(place: str, name: str, line: str) -> str:
    span, pattern, expected = _EXPECTED[name]
    text = line[span]
    if not re.fullmatch(pattern, text):
        raise TaskError(f"{place}, {name}: {text[:80]!r}; expected {expected}")
    return text.strip()
