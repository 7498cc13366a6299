"""What a patient knows of the own record, as the disclosure plan has it."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from gym_clinic.facts import Facts, with_ancestors
from gym_clinic.simulate.clinic.examination.shown import CLEAR
from gym_clinic.simulate.clinic.finding_lists import alike, comes_with, possible_when
from gym_clinic.simulate.clinic.patient import CONVERSES, GROWN_UP, SPEAKS, ClinicPatient
from gym_clinic.simulate.clinic.problems import CLOUDED, EXPOSURE, FORMS_OF_CLOUDED, PAINFUL
from gym_clinic.simulate.clinic.telling.disclosure import (
    Disclosure,
    Recollection,
    disclosures,
    recollections,
)
from gym_clinic.simulate.clinic.telling.incidental import is_felt
from gym_clinic.simulate.clinic.telling.lay_words import Speaker, lay_words
from gym_clinic.simulate.clinic.telling.life import Life, draw_life
from gym_clinic.simulate.clinic.texts import draw_visit
from gym_clinic.simulate.clinic.texts.voice import drug_name

Stance = Literal["has", "vague", "slight", "denies", "doubts", "unsure", "not felt", "too small"]
"""What a patient says of a finding: it is there, vaguely, slightly, not, perhaps not; nothing;
that nobody can feel it; or that a child of this age cannot tell it."""

SPEAKS_FROM, TELLS = 1, 4
"""Ages in years before which nothing of what is felt is told, and from which on it is: between
them, it goes by the finding."""

_FROM_AGE = re.compile(r"age >= ([\d.]+)")


_CLASSES = {"nsaid": "anti-inflammatory tablets", "sulfonamide-antibiotic": "sulfa antibiotics"}
"""Class of drugs -> what people call it, where that is another name."""


SAYS_WORDS = 9.5
"""Coma score from which on words are heard, if no answer."""

UNNOTICED = ("Tachypnea",)
"""What people may have and cannot tell: they say so whether they have it or not, so that the answer
does not give it away."""


@dataclass(frozen=True)
class KnownFinding:
    """What a patient says of one finding.

    Attributes:
        stance: How.
        finding: Id of the finding that is said, which may be a special form of what was asked.
        plan: Its plan; None for what the plan does not name.
    """

    stance: Stance
    finding: str
    plan: Disclosure | None


class OwnRecord:
    """The record as the patient knows it; what is not in it, the patient does not have.

    Args:
        patient: The patient.

    Attributes:
        patient: The patient.
        plan: Finding -> its plan.
        recollections: Fact -> its plan, such as "medicine:ibuprofen".
        life: Work, home, family and the like.
        speaker: Who answers on arrival.
    """

    def __init__(self, patient: ClinicPatient) -> None:
        self.patient = patient
        self.plan: Mapping[str, Disclosure] = {one.finding: one for one in disclosures(patient)}
        self.recollections: Mapping[str, Recollection] = {
            one.fact: one for one in recollections(patient)
        }
        self.life: Life = draw_life(patient)
        self.speaker: Speaker = patient.speaker
        self._known: dict[str, KnownFinding] = {}

    def __deepcopy__(self, memo: object) -> OwnRecord:
        """Return the record itself, which never changes."""
        return self

    def speaker_at(self, minute: float, actions: Mapping[str, float] | None) -> Speaker | None:
        """Return who answers at a minute; None if the patient does not and nobody else is there.

        A parent speaks for a small child. The crew stays with the unconscious until they wake;
        nobody answers for an adult who came talking and then loses consciousness.

        Args:
            minute: Minutes from arrival.
            actions: What was done -> when.
        """
        age = self.patient.person.age
        if age < SPEAKS:
            return "parent"
        if self.patient.state(minute, actions)["gcs"] >= CONVERSES:
            return "patient"
        if age < GROWN_UP:
            return "parent"
        return "crew" if self.speaker == "crew" else None

    def pain(self, minute: float, actions: Mapping[str, float] | None = None) -> int:
        """Return the pain of ten at a minute, as it is written in the chart."""
        return round(self.patient.state(minute, actions)["pain"])

    @property
    def complaint(self) -> str:
        """Id of the finding that the patient comes with."""
        found = self.patient.problems[0].complaint
        return found if found is not None else next(iter(self.plan))

    @cached_property
    def american(self) -> bool:
        """Whether the patient lives where American English is written."""
        return draw_visit(self.patient).american

    @cached_property
    def implied(self) -> Mapping[str, tuple[str, ...]]:
        """Finding -> those of the patient's findings that are a form of it, or as good as it."""
        facts = self.patient.facts
        found: dict[str, tuple[str, ...]] = {}
        for key, one in self.plan.items():
            if one.has:
                name = facts.phenotypes[key].name
                beside = (*comes_with().get(name, ()), *alike().get(name, ()))
                implied = {*facts.above[key], *(facts.finding_ids[it] for it in beside)}
                for general in (key, *sorted(implied - {key})):
                    found[general] = (*found.get(general, ()), key)
        return found

    def known(self, finding: str) -> KnownFinding:
        """Return what the patient says of a finding, whether the plan names it or not.

        A special form that people have no words for, such as a pain of the calf, is answered by
        the more general finding of the plan: the pain of the leg. Nobody with clouded consciousness
        is said not to be drowsy or confused.
        """
        if finding not in self._known:
            self._known[finding] = self._know(finding)
        return self._known[finding]

    def _know(self, finding: str) -> KnownFinding:
        facts = self.patient.facts
        form = facts.phenotypes[finding].name in FORMS_OF_CLOUDED
        if form and self._is_clouded and finding not in self.implied:
            finding = facts.finding_ids[CLOUDED]
        forms = sorted(self.implied.get(finding, ()), key=lambda one: one != finding)
        for key in forms:
            stance = _stance(self.plan[key])
            if stance != "denies":
                return KnownFinding(stance, key, self.plan[key])
        if forms:
            return KnownFinding("denies", forms[0], self.plan[forms[0]])
        if self._is_too_young(finding):
            return KnownFinding("too small", finding, None)
        if finding in self.plan:
            return KnownFinding(_stance(self.plan[finding]), finding, self.plan[finding])
        if not is_felt(facts, finding) or facts.phenotypes[finding].name in UNNOTICED:
            return KnownFinding("not felt", finding, None)
        if general := self._general_form(finding):
            return KnownFinding(_stance(self.plan[general]), general, self.plan[general])
        return KnownFinding("denies", finding, None)

    @cached_property
    def painful(self) -> tuple[str, ...]:
        """The findings that hurt and that the patient tells."""
        names = self.patient.facts.phenotypes
        return tuple(
            key for key, one in self.plan.items()
            if one.has and PAINFUL.search(names[key].name)
            and self.known(key).stance in ("has", "vague", "slight")
        )  # fmt: skip

    def _is_too_young(self, finding: str) -> bool:
        """Whether the patient is a small child, and too small to tell a finding."""
        age, phenotype = self.patient.person.age, self.patient.facts.phenotypes[finding]
        if age >= TELLS:
            return False
        told = _FROM_AGE.fullmatch(possible_when().get(phenotype.name, ""))
        from_age = float(told[1]) if told else phenotype.only.low if phenotype.only else 0.0
        return age < from_age >= SPEAKS_FROM

    @cached_property
    def _is_clouded(self) -> bool:
        clouded = self.patient.facts.finding_ids[CLOUDED] in self.implied
        return clouded and self.patient.state(0)["gcs"] < CLEAR

    def _general_form(self, finding: str) -> str | None:
        """Return the nearest more general finding that the patient has; None if there is none."""
        table = self.patient.facts.phenotypes
        nearest = [] if self.words_for(finding) else [*table[finding].parents]
        for one in nearest:  # grows: the parents of parents come last
            if one in self.plan and self.plan[one].has:
                return one
            nearest += [key for key in table[one].parents if key not in nearest]
        return None

    def opens(self, finding: str) -> bool:
        """Return whether a finding is an exposure that is told when it is asked about again."""
        plan = self.plan.get(finding)
        exposure = self.patient.facts.phenotypes[finding].group == EXPOSURE
        return plan is not None and plan.has and plan.manner == "omitted" and exposure

    def says_has(self) -> frozenset[str]:
        """Return the findings that the patient says to have, with what they imply."""
        told = ("has", "vague", "slight")
        said = {key for key in self.plan if _stance(self.plan[key]) in told or self.opens(key)}
        return frozenset(with_ancestors(said, self.patient.facts.above))

    def now(self, minute: float) -> datetime.datetime:
        """Return date and time at a minute from arrival."""
        return self.patient.arrived + datetime.timedelta(minutes=minute)

    def words_for(self, finding: str) -> bool:
        """Return whether there are lay words for a finding."""
        return self.patient.facts.phenotypes[finding].name in lay_words()


def _stance(plan: Disclosure) -> Stance:
    if plan.manner == "omitted":
        return "unsure"
    if not plan.has:
        return "doubts" if plan.manner == "vague" else "denies"
    if plan.distortion == "forgets":
        return "denies"
    if plan.distortion == "minimises":
        return "slight"
    return "vague" if plan.manner == "vague" else "has"


def allergen_name(facts: Facts, reference: str) -> str:
    """Return what people call a drug or class that they are allergic to."""
    kind, _, name = reference.partition(":")
    if kind != "class":
        return drug_name(facts.drugs[reference])
    return _CLASSES.get(name, facts.drug_classes[name].name.lower())
