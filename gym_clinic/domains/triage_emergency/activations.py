"""Which protocols were activated, and which of them nobody needed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from gym_clinic.clinical import ClinicCase, JudgedEpisode
from gym_clinic.domains.triage_emergency.acuity import (
    ADULT,
    FEVER,
    early_warning,
    hours_of_findings,
    values_on_arrival,
)
from gym_clinic.domains.triage_emergency.placement import (
    NO_PATHWAY,
    Pathway,
    pathways_that_hold,
    protocols,
)

LOOKS_LIKE = {
    "possible sepsis": ("sepsis",),
    "possible acute coronary syndrome": ("chest pain",),
    "acute chest pain of an adult from 35 years": ("chest pain",),
    "signs of a stroke or a bleed in the brain": ("stroke",),
    "possible infection of the brain": ("sepsis",),
    "bleeding of the gut": ("major haemorrhage",),
    "poisoning": ("poisoning",),
    "fever with a weak immune system": ("sepsis",),
    "emergency of body temperature": ("sepsis",),
}
"""High-risk situation -> protocols that nobody is blamed for."""

RECENT = 168.0
"""Hours up to which pain in the chest is recent: the protocol of chest pain is no mistake."""

GRAVE = 7.0
"""NEWS2 with which, and a fever, nobody is blamed for calling a sepsis."""


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
    """Return name of each pathway that was activated, but for those tolerated -> the minute."""
    ignored = {protocols()[one].activates for one in tolerated(judged)}
    return {one: at for one, at in _called(judged).items() if one not in ignored}


def _called(judged: JudgedEpisode) -> dict[str, float]:
    found: dict[str, float] = {}
    for event in judged.case.events:
        if event["tool"] == "activate":
            found.setdefault(event["args"]["pathway"], event["t"])
    return found


def stated(judged: JudgedEpisode) -> str | None:
    """Return the protocol that an answer names, as `pathway_named`; none for one tolerated."""
    named = pathway_named((judged.raw or {}).get("pathway"))
    return NO_PATHWAY if named in tolerated(judged) else named


def tolerated(judged: JudgedEpisode) -> frozenset[str]:
    """Return the protocols that are neither asked for nor blamed: isolating who may infect."""
    right = judged.gold["acceptable"]["pathway"]
    held = _that_hold(judged.case)
    return frozenset(one.id for one in held if one.tolerated and one.id not in right)


def isolated(judged: JudgedEpisode) -> bool:
    """Return whether an isolation was ordered that is tolerated."""
    return "isolation" in tolerated(judged) and protocols()["isolation"].activates in _called(
        judged
    )


def _that_hold(case: ClinicCase) -> tuple[Pathway, ...]:
    held: tuple[Pathway, ...] = case.computed(
        "pathways that hold", lambda: tuple(pathways_that_hold(case.patient))
    )
    return held


def needless(judged: JudgedEpisode) -> tuple[str, ...]:
    """Return the pathways that were activated for nothing, by name.

    None of their protocols is accepted, holds by its rules, or is what the presentation looks like.
    """
    called = activated(judged)
    if not called:
        return ()
    reasons = judged.gold.get("reasons", {}).get("high risk", ())
    right = {*judged.gold["acceptable"]["pathway"]}
    right |= {one.id for one in _that_hold(judged.case)}
    right |= {one for reason, looks in LOOKS_LIKE.items() if reason in reasons for one in looks}
    right |= {*_resembles(judged.case)}
    names = {protocols()[one].activates for one in right - {NO_PATHWAY}}
    return tuple(one for one in called if one not in names)


def _resembles(case: ClinicCase) -> Iterator[str]:
    """Protocols that values and findings resemble, so that nobody is blamed for them."""
    patient = case.patient
    values = case.computed("values on arrival", lambda: values_on_arrival(patient))
    began = case.computed("hours of findings", lambda: hours_of_findings(patient))
    if any(_grave({**values, **{key: row[key] for key in values if key in row}})
           for row in case.vitals):  # fmt: skip
        yield "sepsis"
    if began.get("Chest pain", math.inf) <= RECENT:
        yield "chest pain"


def _grave(values: Mapping[str, float]) -> bool:
    """Whether measured values meet the criteria of sepsis but for the infection."""
    if values["temp_c"] < FEVER:
        return False
    if values["age"] >= ADULT:
        return early_warning(values) >= GRAVE
    poor = values["sbp"] < values["low_sbp"] or values["crt_s"] >= 3
    return poor or round(values["gcs"]) < round(values["usual_gcs"])
