"""The size of a dose and its route decide whether it does anything."""

from __future__ import annotations

import pytest

from gym_clinic.chart import Chart, open_chart
from gym_clinic.chart import ordering as orders
from gym_clinic.errors import ToolError
from gym_clinic.simulate.clinic import draw_patient


def opened(condition: str, seed: int = 5) -> Chart:
    return open_chart(draw_patient(seed, condition))


def adult(condition: str) -> Chart:
    seeds = (seed for seed in range(50) if draw_patient(seed, condition).person.age >= 18)
    return opened(condition, next(seeds))


@pytest.mark.parametrize(
    ("dose", "unit", "acts"),
    [(1, "mcg", False), (100, "mg", False), (240, "mg", False), (250, "mg", True), (1, "g", True)],
)
def test_less_than_half_of_the_least_usual_dose_does_nothing(
    dose: float, unit: str, acts: bool
) -> None:
    order = orders.give_medicine(adult("pneumonia"), "amoxicillin", dose, unit, "oral")
    assert bool(order.actions) is acts


@pytest.mark.parametrize(
    ("condition", "drug", "dose", "unit", "route", "treats"),
    [
        ("diabetic-ketoacidosis", "insulin", 10, "units", "oral", False),
        ("diabetic-ketoacidosis", "insulin", 10, "units", "sc", True),
        ("pneumonia", "amoxicillin", 1, "g", "inhaled", False),
        ("anaphylaxis", "epinephrine", 0.5, "mg", "oral", False),
        ("anaphylaxis", "epinephrine", 5, "mg", "inhaled", False),
        ("anaphylaxis", "epinephrine", 0.5, "mg", "im", True),
        ("clostridioides-difficile-colitis", "vancomycin", 1, "g", "iv", False),
        ("clostridioides-difficile-colitis", "vancomycin", 125, "mg", "po", True),
        ("acute-angle-closure-glaucoma", "timolol", 10, "mg", "iv", False),
    ],
)
def test_a_drug_treats_by_the_routes_by_which_it_works(
    condition: str, drug: str, dose: float, unit: str, route: str, treats: bool
) -> None:
    chart = opened(condition)
    problem = chart.patient.problems[0]
    orders.give_medicine(chart, drug, dose, unit, route)
    if condition == "diabetic-ketoacidosis":
        orders.give_support(chart, "fluids", "saline", "saline", 1500, "mL", "iv")
    before = chart.patient.severity(problem, 60)
    assert (chart.patient.severity(problem, 60, chart.given(60)) < before) is treats


def test_a_drug_that_acts_where_it_is_put_acts_nowhere_else() -> None:
    chart = opened("pneumonia")
    assert orders.give_medicine(chart, "vancomycin", 500, "mg", "po").actions == (
        "drug:vancomycin@po",
    )
    assert "drug:vancomycin" in orders.give_medicine(chart, "vancomycin", 1, "g", "iv").actions


def test_small_doses_add_up_for_a_time() -> None:
    chart = adult("biliary-colic")
    assert not orders.give_medicine(chart, "morphine", 0.7, "mg", "iv").actions
    assert orders.give_medicine(chart, "morphine", 0.7, "mg", "iv").actions
    chart.spend(150, seen=True)
    assert not orders.give_medicine(chart, "morphine", 0.7, "mg", "iv").actions


def test_the_dose_of_a_child_is_enough_for_the_child_alone() -> None:
    child = opened("croup")
    assert child.patient.person.age < 6
    assert orders.give_medicine(child, "amoxicillin", 200, "mg", "po").actions
    assert not orders.give_medicine(adult("pneumonia"), "amoxicillin", 200, "mg", "po").actions


def test_a_dose_in_a_unit_that_the_drug_has_not_is_asked_again() -> None:
    chart = opened("pneumonia")
    with pytest.raises(ToolError, match="insulin in mg is not understood; give it in units"):
        orders.give_medicine(chart, "insulin", 10, "mg", "sc")
    assert chart.minute == 0


def test_who_is_unconscious_does_not_swallow_without_a_tube() -> None:
    chart = next(
        chart
        for chart in (opened("opioid-overdose", seed) for seed in range(50))
        if chart.state()["gcs"] < 9
    )
    with pytest.raises(ToolError, match="not awake enough to swallow"):
        orders.give_medicine(chart, "paracetamol", 1, "g", "po")
    orders.do_procedure(chart, "bag-mask-ventilation")
    orders.do_procedure(chart, "nasogastric-tube")
    chart.spend(20, seen=True)
    assert orders.give_medicine(chart, "paracetamol", 1, "g", "po").actions
