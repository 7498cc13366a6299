"""What is done beside what decides: tests, services that see the patient, medicines that stop."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from gym_clinic.clinical.judging.seen import measured_alike, seen
from gym_clinic.clinical.world import ClinicCase, ClinicWorld
from gym_clinic.domain import CallSpec
from gym_clinic.domains.clinical_diagnosis.deciding import (
    Ordered,
    call_for,
    discriminators,
    read_entry,
)
from gym_clinic.facts import with_ancestors
from gym_clinic.facts.expressions import parse
from gym_clinic.facts.named_drugs import is_a
from gym_clinic.simulate.clinic.treatment import values_at

STOPPED = "not right in this illness"
"""Why a medicine is stopped."""

GLUCOSE, AWAKE = "vital:glucometer", 13.5
"""What is measured of everybody who is not awake, and the coma score from which on one is."""


def ordered(world: ClinicWorld) -> Iterator[Ordered]:
    """Yield what is ordered for a patient beside what decides."""
    problem, facts = world.patient.problems[0], world.patient.facts
    values = values_at(world.patient, problem)
    has = with_ancestors(problem.findings, facts.above)
    for one in discriminators()[problem.condition].ordered:
        shown = not one.shows or any(facts.finding_ids[name] in has for name in one.shows)
        if shown and parse(one.when).compute(values):
            yield one


def ordered_tests(world: ClinicWorld) -> dict[str, CallSpec]:
    """Return the key of each test that is ordered beside what decides -> the call that orders it.

    Without what the ticket tells, and what is not back in time.
    """
    known = seen(ClinicCase(world))
    entries = (entry for one in ordered(world) for entry in one.tests)
    keys = [read_entry(world.patient.facts, entry)[0] for entry in entries]
    calls = {key: call_for(world, key) for key in keys if key not in known}
    return {key: call for key, call in calls.items() if call is not None}


def glucose_if_clouded(world: ClinicWorld, looked_for: Collection[str]) -> dict[str, CallSpec]:
    """Return the key of the glucose -> the call that orders it, if the patient is not awake.

    Empty where it is looked for anyway, or the ticket tells it.
    """
    known = {*looked_for, *seen(ClinicCase(world))}
    call = call_for(world, GLUCOSE)
    if call is None or world.patient.state(0)["gcs"] >= AWAKE:
        return {}
    alike = measured_alike(world.patient.facts, GLUCOSE.partition(":")[2])
    return {GLUCOSE: call} if known.isdisjoint(alike) else {}


def asked_services(world: ClinicWorld) -> tuple[str, ...]:
    """Return the services that have to see a patient."""
    return tuple(name for one in ordered(world) for name in one.services)


def stopped_medicines(world: ClinicWorld) -> tuple[str, ...]:
    """Return the medicines taken at home that are stopped, by id."""
    wrong = [reference for one in ordered(world) for reference in one.stopped]
    taken = (one.drug for one in world.patient.medicines)
    return tuple(drug for drug in taken if any(is_a(drug, one) for one in wrong))


def closing_calls(world: ClinicWorld) -> Iterator[CallSpec]:
    """Yield the calls that ask services and stop medicines."""
    for service in asked_services(world):
        yield "consult_service", {"service": service, "question": "Please see and advise."}
    for drug in stopped_medicines(world):
        name = world.patient.facts.drugs[drug].name
        yield "discontinue_medication", {"drug": name, "reason": STOPPED}
