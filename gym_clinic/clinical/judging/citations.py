"""Whether what an answer cites is true of the patient, and was read.

A citation is right if the agent read it before the answer and the chart bears it out. It is wrong
if it is unknown, was not read, is not so, or is cited both as there and as not there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from gym_clinic.chart.examination import examination_report
from gym_clinic.clinical.answer import ReadCitation
from gym_clinic.clinical.judging.seen import measured_alike
from gym_clinic.clinical.world import ClinicCase, ClinicWorld
from gym_clinic.embedded import linker
from gym_clinic.facts import Facts, load
from gym_clinic.facts.expressions import parse
from gym_clinic.simulate.clinic import image_report
from gym_clinic.simulate.clinic.body import measured_findings, reference, with_limits
from gym_clinic.simulate.clinic.lasting import lasting_shows

TOLERANCE = 0.02
"""Relative difference between a cited value and one that was shown."""


@dataclass(frozen=True)
class CheckedCitations:
    """The citations of an answer, checked.

    Attributes:
        right: Keys with presence that are right.
        wrong: How many are wrong.
    """

    right: frozenset[tuple[str, bool]]
    wrong: int

    @property
    def present(self) -> frozenset[str]:
        """Keys that are rightly cited as there."""
        return frozenset(key for key, has in self.right if has)

    @property
    def precision(self) -> float:
        """Share of right citations, less where fewer than three are right; 0 to 1."""
        count = len(self.right)
        made = count + self.wrong
        return count / made * min(1.0, count / 3) if made else 0.0

    def cites(self, key: str, present: bool, facts: Facts) -> bool:
        """Return whether something is rightly cited, under its key or another for the same."""
        right = self.right
        if not right or (key, present) in right:
            return bool(right)
        return any((one, present) in right for one in same_evidence(facts, key))


def check_citations(
    case: ClinicCase, cited: Iterable[ReadCitation], read: Collection[str], uncounted: int = 0
) -> CheckedCitations:
    """Return which citations are right.

    Args:
        case: The chart.
        cited: The citations.
        read: What was read before the answer.
        uncounted: Further citations that were not read; each is wrong.
    """
    said: dict[str, set[bool]] = {}
    right: set[tuple[str, bool]] = set()
    wrong = uncounted
    listed = list(cited)
    for one in listed:
        if one.key is not None:
            said.setdefault(one.key, set()).add(one.present)
    for one in listed:
        if one.key is None or len(said[one.key]) > 1 or not was_read(case.world, one.key, read):
            wrong += 1
        elif is_true(case, one.key, one.present, one.value):
            right.add((one.key, one.present))
        else:
            wrong += 1
    return CheckedCitations(frozenset(right), wrong)


def was_read(world: ClinicWorld, key: str, read: Collection[str]) -> bool:
    """Return whether what a key means was read: told, measured, or seen on examination."""
    if key in read:
        return True
    kind, _, of = key.partition(":")
    if kind != "told":
        return False
    facts = world.patient.facts
    measured = measurements_of(facts, of)
    if measured and all(one in read for one in measured):
        return True
    return any(f"site:{site}" in read for site, found in signs(world).items() if of in found)


def is_true(case: ClinicCase, key: str, present: bool, value: float | None = None) -> bool:
    """Return whether something is so in this patient, as far as the chart has shown it."""
    kind, _, of = key.partition(":")
    patient, world = case.patient, case.world
    if kind == "told":
        shown = [found[of] for site, found in signs(world).items() if of in found]
        true = (of in world.findings or any(shown)) is present
        return true or _finding_by_shown(case, of) is present
    if kind in ("vital", "lab"):
        return _measured_so(case, of, present, value)
    if kind == "study":
        reports = (image_report(one.studies, of) for one in patient.problems)
        today = any(one is not None and one.shows for one in reports)
        return today is present or (present and lasting_shows(patient.lasting, of))
    if kind == "site":
        return any(one.abnormal for one in patient.examination if one.site == of) is present
    has = {
        "medicine": lambda: (
            any(one.drug == of for one in patient.medicines)
            or any(one.kind == "medicine" and one.what == of for one in patient.past)
        ),
        "allergy": lambda: any(one.allergen == of for one in patient.allergies),
        "condition": lambda: any(one.condition == of for one in patient.background),
        "habit": lambda: of in patient.person.habits,
        "pregnancy": lambda: patient.person.pregnant_weeks is not None,
    }.get(kind)
    return has is not None and has() is present


def _finding_by_shown(case: ClinicCase, finding: str) -> bool | None:
    """Whether the last values that were shown are those of a finding; None if they do not say."""
    facts = case.patient.facts
    known = facts.phenotypes.get(finding)
    text = measured_findings().get(known.name) if known is not None else None
    keys = [] if text is None else sorted(parse(text).names & facts.measurements.keys())
    last = {one: case.shown[one][-1] for one in keys if case.shown.get(one)}
    if text is None or len(last) < len(keys):
        return None
    state = {**case.patient.state(0), **last}
    values = with_limits(facts, state, *case.patient.person.measured_by)
    return bool(parse(text).compute(values))


def _measured_so(case: ClinicCase, key: str, present: bool, value: float | None) -> bool:
    """Whether a value that was shown is abnormal, or not, and is the one that is cited."""
    patient = case.patient
    limits = reference(patient.facts.measurements[key], *patient.person.measured_by)
    decimals = patient.facts.measurements[key].decimals
    for one in case.shown.get(key, ()):
        near = max(TOLERANCE * abs(one), 0.51 * 10.0**-decimals)
        if value is not None and abs(value - one) > near:
            continue
        low = limits is not None and limits.low is not None and one < limits.low
        high = limits is not None and limits.high is not None and one > limits.high
        if (low or high) is present:
            return True
    return False


def same_evidence(facts: Facts, key: str) -> tuple[str, ...]:
    """Return the keys that mean the same: a finding that one measurement shows, and that one.

    So do measurements of the same substance.
    """
    kind, _, of = key.partition(":")
    if kind == "told":
        measured = measurements_of(facts, of)
        return (key, *measured) if len(measured) == 1 else (key,)
    if kind in ("vital", "lab"):
        alike = measured_alike(facts, of)
        shown = _shown_by(facts.folder)
        return (*alike, *(finding for one in alike for finding in shown.get(one, ())))
    return (key,)


def measurements_of(facts: Facts, finding: str) -> tuple[str, ...]:
    """Return the measurements that show a finding, as keys; empty if none do."""
    return _measuring(facts.folder).get(finding, ())


@lru_cache(maxsize=2)
def _measuring(folder: Any) -> Mapping[str, tuple[str, ...]]:
    facts = load(folder)
    found = {}
    for name, text in measured_findings().items():
        keys = sorted(parse(text).names & facts.measurements.keys())
        found[facts.finding_ids[name]] = tuple(
            f"{'vital' if facts.measurements[one].kind == 'vital' else 'lab'}:{one}" for one in keys
        )
    return found


@lru_cache(maxsize=2)
def _shown_by(folder: Any) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for finding, keys in _measuring(folder).items():
        if len(keys) == 1:
            found[keys[0]] = (*found.get(keys[0], ()), f"told:{finding}")
    return found


def signs(world: ClinicWorld) -> Mapping[str, Mapping[str, bool]]:
    """Return part of the examination -> finding that its report names -> whether it is there."""
    return _signs(world)


@lru_cache(maxsize=64)
def _signs(world: ClinicWorld) -> Mapping[str, Mapping[str, bool]]:
    return {site: dict(_linked(examination_report(world.patient, site))) for site in
            {one.site for one in world.patient.examination}}  # fmt: skip


def _linked(text: str) -> Iterator[tuple[str, bool]]:
    for link in linker().link(text):
        if link.status in ("present", "absent"):
            yield link.record.id, link.status == "present"
