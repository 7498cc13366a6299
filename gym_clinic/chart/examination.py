"""What an examination of a part of the body finds: normal and abnormal findings, side by side.

An examiner goes through a part of the body in its usual order. What the record says of it stands
where it belongs; what nothing in the patient touches is noted as normal, for some of the rest. So
neither the number of findings nor a normal one that only one illness would look for tells which
illness it is.

Source:
    ``examination_parts.json`` and ``examination.json``; authored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random

from pydantic import Field, TypeAdapter

from gym_clinic.chart.catalogue import sites
from gym_clinic.facts.typed_json import Strict
from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.clinic.examination.appearance import as_ill
from gym_clinic.simulate.clinic.examination.shown import CLEAR as ALERT
from gym_clinic.simulate.clinic.examination.shown import KNOWS_DATES, write_text
from gym_clinic.simulate.split import of_split

NOTED = 0.6
"""Share of the normal parts that an examiner notes; the first of a site always."""

CLEAR = 14
"""Coma score below which the nervous system cannot be examined part by part."""

NEEDS_CLEAR = ("neurology", "eyes")
"""Sites that need a patient who answers."""


class ExaminedPart(Strict):
    """A thing that is looked at when a site is examined.

    Attributes:
        names: Pattern of the words that tell of it.
        normal: What is noted where it is normal.
        unless: Pattern of findings, signs and conditions that may change it.
        from_age: Age in years from which on it is looked at.
    """

    names: str = Field(min_length=1)
    normal: tuple[str, ...] = Field(min_length=2)
    unless: str = Field(min_length=1)
    from_age: float = 0


@lru_cache(maxsize=1)
def parts() -> Mapping[str, tuple[ExaminedPart, ...]]:
    """Return site -> what is looked at there, in its usual order."""
    text = Path(__file__).with_name("examination_parts.json").read_text(encoding="utf-8")
    return TypeAdapter(dict[str, tuple[ExaminedPart, ...]]).validate_json(text)


def examination_report(patient: ClinicPatient, site: str) -> str:
    """Return what is found at a part of the examination; the same each time.

    Args:
        patient: The patient.
        site: One of the parts of ``examination.json``.
    """
    found = dict.fromkeys(one.text for one in patient.examination if one.site == site)
    random = Random(f"{patient.seed}:{site}:normal")
    looked_at = parts().get(site, ())
    placed = [(_place(text, looked_at), text) for text in found]
    if patient.state(0)["gcs"] >= CLEAR or site not in NEEDS_CLEAR:
        touching = patient.touching
        for number, one in enumerate(looked_at):
            noted = random.random() < NOTED or number == 0
            words = write_text(random.choice(of_split("normal", one.normal, patient.split)), random)
            said = any(re.search(one.names, text, re.IGNORECASE) for text in found)
            young = patient.person.age < one.from_age
            if noted and not said and not young and not re.search(one.unless, touching):
                placed.append((number, words))
    if not placed:
        normal = _nothing_found(patient, site)
        touched = [one.names for one in looked_at if re.search(one.unless, patient.touching)]
        own = of_split("normal", normal, patient.split)
        if site == "general":
            normal, own = (_as_ill(patient, one) for one in (normal, own))
        fit = [_that_fit(of, touched) for of in (own, normal)]
        return random.choice(fit[0] or fit[1] or own)  # what is true comes before whose it is
    return "; ".join(text for _, text in sorted(placed, key=lambda one: one[0]))


def _that_fit(normal: Sequence[str], touched: Sequence[str]) -> list[str]:
    """The wordings that say nothing of parts that something in the patient touches."""
    return [one for one in normal if not any(re.search(each, one) for each in touched)]


def _as_ill(patient: ClinicPatient, normal: Sequence[str]) -> list[str]:
    """The wordings of the general appearance that the record does not contradict."""
    names = {patient.facts.phenotypes[key].name for key, has in patient.findings().items() if has}
    values = patient.state(0) | {"age": patient.person.age}
    return [one for one in normal if as_ill(one, names.__contains__, values) == one]


def _nothing_found(patient: ClinicPatient, site: str) -> Sequence[str]:
    """What is noted of a site where nothing is found, by consciousness and age."""
    entry = sites()[site]
    if entry.clouded and patient.state(0)["gcs"] < ALERT:
        return entry.clouded
    if entry.small and patient.person.age < KNOWS_DATES:
        return entry.small
    return entry.normal


def _place(text: str, looked_at: tuple[ExaminedPart, ...]) -> int:
    """Where in the usual order a finding stands; at the end if no part names it."""
    places = (n for n, one in enumerate(looked_at) if re.search(one.names, text, re.IGNORECASE))
    return next(places, len(looked_at))
