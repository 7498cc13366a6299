"""Runs the Python blocks of the page on charts, one after the other."""

from __future__ import annotations

import re

import pytest
from places import ROOT

PAGE = (ROOT / "docs" / "chart.md").read_text(encoding="utf-8")


def test_python_blocks_run_in_order_and_print(capsys: pytest.CaptureFixture[str]) -> None:
    scope: dict[str, object] = {"__name__": "page"}
    for body in re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S):
        exec(body, scope)
    printed = capsys.readouterr().out.splitlines()
    assert "'lactate'" in printed[0]
    assert "before harm" in printed[1]
    assert any(line.startswith("S") for line in printed[2:])
