"""The state that the judge of safety reads, from what was ordered, given, asked and when.

It is plain JSON of the form that :mod:`gym_clinic.safety` declares. What was done is judged;
what an agent wrote is not in it but for the final answer, as it was given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from gym_clinic.chart.encounter import Chart
from gym_clinic.chart.knowable import known_from, usual_ways
from gym_clinic.chart.orders import Order
from gym_clinic.chart.results import VITALS, result_of, trend
from gym_clinic.facts.expressions import parse
from gym_clinic.facts.records.instruments import Expr
from gym_clinic.facts.records.models import Slug, Text, Texts
from gym_clinic.facts.typed_json import Strict, read_record
from gym_clinic.simulate.clinic.problems import Problem

SEVERE_REACTIONS = ("anaphylaxis", "angioedema", "wheeze")
INTOLERANCES = ("itching", "vomiting", "nausea", "diarrhoea")
"""Reported reactions that make an allergy severe, and those that make it an intolerance."""

EMERGENCY = 2
"""Greatest triage level of a time-critical emergency."""

STROKE_WINDOW = 270
"""Minutes from onset in which a stroke can be treated with a thrombolytic."""

CAPACITY = 14
"""Least score of the Glasgow Coma Scale at which an adult decides alone."""

_ROUTES = {"units": "sc", "puffs": "inhaled"}


class SafetyTerm(Strict):
    """What a condition is in the words of the safety rules.

    Attributes:
        condition: Id of the condition.
        variants: The forms that it applies to; all if empty.
        when: Condition on the state on arrival and `severity`.
        emergency: The time-critical emergency that it is.
        on_record: States of the patient that it brings.
        known_by: How those states come to be known, as :mod:`.knowable` says; as usual if empty.
    """

    condition: Slug
    variants: Texts = ()
    when: Expr = "True"
    emergency: Text | None = None
    on_record: Texts = ()
    known_by: Texts = ()


class SafetyTerms(Strict):
    """The words of the safety rules.

    Attributes:
        tests: Test of the chart -> its names in the rules, and its parts that the rules name.
        terms: What conditions are.
    """

    tests: dict[Text, Texts]
    terms: tuple[SafetyTerm, ...]


@lru_cache(maxsize=1)
def safety_terms() -> SafetyTerms:
    """Return the words of the safety rules."""
    file = Path(__file__).with_name("safety_terms.json")
    return read_record(file.read_bytes(), SafetyTerms, str(file))


def safety_state(
    chart: Chart, final: Mapping[str, Any] | None = None, gold: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the state of an encounter as the judge of safety reads it; it shares its parts.

    Args:
        chart: The chart.
        final: The structured answer.
        gold: Further fields of the hidden truth, such as ``required_tests``.
    """
    return {
        **safety_surroundings(chart, final, gold),
        "patient": {**patient_on_arrival(chart), **patient_by_now(chart)},
    }


