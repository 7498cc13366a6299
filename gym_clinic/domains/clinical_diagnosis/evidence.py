"""What an agent must find out about a patient, computed from the hidden record.

The evidence of a task are the few facts that tell its condition from its look-alikes in this
patient: the facts that decide (:mod:`.deciding`), what the patient would say if asked, what is seen
on examination, and what shows that it is not the most dangerous look-alike. Whether each can be
obtained is tried on the chart afterwards (:mod:`gym_clinic.clinical.rehearsal`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from gym_clinic.chart.catalogue import studies_of, study_price
from gym_clinic.clinical.differential import ELSEWHERE, finding_rates
from gym_clinic.clinical.gates import SHOWN_LATER
from gym_clinic.clinical.judging.citations import is_true
from gym_clinic.clinical.judging.seen import is_read, seen, told_alike
from gym_clinic.clinical.world import ClinicCase, ClinicWorld
from gym_clinic.domains.clinical_diagnosis.deciding import (
    Decision,
    DecisiveFact,
    assessed,
    call_for,
    discriminators,
    holds,
    moves,
    order_of,
    read_entry,
    telling_keys,
    untold,
)
from gym_clinic.facts import Facts, Person, load
from gym_clinic.facts.records.conditions import Condition, Effect
from gym_clinic.facts.records.epidemiology import Pregnancy
from gym_clinic.simulate.clinic import image_report

MOST_TOLD, MOST_SITES = 3, 2
"""Facts that are told and parts of the examination, at most, beside what decides."""

CHILDBEARING = (12, 50)
"""Ages in years between which pregnancy is thought of."""

PREGNANCY_TEST = "lab:hcg"

TESTS = ("lab:", "study:")
"""How keys of tests begin."""

FEWEST = 3
"""Facts, at least; what is missing are findings that are absent."""


def decisive_facts(world: ClinicWorld, deciding: Decision) -> tuple[DecisiveFact, ...]:
    """Return what is to be found out about a patient, what is told first.

    What the documents of the ticket tell is not among them.

    Args:
        world: The patient's world.
        deciding: The facts that decide together, one of `decisions`.
    """
    found = {one.key: one for one in (*_told(world), *_sites(world))}
    found |= {one.key: one for one in (*deciding, *assessed(world))}
    for one in _excluding(world, found):
        found.setdefault(one.key, one)
    told, facts = seen(ClinicCase(world)), world.patient.facts
    kept = [one for one in found.values() if one in deciding or not is_read(facts, one.key, told)]
    if len(kept) < FEWEST:
        absent = [one for one in _absent(world) if one.key not in {*told, *found}]
        kept += absent[: FEWEST - len(kept)]
    return tuple(kept)


def instead(
    world: ClinicWorld, evidence: Sequence[DecisiveFact], deciding: Sequence[Decision]
) -> list[dict[str, Any]]:
    """Return what serves as well as the evidence of the plan, as `share_found` reads it.

    Another set of facts that decides; other things that the patient tells of the illness; other
    parts of the examination that it makes abnormal; other absent findings that would speak for a
    look-alike.
    """
    case, first = ClinicCase(world), {one.key for one in deciding[0]}
    needed = {*first, *(one.key for one in assessed(world))}
    further = [one for one in evidence if one.key not in needed]
    pools: Mapping[tuple[str, bool], Iterable[DecisiveFact]] = {
        ("told", True): _told(world, most=None),
        ("site", True): _sites(world, most=None),
        ("any", False): (*_all_excluding(world), *_absent(world)),
    }
    found: list[dict[str, Any]] = []
    if len(deciding) > 1:
        found.append({"keys": sorted(first), "sets": [_as_cited(one) for one in deciding]})
    for (kind, present), pool in pools.items():
        keys = [
            one.key
            for one in further
            if one.present is present and kind in (one.kind, "any") and one.key != PREGNANCY_TEST
        ]
        others = {one.key: one for one in (*further, *pool) if one.present is present}
        others = {
            key: one
            for key, one in others.items()
            if kind in (one.kind, "any")
            and (one.kind in SHOWN_LATER or key in keys or is_true(case, key, present))
        }
        if keys and others.keys() - {*keys}:
            found.append({"keys": keys, "of": _as_cited(others.values())})
    return found


def _as_cited(facts: Iterable[DecisiveFact]) -> list[dict[str, Any]]:
    return [{"finding": one.key, "present": one.present} for one in facts]


def _all_excluding(world: ClinicWorld) -> Iterator[DecisiveFact]:
    """Everything that shows that it is not a dangerous look-alike."""
    for alike in dangerous_look_alikes(world):
        for key in excluding_keys(world, alike):
            if (against := _against(world, key)) is not None:
                yield against


def dangerous_look_alikes(world: ClinicWorld) -> tuple[str, ...]:
    """Return the look-alikes that this patient may have and that are seen first in triage.

    Where the table names those that are to be excluded, they go before.
    """
    facts, alike = world.patient.facts, possible_look_alikes(world)
    named = discriminators()[world.patient.problems[0].condition].excludes
    alike = tuple(one for one in alike if one in named) or alike
    levels = {one: facts.conditions[one].triage or 9 for one in alike}
    return tuple(one for one in alike if levels[one] == min(levels.values()))


def possible_look_alikes(world: ClinicWorld) -> tuple[str, ...]:
    """Return the look-alikes that somebody of this age and sex may have, pregnant or not."""
    facts, person = world.patient.facts, world.patient.person
    pregnant: Pregnancy | None = None if person.pregnant_weeks is None else "pregnant"
    who = Person(person.age, person.sex, pregnant)
    _, condition = next(world.patient.conditions())
    return tuple(
        one
        for one in look_alikes(facts, condition)
        if (found := facts.diseases[one].epidemiology) is None or found.admits(who)
    )


def excluding_keys(world: ClinicWorld, look_alike: str) -> tuple[str, ...]:
    """Return the keys by which a look-alike is excluded; empty if none is known.

    What the patient's own condition makes abnormal on examination, or lets the patient tell,
    excludes nothing; nor does a measurement that both change in the same way, such as the ketones
    of starving and of diabetes.
    """
    facts = world.patient.facts
    _, condition = next(world.patient.conditions())
    alike = facts.conditions.get(look_alike)
    entries = discriminators()[condition.id]
    own = {read_entry(facts, one)[0] for one in (*entries.entries, *entries.sought)}
    return tuple(
        one
        for one in telling_keys(facts, condition, look_alike)
        if (one.startswith(TESTS) or (one not in own and not holds(world, one, True)))
        and not (alike is not None and changed_alike(facts, one, condition, alike))
    )


def changed_alike(facts: Facts, key: str, condition: Condition, other: Condition) -> bool:
    """Return whether two conditions change a laboratory value to the same side."""
    kind, _, of = key.partition(":")
    if kind != "lab" or of not in condition.labs or of not in other.labs:
        return False
    first, second = (_side(facts, of, one.labs[of]) for one in (condition, other))
    return first is second is not None


def _side(facts: Facts, of: str, effect: Effect) -> bool | None:
    """Whether an effect raises a measurement; None if that depends on the patient."""
    usual = facts.measurements[of].usual
    if effect.set is not None:
        return None if usual is None else effect.set[0] > usual[0]
    return effect.add[0] > 0 if effect.add is not None else (effect.times or (1.0,))[0] > 1


def every_look_alike(facts: Facts, condition: Condition) -> tuple[str, ...]:
    """Return all diseases that a condition is mistaken for, and those mistaken for it."""
    stated = (one.look_alike for one in condition.distinctions)
    listed = facts.diseases[condition.id].look_alikes
    reverse = _mistaken_for(facts.folder).get(condition.id, ())
    return tuple(sorted({*stated, *listed, *reverse} - {condition.id}))


@lru_cache(maxsize=2)
def _mistaken_for(folder: Path) -> Mapping[str, tuple[str, ...]]:
    """Disease -> those that list it among their look-alikes."""
    found: dict[str, tuple[str, ...]] = {}
    for key, one in load(folder).diseases.items():
        for alike in one.look_alikes:
            found[alike] = (*found.get(alike, ()), key)
    return found


def look_alikes(facts: Facts, condition: Condition) -> tuple[str, ...]:
    """Return the presenting look-alikes of a condition, those with a stated distinction first."""
    stated = [one.look_alike for one in condition.distinctions]
    listed = dict.fromkeys((*stated, *facts.diseases[condition.id].look_alikes))
    return tuple(
        one
        for one in listed
        if one in facts.conditions and facts.conditions[one].role != "background"
    )


def _fact(world: ClinicWorld, key: str, present: bool) -> DecisiveFact | None:
    call = call_for(world, key)
    return None if call is None else DecisiveFact(key, present, call)


def _told(world: ClinicWorld, most: int | None = MOST_TOLD) -> list[DecisiveFact]:
    """What the patient says when asked, first what is rarest in look-alikes and elsewhere."""
    condition = world.patient.problems[0].condition
    rates, others = finding_rates()[condition], _rates_in_others(condition)
    weights: dict[str, float] = {}
    for one in untold(world):
        tells = one.has and one.manner != "omitted" and one.distortion != "forgets"
        rate = rates.get(one.finding, 0.0)
        if tells and one.origin == "problem" and rate > ELSEWHERE:
            weights[one.finding] = math.log(rate / others.get(one.finding, _RAREST))
    best = _each_once(world, sorted(weights, key=lambda one: (-weights[one], one)))[:most]
    facts = (_fact(world, f"told:{one}", True) for one in best)
    return [one for one in facts if one is not None]


def _each_once(world: ClinicWorld, findings: Iterable[str]) -> list[str]:
    """Leave out findings that mean the same as one before: telling one tells the other."""
    kept: dict[str, str] = {}
    for one in findings:
        alike = told_alike(world.patient.facts, f"told:{one}")
        kept.setdefault(min(alike), one)
    return list(kept.values())


def _absent(world: ClinicWorld) -> Iterator[DecisiveFact]:
    """What is absent and would speak for a look-alike."""
    facts = world.patient.facts
    condition = world.patient.problems[0].condition
    rates = finding_rates()
    alike = [one for one in facts.diseases[condition].look_alikes if one in rates]
    weights: dict[str, float] = {}
    for one in untold(world):
        if not one.has and one.manner != "omitted":
            theirs = max((rates[key].get(one.finding, 0.0) for key in alike), default=0.0)
            weights[one.finding] = theirs - rates[condition].get(one.finding, 0.0)
    for key in sorted(weights, key=lambda key: (-weights[key], key)):
        found = _fact(world, f"told:{key}", False)
        if weights[key] > 0 and found is not None:
            yield found


def _sites(world: ClinicWorld, most: int | None = MOST_SITES) -> list[DecisiveFact]:
    """Parts of the examination that the condition makes abnormal, first those it is known by."""
    entries = discriminators()[world.patient.problems[0].condition]
    known = {one.partition(":")[2] for one in (*entries.entries, *entries.sought)}
    shown = dict.fromkeys(one.site for one in world.patient.examination if one.abnormal)
    listed = [
        one
        for one in sorted(shown, key=lambda one: one not in known)
        if (one in known or one != "general") and holds(world, f"site:{one}", True)
    ]
    facts = (_fact(world, f"site:{one}", True) for one in listed[:most])
    return [one for one in facts if one is not None]


def _excluding(world: ClinicWorld, found: Mapping[str, DecisiveFact]) -> Iterator[DecisiveFact]:
    """What shows that it is not the most dangerous look-alike, and a pregnancy test where due.

    Where what is found settles the question, no further test is among it.
    """
    patient = world.patient
    person = patient.person
    _, condition = next(patient.conditions())
    settling = discriminators()[condition.id].settled_by
    settled = any(read_entry(patient.facts, one)[0] in found for one in settling)
    for one in dangerous_look_alikes(world):
        telling = excluding_keys(world, one)
        if found.keys() & set(telling):
            break
        if settled:
            telling = tuple(key for key in telling if not key.startswith(TESTS))
        chosen = (_against(world, key) for key in sorted(telling, key=_burden))
        against = next((each for each in chosen if each is not None), None)
        if against is not None:
            yield against
            break
    low, high = CHILDBEARING
    fertile = person.sex == "female" and low <= person.age < high and person.pregnant_weeks is None
    if fertile and "hcg" in condition.work_up:
        test = _against(world, PREGNANCY_TEST)
        if test is not None:
            yield test


_BURDENS = ("vital", "site", "told", "lab", "study")


def _burden(key: str) -> int:
    """Look before asking, ask before testing."""
    return _BURDENS.index(key.partition(":")[0])


def _against(world: ClinicWorld, key: str) -> DecisiveFact | None:
    """The fact that something is not so, if it is not and can be shown without a burden.

    What the condition itself is known by is none: its absence would be no support. A test has to
    belong to the work-up and need no consent.
    """
    facts = world.patient.facts
    _, condition = next(world.patient.conditions())
    own = {read_entry(facts, one) for one in discriminators()[condition.id].entries}
    kind, _, of = key.partition(":")
    if (key, True) in own or (kind == "vital" and order_of(facts, of) is None):
        return None
    if kind in ("lab", "vital"):
        listed = of in condition.work_up or order_of(facts, of) in condition.work_up
        if not listed or moves(condition, facts, of) or not holds(world, key, False):
            return None
    elif kind == "study":
        quick = of in studies_of(facts) and not study_price(of).invasive
        report = image_report(world.patient.problems[0].studies, of)
        if not quick or of not in condition.work_up or (report is not None and report.shows):
            return None
    elif not holds(world, key, False):
        return None
    return _fact(world, key, False)


_RAREST = 1e-3


@lru_cache(maxsize=256)
def _rates_in_others(condition: str) -> Mapping[str, float]:
    """Finding -> its mean rate over the look-alikes or over all conditions, whichever is more."""
    facts, rates = load(), finding_rates()
    alike = look_alikes(facts, facts.conditions[condition])
    found = dict(_everywhere())
    for one in {one for key in alike for one in rates[key]}:
        mean = math.fsum(rates[key].get(one, 0.0) for key in alike) / len(alike)
        found[one] = max(found[one], mean)
    return found


@lru_cache(maxsize=1)
def _everywhere() -> Mapping[str, float]:
    """Finding -> its mean rate over all presenting conditions."""
    rates = finding_rates()
    total: dict[str, float] = {}
    for each in rates.values():
        for one, rate in each.items():
            total[one] = total.get(one, 0.0) + rate
    return {one: max(value / len(rates), _RAREST) for one, value in total.items()}
