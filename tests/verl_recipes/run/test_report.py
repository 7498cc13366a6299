"""The report of a finished run."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("verl")

from gym_clinic.viewer import Run
from verl_recipes.run import report


def test_the_first_and_last_evaluation_are_printed(capsys):
    env = "clinic/X-v0"

    def row(success):
        return {
            f"val-core/{env}/acc/mean@1": success,
            f"val-aux/{env}/success/mean@1": success,
            f"val-aux/{env}/reward/process/mean@1": -1.0,
            "clinic/success": 0.9,
        }

    report.print_evaluations(
        Run("r", {0: row(0.25), 3: {"clinic/success": 1.0}, 5: row(0.75)}), env
    )
    printed = capsys.readouterr().out
    assert "step 0" in printed
    assert "step 5" in printed
    assert re.search(r"success\W+0\.250\W+0\.750", printed)
    assert "reward/process" in printed
