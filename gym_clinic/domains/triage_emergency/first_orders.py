"""The orders that cannot wait for a doctor, by situation, and by when each is due.

They lie in ``orders.json`` with their doses, minutes and sources. Of several drugs that are right,
``first_medicines.json`` has the set: antibiotics by the suspected source, drugs against pain. What
speaks against a drug in the patient, such as an allergy, takes it out of the set. All of it is for
this simulation, not for patient care.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from gym_clinic.domains.triage_emergency.acuity import (
    holds,
    hours_of_findings,
    values_on_arrival,
)
from gym_clinic.domains.triage_emergency.acuity_table import Criterion
from gym_clinic.facts.doses import dose_to_give
from gym_clinic.facts.expressions import parse
from gym_clinic.facts.records.instruments import Expr
from gym_clinic.facts.records.models import Text, Texts
from gym_clinic.facts.typed_json import Strict
from gym_clinic.simulate.clinic import ClinicPatient, objections_to

CHOOSE = "choose"
"""Name of a call that gives one drug of a set."""

PAIN, STEROID = "pain", "steroid of meningitis"
"""Names of the sets that are no antimicrobials."""

_HERE = Path(__file__).parent


class OrderCall(Strict):
    """A call of a tool.

    Attributes:
        name: The tool; "choose" for a drug of a set.
        of: Name of that set in ``first_medicines.json``.
        arguments: Its arguments.
        dose: The dose, as an expression over the state, `age` and `weight_kg`.
        millilitres: The same for a volume.
    """

    name: Text
    of: Text | None = None
    arguments: dict[str, Any] = {}
    dose: Expr | None = None
    millilitres: Expr | None = None


class FirstOrder(Strict):
    """Orders of a situation; every part that is given must hold.

    Attributes:
        what: What they are, in words.
        minutes: Minutes from arrival by which they are ordered.
        told_by: Names of findings that tell at once that they are due, if one is in the ticket.
        untold: The minutes where the ticket tells none of these; `minutes` if None.
        source: Where these minutes come from.
        conditions: Conditions that they are for; any if empty.
        not_conditions: Conditions in which they are wrong or not first.
        findings: Names of findings of which one must be there; any if empty.
        when: Condition on the names of `values_on_arrival`.
        pathways: The protocols that they belong to; any if empty.
        life: Whether they come before every question.
        look: Part of the examination that is looked at before.
        ecg: Whether an ECG is read before.
        calls: The calls.
    """

    what: Text
    minutes: float
    told_by: Texts = ()
    untold: float | None = None
    source: Text
    conditions: Texts = ()
    not_conditions: Texts = ()
    findings: Texts = ()
    when: Expr = "True"
    pathways: Texts = ()
    life: bool = False
    look: Text | None = None
    ecg: bool = False
    calls: tuple[OrderCall, ...]


class FirstMedicine(Strict):
    """A drug of a set, with its dose.

    Attributes:
        drug: Id of the drug.
        unit: Unit of the dose.
        route: Short name of the route.
        dose: Expression over the state, `age` and `weight_kg`.
        when: In whom it can be chosen.
    """

    drug: Text
    unit: Text
    route: Text
    dose: Expr
    when: Expr = "True"


class MedicineSet(Strict):
    """Drugs of which each is right, that of first choice first.

    Attributes:
        source: Where the choice comes from.
        choices: The drugs.
    """

    source: Text
    choices: tuple[FirstMedicine, ...]


class UrgentCall(NamedTuple):
    """An order that cannot wait.

    Attributes:
        what: What it is, in words.
        minutes: Minutes from arrival by which it is due.
        name: The tool.
        arguments: Its arguments.
        life: Whether it comes before every question.
        accepted: What fulfils it: ids of drugs, procedures, tests or studies, of which one is
            enough.
        look: Part of the examination that is looked at before.
        ecg: Whether an ECG is read before.
        untold: Whether the ticket does not tell what shows at once that it is due.
    """

    what: str
    minutes: float
    name: str
    arguments: dict[str, Any]
    life: bool
    accepted: tuple[str, ...]
    look: str | None = None
    ecg: bool = False
    untold: bool = False


@lru_cache(maxsize=1)
def first_orders() -> tuple[FirstOrder, ...]:
    """Return the table of orders."""
    text = (_HERE / "orders.json").read_bytes()
    return TypeAdapter(tuple[FirstOrder, ...]).validate_json(text)


@lru_cache(maxsize=1)
def first_medicines() -> Mapping[str, MedicineSet]:
    """Return name -> set of drugs of which each is right."""
    text = (_HERE / "first_medicines.json").read_bytes()
    return TypeAdapter(dict[str, MedicineSet]).validate_json(text)


def urgent_calls(
    patient: ClinicPatient,
    pathway: str,
    measured: Mapping[str, float] | None = None,
    told: AbstractSet[str] | None = None,
) -> list[UrgentCall]:
    """Return the orders that cannot wait in a patient, in order, each once.

    Args:
        patient: The patient.
        pathway: Id of the right protocol, or "none".
        measured: Values that take the place of the true ones on arrival.
        told: Names of the findings in the ticket; None if it is not looked at.
    """
    values = values_on_arrival(patient, measured=measured)
    found: dict[tuple[str, ...], UrgentCall] = {}
    for one in _fitting(patient, pathway, values):
        untold = one.untold is not None and told is not None and not told & {*one.told_by}
        if untold:
            one = one.model_copy(update={"minutes": one.untold})
        for call in one.calls:
            for urgent in _urgent(patient, one, call, values):
                found.setdefault(urgent.accepted, urgent._replace(untold=untold))
    return list(found.values())


def _fitting(
    patient: ClinicPatient, pathway: str, values: Mapping[str, float]
) -> Iterator[FirstOrder]:
    began = hours_of_findings(patient)
    keys = {patient.problems[0].condition}
    for one in first_orders():
        situation = Criterion(what=one.what, conditions=one.conditions, when=one.when)
        if (
            (not one.pathways or pathway in one.pathways)
            and (not one.findings or began.keys() & {*one.findings})
            and not keys & {*one.not_conditions}
            and holds(situation, keys, began, values)
        ):
            yield one


def _urgent(
    patient: ClinicPatient, order: FirstOrder, call: OrderCall, values: Mapping[str, float]
) -> Iterator[UrgentCall]:
    """The calls of an order: none if no drug of the set can be given to the patient."""
    if call.name == CHOOSE:
        assert call.of is not None
        right = medicines_for(patient, call.of, values)
        accepted = tuple(dict.fromkeys(str(one["drug"]) for one in right))
        for chosen in right[:1]:
            yield UrgentCall(
                order.what,
                order.minutes,
                "give_medication",
                chosen,
                order.life,
                accepted,
                order.look,
                order.ecg,
            )
        return
    arguments = dict(call.arguments)
    if call.dose is not None:
        dose = float(parse(call.dose).compute(values))
        arguments["dose"] = dose_to_give(dose, arguments["unit"], values["age"])
    if call.millilitres is not None:
        arguments["millilitres"] = int(parse(call.millilitres).compute(values))
    for accepted in _fulfilled_by(call.name, arguments):
        one = dict(arguments)
        if "tests" in one:
            one["tests"] = list(accepted)
        yield UrgentCall(
            order.what, order.minutes, call.name, one, order.life, accepted, order.look, order.ecg
        )


def _fulfilled_by(name: str, arguments: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """What a call orders, as the orders of a chart name it; a list of tests is taken apart."""
    support = {"give_oxygen": "oxygen", "give_fluids": "fluids", "give_blood": "blood",
               "order_ecg": "ecg"}  # fmt: skip
    if name in support:
        yield (support[name],)
    for key in ("drug", "procedure", "study"):
        if key in arguments:
            yield (str(arguments[key]),)
    for test in arguments.get("tests", ()):
        yield (str(test),)


def medicines_for(
    patient: ClinicPatient, of: str, values: Mapping[str, float]
) -> list[dict[str, Any]]:
    """Return the drugs of a set that can be given to a patient, with dose, that of choice first.

    What must not be given is left out; what is given only where nothing better is left comes last.

    Args:
        patient: The patient.
        of: Name of the set.
        values: Values of `values_on_arrival`.
    """
    best: list[dict[str, Any]] = []
    second: list[dict[str, Any]] = []
    for one in first_medicines()[of].choices:
        if not parse(one.when).compute(values):
            continue
        against = objections_to(patient, f"drug:{one.drug}")
        if not any(each.grave for each in against):
            computed = float(parse(one.dose).compute(values))
            dose = dose_to_give(computed, one.unit, values["age"])
            given = {"drug": one.drug, "dose": dose, "unit": one.unit, "route": one.route}
            (second if against else best).append(given)
    return [*best, *second]


@lru_cache(maxsize=1)
def drugs_of_sets() -> Mapping[str, frozenset[str]]:
    """Return drug -> names of the sets that it is in."""
    found: dict[str, frozenset[str]] = {}
    for name, listed in first_medicines().items():
        for one in listed.choices:
            found[one.drug] = found.get(one.drug, frozenset()) | {name}
    return found
