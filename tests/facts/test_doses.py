"""Usual doses: complete for what treats, within the limits of the drug facts, by weight."""

from __future__ import annotations

from gym_clinic.facts import load
from gym_clinic.facts.doses import MILLIGRAMS, UsualDose, dose_to_give, usual_doses
from gym_clinic.facts.named_drugs import is_a

FACTS = load()
DOSES = usual_doses(FACTS)


def test_every_drug_that_a_treatment_names_has_usual_doses() -> None:
    named = {
        action
        for one in FACTS.conditions.values()
        for form in one.forms()
        for together in (form.first_line, *(form.course.treated_by if form.course else ()))
        for action in together
    }
    drugs = {one.removeprefix("drug:") for one in named if one.startswith("drug:")}
    groups = [one for one in named if one.startswith("class:")]
    drugs |= {drug for drug in FACTS.drugs for group in groups if is_a(drug, group)}
    assert drugs - DOSES.keys() == set()


def test_usual_doses_a_day_are_within_the_greatest_daily_dose() -> None:
    compared = 0
    for key, one in DOSES.items():
        for limit in FACTS.drugs[key].max_daily_doses:
            by_route = {str(route): maximum for route, maximum in limit.by_route.items()}
            for route, usual in one.routes.items():
                if limit.unit not in MILLIGRAMS or usual.unit not in MILLIGRAMS or limit.form:
                    continue
                greatest = by_route.get(route, limit.maximum) * MILLIGRAMS[limit.unit]
                least = usual.usual[0] * MILLIGRAMS[usual.unit]
                assert least * max(usual.per_day, 1) <= greatest, (key, route)
                assert usual.usual[1] * MILLIGRAMS[usual.unit] <= greatest, (key, route)
                compared += 1
    assert compared > 60


def test_routes_that_treat_are_routes_of_the_drug() -> None:
    for condition in FACTS.conditions.values():
        for action, routes in (condition.course.routes if condition.course else {}).items():
            assert {*routes} <= DOSES[action.removeprefix("drug:")].routes.keys(), condition.id


def test_the_dose_of_a_child_goes_by_weight_up_to_that_of_an_adult() -> None:
    usual = UsualDose(usual=(500.0, 1000.0), unit="mg", per_day=4.0, per_kg=(10.0, 15.0))
    assert usual.of_patient(4, 16) == (160, 240)
    assert usual.of_patient(17, 80) == (500, 1000)
    assert usual.of_patient(40, 50) == (500, 1000)
    plain = UsualDose(usual=(70.0, 140.0), unit="mg", per_day=1.0)
    assert plain.of_patient(10, 35) == (35, 70)


def test_units_are_converted_where_that_is_known() -> None:
    salbutamol = DOSES["salbutamol"]
    inhaled = salbutamol.by_route("inhaled")
    assert inhaled is not None
    assert salbutamol.in_usual_unit(10, "puffs", inhaled) == 1.0
    assert salbutamol.in_usual_unit(5000, "mcg", inhaled) == 5.0
    assert salbutamol.in_usual_unit(1, "units", inhaled) is None
    assert salbutamol.by_route("rectal") is None
    assert DOSES["diazepam"].by_route("pr") == DOSES["diazepam"].by_route("rectal")


def test_a_child_is_given_what_can_be_measured_and_not_another_dose() -> None:
    assert dose_to_give(7.8, "mg", 7) in (7.5, 8.0)
    for one in DOSES.values():
        for usual in one.routes.values():
            for age, weight in ((0.5, 7.3), (4.0, 16.4), (11.0, 37.7)):
                low, high = usual.of_patient(age, weight)
                for dose in (low, (low + high) / 2):
                    given = dose_to_give(dose, usual.unit, age)
                    assert abs(given - dose) <= 0.26 * dose, (one.drug, dose)
