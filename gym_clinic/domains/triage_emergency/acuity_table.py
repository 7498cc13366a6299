"""The table of what the handbook of the Emergency Severity Index leaves to judgement.

It lies in ``acuity.json``, and is authored for this simulation, not for patient care.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import Field

from gym_clinic.facts.expressions import parse
from gym_clinic.facts.records.instruments import Expr
from gym_clinic.facts.records.models import Text, Texts
from gym_clinic.facts.typed_json import Strict, read_record


class Criterion(Strict):
    """A situation that decides something; every part that is given must hold.

    Attributes:
        what: What it is, in words.
        conditions: The conditions that it is of; any if empty.
        finding: Name of a finding that must be there, in itself or in a form of it.
        along: Names of findings of which one must be there as well; none if empty.
        when: Condition on the state on arrival and on the names of :func:`values_on_arrival`;
            ``finding_hours`` is the time since the finding began.
        monitor: Whether the patient needs a monitor.
        said: What else must hold for the finding, in words.
    """

    what: Text
    conditions: Texts = ()
    finding: Text | None = None
    along: Texts = ()
    when: Expr = "True"
    monitor: bool = False
    said: Text | None = None


class Resource(Strict):
    """Kinds of resources that a finding calls for, whatever the condition.

    Attributes:
        of: The kinds, as the handbook counts: one for any number of blood and urine tests, one for
            ECG and X-rays, one for CT, MRI and ultrasound, and so on.
        findings: Names of findings of which one must be there.
        along: Names of findings of which one must be there as well; none if empty.
        without: Names of findings that must not be there.
        when: As in `Criterion`.
        said: What else must hold, in words.
    """

    of: Texts = Field(min_length=1)
    findings: Texts = Field(min_length=1)
    along: Texts = ()
    without: Texts = ()
    when: Expr = "True"
    said: Text | None = None


class AcuityTable(Strict):
    """What the handbook leaves to judgement, fixed.

    Attributes:
        life_saving: Interventions that cannot wait.
        high_risk: High-risk situations; `read_level_guide` prints those of a finding by itself.
        expected: The resources that findings call for; `read_level_guide` prints all of them.
    """

    life_saving: tuple[Criterion, ...]
    high_risk: tuple[Criterion, ...]
    expected: tuple[Resource, ...]


@lru_cache(maxsize=1)
def acuity_table() -> AcuityTable:
    """Return the table of what decides a level."""
    file = Path(__file__).with_name("acuity.json")
    return read_record(file.read_bytes(), AcuityTable, str(file))


def resources_for(names: AbstractSet[str], values: Mapping[str, float]) -> tuple[str, ...]:
    """Return the kinds of resources that findings call for, each once.

    Args:
        names: Names of the findings that are there.
        values: What a condition may name.
    """
    kinds = (
        kind
        for one in acuity_table().expected
        if names & {*one.findings}
        and (not one.along or names & {*one.along})
        and not names & {*one.without}
        and parse(one.when).compute(values)
        for kind in one.of
    )
    return tuple(dict.fromkeys(kinds))


@lru_cache(maxsize=1)
def calling_for_resources() -> frozenset[str]:
    """Return the names of findings that call for a resource."""
    return frozenset(name for one in acuity_table().expected for name in one.findings)


def reason_in_words(level: int, reasons: Mapping[str, Any]) -> str:
    """Return why a level is the right one.

    >>> reason_in_words(4, {"resources": ["laboratory"]})
    'one resource: laboratory'

    Args:
        level: The level.
        reasons: The reasons that a gold names.
    """

    def named(kind: str) -> str:
        return ", ".join(reasons.get(kind, ()))

    if level == 1:
        return named("life-saving")
    signs = ", ".join(_SIGNS[one] for one in reasons.get("danger zone", ()))
    danger = f"{signs} in the danger zone" if signs else ""
    resources = reasons.get("resources", ())
    if level == 2:
        states = [one for one in ("confused", "severe pain") if reasons.get(one)]
        return "; ".join(one for one in (named("high risk"), *states, danger) if one)
    count = ("no resource", "one resource", "two resources")[min(len(resources), 2)]
    more = " or more" * (len(resources) > 2)
    return f"{count}{more}{': ' if resources else ''}{', '.join(resources)}"


_SIGNS = {"hr": "heart rate", "rr": "respiratory rate", "spo2": "oxygen saturation"}
