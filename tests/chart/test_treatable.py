"""Every treatment of the library can be carried out by tools, and then counts as treatment."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from clingen_rows import Some

from gym_clinic.chart import Chart, open_chart
from gym_clinic.chart import ordering as orders
from gym_clinic.errors import ToolError
from gym_clinic.facts import load
from gym_clinic.facts.doses import usual_doses
from gym_clinic.facts.named_drugs import classes_of
from gym_clinic.simulate.clinic import draw_patient, presenting

SUPPORT = {
    "oxygen": ("oxygen", "oxygen", 5.0, "L/min", "inhaled"),
    "fluids": ("saline", "saline 500 mL", 500.0, "mL", "iv"),
    "blood": ("packed-red-cells", "red cells", 2.0, "units", "iv"),
}


def give(chart: Chart, drug: str, routes: Sequence[str] = ()) -> None:
    """Give the least usual dose of a drug, by a route that treats."""
    person, known = chart.patient.person, usual_doses(load())[drug].routes
    by_vein = "iv" if "iv" in known else next(iter(known))
    route = routes[0] if routes else by_vein
    usual = {str(key): one for key, one in known.items()}[route]
    least, _ = usual.of_patient(person.age, person.weight_kg)
    orders.give_medicine(chart, drug, least, usual.unit, route)


def carry_out(chart: Chart, action: str, routes: Sequence[str]) -> None:
    """Do an action of `Course.treated_by` as an agent would."""
    kind, _, name = action.partition(":")
    if kind == "drug":
        give(chart, name, routes)
    elif kind == "class":
        give(chart, next(one for one in sorted(load().drugs) if name in classes_of(one)))
    elif kind == "procedure":
        orders.do_procedure(chart, name, emergency=True)
    else:
        orders.give_support(chart, kind, *SUPPORT[kind])


@pytest.mark.population
def test_every_treatment_of_the_library_can_be_carried_out(some: Some) -> None:
    carried_out = 0
    for condition in some(presenting(load())):
        patient = draw_patient(1, condition.id)
        _, form = next(patient.conditions())
        assert form.course is not None
        right = [{*one} for one in patient.course(patient.problems[0]).treated_by]
        for together in form.course.treated_by:
            chart = open_chart(patient)
            try:
                for action in together:
                    carry_out(chart, action, form.course.routes.get(action, ()))
                chart.spend(120, seen=True)
            except ToolError:
                if chart.ended() is None:
                    raise
                continue
            (treatment, *_) = chart.outcome().treatments
            treats = any(one <= {*together} for one in right)
            assert (treatment.treated is not None) == treats, (condition.id, together)
            carried_out += 1
    assert carried_out > 20
