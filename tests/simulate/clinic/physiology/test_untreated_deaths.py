"""How many patients of a condition die within two days if nothing is done for them.

The expected shares are authored: what a physician would expect of patients who come to a hospital
and are left alone. ``pytest --whole -s`` on this file prints the table.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence

import pytest
from places import ROOT

from gym_clinic.facts import load
from gym_clinic.simulate.clinic import draw_patient, presenting

FACTS = load()
FILE = ROOT / "tests" / "support" / "untreated_deaths.json"
EXPECTED: dict[str, tuple[float, float]] = json.loads(FILE.read_text(encoding="utf-8"))
ELSEWHERE = (0.0, 0.04)
"""Of conditions that are not listed."""


def share_of_deaths(condition: str, count: int) -> float:
    dead = sum(draw_patient(seed, condition).death({}) is not None for seed in range(count))
    return dead / count


@pytest.mark.population
def test_untreated_patients_die_as_often_as_a_physician_expects(
    some: Callable[[Sequence[str]], Sequence[str]], request: pytest.FixtureRequest
) -> None:
    count = 30 if request.config.getoption("--whole") else 6
    wrong = []
    for key in some([one.id for one in presenting(FACTS)]):
        low, high = EXPECTED.get(key, ELSEWHERE)
        share = share_of_deaths(key, count)
        print(f"{key:55} {share:.2f}  expected {low:g} to {high:g}")
        # Three standard errors, at the end of the band that was missed.
        below = low - 3 * math.sqrt(low * (1 - low) / count)
        above = high + 3 * math.sqrt(max(high, 0.5 / count) * (1 - min(high, 0.99)) / count)
        if not below <= share <= above:
            wrong.append(f"{key}: {share:.2f}, expected {low:g} to {high:g}")
    assert wrong == []


def test_every_fatal_condition_has_an_expected_share() -> None:
    fatal = {one.id for one in presenting(FACTS) if one.course and one.course.fatal_at}
    assert fatal - EXPECTED.keys() == set()
    assert EXPECTED.keys() <= FACTS.conditions.keys()


def test_the_check_notices_a_condition_that_kills_too_often() -> None:
    assert share_of_deaths("tension-pneumothorax", 6) > EXPECTED["pneumonia"][1]
    assert share_of_deaths("cystitis", 6) < EXPECTED["tension-pneumothorax"][0]
