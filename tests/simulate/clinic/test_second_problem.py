"""A second problem does not make another illness of the first."""

from __future__ import annotations

from random import Random

import pytest

from gym_clinic.facts import load
from gym_clinic.facts.records.epidemiology import Person
from gym_clinic.simulate.clinic.second_problem import like_a_third, second_problem

FACTS = load()


@pytest.mark.parametrize(
    ("first", "other", "alike"),
    [
        ("urticaria", "vasovagal-syncope", True),
        ("pneumothorax", "urticaria", True),
        ("gout", "urticaria", False),
        ("pneumothorax", "cystitis", False),
    ],
)
def test_weals_with_a_faint_or_breathlessness_look_like_anaphylaxis(
    first: str, other: str, alike: bool
) -> None:
    conditions = FACTS.conditions
    assert like_a_third(conditions[first], conditions[other]) is alike
    person, random = Person(30, "male", None), Random(1)
    drawn = (second_problem(FACTS, conditions[first], [], person, random) for _ in range(300))
    assert (other in {one.id for one in drawn if one is not None}) is (not alike)
