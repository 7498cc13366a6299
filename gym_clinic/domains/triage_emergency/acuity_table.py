"""The table of what the handbook of the Emergency Severity Index leaves to judgement.

It lies in ``acuity.json``, and is authored for this simulation, not for patient care.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from pydantic import Field

from gym_clinic.facts.expressions import parse
from gym_clinic.facts.records.instruments import Expr
from gym_clinic.facts.records.models import Slug, Text, Texts
from gym_clinic.facts.typed_json import Strict, read_record


class Criterion(Strict):
    """A situation that decides something; every part that is given must hold.

    Attributes:
        what: What it is, in words.
        conditions: The conditions that it is of; any if empty.
        finding: Name of a finding that must be there, in itself or in a form of it.
        when: Condition on the state on arrival and on the names of :func:`values_on_arrival`;
            ``finding_hours`` is the time since the finding began.
        monitor: Whether the patient needs a monitor.
    """

    what: Text
    conditions: Texts = ()
    finding: Text | None = None
    when: Expr = "True"
    monitor: bool = False


class Resource(Strict):
    """A kind of resource that a condition needs.

    Attributes:
        of: The kind, as the handbook counts: one for any number of blood and urine tests, one for
            ECG and X-rays, one for CT, MRI and ultrasound, and so on.
        finding: Name of a finding with which it is needed; always if None.
        when: As in `Criterion`.
        said: The condition in words.
    """

    of: Text
    finding: Text | None = None
    when: Expr = "True"
    said: Text | None = None


class AcuityTable(Strict):
    """What the handbook leaves to judgement, fixed.

    Attributes:
        life_saving: Interventions that cannot wait.
        high_risk: High-risk situations.
        expected: The resources that a finding calls for, whatever the condition.
        resources: Condition -> the resources that it needs besides.
        by_default: The resources of a condition that is not listed.
    """

    life_saving: tuple[Criterion, ...]
    high_risk: tuple[Criterion, ...]
    expected: tuple[Resource, ...]
    resources: dict[Slug, tuple[Resource, ...]]
    by_default: tuple[Resource, ...] = Field(min_length=1)


@lru_cache(maxsize=1)
def acuity_table() -> AcuityTable:
    """Return the table of what decides a level."""
    file = Path(__file__).with_name("acuity.json")
    return read_record(file.read_bytes(), AcuityTable, str(file))


def resources_for(
    listed: Iterable[Resource], names: Container[str], values: Mapping[str, float]
) -> Iterator[str]:
    """Yield the kinds of resources that are needed, of some.

    Args:
        listed: The resources, with what they are needed with.
        names: Names of the findings that are there.
        values: What a condition may name.
    """
    for one in listed:
        there = one.finding is None or one.finding in names
        if there and parse(one.when).compute(values):
            yield one.of


@lru_cache(maxsize=1)
def calling_for_resources() -> frozenset[str]:
    """Return the names of findings that call for a resource."""
    return frozenset(one.finding for one in acuity_table().expected if one.finding is not None)
