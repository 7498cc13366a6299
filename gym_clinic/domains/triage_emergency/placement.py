"""Where a patient goes from the door, and which protocol is activated.

Both follow by rule from the true state on arrival, the level and the state of the department. The
criteria of the protocols are those that an agent can read by a tool; they lie in
``protocols.json``, are authored, and are not for patient care.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pydantic import TypeAdapter

from gym_clinic.domains.triage_emergency.acuity import (
    Acuity,
    holds,
    hours_of_findings,
    values_for,
    values_on_arrival,
)
from gym_clinic.domains.triage_emergency.acuity_table import Criterion
from gym_clinic.domains.triage_emergency.world import Department
from gym_clinic.facts.records.models import Text, Texts
from gym_clinic.facts.typed_json import Strict
from gym_clinic.simulate.clinic import ClinicPatient, Problem

NO_PATHWAY = "none"

DISPOSITIONS = ("resuscitation", "monitored bed", "standard bed", "fast track", "waiting room")
"""Where a patient can go, the most urgent place first."""

SPARE = 1
"""Free standard beds that may be kept for who comes next."""


class ActivationRule(Strict):
    """A situation in which a protocol is activated; every part that is given must hold.

    Attributes:
        conditions: The conditions that it is for; any if empty.
        variants: Their forms; any if empty.
        finding: Name of a finding that must be there.
        along: Names of findings of which one must be there as well; none if empty.
        when: Condition on the names of :func:`values_on_arrival`, and on ``news2``.
        ecg: Words of which the report of the ECG of the problem must have one; none if empty.
        beside: Whether it also counts for a problem that the patient has besides.
        or_none_for: Conditions in which no protocol is right as well.
        as_well: Whether none is the first choice here, and this protocol is right as well: its
            criteria are met to the letter by something else.
        tolerated: Whether it is neither asked for nor blamed here.
        known_by: Keys (see :mod:`gym_clinic.clinical.judging.seen`) of which one must have been
            found, not denied, before it is activated; none if empty.
    """

    conditions: Texts = ()
    variants: Texts = ()
    finding: Text | None = None
    along: Texts = ()
    when: Text = "True"
    ecg: Texts = ()
    beside: bool = False
    or_none_for: Texts = ()
    as_well: bool = False
    tolerated: bool = False
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
        resuscitation: Whether its team may meet the patient in resuscitation, at level 2 too.
        rules: When it is right, from the true state.
    """

    id: Text
    activates: Text
    name: Text
    criteria: Text
    clock: Text
    minutes: float
    first: str = ""
    resuscitation: bool = False
    rules: tuple[ActivationRule, ...]

    @property
    def due(self) -> tuple[ActivationRule, ...]:
        """The rules by which it is right, and not only tolerated."""
        return tuple(one for one in self.rules if not one.tolerated)


FOLLOW_UP = {
    1: "Monitored without a break; vital signs again within 5 minutes.",
    2: "Vital signs again within 15 minutes.",
    3: "Vital signs again within 30 minutes.",
    4: "Vital signs again within an hour, or at once if it gets worse.",
    5: "Seen again at once if it gets worse.",
}
"""Level -> what is watched until a physician comes."""


@dataclass(frozen=True)
class Pathway:
    """The right protocol of a patient.

    Attributes:
        id: Its id; "none" for none.
        accepted: What is right as well.
        minutes: Minutes from arrival by which it is to be activated.
        known_by: Keys of which one must have been found before.
        as_well: Whether it is only right as well, beside none.
        tolerated: Whether it is neither asked for nor blamed.
    """

    id: str
    accepted: tuple[str, ...]
    minutes: float
    known_by: tuple[str, ...] = ()
    as_well: bool = False
    tolerated: bool = False


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
    held = [one for one in pathways_that_hold(patient, measured, told) if not one.tolerated]
    others = (one.id for one in held if one.as_well)
    none = Pathway(NO_PATHWAY, (NO_PATHWAY, *others), 0.0)
    return next((one for one in held if not one.as_well), none)