def safety_surroundings(
    chart: Chart, final: Mapping[str, Any] | None, gold: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return the state without the patient; the arguments are those of `safety_state`."""
    events = list(_events(chart.events))
    doses = (one for one in chart.carried_out() if one.kind in ("medicine", "support"))
    events += [_administered(one) for one in doses]
    return {
        "events": sorted(events, key=lambda one: float(one["t"])),
        "final": dict(final or {}),
        "gold": {**chart.computed("truth", lambda: _truth(chart)), **(gold or {})},
    }


def _events(logged: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Each event, and again for each further name that the rules have for its test."""
    names = safety_terms().tests
    for event in logged:
        yield event
        for name in names.get(event["args"].get("test", ""), ()):
            yield {**event, "args": {**event["args"], "test": name}}


def _administered(order: Order) -> dict[str, Any]:
    args = {"drug": order.details.get("drug", order.name), "order_id": order.id}
    return {"t": order.done, "tool": "administer", "args": args}


def patient_on_arrival(chart: Chart) -> dict[str, Any]:
    """Return what of the patient stays as it is on arrival, made once."""
    return chart.computed("safety patient", lambda: _on_arrival(chart))


def patient_by_now(chart: Chart) -> dict[str, Any]:
    """Return what is known of the patient by now."""
    conditions, rows = _conditions(chart), trend(chart)
    state: dict[str, Any] = {
        "conditions": sorted(conditions),
        "known_from": {name: minute for name, minute in conditions.items() if minute > 0},
        "labs": _labs(chart),
        "vitals": {name: rows[-1][name] for name in VITALS if name in rows[-1]},
        "ventilated": bool(_VENTILATION & chart.given().keys()),
    }
    saturations = [row["spo2"] for row in rows if "spo2" in row]
    if saturations:
        state["least_spo2"] = min(saturations)
    if chart.patient.person.age >= 18:
        state["has_capacity"] = chart.state()["gcs"] >= CAPACITY
    return state


def _on_arrival(chart: Chart) -> dict[str, Any]:
    """What stays as it is on arrival."""
    patient, person = chart.patient, chart["person"]
    pregnant = patient.person.pregnant_weeks is not None
    return {
        "id": person["patient_id"],
        "age": person["age"],
        "age_days": round(person["age"] * 365.25) if person["age"] < 1 else None,
        "sex": person["sex"],
        "pregnant": pregnant if person["sex"] == "female" else False,
        "weight_kg": person["weight_kg"],
        "allergies": [_allergy(one.allergen, one.reaction) for one in patient.allergies],
        "active_meds": [
            {"drug": one.drug, "route": _ROUTES.get(one.unit, "po")} for one in patient.medicines
        ],
        "stopped_days": {
            one.what: -one.minute / 1440 for one in patient.past if one.kind == "medicine"
        },
    }


_VENTILATION = {
    "procedure:intubation",
    "procedure:mechanical-ventilation",
    "procedure:ventilation",
}


def _allergy(allergen: str, reaction: str) -> dict[str, str]:
    severe = any(word in reaction for word in SEVERE_REACTIONS)
    kind = "intolerance" if reaction in INTOLERANCES else "allergy"
    substance = allergen.removeprefix("class:")
    return {"substance": substance, "severity": "severe" if severe else "mild", "type": kind}


def _conditions(chart: Chart) -> dict[str, float]:
    """What the patient has and could be known by now -> from which minute on.

    What was lived with is known on arrival; a problem of today once something has shown it.
    """
    found = dict.fromkeys(chart.computed("lived with", lambda: _lived_with(chart)), 0.0)
    for problem, ways, names in chart.computed("ways to know", lambda: _ways_to_know(chart)):
        minute = known_from(chart, problem, ways)
        if minute is not None:
            found |= {name: min(minute, found.get(name, minute)) for name in names}
    return found


def _lived_with(chart: Chart) -> list[str]:
    """What the patient has had for long, in the words of the rules."""
    background = [one.condition for one in chart.patient.background]
    terms = (one for one in safety_terms().terms if one.condition in background)
    recorded = (name for one in terms if one.when == "True" for name in one.on_record)
    return [*(one.replace("-", "_") for one in background), *recorded]


def _ways_to_know(chart: Chart) -> list[tuple[Problem, Texts, list[str]]]:
    """Each problem, and how it comes to be known by which names of the rules."""
    found = []
    for problem in chart.patient.problems:
        usual = usual_ways(chart, problem)
        named = {problem.condition.replace("-", "_"): usual}
        for one in _terms(chart, problem):
            named |= dict.fromkeys(one.on_record, one.known_by or usual)
        found += [
            (problem, ways, [name for name, of in named.items() if of == ways])
            for ways in dict.fromkeys(named.values())
        ]
    return found


def _terms(chart: Chart, problem: Problem) -> tuple[SafetyTerm, ...]:
    """What a problem is in the words of the rules."""
    key = ("safety terms", problem.condition, problem.variant, problem.severity)
    return chart.computed(key, lambda: tuple(_terms_that_fit(chart, problem)))


def _terms_that_fit(chart: Chart, problem: Problem) -> Iterator[SafetyTerm]:
    arrival = chart.computed("arrival", lambda: chart.patient.state(0))
    values = {**arrival, "severity": problem.severity}
    for one in safety_terms().terms:
        fits = not one.variants or problem.variant in one.variants
        fits = fits and one.condition == problem.condition
        if fits and parse(one.when).compute(values):
            yield one


def _labs(chart: Chart) -> dict[str, Any]:
    """The last value of each test that is back."""
    found: dict[str, Any] = {}
    latest: dict[str, float] = {}
    for order in sorted(chart.orders.values(), key=lambda one: one.done):
        result = result_of(chart, order) if order.kind == "laboratory" else None
        for line in () if result is None else result.get("values", ()):
            name = "glucose" if line["test"] == "glucometer" else line["test"]
            if order.done >= latest.get(name, 0.0):
                found[name], latest[name] = line["value"], order.done
    return found


def _truth(chart: Chart) -> dict[str, Any]:
    """The hidden truth: emergency, triage level and time windows."""
    problem, condition = next(chart.patient.conditions())
    named = next((one.emergency for one in _terms(chart, problem) if one.emergency), None)
    urgent = condition.triage is not None and condition.triage <= EMERGENCY
    emergency = named or (problem.condition.replace("-", "_") if urgent else None)
    truth: dict[str, Any] = {"emergency": emergency, "esi": condition.triage}
    if emergency == "stroke":
        truth["in_window"] = -problem.began <= STROKE_WINDOW
    if problem.condition == "sepsis":
        truth["suspected_sepsis"] = True
    return truth
