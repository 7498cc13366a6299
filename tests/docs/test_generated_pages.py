"""Pages that are made from declarations say what the declarations say."""

from __future__ import annotations

import re

from gym_clinic.instruments import score
from kb.build.pages import pages


def test_every_page_is_up_to_date() -> None:
    for page, text in pages().items():
        assert page.read_text(encoding="utf-8") == text, "run python -m kb.build.pages"
        assert "not for patient care" in text


def test_the_example_of_the_scores_runs() -> None:
    (page,) = (text for page, text in pages().items() if page.name == "instruments.md")
    (code,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)
    assert names["result"] == score("qsofa", {"rr": 24, "sbp": 96, "gcs": 15})
