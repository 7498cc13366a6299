"""Which parts of the body are examined first: those of anyone with the complaint, and chance.

The choice depends on the complaint, the age and the consciousness, and never on the illness, so
that the parts that a note tells of give nothing away. The rates lie in ``first_examination.json``;
they are authored for this simulation.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from random import Random

from gym_clinic.facts.typed_json import Strict, read_record
from gym_clinic.simulate.clinic.patient import ClinicPatient

YOUNG, DROWSY = 6, 14
"""Age in years below which, and coma score below which, other parts are examined."""

Rates = dict[str, float]


class FirstExamination(Strict):
    """Part of the examination -> how often it is examined; what is more special goes before.

    Attributes:
        usual: In everybody.
        young: In small children.
        drowsy: In those whose consciousness is reduced.
        by_group: Group of the complaint -> parts.
        other: For complaints of all other groups.
    """

    usual: Rates
    young: Rates
    drowsy: Rates
    by_group: dict[str, Rates]
    other: Rates


@lru_cache(maxsize=1)
def first_examination() -> FirstExamination:
    """Return the rates."""
    file = Path(__file__).with_name("first_examination.json")
    return read_record(file.read_bytes(), FirstExamination, str(file))


def rates_of(patient: ClinicPatient) -> Rates:
    """Return how often each part is examined first in patients with the complaint of this one."""
    table, complaint = first_examination(), patient.problems[0].complaint
    group = "" if complaint is None else patient.facts.phenotypes[complaint].group
    rates = {**table.usual, **table.by_group.get(group or "", table.other)}
    if patient.person.age < YOUNG:
        rates |= table.young
    if patient.state(0)["gcs"] < DROWSY:
        rates |= table.drowsy
    return rates


def first_examined(patient: ClinicPatient) -> tuple[str, ...]:
    """Return the parts that are examined first, besides the general impression; always the same."""
    random = Random(f"{patient.seed}:first examination")
    return tuple(site for site, rate in sorted(rates_of(patient).items()) if random.random() < rate)
