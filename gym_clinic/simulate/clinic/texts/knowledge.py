"""What the author of a text was told by a time, by the disclosure plan."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from gym_clinic.facts import Facts, with_ancestors
from gym_clinic.simulate.clinic.patient import ClinicPatient
from gym_clinic.simulate.clinic.telling.disclosure import (
    Disclosure,
    Recollection,
    recollections,
)
from gym_clinic.simulate.clinic.telling.incidental import is_felt
from gym_clinic.simulate.clinic.texts.phrasebook import finding_words
from gym_clinic.simulate.clinic.texts.sections.asked_about import (
    FEWEST_DENIED,
    MOST_DENIED,
    SMALL,
    is_asked_about,
)
from gym_clinic.simulate.clinic.texts.visit import Visit
from gym_clinic.simulate.clinic.texts.voice import source

ASKS: Mapping[str, float] = {"doctor": 0.4, "gp": 0.3, "crew": 0.2, "triage": 0.15}
"""Author -> share of what is told only if asked that the author asks for."""

How = Literal["plain", "vague", "slight", "denied"]


@dataclass(frozen=True)
class Told:
    """A finding as an author was told it.

    Attributes:
        finding: Its id.
        name: Its name.
        says: Whether it is said to be there.
        how: Plainly; without a time; as slight; or denied by a patient who has forgotten it.
        began: When, in minutes from arrival, as it was told; None if absent.
        complaint: Whether it is why the patient comes.
    """

    finding: str
    name: str
    says: bool
    how: How
    began: float | None
    complaint: bool


def told_to(patient: ClinicPatient, visit: Visit, minute: float, *authors: str) -> tuple[Told, ...]:
    """Return what authors were told by a time: the complaint first, then in drawn order.

    Args:
        patient: The patient.
        visit: The visit.
        minute: When, in minutes from arrival.
        authors: Keys of `ASKS`: the author, and those whose notes the author has read.
    """
    random = source(patient, f"{authors[0]}:order")
    asking = [source(patient, f"{author}:asks") for author in authors]
    complaint = patient.problems[0].complaint
    found = []
    for one in visit.plan:
        draws = [each.random() < ASKS[author] for each, author in zip(asking, authors, strict=True)]
        asked = any(draws)
        heard = one.manner in ("told", "vague") or (one.manner == "asked" and asked)
        if heard and (one.began is None or one.began <= min(minute, 0)):
            found.append(_as_told(patient.facts, one, one.finding == complaint))
    present = [one for one in found if one.says and not one.complaint]
    by_patient = visit.speaker == "patient" and patient.person.age >= SMALL
    absent = [
        one for one in found if not one.says and is_asked_about(one.name, visit.region, by_patient)
    ]
    random.shuffle(present)
    random.shuffle(absent)
    first = [one for one in found if one.complaint]
    if not first and complaint is not None:  # what others see, such as small pupils
        began = patient.problems[0].findings[complaint]
        name = patient.facts.phenotypes[complaint].name
        first = [Told(complaint, name, True, "plain", began, True)]
    shown = " ".join(one.text for one in patient.examination).lower()
    fitting = _compatible(absent, [*first, *present], shown)
    return (*first, *present, *islice(fitting, random.randint(FEWEST_DENIED, MOST_DENIED)))


def _as_told(facts: Facts, one: Disclosure, complaint: bool) -> Told:
    name = facts.phenotypes[one.finding].name
    if not one.has:
        return Told(one.finding, name, False, "plain", None, False)
    if one.distortion == "forgets":
        return Told(one.finding, name, False, "denied", None, complaint)
    began = one.began if one.says_began is None else one.says_began
    how: How = "vague" if one.manner == "vague" else "plain"
    if one.distortion == "minimises":
        how = "slight"
    return Told(one.finding, name, True, how, began, complaint)


def _compatible(absent: list[Told], present: list[Told], shown: str) -> Iterator[Told]:
    """What is absent and cannot be misread as the denial of something that is there.

    Args:
        absent: What is said to be absent.
        present: What is said to be there.
        shown: The words of the examination, in small letters.
    """
    said = {word for one in present for word in _all_words(one.name)}
    taken = set(said)
    for one in absent:
        words = _all_words(one.name)
        fits_after_no = any(not word.endswith("*") for word in words)
        seen = any(_is_named(word, shown) for word in words)
        if (
            fits_after_no
            and not seen
            and not any(_overlap(word, other) for word in words for other in taken)
        ):
            taken |= words
            yield one


def _is_named(word: str, shown: str) -> bool:
    """Whether an examination names a finding: all stems of its words occur there."""
    stems = [part[:5] for part in re.findall(r"[a-z]{4,}", word.lower())]
    return bool(stems) and all(re.search(rf"\b{stem}", shown) for stem in stems)


def _overlap(first: str, second: str) -> bool:
    first, second = first.rstrip("*"), second.rstrip("*")
    return f" {first} " in f" {second} " or f" {second} " in f" {first} "


def _all_words(name: str) -> set[str]:
    full, short = finding_words().get(name, ((), ()))
    return {*full, *short}


def names_a_problem(patient: ClinicPatient, text: str) -> bool:
    """Whether words, such as "panic attacks", are also a name of what the patient has."""
    known = (patient.facts.diseases[one.condition] for one in patient.problems)
    names = (name.lower() for disease in known for name in (disease.name, *disease.synonyms))
    return any(f" {name} " in f" {text.lower()} " for name in names)


def seen_on(patient: ClinicPatient, minute: float) -> list[tuple[str, str]]:
    """Return what an examiner finds that no patient feels: (id, name), in the order of names."""
    facts = patient.facts
    found = {
        key
        for problem in patient.problems
        for key, began in problem.findings.items()
        if began <= min(minute, 0) and not is_felt(facts, key)
    }
    covered = {above for one in found for above in with_ancestors([one], facts.above) - {one}}
    names = {key: facts.phenotypes[key].name for key in found - covered}
    return sorted(((key, name) for key, name in names.items() if name in finding_words()),
                  key=lambda one: one[1])  # fmt: skip


def remembers(patient: ClinicPatient) -> dict[str, Recollection]:
    """Return fact, such as "medicine:ID", -> how the patient tells it."""
    return {one.fact: one for one in recollections(patient)}
