"""A rule is asked in full wherever it can be violated, and nowhere else more than it must."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from safety_cases import CASES

from gym_clinic.safety import needs as module
from gym_clinic.safety import safety_rules
from gym_clinic.safety.conditions import PREDICATES, holds
from gym_clinic.safety.needs import can_hold, marks_of, needs_of
from gym_clinic.safety.situation import Situation
from gym_clinic.safety.state import read_state

STATES: list[Mapping[str, Any]] = [state for _, _, state in CASES] + [
    getattr(rule.declared, name)
    for rule in safety_rules().values()
    for name in ("example", "counter_example")
]
SITUATIONS = [Situation(read_state(state)) for state in STATES]


def missed() -> set[str]:
    """Rules that hold in a state in which their needs say that they cannot."""
    return {
        key
        for situation in SITUATIONS
        for key, rule in safety_rules().items()
        if not can_hold(needs_of(rule.condition), marks_of(situation))
        and holds(rule.condition, situation) is not None
    }


def test_no_violation_is_missed() -> None:
    assert missed() == set()


NARROWING = (
    "answer condition daily_dose_per_kg daily_dose_ratio dose_above_kidneys drug duplicate_test "
    "emergency interacting lab older_adult_rule other_patient teratogen unacknowledged washing_out "
    "without_prior"
)


@pytest.mark.parametrize("name", NARROWING.split())
def test_a_wrong_need_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(module._OF_PREDICATE, name, lambda given: ["call:nothing"])
    assert missed()


def test_every_need_is_of_a_predicate() -> None:
    assert set(module._OF_PREDICATE) <= set(PREDICATES)


def test_few_rules_are_asked() -> None:
    asked = [
        sum(can_hold(rule.needs, marks_of(one)) for rule in safety_rules().values())
        for one in SITUATIONS
    ]
    assert sum(asked) / len(asked) < 0.15 * len(safety_rules())
