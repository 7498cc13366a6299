"""How a triage decision is judged: what triage adds to the judgement of all clinical domains.

Accuracy is half the level, a quarter the protocol and a quarter the place. Of protocol and place
each one of a set is right; with a wrong level only a protocol that is due counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gym_clinic.clinical import ClinicCase, DomainJudge, Harm, JudgedEpisode
from gym_clinic.clinical.judging.citations import is_true, signs
from gym_clinic.clinical.judging.groundless import severity
from gym_clinic.clinical.judging.seen import seen, special_forms
from gym_clinic.domains.triage_emergency.activations import (
    activated,
    isolated,
    needless,
    stated,
)
from gym_clinic.domains.triage_emergency.acuity import (
    CALM,
    DANGER_SIGNS,
    FEVER,
    INFANT,
    SEVERE_PAIN,
    danger_zone,
    names_of,
    values_on_arrival,
)
from gym_clinic.domains.triage_emergency.acuity_table import (
    calling_for_resources,
    reason_in_words,
)
from gym_clinic.domains.triage_emergency.first_orders import PAIN, STEROID, drugs_of_sets
from gym_clinic.domains.triage_emergency.placement import (
    DISPOSITIONS,
    NO_PATHWAY,
    protocols,
)
from gym_clinic.facts import Facts
from gym_clinic.facts.named_drugs import resolve
from gym_clinic.rewards.clinical import CallArguments
from gym_clinic.simulate.clinic.telling.incidental import red_flags

WEIGHTS = {"level": 0.5, "pathway": 0.25, "disposition": 0.25}
"""Part of the answer -> its weight in accuracy."""

FITTING = {
    1: {"resuscitation"},
    2: {"resuscitation", "monitored bed", "standard bed"},
    3: {"monitored bed", "standard bed", "waiting room"},
    4: {"fast track", "waiting room", "standard bed"},
    5: {"fast track", "waiting room", "standard bed"},
}
"""Level -> places that it can go with."""

DEPARTMENT = "lookup:department"
"""The key of the state of the department."""

SINGLE = "standard bed"
"""Where who is isolated lies, from level 3 on."""

URGENT, BY_VITALS = 2, 3
"""Level up to which an alarm supports it, and the one that a danger-zone vital sign contradicts."""

COMMON = frozenset({
    "Abdominal colic", "Abdominal pain", "Bladder pain", "Colicky pain", "Epigastric pain",
    "Fever", "Flank pain", "Headache", "Ocular pain", "Pain", "Pelvic pain",
})  # fmt: skip
"""Red flags that do not by themselves make a patient urgent."""


ALARMING_SITES = frozenset({
    "general", "neurology", "chest", "heart", "abdomen", "eyes", "genitourinary", "obstetric",
    "mental state",
})  # fmt: skip
"""Parts of the examination of which an abnormal one alarms."""

ALARMING_VITALS = ("gcs", "hr", "rr", "spo2", "sbp", "temp_c")
"""Vital signs of which one that alarms makes an abnormal general examination alarm as well."""

ARTEFACT = 4.0
"""Percent by which a shown oxygen saturation is below the true one if it is an artefact."""

ANALGESIC, ANTIMICROBIAL = "analgesic", "antimicrobial"
"""What stands for any drug of a set of first medicines where calls are compared."""

NOT_URGENT_ENOUGH, TOO_URGENT = (3, 4), (2, 3, 4)
"""Severity of a level that is off by one, by two and so on, in either direction: it is graver to
let a patient wait than to take a place that others need."""

EXPOSURES = frozenset({"Exposure to fumes or smoke"})
"""What alarms at the door beside the red flags."""

WITH_FEVER = frozenset({"Photophobia"})
"""What alarms once a fever was measured."""

HIVES = frozenset({"Urticaria", "Weals that come and go"})
WITH_HIVES = frozenset({
    "Angioedema", "Dyspnea", "Hypotension", "Loss of consciousness", "Stridor", "Syncope",
    "Throat tightness", "Vomiting", "Wheezing",
})  # fmt: skip
"""What is seen by anyone at the door, and what it alarms with: an allergy of more than the skin."""

LONG, LONG_FOR_OTHERS = 3, 2
"""Severity of a triage that takes too long: for an urgent patient, and for those who wait."""

TOO_LITTLE, TOO_MUCH = 3, 2
"""Severity of a place that is too little for the patient, and of one that others need."""


def _accuracy(judged: JudgedEpisode) -> Mapping[str, float]:
    """How right level, protocol and place are.

    With a wrong level nothing is had for what needs no decision: that no protocol is due, and a
    place, which goes by the level. A protocol that is due counts by itself.
    """
    raw, answer = judged.raw or {}, judged.gold["answer"]
    accepted = judged.gold["acceptable"]["pathway"]
    level, named = raw.get("level") == answer["level"], stated(judged)
    return {
        "level": float(level),
        "pathway": float(named in accepted and (level or named != NO_PATHWAY)),
        "disposition": float(level and raw.get("disposition") in _places(judged)),
    }


def _places(judged: JudgedEpisode) -> Sequence[str]:
    """The right places; below level 2 a bed, alone in a room, for who was isolated."""
    places: Sequence[str] = judged.gold["acceptable"]["disposition"]
    alone = judged.gold["answer"]["level"] > URGENT and isolated(judged)
    return (*places, SINGLE) if alone else places


def _supported(judged: JudgedEpisode) -> float:
    """Whether the right citations support the stated level.

    Levels 1 and 2 need an alarm. The others need what the patient has and nothing that contradicts
    them: a lowered coma score, or at level 3 a vital sign in the danger zone. Levels 4 and 5 need
    something reassuring as well: a normal vital sign, or a red flag that is not there.
    """
    level = (judged.raw or {}).get("level")
    right = judged.cited.right
    if isinstance(level, int) and level <= URGENT:
        return float(any(has and alarming(judged.case, key) for key, has in right))
    calm = any(has and key.startswith(("told:", "site:")) for key, has in right)
    if level != BY_VITALS:
        calm &= any(
            not has and _reassuring(judged.facts, key) and not in_danger_zone(judged.case, key)
            for key, has in right
        )
    against = any(has and key == "vital:gcs" for key, has in right)
    if level == BY_VITALS:
        against |= any(has and in_danger_zone(judged.case, key) for key, has in right)
    return float(calm and not against)


def alarming(case: ClinicCase, key: str) -> bool:
    """Return whether something that is there, or abnormal, alarms at the door.

    A red flag that is told; a vital sign in the danger zone or far out; an abnormal test; what is
    abnormal in a part of the examination that shows emergencies.
    """
    kind, _, of = key.partition(":")
    if kind == "told":
        facts = case.patient.facts
        feverish = any(one >= FEVER for one in _shown(case, "temp_c"))
        named = {facts.phenotypes[of].name} if of in facts.phenotypes else set()
        flagged = bool(_flags(facts, of) - COMMON) or (bool(named & WITH_FEVER) and feverish)
        return flagged or (bool(named & HIVES) and _is_more_than_skin(case))
    if kind == "vital":
        limits = case.computed("limits of alarm", lambda: _limits(case))
        low, high = limits.get(of, (-math.inf, math.inf))
        shown = _shown(case, of)
        return in_danger_zone(case, key) or any(one < low or one >= high for one in shown)
    if key == "site:general":  # "in some discomfort" alone alarms nobody
        return any(alarming(case, f"vital:{one}") for one in case.shown if one in ALARMING_VITALS)
    if key == "site:skin" and signs(case.world).get("skin", {}).keys() & _ids(case, HIVES):
        return _is_more_than_skin(case)
    return kind in ("lab", "study") or (kind == "site" and of in ALARMING_SITES)


def _is_more_than_skin(case: ClinicCase) -> bool:
    """Whether the patient has what makes hives alarming."""
    return bool(case.world.findings & _ids(case, WITH_HIVES))


def _ids(case: ClinicCase, names: frozenset[str]) -> frozenset[str]:
    ids = case.patient.facts.finding_ids
    return frozenset(ids[one] for one in names if one in ids)


def _limits(case: ClinicCase) -> dict[str, tuple[float, float]]:
    """Vital sign -> below and from what value it alarms, besides the danger zones."""
    values = values_on_arrival(case.patient)
    fever = 38.0 if values["age"] < INFANT else 40.0
    return {
        "gcs": (14.5, math.inf),
        "pain": (-math.inf, SEVERE_PAIN),
        "sbp": (values["low_sbp"], 160.0 if case.patient.person.pregnant_weeks else 180.0),
        "temp_c": (35.0, fever),
    }


def in_danger_zone(case: ClinicCase, key: str) -> bool:
    """Return whether a vital sign that was shown is in the danger zone of the age."""
    of = key.removeprefix("vital:")
    if of not in DANGER_SIGNS:
        return False
    age = case.patient.person.age
    return any(danger_zone(age, {**CALM, of: one}) for one in _shown(case, of))


def _shown(case: ClinicCase, sign: str) -> list[float]:
    """Values of a vital sign that were shown, but no artefacts of the oxygen saturation."""
    shown = list(case.shown.get(sign, ()))
    if sign != "spo2":
        return shown
    true = case.computed("true saturation", lambda: case.patient.state(0)["spo2"])
    return [one for one in shown if one > true - ARTEFACT]


def _reassuring(facts: Facts, key: str) -> bool:
    kind, _, of = key.partition(":")
    return kind == "vital" or (kind == "told" and bool(_flags(facts, of)))


def _flags(facts: Facts, finding: str) -> frozenset[str]:
    """The red flags that a finding is, in itself or as a form of one."""
    known = (finding, *facts.above.get(finding, ()))
    return (red_flags() | EXPOSURES) & {
        facts.phenotypes[one].name for one in known if one in facts.phenotypes
    }


def _fits(judged: JudgedEpisode) -> float:
    """Return how well place and activations fit the stated level and protocol, 0 to 1."""
    raw = judged.raw or {}
    place = float(raw.get("disposition") in FITTING.get(raw.get("level", 0), set()))
    named, made = stated(judged), set(activated(judged))
    if named is None:
        done = False
    else:
        done = made == (set() if named == NO_PATHWAY else {protocols()[named].activates})
    return (place + done) / 2


def _activated_by(judged: JudgedEpisode, fields: Mapping[str, Any]) -> bool:
    """The right protocol was activated in time and knowingly; or none, after a look."""
    made = activated(judged)
    if needless(judged):
        return False
    if not fields["pathways"]:
        return not made and stated(judged) == NO_PATHWAY and not _too_few(judged, fields)
    in_time = any(made.get(one, float("inf")) <= fields["minutes"] for one in fields["pathways"])
    return in_time and _known_before(judged, fields["pathways"], fields.get("known_by", ()))


def _too_few(judged: JudgedEpisode, fields: Mapping[str, Any]) -> str:
    """What to say of an assertion of which too little was looked for; nothing if enough was."""
    found, least = sum(one in judged.read for one in fields.get("keys", ())), fields.get("least", 0)
    return "" if found >= least else f"Of these, {found or 'none'} {_were(found)} looked for."


def _were(count: int) -> str:
    return "was" if count < 2 else "were"


def _known_before(judged: JudgedEpisode, pathways: Sequence[str], keys: Sequence[str]) -> bool:
    """Whether one of some keys was found in a message before that of the activation."""
    case = judged.case
    if not keys:
        return True
    at = next(number for number, event in enumerate(case.events)
              if event["tool"] == "activate" and event["args"]["pathway"] in pathways)  # fmt: skip
    before = [one for one in case.marks if one.events <= at]
    known = seen(case, before[-1])
    return any(key in known and was_found(case, key) for key in keys)


def was_found(case: ClinicCase, key: str) -> bool:
    """Return whether a key that was read is there or abnormal, and was not denied."""
    of, facts = key.removeprefix("told:"), case.patient.facts
    broader = [one for one in facts.above.get(of, ()) if of in special_forms(facts, one)]
    said = [case.told.get(f"finding:{one}") for one in (of, *broader)]
    denied = said[0] == "no" or (said[0] is None and "no" in said)
    return not denied and is_true(case, key, True)


def _rests_on(judged: JudgedEpisode, fields: Mapping[str, Any]) -> bool:
    """The level is right, and one of the citations is a reason for it (see `reasons_of`)."""
    return judged.concluded and bool(reasons_of(judged, fields["any"]))


def reasons_of(judged: JudgedEpisode, listed: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the keys that are rightly cited and are a reason for the right level.

    At levels 1 and 2 whatever alarms, at level 3 what the patient has beside the words of the
    ticket, or what calls for a resource, be it the complaint; at levels 4 and 5 any red flag that
    is not there; at every level what is listed.

    Args:
        judged: The episode.
        listed: Reasons that the gold names, ``{"finding": key, "present": bool}``.
    """
    level, case = judged.gold["answer"]["level"], judged.case
    found = [one["finding"] for one in listed
             if judged.cited.cites(one["finding"], one["present"], judged.facts)]  # fmt: skip
    for key, has in sorted(judged.cited.right):
        kind, _, of = key.partition(":")
        new = f"finding:{of}" not in case.world.quoted
        alarms = level <= URGENT and alarming(case, key)
        new = new or bool(names_of(judged.facts, [of]) & calling_for_resources())
        tells = level == BY_VITALS and new and kind in ("told", "site", "lab", "study")
        calms = level > BY_VITALS and kind == "told" and bool(_flags(judged.facts, of))
        if (has and (alarms or tells)) or (calms and not has):
            found.append(key)
    return found


