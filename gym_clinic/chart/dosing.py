"""Whether a dose does anything: its size, its route, and what was given before.

Half of the least usual dose acts as the usual dose does, less does nothing; repeated doses of one
drug add up for some hours. By a route that the drug has no usual dose for nothing happens. Too much
is a matter of safety, and acts as a usual dose does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gym_clinic.chart.catalogue import actions
from gym_clinic.chart.encounter import Chart
from gym_clinic.errors import ToolError
from gym_clinic.facts.doses import ADULT_KG, MILLIGRAMS, SAME_AS, DrugDoses, UsualDose, usual_doses
from gym_clinic.facts.named_drugs import classes_of
from gym_clinic.facts.records.drugs import CLASS

ENOUGH = 0.5
"""Share of the least usual dose from which on a dose acts."""

ADDS_UP = 120.0
"""Minutes for which doses add up."""

TRACE = 0.01
"""Share of the greatest daily dose below which a drug without usual doses does nothing."""

LOCAL = ("topical", "ophthalmic", "otic")
"""Routes by which a drug without usual doses acts only where it is put."""

SWALLOWS = 9
"""Least coma score at which something can be given by mouth without a tube."""

TUBES = ("procedure:nasogastric-tube", "procedure:intubation")


def effects_of(
    chart: Chart, ingredients: Sequence[str], dose: float, unit: str, route: str
) -> tuple[str, ...]:
    """Return what a dose does, as `ClinicPatient.state` takes it; nothing if it is too small.

    A drug that acts is named as "drug:ID", by its classes, and with its route as "drug:ID@ROUTE";
    one that acts only where it is put by the last alone.

    Args:
        chart: The chart.
        ingredients: Ids of drugs, or references of classes.
        dose: One dose.
        unit: Its unit.
        route: The route, as the chart has it.

    Raises:
        ToolError: If the unit is none of the drug, or the patient cannot swallow.
    """
    if route == "po" and chart.state()["gcs"] < SWALLOWS and not _has_tube(chart):
        raise ToolError("The patient is not awake enough to swallow; give it by another route.")
    known = usual_doses(chart.patient.facts)
    found: list[str] = []
    for one in ingredients:
        if one in known:
            found += _of_known(chart, known[one], dose, unit, route)
        elif route not in LOCAL and not _is_trace(chart, one, dose, unit):
            found += _all_of(one, route)
    return tuple(dict.fromkeys(found))


def _has_tube(chart: Chart) -> bool:
    given = chart.given()
    return any(one in given for one in TUBES)


def _of_known(chart: Chart, doses: DrugDoses, dose: float, unit: str, route: str) -> Iterator[str]:
    usual = doses.by_route(route)
    if usual is None:
        return
    amount = doses.in_usual_unit(dose, unit, usual)
    if amount is None:
        units = ", ".join(doses.units(usual))
        raise ToolError(f"A dose of {doses.drug} in {unit} is not understood; give it in {units}.")
    person = chart.patient.person
    least, _ = usual.of_patient(person.age, person.weight_kg)
    if amount + _given_before(chart, doses, usual, route) < ENOUGH * least:
        return
    if usual.local:
        yield f"drug:{doses.drug}@{_plain(route)}"
    else:
        yield from _all_of(doses.drug, route)


def _given_before(chart: Chart, doses: DrugDoses, usual: UsualDose, route: str) -> float:
    """What was given of the drug by the same route within some hours, in the usual unit."""
    total = 0.0
    for one in chart.orders.values():
        if one.kind != "medicine" or one.cancelled is not None:
            continue
        recent = chart.minute - one.ordered <= ADDS_UP
        same = doses.drug in one.what.split("+") and one.details["route"] == route
        if recent and same:
            amount = doses.in_usual_unit(one.details["dose"], one.details["unit"], usual)
            total += amount or 0.0
    return total


def _all_of(drug: str, route: str) -> Iterator[str]:
    """What a drug does: by its name and route, by class, and as oxygen, fluids or blood."""
    if drug.startswith(CLASS):
        yield drug
    else:
        yield from (f"drug:{drug}", f"drug:{drug}@{_plain(route)}")
    yield from (f"{CLASS}{name}" for name in sorted(classes_of(drug)))
    yield from (kind for kind, support in actions().support.items() if drug in support.drugs)


def _plain(route: str) -> str:
    return SAME_AS.get(route, route)


def _is_trace(chart: Chart, drug: str, dose: float, unit: str) -> bool:
    """Return whether a dose is nothing beside the greatest daily dose of the drug."""
    facts, weight = chart.patient.facts, chart.patient.person.weight_kg
    record = facts.drugs.get(drug)
    limits = [
        limit.maximum * MILLIGRAMS[limit.unit]
        for limit in (record.max_daily_doses if record is not None else ())
        if limit.unit in MILLIGRAMS
    ]
    if unit not in MILLIGRAMS or not limits:
        return False
    return dose * MILLIGRAMS[unit] < TRACE * min(limits) * min(1.0, weight / ADULT_KG)
