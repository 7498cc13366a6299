"""Whether what an answer cites is true of the patient, and was read.

A citation is right if the agent read it before the answer and the chart bears it out. It is wrong
if it is unknown, was not read, is not so, or is cited both as there and as not there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from gym_clinic.chart.catalogue import tests_of
from gym_clinic.chart.examination import examination_report
from gym_clinic.clinical.answer import ReadCitation
from gym_clinic.clinical.judging.seen import measured_alike, told_alike
from gym_clinic.clinical.naming.citing import HIGH, LOW
from gym_clinic.clinical.naming.evidence import cited_words
from gym_clinic.clinical.world import ClinicCase, ClinicWorld
from gym_clinic.embedded import linker
from gym_clinic.facts import Facts, load, words
from gym_clinic.facts.expressions import parse
from gym_clinic.simulate.clinic import image_report
from gym_clinic.simulate.clinic.examination.imaging import sees
from gym_clinic.simulate.clinic.examination.lasting import lasting_shows
from gym_clinic.simulate.clinic.physiology.body import measured_findings, reference, with_limits

RIGHT = "right"
"""The verdict on a citation that was read and is true."""

NEUTRAL = "not judged"
"""The verdict on a citation of no finding: it is neither right nor wrong."""

UNKNOWN = "unknown name"
"""The verdict on a citation that means nothing."""

NOT_JUDGED = ("patient", "record", "score", "panel", "lookup")
"""Kinds of what is cited but no finding: who the patient is, that the record or a whole panel was
read, a score, a screen."""

TOLERANCE = 0.02
"""Relative difference between a cited value and one that was shown, for rounding in other units; at
most a quarter of the usual spread, and at least half of the last decimal."""

_OTHER_RATE = re.compile(r"sinus (tachy|brady)cardia", re.IGNORECASE)


@dataclass(frozen=True)
class CheckedCitations:
    """The citations of an answer, checked.

    Attributes:
        right: Keys with presence that are right.
        wrong: How many are wrong.
        also: With presence, what right citations of findings name as well: conditions, and parts
            of the examination that were read and show the finding as a sign of the illness.
    """

    right: frozenset[tuple[str, bool]]
    wrong: int
    also: frozenset[tuple[str, bool]] = frozenset()

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

    @cached_property
    def _all(self) -> frozenset[tuple[str, bool]]:
        return self.right | self.also

    def cites(self, key: str, present: bool, facts: Facts) -> bool:
        """Return whether something is rightly cited, under its key or another for the same."""
        right = self._all
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
    right: set[tuple[str, bool]] = set()
    also: set[tuple[str, bool]] = set()
    wrong = uncounted
    for one, verdict, keys in verdicts(case, list(cited), read):
        right.update((key, one.present) for key in keys[:1])
        also.update((key, one.present) for key in keys[1:])
        if one.present:
            also.update((part, True) for key in keys for part in _parts_showing(case, key, read))
        wrong += verdict not in (RIGHT, NEUTRAL)
    return CheckedCitations(frozenset(right), wrong, frozenset(also - right))


def _parts_showing(case: ClinicCase, key: str, read: Collection[str]) -> Iterator[str]:
    """The parts of the examination that were read in which the illness shows a finding."""
    shown = case.world.once("signs of the illness", lambda: _signs_of_illness(case.world))
    return (part for part, keys in shown.items() if key in keys and part in read)


def _signs_of_illness(world: ClinicWorld) -> Mapping[str, frozenset[str]]:
    """Part of the examination, as a key -> keys of what its abnormal signs name as there."""
    found: dict[str, frozenset[str]] = {}
    for one in world.patient.problems[0].signs:
        if one.abnormal:
            named = {f"told:{finding}" for finding, there in _linked(one.text) if there}
            part = f"site:{one.site}"
            found[part] = found.get(part, frozenset()) | named
    return found


def verdicts(
    case: ClinicCase, cited: Sequence[ReadCitation], read: Collection[str]
) -> Iterator[tuple[ReadCitation, str, tuple[str, ...]]]:
    """Yield each citation with `RIGHT`, or what is wrong with it in words, and the right keys."""
    known = [_settled(case, one) for one in cited]
    said: dict[str, set[bool]] = {}
    for one in known:
        for key in one.keys:
            said.setdefault(key, set()).add(one.present)
    for one in known:
        found = {key: _verdict(case, one, key, said[key], read) for key in one.keys}
        right = tuple(key for key, verdict in found.items() if verdict == RIGHT)
        neutral = [verdict for verdict in found.values() if verdict == NEUTRAL]
        verdict = RIGHT if right else next(iter((*neutral, *found.values())), UNKNOWN)
        quoted = None if right or neutral or not one.present else _quoted(case, one.text, read)
        yield (one, verdict, right) if quoted is None else (one, RIGHT, (quoted,))


def _verdict(
    case: ClinicCase, one: ReadCitation, key: str, said: set[bool], read: Collection[str]
) -> str:
    if len(said) > 1:
        return "cited both as there and as not there"
    if not was_read(case.world, key, read):
        return "not read before the answer"
    if key.partition(":")[0] in NOT_JUDGED:
        return NEUTRAL
    true = is_true(case, key, one.present, one.value, one.side)
    return RIGHT if true else "not so in this patient"


def _quoted(case: ClinicCase, text: str, read: Collection[str]) -> str | None:
    """The examination or study that was read, is abnormal, and says a text in its own words.

    Words that a report denies, with all that stands between the same commas, do not count.
    """
    denying = {*cited_words().table["denying"]}
    said = {*words(text)} - _LITTLE
    if len(said) < 2 or said & denying:
        return None
    reports = [(key, examination_report(case.patient, key[5:]))
               for key in sorted(read) if key.startswith("site:")]  # fmt: skip
    for order in case.orders.values():
        result = case.remembered(order.id)
        if result is not None and f"study:{order.what}" in read:
            reports.append((f"study:{order.what}", str(result.get("report", ""))))
    for key, report in reports:
        clauses = [{*words(one)} for one in re.split(r"[,;.]", report)]
        told = {word for one in clauses if not one & denying for word in one}
        if said <= told and is_true(case, key, present=True):
            return key
    return None


_LITTLE = frozenset({"a", "an", "the", "of", "and", "with", "in", "on", "at", "to", "is"})


def _settled(case: ClinicCase, one: ReadCitation) -> ReadCitation:
    """A citation as it is meant.

    A value that was shown tells by itself whether it is abnormal, if the citation does not; an ECG
    of which the rate alone is abnormal may be called so.
    """
    if one.present and one.key is not None and is_rate_alone(case, one.key):
        return one.model_copy(update={"present": False})
    if not one.open or one.value is None or one.key is None:
        return one
    kind, _, of = one.key.partition(":")
    normal = kind in ("vital", "lab") and _measured_so(case, of, False, one.value)
    return one.model_copy(update={"present": False}) if normal else one


def was_read(world: ClinicWorld, key: str, read: Collection[str]) -> bool:
    """Return whether what a key means was read: told, measured, or seen on examination."""
    if key.partition(":")[0] in ("patient", "score"):
        return True
    one_of, together = world.once(("shown by", key), lambda: _shown_by_keys(world, key))
    return not one_of.isdisjoint(read) or (bool(together) and together.issubset(read))


def _shown_by_keys(world: ClinicWorld, key: str) -> tuple[frozenset[str], frozenset[str]]:
    """The keys of which one shows what a key means, and those that show it together."""
    facts = world.patient.facts
    kind, _, of = key.partition(":")
    alike = told_alike(facts, key)
    if kind == "panel":
        return frozenset((*alike, *(f"lab:{one.id}" for one in tests_of(facts)[of]))), frozenset()
    if kind != "told":
        return frozenset(alike), frozenset()
    sites = (f"site:{site}" for site, found in signs(world).items() if of in found)
    return frozenset((*alike, *sites)), frozenset(measurements_of(facts, of))


def is_true(
    case: ClinicCase,
    key: str,
    present: bool,
    value: float | None = None,
    side: str | None = None,
) -> bool:
    """Return whether something is so in this patient, as far as the chart has shown it.

    Args:
        case: The chart.
        key: What is cited.
        present: Whether it is said to be there, or abnormal.
        value: The value of a measurement.
        side: "high" or "low", if the measurement is said to be that.
    """
    kind, _, of = key.partition(":")
    patient, world = case.patient, case.world
    if kind == "told":
        shown = [found[of] for site, found in signs(world).items() if of in found]
        true = (of in world.findings or any(shown)) is present
        return true or _finding_by_shown(case, of) is present
    if kind in ("vital", "lab"):
        alike = [one.partition(":")[2] for one in measured_alike(patient.facts, of)]
        return any(_measured_so(case, one, present, value, side) for one in alike)
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


def is_rate_alone(case: ClinicCase, key: str) -> bool:
    """Return whether a key means an ECG that was read and is abnormal in the rate alone.

    Who cites a sinus tachycardia as abnormal says the same as who cites that nothing else is so.
    """
    made = (one for one in case.orders.values() if key == f"study:{one.what}" == "study:ecg")
    results = (case.remembered(one.id) for one in made)
    named = any(_OTHER_RATE.search(one["report"]) for one in results if one is not None)
    return named and is_true(case, key, present=False)


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


def _measured_so(
    case: ClinicCase, key: str, present: bool, value: float | None, side: str | None = None
) -> bool:
    """Whether a value that was shown is abnormal, or not, and is the one that is cited."""
    patient = case.patient
    measurement = patient.facts.measurements[key]
    limits = reference(measurement, *patient.person.measured_by)
    spread = math.inf if measurement.usual is None else measurement.usual[1] / 4
    for one in case.shown.get(key, ()):
        near = max(min(TOLERANCE * abs(one), spread), 0.51 * 10.0**-measurement.decimals)
        if value is not None and abs(value - one) > near:
            continue
        low = limits is not None and limits.low is not None and one < limits.low
        high = limits is not None and limits.high is not None and one > limits.high
        outside = (low and side != HIGH) or (high and side != LOW)
        if outside is present:
            return True
    return False


def same_evidence(facts: Facts, key: str) -> tuple[str, ...]:
    """Return the keys that mean the same: a finding that one measurement shows, and that one.

    So do measurements of the same substance, images that see as much of the same region, and
    findings that clinicians do not tell apart.
    """
    return _same_evidence(facts.folder, key)


@lru_cache(maxsize=1 << 12)
def _same_evidence(folder: Any, key: str) -> tuple[str, ...]:
    facts = load(folder)
    kind, _, of = key.partition(":")
    if kind == "told":
        alike, measured = told_alike(facts, key), measurements_of(facts, of)
        return (*alike, *measured) if len(measured) == 1 else alike
    if kind in ("vital", "lab"):
        alike = measured_alike(facts, of)
        shown = _shown_by(facts.folder)
        return (*alike, *(finding for one in alike for finding in shown.get(one, ())))
    if kind == "study":
        return (key, *(f"study:{one}" for one in sees(of) if sees(one)[of]))
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
    """Return part of the examination -> finding that its report tells -> whether it is there.

    A report tells what it names, and the finding that a sign of it goes with.
    """
    return world.once("signs", lambda: _signs(world))


def _signs(world: ClinicWorld) -> Mapping[str, Mapping[str, bool]]:
    patient = world.patient
    ids = patient.facts.finding_ids
    found = {site: dict(_linked(examination_report(patient, site))) for site in
             {one.site for one in patient.examination}}  # fmt: skip
    for _, condition in patient.conditions():
        for sign in condition.signs:
            if sign.goes_with is not None and sign.site in found:
                finding = ids[sign.goes_with]
                found[sign.site].setdefault(finding, finding in world.findings)
    return found


def _linked(text: str) -> Iterator[tuple[str, bool]]:
    for link in linker().link(text):
        if link.status in ("present", "absent"):
            yield link.record.id, link.status == "present"