def _done_by(judged: JudgedEpisode, fields: Mapping[str, Any]) -> bool:
    """What cannot wait was ordered by a minute: of each list, one is enough."""
    ordered = [
        one for one in judged.case.orders.values()
        if one.cancelled is None and one.ordered <= fields["minutes"]
    ]  # fmt: skip
    names = {one.what for one in ordered}
    names |= {str(one.details.get("drug", "")) for one in ordered}
    return all(names & {*accepted} for accepted in fields["orders"])


def _placed(judged: JudgedEpisode, fields: Mapping[str, Any]) -> bool:
    """Level and place are right, and the department was looked at."""
    place = (judged.raw or {}).get("disposition")
    return judged.concluded and place in _places(judged) and DEPARTMENT in judged.read


def _harms(judged: JudgedEpisode) -> Iterator[Harm]:
    """Yield the harms of a wrong level or place, as one, of a slow triage, of needless calls."""
    raw, right = judged.raw or {}, judged.gold["answer"]
    level, place = raw.get("level"), raw.get("disposition")
    found = []
    if isinstance(level, int) and level != right["level"]:
        off = level - right["level"]
        grades = NOT_URGENT_ENOUGH if off > 0 else TOO_URGENT
        words = "not urgent enough" if off > 0 else "more urgent than needed"
        why = reason_in_words(right["level"], judged.gold.get("reasons", {}))
        text = f"Level {level} is {words}: the right one is {right['level']} ({why})."
        found.append(Harm(grades[min(abs(off), len(grades)) - 1], text))
    if place in DISPOSITIONS and place not in _places(judged):
        later = DISPOSITIONS.index(place) > DISPOSITIONS.index(right["disposition"])
        words = "too little for this patient" if later else "more than this patient needs"
        text = f"The place, {place}, is {words}; right is {right['disposition']}."
        found.append(Harm(TOO_LITTLE if later else TOO_MUCH, text))
    if found:
        worst = max(one.severity for one in found)
        yield Harm(worst, " ".join(one.text for one in found))
    desk = judged.gold.get("desk", math.inf)
    if judged.case.minute > desk:
        text = f"The triage took {judged.case.minute:g} minutes; {desk:g} are the most."
        yield Harm(LONG if right["level"] <= URGENT else LONG_FOR_OTHERS, text)
    for_nothing = needless(judged)
    for grade in severity(for_nothing):
        yield Harm(grade, f"Called for nothing: {', '.join(for_nothing)}.")


def kind_of_medicine(name: str, arguments: Mapping[str, Any]) -> list[CallArguments] | None:
    """Return the compared form of a drug of which others are as right; None for other calls."""
    if name not in ("give_medication", "prescribe_medication"):
        return None
    drug = resolve(str(arguments.get("drug", "")))
    given = "+".join(drug.ingredients) if drug else ""
    sets = drugs_of_sets().get(given, frozenset())
    if not sets or sets == {STEROID}:
        return None
    kind = ANALGESIC if sets == {PAIN} else ANTIMICROBIAL
    return [("give_medication", {"drug": kind, "given": given})]


JUDGE = DomainJudge(
    accuracy=_accuracy,
    weights=WEIGHTS,
    supported=_supported,
    fits=_fits,
    harms=_harms,
    canonical=kind_of_medicine,
    final=lambda judged: {"esi": (judged.raw or {}).get("level")},
    checks={
        "activated_by": _activated_by,
        "rests_on": _rests_on,
        "done_by": _done_by,
        "placed": _placed,
    },
    lacking=_too_few,
)
"""What triage adds to the judgement."""
