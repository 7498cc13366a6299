"""What weakens the immune system of a patient, and where a triage nurse reads it.

It lies in ``immunity.json``, and is authored for this simulation, not for patient care. Nobody here
has a transplant, and the last count of CD4 cells is not on the record.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from gym_clinic.facts import Facts
from gym_clinic.facts.records.models import Text, Texts
from gym_clinic.facts.typed_json import Strict

if TYPE_CHECKING:  # the rules baseline takes names from here, and knows nothing of the simulator
    from gym_clinic.simulate.clinic import ClinicPatient

DAY = -24 * 60
"""Minutes from arrival of a day before it."""

NEUTROPENIA = "febrile-neutropenia"
"""The condition that nobody can think of who does not know of the chemotherapy."""


class Weakening(Strict):
    """Something that weakens the immune system.

    Attributes:
        what: What it is, in words.
        conditions: Conditions on the record.
        classes: Classes of drugs.
        drugs: Further drugs, with the milligrams a day from which on they count.
        procedure: A word in the name of a procedure.
        days: Days after which this no longer counts.
        read: The key of the part of the record that shows it.
        source: Where this comes from.
    """

    what: Text
    conditions: Texts = ()
    classes: Texts = ()
    drugs: dict[str, float] = {}
    procedure: Text | None = None
    days: float = 0
    read: Text
    source: Text


@lru_cache(maxsize=1)
def weakenings() -> tuple[Weakening, ...]:
    """Return the table of what weakens the immune system."""
    text = Path(__file__).with_name("immunity.json").read_bytes()
    return TypeAdapter(tuple[Weakening, ...]).validate_json(text)


def weakened_by(patient: ClinicPatient) -> dict[str, tuple[str, ...]]:
    """Return where the record shows that the immune system of a patient is weak.

    Args:
        patient: The patient.

    Returns:
        Key of a part of the record -> keys of what it shows there, as
        :mod:`gym_clinic.clinical.judging.seen` has them; of a procedure, which has none, nothing.
    """
    found = {one.read: tuple(dict.fromkeys(_shown(patient, one))) for one in weakenings()}
    recent = {one.read for one in weakenings() if _was_done(patient, one)}
    return {read: keys for read, keys in found.items() if keys or read in recent}


def _shown(patient: ClinicPatient, one: Weakening) -> Iterator[str]:
    lived = [each.condition for each in patient.background if each.condition in one.conditions]
    yield from (f"condition:{each}" for each in lived)
    for taken in patient.medicines:
        if taken.condition in lived and taken.unlisted is None:
            yield f"medicine:{taken.drug}"
        least = one.drugs.get(taken.drug)
        enough = least is not None and (not least or taken.dose * taken.per_day >= least)
        weakens = enough or not {*one.classes}.isdisjoint(patient.facts.drugs[taken.drug].classes)
        if weakens and taken.unlisted is None:
            yield f"medicine:{taken.drug}"


def _was_done(patient: ClinicPatient, one: Weakening) -> bool:
    return one.procedure is not None and any(
        event.kind == "procedure" and one.procedure in event.what
        and event.minute >= one.days * DAY
        for event in patient.past
    )  # fmt: skip


def names_that_weaken(facts: Facts) -> frozenset[str]:
    """Return the names of illnesses and drugs of the record that do so whatever the dose.

    Args:
        facts: The fact tables.
    """
    table = weakenings()
    ill = {facts.diseases[key].name for one in table for key in one.conditions}
    taken = {key for one in table for key, least in one.drugs.items() if not least}
    classes = {each for one in table for each in one.classes}
    taken |= {key for key, one in facts.drugs.items() if classes & {*one.classes}}
    return frozenset(ill | {facts.drugs[key].name for key in taken})
