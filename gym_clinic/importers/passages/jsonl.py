"""Passages as JSON Lines -> `Passage`: the chunks of MedRAG and MedCPT, or one's own.

Each line is an object with `id` (text or a whole number), `title` (text, may be empty) and
`content` (text). `source`, `category` and `licence` are optional and override the labels of the
caller; other fields (`contents`, `PMID`) are ignored. Lines may be blank.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gym_clinic import strict_json
from gym_clinic.importers.passages.labels import Labels
from gym_clinic.reading import open_text
from gym_clinic.retrieval.passages.passage import BrokenRecord, Passage

LONGEST = 16 << 20
"""Longest line that is read, in bytes."""


def read(path: Path, labels: Labels) -> Iterator[Passage | BrokenRecord]:
    """Read the passages of a file, plain or packed.

    Args:
        path: The file.
        labels: Labels for records without their own.

    Yields:
        A passage or an error for each line.

    Raises:
        ConfigError: If the file cannot be opened.
    """
    number = 0
    with open_text(path) as file:
        try:
            while line := file.readline(LONGEST):
                number += 1
                if len(line) == LONGEST and not line.endswith(b"\n"):
                    while file.readline(LONGEST)[-1:] not in (b"\n", b""):
                        pass
                if not line.strip():
                    continue
                try:
                    yield _passage(line, labels)
                except ValueError as error:
                    yield BrokenRecord(str(path), f"line {number}", str(error))
        except OSError as error:
            place = f"after line {number}"
            yield BrokenRecord(str(path), place, f"cut off or damaged: {error}")


def _passage(line: bytes, labels: Labels) -> Passage:
    if len(line) == LONGEST:
        raise ValueError(f"longer than {LONGEST:,} bytes; expected one passage")
    try:
        record = strict_json.loads(line.decode())
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8: {error.reason} at byte {error.start}") from None
    if not isinstance(record, dict):
        raise ValueError("expected an object with id, title and content")
    id = record.get("id")
    if isinstance(id, int) and not isinstance(id, bool):
        id = str(id)
    if not isinstance(id, str) or not id.strip():
        raise ValueError(f"field id: expected text that is not blank, not {_shown(record, 'id')}")
    content = _text(record, "content", None)
    if not content.strip():
        raise ValueError("field content: expected text that is not blank")
    return Passage(
        id,
        _text(record, "source", labels.source) or labels.source,
        _text(record, "title", None),
        content,
        _text(record, "category", labels.category),
        _text(record, "licence", labels.licence),
    )


def _text(record: dict[str, Any], field: str, default: str | None) -> str:
    value = record.get(field, default)
    if not isinstance(value, str):
        raise ValueError(f"field {field}: expected text, not {_shown(record, field)}")
    return value


def _shown(record: dict[str, Any], field: str) -> str:
    return ascii(record[field])[:80] if field in record else "nothing"
