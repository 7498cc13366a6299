"""Sequences of actions, transitions between them, and the seconds of each."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from gym_clinic.evaluate import evaluate
from gym_clinic.evaluate.actions import ActionFigures, action_tables, as_dict, read_actions


def test_equal_sequences_have_no_entropy_and_certain_transitions() -> None:
    actions = ActionFigures({("match", "search"): 3}, {})
    assert actions.entropy() == 0
    assert actions.transitions() == {
        "(start)": {"match": 1.0},
        "match": {"search": 1.0},
        "search": {"(end)": 1.0},
    }


def test_transitions_are_shares_of_what_follows() -> None:
    actions = ActionFigures({("match", "match", "search"): 1, ("match",): 1, (): 2}, {})
    assert actions.episodes == 4
    assert actions.transitions()["match"] == pytest.approx(
        {"match": 1 / 3, "search": 1 / 3, "(end)": 1 / 3}
    )
    assert actions.transitions()["(start)"] == {"(end)": 0.5, "match": 0.5}
    assert actions.entropy() == pytest.approx(1.5)
    for row in actions.transitions().values():
        assert math.fsum(row.values()) == pytest.approx(1)


def test_a_recorded_run_is_read_with_its_seconds(tmp_path: Path) -> None:
    for policy in ("rules", "diagnosis-first"):
        evaluate("clinic/DxSearch-v0", policy, out=tmp_path / policy, split="test", trials=1,
                 limit=3, progress=False)  # fmt: skip
    figures = read_actions([tmp_path])
    plan = ("match_patients", "lookup_guidelines", "search_literature", "submit_diagnoses")
    assert figures["rules"].sequences == {plan: 3}
    assert figures["diagnosis-first"].episodes == 3
    assert set(figures["rules"].seconds) == set(plan)
    assert all(len(spent) == 3 for spent in figures["rules"].seconds.values())
    titles = [grid.title for grid in action_tables(figures)]
    assert titles[0] == "Sequences"
    assert "Transitions of rules" in titles
    plain = json.loads(json.dumps(as_dict(figures)))
    assert plain["rules"]["transitions"]["(start)"] == {"match_patients": 1.0}
