"""What a triage nurse asks for with each complaint: its red flags.

They lie in ``red_flags.json``, by groups of complaints, the most dangerous first; the group without
complaints is for all others. Authored for this simulation, not for patient care.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from pydantic import TypeAdapter

from gym_clinic.facts import Facts, with_ancestors
from gym_clinic.facts.models import Text, Texts
from gym_clinic.facts.typed_json import Strict

CHILDBEARING = (12.0, 55.0)
"""Ages in years from and to which a woman is asked for a pregnancy."""

AT_FIRST = 2
"""Flags of each group that are asked before further ones of another."""


class ComplaintGroup(Strict):
    """Complaints with which the same is asked.

    Attributes:
        complaints: Names of findings, which stand for their special forms as well.
        ask: Names of the red flags, the most important first.
        pregnancy: Whether women are asked for a pregnancy.
    """

    complaints: Texts
    ask: tuple[Text, ...]
    pregnancy: bool = False


class FlagsToAsk(NamedTuple):
    """What is asked with the complaints of a patient.

    Attributes:
        findings: Names of the red flags, the most important first.
        pregnancy: Whether a woman is asked for a pregnancy.
    """

    findings: tuple[str, ...]
    pregnancy: bool


@lru_cache(maxsize=1)
def complaint_groups() -> tuple[ComplaintGroup, ...]:
    """Return the table of red flags."""
    file = Path(__file__).with_name("red_flags.json")
    return TypeAdapter(tuple[ComplaintGroup, ...]).validate_json(file.read_bytes())


def flags_of(facts: Facts, complaints: Iterable[str]) -> FlagsToAsk:
    """Return what is asked with complaints.

    >>> from gym_clinic.facts import load
    >>> facts = load()
    >>> flags_of(facts, [facts.finding_ids["Testicular pain"]]).findings
    ('Testicular pain', 'Vomiting', 'Fever', 'Abdominal pain')

    Args:
        facts: The fact tables.
        complaints: Ids of findings. Of several groups, the first two flags of each come first, in
            the order of the table, which has the most dangerous complaints first.
    """
    names: set[str] = set()
    for key in with_ancestors(complaints, facts.above):
        if key in facts.phenotypes:
            names.add(facts.phenotypes[key].name)
    groups = [one for one in complaint_groups() if names & {*one.complaints}]
    groups = groups or [one for one in complaint_groups() if not one.complaints]
    first = [flag for one in groups for flag in one.ask[:AT_FIRST]]
    later = [flag for one in groups for flag in one.ask[AT_FIRST:]]
    return FlagsToAsk(tuple(dict.fromkeys((*first, *later))), any(one.pregnancy for one in groups))
