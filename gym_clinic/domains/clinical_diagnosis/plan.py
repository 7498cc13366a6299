"""The plan of a perfect agent: what it reads, asks, examines, orders and gives, in batches."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from pydantic import Field

from gym_clinic.chart.catalogue import actions, study_price, test_prices, tests_of
from gym_clinic.clinical.world import ClinicWorld
from gym_clinic.domain import CallSpec
from gym_clinic.domains.clinical_diagnosis.deciding import DecisiveFact
from gym_clinic.facts.doses import ADULT, dose_to_give, usual_doses
from gym_clinic.facts.records.models import Slug
from gym_clinic.facts.typed_json import Strict, read_record
from gym_clinic.simulate.clinic.patient import RETAIN_CARBON_DIOXIDE
from gym_clinic.simulate.clinic.texts.alarms import lowest_pressure

_ECG: CallSpec = ("order_study", {"study": "ecg"})

OPENING: CallSpec = ("ask_patient", {"question": "What brings you in, and when did it begin?"})
"""How a history is begun where nothing is done at once."""

LOW_SATURATION, LOW_WHERE_RETAINED = 92.0, 88.0
"""Oxygen saturation in percent below which oxygen is given before all else, and the same where
carbon dioxide may be retained, whose target is 88 to 92 %; as in triage."""

OXIMETER = 1.0
"""Percent by which an oximeter shows more than there is, about at most."""

MUCH_BELOW = 88.0
"""Oxygen saturation in percent below which much oxygen is given; in shock, always."""

UNIT = 280
"""Millilitres of a unit of red cells."""

EXPLAINED = ["benefit", "risks", "alternatives"]
"""What is explained before consent to a procedure."""

DRUG, PROCEDURE = "drug:", "procedure:"

TREATS = ("give_medication", "perform_procedure", "give_oxygen", "give_fluids", "give_blood")
"""Tools that treat."""


class Urgency(Strict):
    """What cannot wait in a condition.

    Attributes:
        orders: Studies and tests that are ordered at once.
        read: Those of them that are read before anything is given.
        pathway: The pathway that is activated.
        variants: The forms that the pathway is for; all if empty.
        waits: Whether the pathway waits for what is read.
        meanwhile: Whether medicines are given while it is awaited.
        gives: Medicines that are given whatever else treats it.
        looks: Parts of the examination that are looked at before treatment where time is short.
        known_before: Action -> studies one of which is read before it is done.
    """

    orders: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    pathway: str | None = None
    variants: tuple[Slug, ...] = ()
    waits: bool = False
    meanwhile: bool = False
    gives: tuple[Slug, ...] = ()
    looks: tuple[str, ...] = ()
    known_before: dict[str, tuple[Slug, ...]] = Field(default_factory=dict)


class UrgentCare(Strict):
    """What cannot wait, and first doses.

    Attributes:
        routes: Drug -> the route of its first dose where that is not the vein.
        doses: Drug -> its first dose in adults, in its usual unit, where that is not the middle of
            the usual ones.
        per_kg: Drug -> its first dose in adults for each kg, of which `doses` is the greatest.
        conditions: Condition -> what cannot wait in it.
    """

    routes: dict[Slug, str]
    doses: dict[Slug, float]
    per_kg: dict[Slug, float]
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
    first_looks: Collection[str] = (),
    besides: Sequence[CallSpec] = (),
    along: Sequence[CallSpec] = (),
) -> list[list[CallSpec]]:
    """Return the plan, in batches of parallel calls.

    Args:
        world: The patient's world.
        evidence: What is to be found out.
        looked_up: Calls to the record and to references.
        urgent: What is ordered and given at once.
        further: What else is done in the end.
        first_looks: Parts of the examination that are looked at before what is urgent. Without a
            drug among that, they come before the record, too.
        besides: Tests and studies that are ordered whatever they show.
        along: Tests that are ordered together with what is urgent, which does not wait for them.
    """
    name = world.patient.facts.diseases[world.patient.problems[0].condition].name
    record = [one for one in looked_up if one[0].startswith(("read_", "get_vital"))]
    books = [one for one in looked_up if one not in record]
    oxygen, urgent = oxygen_first(world, urgent)
    early = {(key, json.dumps(arguments)) for key, arguments in urgent}
    calls = [one.call for one in evidence]
    calls += [one for one in besides if one not in calls]
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
    looks = [one for one in calls if not one[0].startswith("order_") and one not in record]
    before: list[CallSpec] = [("examine_patient", {"system": one}) for one in first_looks]
    later = [one for one in looks if one not in before]
    at_once = _urgent_batches(world, first, [*along, *urgent])
    if not urgent:  # history and examination come before tests
        batches = [record, oxygen, [OPENING, *looks], *at_once, placed]
    elif first_looks and not any(one[0] == "give_medication" for one in urgent):
        signs = [one for one in record if one[0].startswith("get_vital")]
        record = [one for one in record if one not in signs]
        batches = [signs, oxygen, before, *at_once, record, placed, later]
    else:
        batches = [record, oxygen, before, *at_once, placed, later]
    if any(one[0] in TREATS for one in urgent):  # what was read before treatment
        read = {*bedside, *_urgency(world).read}
        orders = [
            one for one in orders if not {*one[1].get("tests", ()), one[1].get("study")} & read
        ]
    orders += along
    minutes = math.ceil(_minutes(world, orders))
    if minutes:
        batches.append([("wait", {"minutes": minutes})])
    if orders:
        batches.append([("read_results", {})])
    batches.append(
        [*books, *further, ("record_diagnosis", {"diagnosis": name, "certainty": "probable"})]
    )
    return [one for one in batches if one]


def asks_for_oxygen(world: ClinicWorld) -> bool:
    """Return whether oxygen has to be given: no error of the oximeter hides the lack of it."""
    return _lacks_oxygen(world, OXIMETER)


def _lacks_oxygen(world: ClinicWorld, margin: float = 0.0) -> bool:
    """Whether the saturation on arrival is below the limit for oxygen, by more than a margin."""
    limit = LOW_WHERE_RETAINED if _retains(world) else LOW_SATURATION
    return world.patient.state(0)["spo2"] < limit - margin


def oxygen_first(
    world: ClinicWorld, urgent: Sequence[CallSpec]
) -> tuple[list[CallSpec], list[CallSpec]]:
    """Oxygen for who lacks it, which waits for nothing, and what else is urgent."""
    if not _lacks_oxygen(world):
        return [], [*urgent]
    given = [one for one in urgent if one[0] == "give_oxygen"]
    state = world.patient.state(0)
    much = state["spo2"] < MUCH_BELOW or state["sbp"] < lowest_pressure(world.patient.person.age)
    if not given and (much or _retains(world)):
        given = [_oxygen(world)]
    little: CallSpec = ("give_oxygen", {"device": "nasal cannula", "litres_per_minute": 4})
    return given or [little], [one for one in urgent if one not in given]


def _retains(world: ClinicWorld) -> bool:
    """Whether the patient may retain carbon dioxide."""
    has = {one.condition for one in world.patient.background}
    has |= {one.condition for one in world.patient.problems}
    return not has.isdisjoint(RETAIN_CARBON_DIOXIDE)


def _oxygen(world: ClinicWorld) -> CallSpec:
    """Much oxygen; controlled oxygen where carbon dioxide may be retained."""
    device, flow = ("venturi mask", 4) if _retains(world) else ("non-rebreather mask", 15)
    return "give_oxygen", {"device": device, "litres_per_minute": flow}


def _urgent_batches(
    world: ClinicWorld, bedside: Sequence[CallSpec], urgent: Sequence[CallSpec]
) -> list[list[CallSpec]]:
    """What is urgent, with what is measured at the bedside or read before anything is given."""
    urgency = _urgency(world)
    studies = [study_price(one) for one in urgency.read]
    if not any(one[0] in TREATS for one in urgent):
        return [[*bedside, *urgent]]
    if bedside:
        until = math.ceil(_minutes(world, bedside))
        measured: list[list[CallSpec]] = [
            [*bedside],
            [("wait", {"minutes": until})],
            [("read_results", {"order": one}) for _, given in bedside for one in given["tests"]],
        ]
        return [*measured, *_urgent_batches(world, (), urgent)]
    if not studies:
        return [[*urgent]]
    tests = ("order_study", "order_lab", *(() if urgency.waits else ("activate_pathway",)))
    minutes = math.ceil(max(one.minutes for one in studies))
    now = (*tests, "give_medication") if urgency.meanwhile else tests
    ordered = [one for one in urgent if one[0] in now]
    treated = [one for one in urgent if one not in ordered]
    results: list[CallSpec] = [("read_results", {"order": one}) for one in urgency.read]
    return [ordered, [("wait", {"minutes": minutes})], results, treated]


def _urgency(world: ClinicWorld) -> Urgency:
    """What cannot wait in the patient's first problem."""
    return urgent_care().conditions.get(world.patient.problems[0].condition, Urgency())


