"""How answers of clinical diagnosis are judged."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from gym_clinic.clinical.answer import read_disease
from gym_clinic.clinical.differential import ELSEWHERE, finding_rates
from gym_clinic.clinical.judging.groundless import needless_teams, severity
from gym_clinic.clinical.judging.judge import DomainJudge, Harm, JudgedEpisode
from gym_clinic.clinical.naming import find_action, fulfils
from gym_clinic.domains.clinical_diagnosis.deciding import moves
from gym_clinic.domains.clinical_diagnosis.places import (
    AWAY,
    attack_over,
    dispositions,
    is_failing,
)
from gym_clinic.domains.clinical_diagnosis.plan import urgent_care
from gym_clinic.facts import load
from gym_clinic.facts.expressions import parse
from gym_clinic.facts.records.conditions import Condition
from gym_clinic.rewards.clinical import CallArguments
from gym_clinic.simulate.clinic import sees

WEIGHTS = {"diagnosis": 0.6, "disposition": 0.2, "orders": 0.2}
"""Part of the answer -> its weight in accuracy."""

GROUNDLESS = 1
"""Treatments without a ground with which the orders may still be right."""

SENT_AWAY = 4
"""Severity of sending a patient away whose vital signs fail, whatever the diagnosis is."""

UNREAD = 4
"""Severity of a treatment before the study was read that must be known, as a CT before lysis."""

UNTREATED = 4
"""Severity of lasting harm that treatment in time would have prevented."""

BESIDES = 3
"""Treatments beside those of the condition, such as one for pain, that an answer may order."""

WITHOUT_OXYGEN = 3
"""Severity of giving no oxygen at all to a patient who lacks it."""

OXYGEN = frozenset(
    ("oxygen", *(f"procedure:{one}" for one in (
        "bag-mask-ventilation", "cpap", "high-flow-oxygen", "intubation", "mechanical-ventilation",
        "non-invasive-ventilation", "ventilation",
    )))
)  # fmt: skip
"""Actions by which oxygen is given."""

FEWEST = 2
"""Citations that support a conclusion, at least."""


def accuracy(judged: JudgedEpisode) -> Mapping[str, float]:
    """Return how right the parts of the answer are, each 0 or 1.

    The diagnosis is the disease itself. The disposition is one that is right for it. The orders
    hold a complete treatment that is right in this patient, nothing that is forbidden, and few
    treatments beside it.
    """
    raw, gold = judged.raw or {}, judged.gold
    named = read_disease(raw.get("diagnosis"))
    acceptable = gold["acceptable"]
    return {
        "diagnosis": float(named.id is not None and named.id == gold["condition"]),
        "disposition": float(judged.answer.disposition in acceptable["dispositions"]),
        "orders": float(
            _complete(judged.answer.actions, acceptable["treatments"])
            and not judged.forbidden
            and not judged.duplicated
            and len(judged.groundless) <= GROUNDLESS
            and _besides(judged.answer.actions, acceptable["related"]) <= BESIDES
        ),
    }


def _complete(made: Collection[str], alternatives: Iterable[Sequence[str]]) -> bool:
    """Whether all of one alternative is ordered."""
    return any(
        all(any(fulfils(has, one) for has in made) for one in together) for together in alternatives
    )


def _besides(made: Iterable[str], related: Iterable[str]) -> int:
    """How many drugs and procedures have nothing to do with the condition."""
    treats = (one for one in made if one.startswith(("drug:", "procedure:", "class:", "blood")))
    wanted = tuple(related)
    return sum(not any(fulfils(has, one) for one in wanted) for has in treats)


def supported(judged: JudgedEpisode) -> float:
    """Return how well the citations support the diagnosis that is stated, 0 to 1.

    The share of the right citations that the fact tables have of that disease, less if fewer than
    two are.
    """
    condition = _stated(judged)
    cited = judged.cited.right
    if condition is None or not cited:
        return 0.0
    fitting = sum(_supports(judged, condition, key, present) for key, present in cited)
    return fitting / len(cited) * min(1.0, fitting / FEWEST)


def fits(judged: JudgedEpisode) -> float:
    """Return how well orders and disposition fit the diagnosis that is stated, 0 to 1."""
    condition = _stated(judged)
    if condition is None:
        return 0.0
    made = judged.answer.actions
    forms = _forms(judged.facts.folder, condition.id)
    complete = any(
        form.course is not None and _complete(made, form.course.treated_by) for form in forms
    ) or _complete(made, judged.gold["acceptable"]["treatments"])
    against = [
        one if one.startswith("class:") else f"drug:{one}" for one in condition.contraindicated
    ]
    sound = not any(fulfils(has, one) for has in made for one in against)
    case = judged.case
    right = case.computed(("places", condition.id), lambda: dispositions(condition, case.patient))
    there = judged.answer.disposition in right
    return (float(complete and sound) + float(there)) / 2


@lru_cache(maxsize=512)
def _forms(folder: Path, condition: str) -> tuple[Condition, ...]:
    """A condition as it is in general, then in each of its forms."""
    return tuple(load(folder).conditions[condition].forms())


def _stated(judged: JudgedEpisode) -> Condition | None:
    named = read_disease((judged.raw or {}).get("diagnosis"))
    condition = judged.facts.conditions.get(named.id or "")
    return condition if condition is not None and condition.role != "background" else None


def _supports(judged: JudgedEpisode, condition: Condition, key: str, present: bool) -> bool:
    """Whether something that is so is what a condition makes one expect."""
    kind, _, of = key.partition(":")
    if kind == "told":
        rate = finding_rates()[condition.id].get(of, 0.0)
        return rate > ELSEWHERE if present else rate < 0.5
    if kind in ("lab", "vital"):
        forms = _forms(judged.facts.folder, condition.id)
        moved = any(moves(one, judged.facts, of) for one in forms)
        return moved if present else True
    if kind == "study":
        alike = {of, *(one for one, as_much in sees(of).items() if as_much)}
        results = [
            one for study in condition.studies if study.study in alike for one in study.results
        ]
        return any(one.shows is present for one in results) or not (results or present)
    if kind == "site":
        return any(one.site == of for one in condition.signs) if present else True
    return present and kind in ("condition", "medicine", "habit", "pregnancy", "allergy")


def harms(judged: JudgedEpisode) -> Iterator[Harm]:
    """Yield the harms of wrong decisions.

    A team called for nothing, a failing patient sent away, a treatment before what must be known
    was read, no oxygen for who lacks it, harm that came for want of treatment.
    """
    patient = judged.case.patient
    needless = needless_teams(patient, _called(judged))
    for grade in severity(needless):
        yield Harm(grade, f"Called for nothing: {', '.join(needless)}.")
    if judged.answer.disposition in AWAY and is_failing(patient):
        place = judged.answer.disposition
        yield Harm(SENT_AWAY, f"Vital signs fail, and the patient is sent away ({place}).")
    if _unknown_before(judged):
        text = "A treatment was given before the study was read that must be known for it."
        yield Harm(UNREAD, text)
    asked = any(one["check"] == "oxygen_given" for one in judged.gold.get("assertions", ()))
    if asked and _oxygen_from(judged) == math.inf:
        yield Harm(WITHOUT_OXYGEN, "The saturation is low, and no oxygen was given.")
    # What the reference plan prevents, or is not too late for.
    if judged.gold.get("unharmed") and judged.case.outcome().harmed:
        text = "Lasting harm came that treatment in time would have prevented."
        yield Harm(UNTREATED, text)


def _unknown_before(judged: JudgedEpisode) -> bool:
    """Whether something was given before a study was read that must be known for it."""
    urgency = urgent_care().conditions.get(judged.gold.get("condition", ""))
    read: set[str] = set()
    for event in judged.case.events if urgency is not None else ():
        if event["tool"] == "get_result":
            read.add(str(event["args"]["test"]))
        elif event["tool"] == "prescribe" and urgency is not None:
            order = judged.case.orders[event["args"]["order_id"]]
            known = [urgency.known_before.get(one) for one in order.actions]
            if any(each is not None and read.isdisjoint(each) for each in known):
                return True
    return False


def _oxygen_from(judged: JudgedEpisode) -> float:
    """The minute from which oxygen is given; infinite if it is not."""
    orders = (one for one in judged.case.orders.values() if not OXYGEN.isdisjoint(one.actions))
    return min((one.done for one in orders if one.cancelled is None), default=math.inf)


def oxygen_given(judged: JudgedEpisode, fields: Mapping[str, Any]) -> bool:
    """Return whether oxygen was given by a minute."""
    return _oxygen_from(judged) <= float(fields["by"])


def service_asked(judged: JudgedEpisode, fields: Mapping[str, Any]) -> bool:
    """Return whether a service was asked to see the patient, here or later."""
    orders = (one for one in judged.case.orders.values() if one.kind == "consult")
    asked = {one.what for one in orders if one.cancelled is None}
    asked |= {one["service"] for one in judged.case.get("referrals", ())}
    wanted = fields["service"]
    return wanted in asked or f"consult:{wanted}" in judged.answer.actions


def medicine_stopped(judged: JudgedEpisode, fields: Mapping[str, Any]) -> bool:
    """Return whether a medicine that is taken at home was stopped."""
    return fields["drug"] in judged.case["discontinued"]


def canonical(name: str, arguments: Mapping[str, Any]) -> Iterable[CallArguments] | None:
    """Return the form in which ventilation is compared: it gives oxygen; others as usual."""
    if name != "perform_procedure":
        return None
    action = find_action(load(), f"procedure:{arguments.get('procedure')}")
    return [("give_oxygen", {})] if action in OXYGEN else None


def _watched(judged: JudgedEpisode) -> Mapping[str, Any]:
    """Minutes in which the patient was watched after the treatment was complete.

    None are counted where an attack is not better by then.
    """
    case = judged.case
    treated = next((one.treated for one in case.outcome().treatments), None)
    right = judged.gold["condition"]
    over = case.computed(("attack over", right), lambda: attack_over(right, case.patient))
    if treated is None or (over is not None and not parse(over.then).compute(case.state())):
        return {}
    return {"observation_min": max(0.0, case.minute - treated)}


def _called(judged: JudgedEpisode) -> set[str]:
    """The pathways that were activated."""
    events = (one for one in judged.case.events if one["tool"] == "activate")
    return {str(one["args"]["pathway"]) for one in events}


def decided(judged: JudgedEpisode, fields: Mapping[str, Any]) -> bool:
    """Return whether all facts of a set that decides were read and are cited rightly."""
    cites = judged.cited.cites
    return any(
        all(cites(one["finding"], one["present"], judged.facts) for one in together)
        for together in fields["any_of"]
    )


JUDGE = DomainJudge(
    accuracy=accuracy,
    harms=harms,
    final=_watched,
    canonical=canonical,
    weights=WEIGHTS,
    supported=supported,
    fits=fits,
    checks={
        "decided": decided,
        "oxygen_given": oxygen_given,
        "service_asked": service_asked,
        "medicine_stopped": medicine_stopped,
    },
)
"""The judge of the domain."""
