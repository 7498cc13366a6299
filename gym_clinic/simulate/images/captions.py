"""A record in words: all that the image is to show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gym_clinic.simulate.images.records import ImageFinding, ImageRecord, read_record
from gym_clinic.simulate.images.tables import FindingTable


def describe(record: ImageRecord | Mapping[str, Any]) -> str:
    """Return the caption of an image, such as "Chest film, …: lung nodule (left, 18 mm)".

    Raises:
        ConfigError: If the record is wrong.
    """
    complete = read_record(record)
    table = complete.table
    organ = f", {complete.side}" if complete.side else ""
    shown = [_finding(finding, table.finding(finding.finding)) for finding in complete.findings]
    said = "; ".join(shown) if shown else "no finding"
    return f"{table.label[0].upper()}{table.label[1:]}{organ}: {said}."


def _finding(finding: ImageFinding, table: FindingTable) -> str:
    size = "" if finding.size is None else f"{finding.size:g} {table.unit}"
    number = f"number: {finding.count}" if table.count != (1, 1) else ""
    details = [part for part in (finding.side, finding.place, finding.grade, size, number) if part]
    return f"{table.label} ({', '.join(details)})" if details else table.label
