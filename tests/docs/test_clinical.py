"""Runs the Python block of the page on the clinical domains."""

from __future__ import annotations

import re

import pytest
from places import ROOT

PAGE = (ROOT / "docs" / "clinical.md").read_text(encoding="utf-8")
(BODY,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)


def test_the_episode_shown_is_read_and_judged(capsys: pytest.CaptureFixture[str]) -> None:
    page: dict[str, object] = {"__name__": "page"}
    exec(BODY, page)
    assert page["terminated"] is True
    printed = capsys.readouterr().out
    assert printed.startswith("drug-interaction-endless-")
    assert '"medicines"' in printed
    assert '"allergies"' in printed
    assert "Error" not in printed
