"""Runs the Python blocks of the page on asking patients, and its commands' options."""

from __future__ import annotations

import re

import pytest
from places import ROOT

from gym_clinic.cli import main

PAGE = (ROOT / "docs" / "patient-talk.md").read_text(encoding="utf-8")


def test_python_blocks_run_in_order_and_print(capsys: pytest.CaptureFixture[str]) -> None:
    scope: dict[str, object] = {"__name__": "page"}
    for body in re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S):
        exec(body, scope)
    printed = capsys.readouterr().out.splitlines()
    assert "finding:HP:0001945" in printed[0]
    assert "medicine: digoxin is not in the record" in printed[1]
    assert len(printed) == 4


def test_the_options_of_the_commands_exist(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["patient", "talk", "--help"]) == 0
    shown = capsys.readouterr().out
    for option in set(re.findall(r"--[a-z]+", "\n".join(re.findall(r"gym-clinic .*", PAGE)))):
        assert option in shown
