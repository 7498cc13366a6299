"""An attack of a chronic illness comes with the illness and its medicines; children take theirs."""

from __future__ import annotations

from random import Random

import pytest

from gym_clinic.facts import load
from gym_clinic.facts.records.epidemiology import Person
from gym_clinic.simulate.clinic import draw_patient
from gym_clinic.simulate.clinic.medicines import draw_medicines
from gym_clinic.simulate.clinic.people import draw_known

FACTS = load()


OFTEN = ("asthma", "chronic-obstructive-pulmonary-disease", "epilepsy", "cirrhosis", "gout")


def test_every_illness_with_attacks_says_how_often_it_is_known() -> None:
    both = [one for one in FACTS.conditions.values() if one.role == "both"]
    assert [one.id for one in both if one.lived_with_before is None] == []
    assert FACTS.conditions["sickle-cell-disease"].lived_with_before >= 0.9


@pytest.mark.parametrize("condition", OFTEN)
def test_most_who_come_with_an_attack_have_lived_with_it(condition: str) -> None:
    known, share = 0, FACTS.conditions[condition].lived_with_before
    for seed in range(300):
        drawn = draw_known(
            FACTS, FACTS.conditions[condition], Person(60, "male"), -1000, Random(seed)
        )
        known += drawn is not None
    assert share is not None
    assert abs(known / 300 - share) < 0.06


def test_an_attack_comes_with_the_medicines_and_nothing_against_it() -> None:
    patients = [draw_patient(seed, "asthma") for seed in range(12)]
    attacks = [one for one in patients if "asthma" in {b.condition for b in one.background}]
    assert len(attacks) >= 5
    assert sum(any(m.condition == "asthma" for m in one.medicines) for one in attacks) >= 5
    for one in attacks:
        assert not any("beta-blocker" in FACTS.drugs[m.drug].classes for m in one.medicines)


def test_the_attack_changes_at_once_what_changes_fast() -> None:
    for seed in range(12):
        patient = draw_patient(seed, "asthma")
        for one in patient.background:
            assert one.condition != "asthma" or one.effects.keys() <= {"eosinophil_pct"}


def test_what_is_slow_was_there_before_and_is_not_counted_twice() -> None:
    lower = 0
    for seed in range(12):
        patient = draw_patient(seed, "sickle-cell-disease")
        (known,) = (one for one in patient.background if one.condition == "sickle-cell-disease")
        first = patient.problems[0]
        assert {"hb", "reticulocytes"} <= known.effects.keys()
        assert "crp" not in known.effects
        lower += patient.usual["hb"] < 11.5
        fast = first.effects["hb"].amount / known.effects["hb"].amount
        assert first.effects["hb"].kind == "set" or abs(fast - 1 + known.severity) < 1e-9
    assert lower >= 9


@pytest.mark.parametrize("weight", [12.0, 30.0])
def test_a_child_with_diabetes_takes_insulin_by_weight(weight: float) -> None:
    child, adult = Person(weight / 4, "male"), Person(40, "male")
    condition = ["type-1-diabetes-mellitus"]
    ours = draw_medicines(FACTS, condition, (), child, weight, Random(3))
    theirs = draw_medicines(FACTS, condition, (), adult, 75.0, Random(3))
    assert any("insulin" in FACTS.drugs[one.drug].classes for one in ours)
    assert {one.drug for one in ours} <= {one.drug for one in theirs}
    assert max(one.dose for one in ours) < max(one.dose for one in theirs)


def test_children_take_nothing_that_is_for_adults() -> None:
    child = Person(9, "female")
    for seed in range(30):
        taken = draw_medicines(FACTS, ["migraine"], (), child, 30.0, Random(seed))
        assert {one.drug for one in taken} <= {"propranolol"}
