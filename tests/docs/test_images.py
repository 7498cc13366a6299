"""docs/images.md: its example runs, and its table names every finding."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gym_clinic.simulate.images import modalities

PAGE = (Path(__file__).parents[2] / "docs" / "images.md").read_text(encoding="utf-8")


def test_the_example_prints_what_it_drew(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(block, {})
    said = capsys.readouterr().out
    assert "(240, 240) Chest film" in said
    assert "Region(finding='nodule', side='left'" in said


def test_the_table_names_every_finding() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \|", PAGE, re.MULTILINE))
    assert {name: row.strip().split(", ") for name, row in rows.items()} == {
        name: list(table.findings) for name, table in modalities().items()
    }
