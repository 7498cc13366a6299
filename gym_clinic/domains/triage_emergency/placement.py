"""Where a patient goes from the door, and which protocol is activated.

Both follow by rule from the true state on arrival, the level and the state of the department. The
criteria of the protocols are those that an agent can read by a tool; they lie in
``protocols.json``, are authored, and are not for patient care.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pydantic import TypeAdapter

from gym_clinic.domains.triage_emergency.acuity import (
    Acuity,
    Criterion,
    holds,
    hours_of_findings,
    values_on_arrival,
)
from gym_clinic.domains.triage_emergency.world import Department
from gym_clinic.facts.models import Text, Texts
from gym_clinic.facts.typed_json import Strict
from gym_clinic.simulate.clinic import ClinicPatient

NO_PATHWAY = "none"

DISPOSITIONS = ("resuscitation", "monitored bed", "standard bed", "fast track", "waiting room")
"""Where a patient can go, the most urgent place first."""


class ActivationRule(Strict):
    """A situation in which a protocol is activated; every part that is given must hold.

    Attributes:
        conditions: The conditions that it is for; any if empty.
        variants: Their forms; any if empty.
        finding: Name of a finding that must be there.
        when: Condition on the names of :func:`values_on_arrival`, and on ``news2``.
        beside: Whether it also counts for a problem that the patient has besides.
        or_none_for: Conditions in which no protocol is right as well.
        known_by: Keys (see :mod:`gym_clinic.clinical.seen`) of which one must have been found, not
            denied, before it is activated; none if empty.
    """

    conditions: Texts = ()
    variants: Texts = ()
    finding: Text | None = None
    when: Text = "True"
    beside: bool = False
    or_none_for: Texts = ()
    known_by: Texts = ()


class Protocol(Strict):
    """A protocol that can be activated at the door.

    Attributes:
        id: What an answer calls it.
        activates: Its name among the pathways of the chart.
        name: Its name in words.
        criteria: When it is activated.
        clock: What is due, and by when.
        minutes: Minutes from arrival by which it is to be activated.
        first: What is to be known before it is activated, in words; empty for nothing.
        rules: When it is right, from the true state.
    """

    id: Text
    activates: Text
    name: Text
    criteria: Text
    clock: Text
    minutes: float
    first: str = ""
    rules: tuple[ActivationRule, ...]


@dataclass(frozen=True)
class Pathway:
    """The right protocol of a patient.

    Attributes:
        id: Its id; "none" for none.
        accepted: What is right as well.
        minutes: Minutes from arrival by which it is to be activated.
        known_by: Keys of which one must have been found before.
    """

    id: str
    accepted: tuple[str, ...]
    minutes: float
    known_by: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def protocols() -> Mapping[str, Protocol]:
    """Return id -> protocol, in the order in which they are considered."""
    file = Path(__file__).with_name("protocols.json")
    listed = TypeAdapter(tuple[Protocol, ...]).validate_json(file.read_bytes())
    return {one.id: one for one in listed}


def pathway_of(
    patient: ClinicPatient, measured: Mapping[str, float] | None = None, told: float = 1.0
) -> Pathway:
    """Return the protocol that is right for a patient: the first of those whose rules hold.

    Args:
        patient: The patient.
        measured: Values that take the place of the true ones on arrival.
        told: Factor on the times since things began: how an account of them may differ.
    """
    values, began = values_on_arrival(patient, told, measured), hours_of_findings(patient, told)
    first, everything = patient.problems[:1], patient.problems
    for protocol in protocols().values():
        for rule in protocol.rules:
            one = Criterion(
                what=protocol.id, conditions=rule.conditions, finding=rule.finding, when=rule.when
            )
            problems = everything if rule.beside else first
            keys = {one.condition for one in problems}
            fits = not rule.variants or any(one.variant in rule.variants for one in problems)
            if fits and holds(one, keys, began, values):
                free = (NO_PATHWAY,) if keys & {*rule.or_none_for} else ()
                accepted = (protocol.id, *free)
                return Pathway(protocol.id, accepted, protocol.minutes, rule.known_by)
    return Pathway(NO_PATHWAY, (NO_PATHWAY,), 0.0)


def places(acuity: Acuity, pathway: Pathway, department: Department) -> tuple[str, ...]:
    """Return where a patient may go from the door, the best place first.

    Level 1 goes to resuscitation. Level 2 goes to a monitored bed if a monitor is needed or a vital
    sign is in the danger zone, or to resuscitation if the patient is confused or two vital signs
    are in the danger zone; without such a need a standard bed, for which room is made, is enough.
    Level 3 gets a standard bed. If none is free, room is made for who is frail (see `Acuity`), and
    others wait. Levels 4 and 5 go to the fast track, or wait while it is closed; level 5 may wait,
    and level 4 may have a free standard bed while it is closed. Who needs isolation never waits
    among others: the standard bed is then a single room.
    """
    if acuity.level == 1:
        return ("resuscitation",)
    if acuity.level == 2:
        worse = acuity.confused or len(acuity.danger_zone) > 1
        if acuity.monitor or acuity.danger_zone:
            return ("monitored bed", *(("resuscitation",) if worse else ()))
        return "standard bed", "monitored bed"
    if pathway.id == "isolation":
        return ("standard bed",)
    free = department.standard_beds > 0
    if acuity.level == 3:
        if acuity.frail:
            return "standard bed", "monitored bed"
        return ("standard bed",) if free else ("waiting room", "standard bed")
    if department.fast_track:
        return ("fast track", "waiting room") if acuity.level == 5 else ("fast track",)
    bed = ("standard bed",) if free and acuity.level == 4 else ()
    return ("waiting room", *bed)
