"""The person who has a disease."""

from __future__ import annotations

from random import Random
from statistics import mean

import pytest

from gym_clinic.facts import INCIDENCE, Epidemiology, Person, load
from gym_clinic.facts.records.epidemiology import AgeBand
from gym_clinic.simulate.disease.persons import density, draw_person, epidemiology_of, frequency

KNOWN = Epidemiology(ages=(AgeBand(0, 1, 1), AgeBand(20, 40, 3)), female=0.75, incidence="rare")


def test_persons_follow_the_epidemiology() -> None:
    random = Random(1)
    drawn = [draw_person(KNOWN, random) for _ in range(4000)]
    assert all(KNOWN.admits(one) for one in drawn)
    assert mean(one.age < 1 for one in drawn) == pytest.approx(0.25, abs=0.03)
    assert mean(one.sex == "female" for one in drawn) == pytest.approx(0.75, abs=0.03)
    grown = [one.age for one in drawn if one.age > 1]
    assert mean(grown) + 0.5 == pytest.approx(30, abs=0.6)
    assert all(age == int(age) for age in grown)


def test_the_density_is_one_on_average() -> None:
    ages = [tenth / 10 + 0.05 for tenth in range(900)]
    found = [density(KNOWN, Person(age, sex)) for age in ages for sex in ("female", "male")]
    assert mean(found) == pytest.approx(1)
    assert density(KNOWN, Person(30, "female")) == pytest.approx(
        3 * density(KNOWN, Person(30, "male"))
    )
    assert density(KNOWN, Person(10, "male")) == 0


def test_a_frequency_is_of_the_condition_or_of_the_class_of_incidence() -> None:
    facts = load()
    middle = {name: (low * high) ** 0.5 for name, (low, high) in INCIDENCE.items() if low}
    for key, disease in facts.diseases.items():
        known, condition = epidemiology_of(disease), facts.conditions.get(key)
        low, high, _ = known.ages[0]
        sex = "female" if known.female else "male"
        person = Person((low + high) / 2, sex, known.pregnancy)
        number = frequency(facts, key, person) / density(known, person)
        if condition is not None and condition.weight is not None:
            assert number == pytest.approx(condition.weight), key
        elif known.incidence in middle:
            assert number == pytest.approx(middle[known.incidence]), key