def pathways_that_hold(
    patient: ClinicPatient, measured: Mapping[str, float] | None = None, told: float = 1.0
) -> Iterator[Pathway]:
    """Yield every protocol whose rules hold, as for :func:`pathway_of`."""
    values, began = values_on_arrival(patient, told, measured), hours_of_findings(patient, told)
    first, everything = patient.problems[:1], patient.problems
    for protocol in protocols().values():
        for rule in protocol.rules:
            one = Criterion(
                what=protocol.id,
                conditions=rule.conditions,
                finding=rule.finding,
                along=rule.along,
                when=rule.when,
            )
            problems = everything if rule.beside else first
            keys = {one.condition for one in problems}
            fits = not rule.variants or any(one.variant in rule.variants for one in problems)
            fits &= not rule.ecg or any(_shows(one, rule.ecg) for one in problems)
            if fits and holds(one, keys, began, values_for(patient, one, values, told)):
                free = (NO_PATHWAY,) if keys & {*rule.or_none_for} else ()
                accepted = (protocol.id, *free)
                minutes, known_by = protocol.minutes, rule.known_by
                yield Pathway(
                    protocol.id, accepted, minutes, known_by, rule.as_well, rule.tolerated
                )
                break


def _shows(problem: Problem, words: Texts) -> bool:
    report = problem.studies.get("ecg")
    return report is not None and report.shows and any(one in report.text for one in words)


def places(acuity: Acuity, pathway: Pathway, department: Department) -> tuple[str, ...]:
    """Return where a patient may go from the door, the best place first.

    Level 1 goes to resuscitation; for level 2 see `_of_level_two`. Level 3 gets a standard bed; who
    is frail (see `Acuity`) gets one even if room must be made, others may wait if at most one is
    free. Levels 4 and 5 go to the fast track, or wait; who is frail does not wait, but may have a
    standard bed. While the fast track is closed, a standard bed may be used: by level 4 if one is
    free, by level 5 if another stays free. Who needs isolation never waits among others: the
    standard bed is then a single room. Where isolation or none is right, so are the usual places.
    """
    if acuity.level == 1:
        return ("resuscitation",)
    if acuity.level == 2:
        return _of_level_two(acuity, pathway)
    if acuity.level == 3 and acuity.frail:
        return "standard bed", "monitored bed"
    if pathway.id == "isolation":
        if NO_PATHWAY not in pathway.accepted:
            return ("standard bed",)
        ordinary = places(acuity, Pathway(NO_PATHWAY, (NO_PATHWAY,), 0.0), department)
        return tuple(dict.fromkeys(("standard bed", *ordinary)))
    beds = department.standard_beds
    if acuity.level == 3:
        if beds > SPARE:
            return ("standard bed",)
        return ("standard bed", "waiting room") if beds else ("waiting room", "standard bed")
    if department.fast_track:
        return "fast track", "standard bed" if acuity.frail else "waiting room"
    if acuity.frail:
        return "standard bed", "waiting room"
    bed = ("standard bed",) if beds > (0 if acuity.level == 4 else SPARE) else ()
    return ("waiting room", *bed)


def _of_level_two(acuity: Acuity, pathway: Pathway) -> tuple[str, ...]:
    """A monitored bed is right for everybody, and beside it what a part of hospitals would do.

    Resuscitation, for who is confused, has two vital signs in the danger zone or a low oxygen
    saturation, and for protocols whose team comes to the patient. A standard bed, for who needs no
    monitor and has at most the pulse or the breaths in the danger zone.
    """
    danger = acuity.danger_zone
    protocol = protocols().get(pathway.id)
    worse = acuity.confused or len(danger) > 1 or "spo2" in danger
    if worse or (protocol is not None and protocol.resuscitation):
        return "monitored bed", "resuscitation"
    if acuity.monitor:
        return ("monitored bed",)
    return ("monitored bed", "standard bed") if danger else ("standard bed", "monitored bed")
