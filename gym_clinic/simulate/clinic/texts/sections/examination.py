"""The examination: what the record has for each site, and normal sites that nothing touches."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from gym_clinic.simulate.clinic.examination.first_examination import first_examined
from gym_clinic.simulate.clinic.patient import ClinicPatient
from gym_clinic.simulate.clinic.texts.document import Fact, Piece
from gym_clinic.simulate.clinic.texts.knowledge import seen_on
from gym_clinic.simulate.clinic.texts.visit import REGIONS
from gym_clinic.simulate.clinic.texts.voice import Voice

SAME = ("ent", "lungs", "cvs", "hs", "abdo", "abd", "neuro", "cns", "calves", "eyes")
"""First words of a finding that make a label needless."""

USUAL: Mapping[str, tuple[str, ...]] = {
    "heart": ("chest",), "chest": ("chest",), "abdomen": ("abdomen", "pelvis"),
    "neurology": ("head", "mind"), "skin": ("skin",), "limbs": ("limbs", "skin", "chest"),
    "head and neck": ("head", "face", "whole body"), "eyes": ("face", "head", "abdomen"),
    "ears nose throat": ("face", "chest"), "back": ("limbs", "head", "abdomen", "pelvis"),
    "joints": ("limbs",), "mental state": ("mind", "head"),
}  # fmt: skip
"""Sites that are noted as normal where the record has nothing -> the regions that touch them."""


def signs(patient: ClinicPatient) -> dict[str, str]:
    """Return site -> all that is found there."""
    found: dict[str, list[str]] = {}
    for one in patient.examination:
        found.setdefault(one.site, []).append(one.text)
    return {site: ", ".join(dict.fromkeys(texts)) for site, texts in found.items()}


def first_signs(patient: ClinicPatient) -> dict[str, str]:
    """Return site -> all that is found there, of the sites that a first note tells of."""
    first = ("general", *first_examined(patient))
    return {site: text for site, text in signs(patient).items() if site in first}


def examined(voice: Voice, patient: ClinicPatient, minute: float) -> list[Piece]:
    """Return the examination of a first note, site by site."""
    found = first_signs(patient)
    seen = seen_on(patient, minute)
    first = first_examined(patient)
    sites = [site for site in first if site in found or _untouched(patient, site)]
    voice.random.shuffle(sites)
    pieces = [_sign(voice, "general", found["general"])] if "general" in found else []
    for site in sites:
        if site in found:
            pieces.append(_sign(voice, site, found[site]))
        else:
            fact = Fact("sign", site, "", has=False)
            pieces.append(voice.say(f"normal.{site.replace(' ', '_')}", fact=Piece("", (fact,))))
    if seen:
        words = [_seen(voice, key, name, minute) for key, name in seen]
        # Before the sites, so that it does not read as found at the one before it.
        pieces.insert(0, voice.say("seen", list=voice.listed(words)))
    return pieces


def general(voice: Voice, patient: ClinicPatient) -> Piece:
    """Return how the patient looks; nothing where the record does not say."""
    text = signs(patient).get("general")
    return Piece("") if text is None else _written(voice, "general", text)


def _sign(voice: Voice, site: str, text: str) -> Piece:
    first = text.split()[0].lower().rstrip(":,")
    if first.rstrip("s") in site or first in SAME:  # "abdomen soft" names its site
        return _written(voice, site, text)
    return voice.say(f"site.{site.replace(' ', '_')}", text=_written(voice, site, text))


def _written(voice: Voice, site: str, text: str) -> Piece:
    words = abbreviated(text) if voice.style.short else text
    return Piece(words, (Fact("sign", site, words),))


def _seen(voice: Voice, key: str, name: str, minute: float) -> Piece:
    word = voice.word(name)
    return Piece(word, (Fact("finding", key, word, minute=minute),))


def _untouched(patient: ClinicPatient, site: str) -> bool:
    """Whether nothing that the patient has, or lives with, could be found at a site."""
    facts, regions = patient.facts, USUAL[site]
    if site == "abdomen" and patient.person.pregnant_weeks is not None:
        return False
    if site in ("neurology", "mental state", "eyes") and patient.state(0)["gcs"] < 15:
        return False
    groups = {facts.phenotypes[key].group for one in patient.problems for key in one.findings}
    touched = {REGIONS.get(group, "whole body") for group in groups}
    return touched.isdisjoint(regions) and not patient.background


@lru_cache(maxsize=1)
def _abbreviations() -> tuple[re.Pattern[str], dict[str, str]]:
    file = Path(__file__).with_name("abbreviations.txt")
    lines = file.read_text(encoding="utf-8").splitlines()
    words = dict(line.split(" = ") for line in lines if line and not line.startswith("#"))
    longest = sorted(words, key=len, reverse=True)
    return re.compile(r"\b(?:" + "|".join(map(re.escape, longest)) + r")\b", re.IGNORECASE), words


def abbreviated(text: str) -> str:
    """Return a text with the abbreviations of a telegraphic writer.

    >>> abbreviated("jugular venous pressure raised, tender in the right lower quadrant")
    'JVP raised, tender in RLQ'
    """
    pattern, words = _abbreviations()
    return pattern.sub(lambda match: words[match[0].lower()], text)
