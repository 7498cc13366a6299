"""How a triage decision is judged: what triage adds to the judgement of all clinical domains.

Accuracy is half the level, a quarter the protocol and a quarter the place, each exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gym_clinic.clinical import ClinicCase, DomainJudge, JudgedEpisode
from gym_clinic.domains.triage_emergency.acuity import (
    CALM,
    DANGER_SIGNS,
    SEVERE_PAIN,
    danger_zone,
)
from gym_clinic.domains.triage_emergency.placement import NO_PATHWAY, protocols
from gym_clinic.facts import Facts
from gym_clinic.simulate.clinic.incidental import red_flags

WEIGHTS = {"level": 0.5, "pathway": 0.25, "disposition": 0.25}
"""Part of the answer -> its weight in accuracy."""

FITTING = {
    1: {"resuscitation"},
    2: {"monitored bed", "standard bed"},
    3: {"standard bed", "waiting room"},
    4: {"fast track", "waiting room", "standard bed"},
    5: {"fast track", "waiting room", "standard bed"},
}
"""Level -> places that it can go with."""

URGENT, BY_VITALS = 2, 3
"""Level up to which an alarm supports it, and the one that a danger-zone vital sign contradicts."""

COMMON = frozenset({
    "Abdominal colic", "Abdominal pain", "Bladder pain", "Colicky pain", "Epigastric pain",
    "Fever", "Flank pain", "Headache", "Ocular pain", "Pain", "Pelvic pain",
})  # fmt: skip
"""Red flags that do not by themselves make a patient urgent."""


def pathway_named(name: object) -> str | None:
    """Return the id of the protocol that an answer names, "none" for none; None if unknown."""
    text = str(name or "").strip().casefold().replace("_", " ")
    if text in (NO_PATHWAY, "", "no pathway"):
        return NO_PATHWAY
    known = {key: key for key in protocols()}
    for one in protocols().values():
        known |= {one.activates.replace("_", " "): one.id, one.name.casefold(): one.id}
    return known.get(text)


def activated(judged: JudgedEpisode) -> dict[str, float]:
    """Return name of each pathway that was activated -> the minute."""
    found: dict[str, float] = {}
    for event in judged.case.events:
        if event["tool"] == "activate":
            found.setdefault(event["args"]["pathway"], event["t"])
    return found


def _accuracy(judged: JudgedEpisode) -> Mapping[str, float]:
    raw, answer = judged.raw or {}, judged.gold["answer"]
    accepted = judged.gold["acceptable"]["pathway"]
    return {
        "level": float(raw.get("level") == answer["level"]),
        "pathway": float(pathway_named(raw.get("pathway")) in accepted),
        "disposition": float(raw.get("disposition") == answer["disposition"]),
    }


def _supported(judged: JudgedEpisode) -> float:
    """Whether the right citations support the stated level.

    Levels 1 and 2 need an alarm. The others need what the patient has, something reassuring, such
    as a normal vital sign or a red flag that is not there, and nothing that contradicts them: a
    lowered coma score, or at level 3 a vital sign in the danger zone.
    """
    level = (judged.raw or {}).get("level")
    right = judged.cited.right
    if isinstance(level, int) and level <= URGENT:
        return float(any(has and alarming(judged.case, key) for key, has in right))
    calm = any(not has and _reassuring(judged.facts, key) for key, has in right)
    calm &= any(has and key.startswith("told:") for key, has in right)
    against = any(has and key == "vital:gcs" for key, has in right)
    if level == BY_VITALS:
        against |= any(has and in_danger_zone(judged.case, key) for key, has in right)
    return float(calm and not against)


def alarming(case: ClinicCase, key: str) -> bool:
    """Return whether something that is there, or abnormal, alarms at the door."""
    kind, _, of = key.partition(":")
    if kind == "told":
        return bool(_flags(case.patient.facts, of) - COMMON)
    if of == "pain":
        return any(one >= SEVERE_PAIN for one in case.shown.get(of, ()))
    return kind in ("vital", "lab", "study", "site")


def in_danger_zone(case: ClinicCase, key: str) -> bool:
    """Return whether a vital sign that was shown is in the danger zone of the age."""
    of = key.removeprefix("vital:")
    if of not in DANGER_SIGNS:
        return False
    age = case.patient.person.age
    return any(danger_zone(age, {**CALM, of: one}) for one in case.shown.get(of, ()))


def _reassuring(facts: Facts, key: str) -> bool:
    kind, _, of = key.partition(":")
    return kind == "vital" or (kind == "told" and bool(_flags(facts, of)))


def _flags(facts: Facts, finding: str) -> frozenset[str]:
    """The red flags that a finding is, in itself or as a form of one."""
    known = (finding, *facts.above.get(finding, ()))
    return red_flags() & {facts.phenotypes[one].name for one in known if one in facts.phenotypes}


def _fits(judged: JudgedEpisode) -> float:
    """Return how well place and activations fit the stated level and protocol, 0 to 1."""
    raw = judged.raw or {}
    place = float(raw.get("disposition") in FITTING.get(raw.get("level", 0), set()))
    named, made = pathway_named(raw.get("pathway")), set(activated(judged))
    if named is None:
        done = False
    else:
        done = made == (set() if named == NO_PATHWAY else {protocols()[named].activates})
    return (place + done) / 2


def _activated_by(judged: JudgedEpisode, fields: Mapping[str, Any]) -> bool:
    """The right protocol was activated in time; or none, after a finding was looked for."""
    made = activated(judged)
    if not fields["pathways"]:
        stated = pathway_named((judged.raw or {}).get("pathway"))
        return not made and stated == NO_PATHWAY and fields["key"] in judged.read
    return any(made.get(one, float("inf")) <= fields["minutes"] for one in fields["pathways"])


def _done_by(judged: JudgedEpisode, fields: Mapping[str, Any]) -> bool:
    """Everything that cannot wait was ordered by a minute."""
    ordered = [
        one for one in judged.case.orders.values()
        if one.cancelled is None and one.ordered <= fields["minutes"]
    ]  # fmt: skip
    names = {one.what for one in ordered}
    names |= {str(one.details.get("drug", "")) for one in ordered}
    return all(one in names for one in fields["orders"])


def _placed(judged: JudgedEpisode, fields: Mapping[str, Any]) -> bool:
    """The place is right, and the department was looked at."""
    place = (judged.raw or {}).get("disposition")
    return place == judged.gold["answer"]["disposition"] and "lookup:department" in judged.read


JUDGE = DomainJudge(
    accuracy=_accuracy,
    weights=WEIGHTS,
    supported=_supported,
    fits=_fits,
    final=lambda judged: {"esi": (judged.raw or {}).get("level")},
    checks={
        "activated_by": _activated_by,
        "done_by": _done_by,
        "placed": _placed,
    },
)
"""What triage adds to the judgement."""
