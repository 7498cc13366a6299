"""The case of a question: a disease, a patient, what is told and which disciplines are right.

The discipline is drawn first, then one of its diseases, then a patient. Some patients have a second
disease of another discipline, and some a finding that rather belongs to a disease with which the
first is mistaken. Right are the disciplines of the diseases told of, and those of other diseases
that the findings leave nearly as likely. In a share of the questions the symptoms mislead at first
sight: what tells the disease apart is said in words that the linker does not know.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice
from random import Random

from gym_clinic.domains.kacr.questions.evidence import evidence, presentations
from gym_clinic.domains.kacr.questions.question import Cause, ClinicalQuestion, Style, ToldFinding
from gym_clinic.domains.kacr.questions.words import wordings
from gym_clinic.domains.kacr.questions.write import YOUNG, QuestionWriter, Writing
from gym_clinic.embedded import linker
from gym_clinic.errors import TaskError
from gym_clinic.facts import Disease, Person, with_ancestors
from gym_clinic.facts.naming import tokens
from gym_clinic.simulate.disease.findings import draw_findings, foreign, unrelated
from gym_clinic.simulate.disease.persons import epidemiology_of
from gym_clinic.simulate.disease.second import draw_second
from gym_clinic.simulate.presentation import SimulatedPatient, person_of
from gym_clinic.simulate.split import Split
from gym_clinic.simulate.told.consistency import never_absent, never_told, not_absent_beside
from gym_clinic.simulate.told.kinds import SMALL_WORDS, from_age, kind_of, overlaps

MISLEADING_SHARE = 0.35
"""Share of the questions whose symptoms mislead at first sight."""

SECOND_SHARE = 0.25
"""Share of the patients in whom a second disease is sought."""

DISTRACTOR_SHARE = 0.5
"""Share of the patients with a finding of a look-alike, where one was drawn."""

PATIENT_STYLE_SHARE = 0.5

OWN = (3, 6)
"""Findings of the first disease that are told, from and to."""

OF_SECOND = (2, 3)
"""Findings of the second disease that are told, from and to."""

MOST_ABSENT = 3
"""Absent findings that are told at most."""

SHARED_POWER = 0.75
"""How much rather findings are told that many diseases have; 0 for no preference."""

MISLED_MASS = 0.25
"""Most probability of the right disciplines given the linked symptoms, where these mislead."""

HIDDEN_SHARE = 0.2
"""Share of the findings said in unknown words where the symptoms need not mislead."""

MOST_HIDDEN = 3
"""Findings said in unknown words at most."""

FEWEST_LINKED = 2
"""Symptoms of the first disease that the linker must find, so that a walk can begin."""

LEAST_MASS = 0.4
"""Least probability of the discipline of the first disease, given what is told of it."""

LEAST_OF_SECOND = 0.3
"""Least probability of the discipline of the second disease, given what is told of it."""

NEARLY = 0.5
"""Share of the probability of the likeliest disease from which another is plausible too."""

MOST_DISCIPLINES = 3

PAEDIATRICS, GROWN = "paediatrics", 18
"""A discipline, and the age in years from which it treats nobody."""

TRIES = 150
PATIENTS = 6


@dataclass(frozen=True)
class _Case:
    """A drawn case before its words."""

    patient: SimulatedPatient
    person: Person
    disease: Disease
    second: str | None
    causes: dict[str, Cause]
    absent: tuple[str, ...]
    differential: tuple[str, ...]
    disciplines: tuple[str, ...]

    @property
    def present(self) -> list[str]:
        return list(self.causes)


def draw_question(seed: str, split: Split) -> ClinicalQuestion:
    """Draw a question; the same seed and split give the same one.

    Args:
        seed: Any text.
        split: Whose phrases and words are used: at least three in ten of each pool are not in
            train.

    Raises:
        TaskError: If no case of the seed makes a question.
    """
    random = Random(f"kacr:{split}:{seed}")
    misleading = random.random() < MISLEADING_SHARE
    style: Style = "patient" if random.random() < PATIENT_STYLE_SHARE else "examination"
    for number in range(TRIES):
        name = f"{split}:{seed}:{number}"
        for case in _cases(name, Random(f"case:{name}")):
            question = _put_in_words(case, seed, name, style, split, misleading)
            if question is not None:
                return question
    raise TaskError(f"seed {seed!r}: none of {TRIES} diseases makes a question of {split}")


@lru_cache(maxsize=1)
def _by_discipline() -> dict[str, list[Disease]]:
    room = presentations()
    found: dict[str, list[Disease]] = {}
    for disease in room.diseases.values():
        if sum(share > 0 for share in room.shares(disease.id).values()) >= OWN[0] + 1:
            found.setdefault(disease.discipline, []).append(disease)
    return dict(sorted(found.items()))


def _cases(name: str, random: Random) -> Iterator[_Case]:
    room = presentations()
    disease = random.choice(_by_discipline()[random.choice(list(_by_discipline()))])
    number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")
    pregnancy = epidemiology_of(disease).pregnancy
    for patient in islice(room.patients(disease, number + 1), PATIENTS):
        person = person_of(patient)._replace(pregnancy=pregnancy)
        beside = set(patient.noise)
        own = [key for key in patient.features if key not in beside]
        own = [key for key in own if _tellable(disease, person, key)]
        if len(own) < OWN[0] or _outgrown(disease, person):
            continue
        told = _widely_shared(own, random.randint(*OWN), random)
        causes: dict[str, Cause] = dict.fromkeys(told, "first")
        alike = [key for key in patient.noise if _tellable(disease, person, key)
                 and any(room.shares(other).get(key) for other in disease.look_alikes)]  # fmt: skip
        if alike and random.random() < DISTRACTOR_SHARE:
            causes[random.choice(alike)] = "distractor"
        absent = _absent(patient, disease, person, list(causes), random)
        posterior = evidence().posterior(person, list(causes), absent)
        mass = evidence().disciplines(posterior)
        if mass.get(disease.discipline, 0.0) < LEAST_MASS:
            continue
        likeliest = max(posterior.values())
        differential = tuple(key for key, share in posterior.items() if key != disease.id)[:6]
        near = [key for key in differential if posterior[key] >= NEARLY * likeliest
                and not _outgrown(evidence().facts.diseases[key], person)]  # fmt: skip
        second = None
        if random.random() < SECOND_SHARE:
            second = draw_second(room.likely_besides(person), disease, random)
        if second is not None:
            second, causes = _add_second(second, disease, person, causes, absent, random)
        of = evidence().facts.diseases
        right = [disease.discipline, *([of[second].discipline] if second else ()),
                 *(of[key].discipline for key in near)]  # fmt: skip
        disciplines = tuple(dict.fromkeys(right))[:MOST_DISCIPLINES]
        yield _Case(patient, person, disease, second, causes, absent, differential, disciplines)


def _widely_shared(own: Sequence[str], amount: int, random: Random) -> list[str]:
    """Return some findings, rather those that many diseases have."""
    drawn = {key: random.random() ** (1 / _having()[key] ** SHARED_POWER) for key in own}
    return sorted(own, key=lambda key: (-drawn[key], key))[:amount]


@lru_cache(maxsize=1)
def _having() -> Counter[str]:
    """Finding -> how many diseases have it."""
    room = presentations()
    return Counter(
        finding for key in room.diseases for finding, share in room.shares(key).items() if share
    )


def _add_second(
    second: str, disease: Disease, person: Person, causes: dict[str, Cause],
    absent: Sequence[str], random: Random,
) -> tuple[str | None, dict[str, Cause]]:  # fmt: skip
    """Return the second disease and the findings with some of it; none if too few can be told."""
    room = presentations()
    other = room.diseases[second]
    if other.discipline == disease.discipline or _outgrown(other, person):
        return None, causes
    chances = room.of_form(second, random)
    drawn = draw_findings(room.facts, chances, person, random, beside=list(causes), fewest=4)
    implied = with_ancestors(drawn, room.facts.above)
    drawn = [key for key in foreign(room.facts, disease, drawn)
             if _tellable(other, person, key) and not overlaps(disease, _name(key))]  # fmt: skip
    if len(drawn) < OF_SECOND[0] or not implied.isdisjoint(absent):
        return None, causes
    kept = random.sample(drawn, min(len(drawn), random.randint(*OF_SECOND)))
    mass = evidence().disciplines(evidence().posterior(person, kept))
    if mass.get(other.discipline, 0.0) < LEAST_OF_SECOND:
        return None, causes
    meant = not_absent_beside([_name(key) for key in kept])
    if any(_name(key) in meant for key in absent):
        return None, causes
    return second, {**causes, **dict.fromkeys(kept, "second")}


def _absent(
    patient: SimulatedPatient, disease: Disease, person: Person, present: Sequence[str],
    random: Random,
) -> tuple[str, ...]:  # fmt: skip
    """Draw findings that are told as absent: what speaks against look-alikes first."""
    room = presentations()
    facts = room.facts
    implied = with_ancestors(patient.features, facts.above)
    meant = not_absent_beside([facts.phenotypes[key].name for key in implied])
    words = set(tokens(" ".join(map(_name, present)))) - SMALL_WORDS
    able = [
        key
        for name in patient.absent
        if (key := facts.finding_ids[name]) not in implied
        and name not in meant
        and not never_absent(name)
        and kind_of(name) != "known"
        and from_age(name) <= person.age
        and not words & set(tokens(name))
        and not overlaps(disease, name)
        and not room.shares(disease.id).get(key, 0.0) > 0.5
    ]
    random.shuffle(able)
    against = [
        key
        for key in able
        if any(room.shares(other).get(key, 0) >= 0.3 for other in disease.look_alikes)
    ]
    ordered = list(dict.fromkeys([*against, *able]))
    return tuple(unrelated(facts, ordered, present, random.randint(0, MOST_ABSENT)))


def _put_in_words(
    case: _Case, seed: str, name: str, style: Style, split: Split, misleading: bool
) -> ClinicalQuestion | None:
    """Return the question of a case; None if its words do not do what they should."""
    random = Random(f"words:{name}:{case.patient.id}")
    hidden = _chosen_to_hide(case, style, split, misleading, random)
    if hidden is None:
        return None
    writer = QuestionWriter(case.person, style, split, random)
    writing = writer.write(
        {key: _name(key) for key in case.present}, [_name(key) for key in case.absent], hidden
    )
    diseases = [case.disease, *([presentations().diseases[case.second]] if case.second else ())]
    if any(overlaps(disease, writing.text) for disease in diseases):
        return None
    return _finished(case, seed, style, writing, misleading)


def _chosen_to_hide(
    case: _Case, style: Style, split: Split, misleading: bool, random: Random
) -> frozenset[str] | None:
    """Return the findings to be said in unknown words, such that the others mislead or do not."""
    able = []
    for key in case.present:
        ways = wordings(_name(key), style, split, case.person.age < YOUNG)
        if not all(way.linked for way in ways):
            able.append(key)
    random.shuffle(able)
    if not misleading:
        able = [key for key in able if random.random() < HIDDEN_SHARE][:MOST_HIDDEN]
        return frozenset(able) if _misleads(case, able) is False else None
    for amount in range(1, min(len(able), MOST_HIDDEN) + 1):
        for chosen in combinations(able, amount):
            if _misleads(case, chosen):
                return frozenset(chosen)
    return None


def _misleads(case: _Case, hidden: Sequence[str]) -> bool | None:
    """Return whether what is not hidden misleads, as `_led_astray` does."""
    return _led_astray(case, [key for key in case.present if key not in hidden])


def _led_astray(case: _Case, linked: Sequence[str]) -> bool | None:
    """Return whether symptoms mislead; None if they neither do so clearly nor lead aright.

    All findings together must speak for a right discipline.
    """
    right = set(case.disciplines)
    if next(iter(_mass(case, case.present))) not in right:
        return None
    mass = _mass(case, linked)
    if next(iter(mass)) in right:
        return False
    return True if sum(mass.get(key, 0.0) for key in right) <= MISLED_MASS else None


def _mass(case: _Case, present: Sequence[str]) -> dict[str, float]:
    """Return discipline -> its probability, given findings and those that are absent."""
    return evidence().disciplines(evidence().posterior(case.person, present, case.absent))


def _finished(
    case: _Case, seed: str, style: Style, writing: Writing, misleading: bool
) -> ClinicalQuestion | None:
    facts = evidence().facts
    links = linker().link(writing.text)
    linked = list(dict.fromkeys(one.record.id for one in links if one.status == "present"))
    found = with_ancestors(linked, facts.above)
    hidden = [key for key in case.present if facts.above[key].union([key]).isdisjoint(linked)]
    of_first = {key for key, cause in case.causes.items() if cause == "first"}
    near = with_ancestors(of_first, facts.above)
    if len(near & set(linked)) < FEWEST_LINKED or not found:
        return None
    if _led_astray(case, linked) is not misleading:
        return None
    return ClinicalQuestion(
        seed=seed,
        style=style,
        text=writing.text,
        condition=case.disease.id,
        second=case.second,
        differential=case.differential,
        disciplines=case.disciplines,
        age=case.person.age,
        sex=case.person.sex,
        present=tuple(
            ToldFinding(key, cause, writing.words[key]) for key, cause in case.causes.items()
        ),
        absent=case.absent,
        linked=tuple(linked),
        hidden=tuple(hidden),
        misleading=misleading,
    )


def _tellable(disease: Disease, person: Person, key: str) -> bool:
    name = _name(key)
    return from_age(name) <= person.age and not never_told(name) and not overlaps(disease, name)


def _outgrown(disease: Disease, person: Person) -> bool:
    """Whether a disease is one of a discipline that does not treat a person of this age."""
    return disease.discipline == PAEDIATRICS and person.age >= GROWN


def _name(key: str) -> str:
    return presentations().facts.phenotypes[key].name
