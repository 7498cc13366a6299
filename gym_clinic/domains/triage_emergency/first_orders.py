"""The orders that cannot wait for a doctor, by situation, from the true state on arrival.

They lie in ``orders.json`` with their doses; authored, not for patient care.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from gym_clinic.domains.triage_emergency.acuity import (
    Criterion,
    holds,
    hours_of_findings,
    values_on_arrival,
)
from gym_clinic.facts.expressions import parse
from gym_clinic.facts.instruments import Expr
from gym_clinic.facts.models import Text, Texts
from gym_clinic.facts.named_drugs import is_a
from gym_clinic.facts.typed_json import Strict
from gym_clinic.simulate.clinic import ClinicPatient

CHILD = 16
"""Age in years below which the antibiotic of a child is given."""

ANTIBIOTICS: tuple[tuple[str, tuple[str, ...], dict[str, Any]], ...] = (
    ("piperacillin-tazobactam", ("penicillin", "cephalosporin"), {"dose": 4.5, "unit": "g"}),
    ("meropenem", ("carbapenem",), {"dose": 1, "unit": "g"}),
    ("levofloxacin", ("fluoroquinolone", "quinolone"), {"dose": 500, "unit": "mg"}),
)
"""First antibiotics of adults in order of choice, with allergies that forbid each, and its dose."""


class OrderCall(Strict):
    """A call of a tool.

    Attributes:
        name: The tool; "antibiotic" for the one that this patient can be given.
        arguments: Its arguments.
        dose: The dose, as an expression over the state, `age` and `weight_kg`.
        millilitres: The same for a volume.
    """

    name: Text
    arguments: dict[str, Any]
    dose: Expr | None = None
    millilitres: Expr | None = None


class FirstOrder(Strict):
    """Orders of a situation; every part that is given must hold.

    Attributes:
        what: What they are, in words.
        conditions: Conditions that they are for; any if empty.
        not_conditions: Conditions in which they are wrong or not first.
        finding: Name of a finding that must be there.
        when: Condition on the names of `values_on_arrival`.
        pathway: The protocol that they belong to.
        life: Whether they come before every question.
        calls: The calls.
    """

    what: Text
    conditions: Texts = ()
    not_conditions: Texts = ()
    finding: Text | None = None
    when: Expr = "True"
    pathway: Text | None = None
    life: bool = False
    calls: tuple[OrderCall, ...]


class UrgentCall(NamedTuple):
    """An order that cannot wait.

    Attributes:
        name: The tool.
        arguments: Its arguments.
        life: Whether it comes before every question.
    """

    name: str
    arguments: dict[str, Any]
    life: bool


@lru_cache(maxsize=1)
def first_orders() -> tuple[FirstOrder, ...]:
    """Return the table of orders."""
    file = Path(__file__).with_name("orders.json")
    return TypeAdapter(tuple[FirstOrder, ...]).validate_json(file.read_bytes())


def urgent_calls(patient: ClinicPatient, pathway: str) -> list[UrgentCall]:
    """Return the orders that cannot wait in a patient, in order, each once.

    Args:
        patient: The patient.
        pathway: Id of the right protocol, or "none".
    """
    return list(_calls(patient, pathway))


def _calls(patient: ClinicPatient, pathway: str) -> Iterator[UrgentCall]:
    values, began = values_on_arrival(patient), hours_of_findings(patient)
    keys = {patient.problems[0].condition}
    for one in first_orders():
        situation = Criterion(
            what=one.what, conditions=one.conditions, finding=one.finding, when=one.when
        )
        fits = one.pathway in (None, pathway) and not keys & {*one.not_conditions}
        if not fits or not holds(situation, keys, began, values):
            continue
        for call in one.calls:
            if call.name == "antibiotic":
                yield UrgentCall("give_medication", antibiotic(patient), one.life)
                continue
            arguments = dict(call.arguments)
            for field in ("dose", "millilitres"):
                formula = getattr(call, field)
                if formula is not None:
                    number = parse(formula).compute(values)
                    arguments[field] = int(number) if field == "millilitres" else float(number)
            yield UrgentCall(call.name, arguments, one.life)


def antibiotic(patient: ClinicPatient) -> dict[str, Any]:
    """Return drug, dose, unit and route of a first antibiotic that the patient can be given."""
    if patient.person.age < CHILD:
        dose = round(min(2.0, 0.08 * patient.person.weight_kg), 2)
        return {"drug": "ceftriaxone", "dose": dose, "unit": "g", "route": "iv"}
    allergens = [one.allergen for one in patient.allergies]
    fitting = (
        (drug, amount)
        for drug, crosses, amount in ANTIBIOTICS
        if not any(is_a(drug, one) or any(group in one for group in crosses) for one in allergens)
    )
    drug, amount = next(fitting, (ANTIBIOTICS[0][0], ANTIBIOTICS[0][2]))
    return {"drug": drug, **amount, "route": "iv"}