def least_looks(world: ClinicWorld) -> tuple[str, ...]:
    """Return the parts of the examination that are looked at where time is short."""
    return _urgency(world).looks


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
    urgency = _urgency(world)
    found: list[CallSpec] = []
    variant = world.patient.problems[0].variant
    if urgency.pathway is not None and (not urgency.variants or variant in urgency.variants):
        found.append(("activate_pathway", {"pathway": urgency.pathway}))
    found += [("order_study", {"study": one}) for one in urgency.orders]
    orders = (*(f"{DRUG}{one}" for one in urgency.gives), *orders)
    for action in dict.fromkeys(orders):
        call = _given(world, action)
        if call is None:
            return None
        found.append(call)
    return found


def red_cells(kilograms: float) -> CallSpec:
    """A transfusion: two units for an adult, 10 mL/kg for a child, in parts of a unit of 280 mL."""
    units = min(2.0, round(kilograms * 10 / UNIT, 1))
    return "give_blood", {"product": "packed red cells", "units": units}


def _given(world: ClinicWorld, action: str) -> CallSpec | None:
    person, facts = world.patient.person, world.patient.facts
    if action == "oxygen":
        return _oxygen(world)
    if action == "fluids":
        millilitres = int(min(1000, max(20 * person.weight_kg, 10)))
        return "give_fluids", {"fluid": "balanced crystalloid", "millilitres": millilitres}
    if action == "blood":
        return red_cells(person.weight_kg)
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
    given = dose_to_give((low + high) / 2, usual.unit, 0)
    if person.age >= ADULT:  # the limits of a child's dose are no doses that can be measured
        given = min(max(urgent_care().doses.get(drug, given), low), high)
        if drug in urgent_care().per_kg:
            given = min(given, float(round(urgent_care().per_kg[drug] * person.weight_kg)))
    arguments: Mapping[str, object] = {
        "drug": facts.drugs[drug].name,
        "dose": given,
        "unit": usual.unit,
        "route": route,
    }
    return "give_medication", dict(arguments)
