"""The plan of a perfect agent: what it reads, asks, examines, orders and gives, in batches."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from gym_clinic.chart.catalogue import actions, study_price, test_prices, tests_of
from gym_clinic.clinical.world import ClinicWorld
from gym_clinic.domain import CallSpec
from gym_clinic.domains.clinical_diagnosis.deciding import DecisiveFact
from gym_clinic.facts.doses import usual_doses
from gym_clinic.facts.records.models import Slug
from gym_clinic.facts.typed_json import Strict, read_record
from gym_clinic.simulate.clinic.patient import RETAIN_CARBON_DIOXIDE

_ECG: CallSpec = ("order_study", {"study": "ecg"})

EXPLAINED = ["benefit", "risks", "alternatives"]
"""What is explained before consent to a procedure."""

DRUG, PROCEDURE = "drug:", "procedure:"


class Urgency(Strict):
    """What cannot wait in a condition.

    Attributes:
        variants: The forms that it is for; all if empty.
        orders: Studies and tests that are ordered at once.
        pathway: The pathway that is activated.
        gives: Medicines that are given whatever else treats it.
    """

    variants: tuple[Slug, ...] = ()
    orders: tuple[str, ...] = ()
    pathway: str | None = None
    gives: tuple[Slug, ...] = ()


class UrgentCare(Strict):
    """Drug -> the route of its first dose where that is not the vein; and what cannot wait."""

    routes: dict[Slug, str]
    conditions: dict[Slug, Urgency]


@lru_cache(maxsize=1)
def urgent_care() -> UrgentCare:
    """Return the data of this file's neighbour ``urgent.json``."""
    file = Path(__file__).with_name("urgent.json")
    return read_record(file.read_bytes(), UrgentCare, file.name)


def reference_plan(
    world: ClinicWorld,
    evidence: Sequence[DecisiveFact],
    looked_up: Sequence[CallSpec],
    urgent: Sequence[CallSpec] = (),
    further: Sequence[CallSpec] = (),
) -> list[list[CallSpec]]:
    """Return the plan, in batches of parallel calls.

    Args:
        world: The patient's world.
        evidence: What is to be found out.
        looked_up: Calls to the record and to references.
        urgent: What is ordered and given before anything else is asked.
        further: What else is done in the end.
    """
    name = world.patient.facts.diseases[world.patient.problems[0].condition].name
    record = [one for one in looked_up if one[0].startswith(("read_", "get_vital"))]
    books = [one for one in looked_up if one not in record]
    early = {(key, json.dumps(arguments)) for key, arguments in urgent}
    calls = [one.call for one in evidence]
    orders = [one for one in calls if one[0].startswith("order_")]
    tests = list(dict.fromkeys(t for key, a in orders if key == "order_lab" for t in a["tests"]))
    studies = [one for one in orders if one[0] == "order_study"]
    studies = [one for one in studies if (one[0], json.dumps(one[1])) not in early]
    bedside = [one for one in tests if _at_the_bedside(world, one)]
    tests = [one for one in tests if one not in bedside]
    placed: list[CallSpec] = [("order_lab", {"tests": tests})] if tests else []
    for one in studies:
        if study_price(one[1]["study"]).invasive:
            placed.append(
                ("obtain_consent", {"treatment": one[1]["study"], "explained": EXPLAINED})
            )
        placed.append(("order_ecg", {}) if one == _ECG else one)
    first: list[CallSpec] = [("order_lab", {"tests": bedside})] if bedside else []
    batches: list[list[CallSpec]] = [record, [*first, *urgent], placed]
    batches.append([one for one in calls if not one[0].startswith("order_")])
    minutes = math.ceil(_minutes(world, orders))
    if minutes:
        batches.append([("wait", {"minutes": minutes})])
    if orders:
        batches.append([("read_results", {})])
    batches.append(
        [*books, *further, ("record_diagnosis", {"diagnosis": name, "certainty": "probable"})]
    )
    return [one for one in batches if one]


def _at_the_bedside(world: ClinicWorld, test: str) -> bool:
    """Whether a test is done at the bedside in a minute, so that it comes before treatment."""
    return all(one.kind == "vital" for one in tests_of(world.patient.facts)[test])


def _minutes(world: ClinicWorld, orders: Sequence[CallSpec]) -> float:
    """Minutes until every result is back."""
    facts, longest = world.patient.facts, 0.0
    for name, arguments in orders:
        if name == "order_study":
            longest = max(longest, study_price(arguments["study"]).minutes)
        for test in arguments.get("tests", ()):
            price = test_prices(facts)[test]
            longest = max(longest, actions().collection + price.minutes)
    return longest


def urgent_calls(world: ClinicWorld, orders: Sequence[str]) -> list[CallSpec] | None:
    """Return what is done at once: pathway and tests of the condition, then its treatment.

    Args:
        world: The patient's world.
        orders: The treatment, each class by one of its drugs.

    Returns:
        The calls; None if the first dose of a drug is not known.
    """
    patient = world.patient
    problem = patient.problems[0]
    found: list[CallSpec] = []
    urgency = urgent_care().conditions.get(problem.condition)
    if urgency is not None and (not urgency.variants or problem.variant in urgency.variants):
        if urgency.pathway is not None:
            found.append(("activate_pathway", {"pathway": urgency.pathway}))
        found += [("order_study", {"study": one}) for one in urgency.orders]
        orders = (*(f"{DRUG}{one}" for one in urgency.gives), *orders)
    for action in dict.fromkeys(orders):
        call = _given(world, action)
        if call is None:
            return None
        found.append(call)
    return found


def _given(world: ClinicWorld, action: str) -> CallSpec | None:
    person, facts = world.patient.person, world.patient.facts
    if action == "oxygen":
        lived_with = {one.condition for one in world.patient.background}
        acute = {one.condition for one in world.patient.problems}
        retains = bool((lived_with | acute) & {*RETAIN_CARBON_DIOXIDE})
        device, flow = ("venturi mask", 4) if retains else ("non-rebreather mask", 15)
        return "give_oxygen", {"device": device, "litres_per_minute": flow}
    if action == "fluids":
        millilitres = int(min(1000, max(20 * person.weight_kg, 10)))
        return "give_fluids", {"fluid": "balanced crystalloid", "millilitres": millilitres}
    if action == "blood":
        return "give_blood", {"product": "packed red cells", "units": 2}
    if action.startswith(PROCEDURE):
        name = action.removeprefix(PROCEDURE)
        return "perform_procedure", {"procedure": name, "emergency": True}
    drug = action.removeprefix(DRUG)
    doses = usual_doses(facts).get(drug)
    if doses is None:
        return None
    wanted = urgent_care().routes.get(drug, "iv")
    route = wanted if doses.by_route(wanted) is not None else next(iter(doses.routes))
    usual = doses.by_route(route)
    if usual is None:
        return None
    low, high = usual.of_patient(person.age, person.weight_kg)
    arguments: Mapping[str, object] = {
        "drug": facts.drugs[drug].name,
        "dose": float(f"{(low + high) / 2:.2g}"),
        "unit": usual.unit,
        "route": route,
    }
    return "give_medication", dict(arguments)
