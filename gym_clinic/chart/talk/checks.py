"""An answer read back and compared with the record: what is not in it is not said.

The text is read by the linker (findings and their negation) and for times, numbers, medicines and
illnesses. What the disclosure plan makes a patient get wrong counts as the record here: a patient
who forgets a finding may deny it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain

from gym_clinic.chart.talk.asked_tables import overdosed
from gym_clinic.chart.talk.hearing import Hearing, hearing_of
from gym_clinic.chart.talk.own_record import OwnRecord, allergen_name
from gym_clinic.chart.talk.telling import MINIMISED
from gym_clinic.chart.talk.times import FEW, MONTH, NUMBERS, mentioned_times
from gym_clinic.retrieval.graph import Link
from gym_clinic.simulate.clinic.problems import PAINFUL
from gym_clinic.simulate.clinic.telling.lay_words import lay_words
from gym_clinic.simulate.clinic.telling.life import illness_names
from gym_clinic.simulate.clinic.texts.sections.background import interval
from gym_clinic.simulate.clinic.texts.voice import americanised

_SEEN = re.compile(r"\([^)]*\)")
"""What is seen of somebody who does not answer, in brackets: nobody says it."""

_SENTENCE = re.compile(r"[^.?!]+[.?!]?")
_NEGATED = re.compile(r"\b(no|not|never|none|without|nope)\b|n't\b", re.IGNORECASE)
_NUMBER = re.compile(rf"\b(\d+(?:\.\d+)?|{'|'.join(NUMBERS[2:])}|nought)\b", re.IGNORECASE)
_ALLERGY = re.compile(
    r"allerg|gave (me|him|her)|brought on|whatever it did|something like", re.IGNORECASE
)
_SCORE = re.compile(rf"{_NUMBER.pattern}(?: or so)?(?: out)? of (?:ten|10)\b", re.IGNORECASE)
"""A number of ten, which is a pain and nothing else."""

_DENIAL = re.compile(r"(haven't|hasn't|not) had any\b", re.IGNORECASE)
"""How a finding is denied by its noun."""

_VAGUE = re.compile(rf"^(?:{'|'.join(FEW)})\b| or two$", re.IGNORECASE)

_RECALL = re.compile(
    r"(can't|cannot|don't|couldn't) (really )?(remember|recall)|forget (what|when|which)",
    re.IGNORECASE,
)
"""What people say who do not know something; it is no loss of memory."""

DATE = re.compile(r"\b\d{1,2} [A-Z][a-z]+ \d{4}\b")


class AnswerCheck:
    """Compares the answers of one patient with the record.

    Args:
        record: The record as the patient knows it.
    """

    def __init__(self, record: OwnRecord) -> None:
        self.record = record
        self._hearing: Hearing = hearing_of(record.patient.facts)
        self._pain = record.patient.facts.finding_ids["Pain"]
        lived = [one.condition for one in record.patient.background]
        kin = [one.condition for one in record.life.family]
        self._illnesses = {
            key for key in lived
            if (plan := record.recollections[f"condition:{key}"]).distortion != "forgets"
            and plan.manner != "omitted"
        } | {*kin, *(one.condition for one in record.patient.medicines)}  # fmt: skip
        facts = record.patient.facts
        names = [name for key in self._illnesses for name in illness_names(facts, key)]
        names += [one.what for one in record.patient.past if one.kind != "medicine"]
        self._names = _pattern(chain(names, map(americanised, names)))
        # How often something is taken is no time of the illness.
        rare = (interval(one.per_day) for one in record.patient.medicines if one.per_day < 1)
        self._intervals = {one for one in rare if one}
        own = {one.condition for one in record.patient.problems} - self._illnesses
        diseases = facts.diseases
        self._diagnosis = _pattern(
            name for key in own for name in (diseases[key].name, *diseases[key].synonyms)
            if len(name) > 3
        )  # fmt: skip

    def failures(
        self, text: str, minute: float = 0, actions: Mapping[str, float] | None = None
    ) -> tuple[str, ...]:
        """Return what an answer says that the record does not have, in words; none if all is well.

        Args:
            text: The answer.
            minute: Minutes from arrival.
            actions: What was done -> when, by which pain eases.
        """
        pain = self.record.pain(minute, actions)
        plain = text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
        plain = _RECALL.sub("am unsure", _SEEN.sub("", plain))
        masked = self._names.sub("that", plain) if self._names else plain
        for often in self._intervals:
            masked = masked.replace(often, "regularly")
        return tuple(
            chain(
                self._of_diagnosis(plain),
                self._of_findings(masked, pain),
                self._of_times(masked, minute),
                self._of_numbers(masked, minute, pain),
                self._of_medicines(masked),
                self._of_illnesses(masked),
            )
        )

    def _of_diagnosis(self, text: str) -> Iterator[str]:
        found = self._diagnosis.search(text) if self._diagnosis else None
        if found:
            # Hives or a panic attack may be what people call a finding of the record, and the name
            # of a disease; the alcohol of an alcohol withdrawal is only a part of its name.
            # So may what is denied in these words.
            known = self.record.says_has() | self._reactions(text)
            links = (*self._hearing.linker.link(found[0]), *self._hearing.linker.link(text))
            told = (one for one in links if one.text == found[0] and self._is_lay(one))
            if not any(one.record.id in known or one.status == "absent" for one in told):
                yield f"diagnosis: {found[0]!r}"

    def _is_lay(self, link: Link) -> bool:
        """Whether the words of a link are what people call its finding, or its name."""
        words = lay_words().get(link.record.name)
        said = (link.record.name, *(words.nouns + words.says if words else ()))
        return any(link.text.casefold() in one.casefold() for one in said)

    def _of_findings(self, text: str, pain: int) -> Iterator[str]:
        says_has, reactions = self.record.says_has(), self._reactions(text)
        for link in self._hearing.linker.link(text):
            key, name = link.record.id, link.record.name
            # A letter alone is of a name, such as penicillin V; a denial is of the noun after it.
            if key in reactions or len(link.text) == 1 or any(self._hearing.drugs(link.text)):
                continue
            if _DENIAL.match(link.text):
                continue
            if key == self._pain and pain:
                if link.status == "absent":
                    yield f"finding: {name} is denied and {pain} of ten in the chart"
            elif link.status == "present" and key not in says_has:
                yield f"finding: {name} is not in the record"
            elif link.status in ("absent", "past"):
                stance = self.record.known(key).stance
                if stance in ("has", "vague", "slight"):
                    yield f"finding: {name} is denied and there"
                elif stance == "unsure":
                    yield f"finding: {name} is not told by the plan"

    def _of_allergies(self, text: str) -> bool:
        """Whether an answer is about allergies, or names an allergen and what it did."""
        plain, facts = text.casefold(), self.record.patient.facts
        return _ALLERGY.search(text) is not None or any(
            any(
                word(allergen_name(facts, one.allergen)) in plain and word(one.reaction) in plain
                for word in (str, americanised)
            )
            for one in self.record.patient.allergies
        )

    def _reactions(self, text: str) -> set[str]:
        """The findings that an answer about allergies may name."""
        if not self._of_allergies(text):
            return set()
        ids = self.record.patient.facts.finding_ids
        found = {ids["Food allergy"], ids["Contact with an allergen"]}
        for one in self.record.patient.allergies:
            found |= {link.record.id for link in self._hearing.linker.link(one.reaction)}
        return found

    def _of_times(self, text: str, minute: float) -> Iterator[str]:
        exact, vague = self._times(minute)
        for one in mentioned_times(text, self.record.now(minute)):
            allowed = exact + (vague if _VAGUE.search(one.text) else [])
            if not any(one.least <= known <= one.most for known in allowed):
                yield f"time: {one.text!r}"

    def _times(self, minute: float) -> tuple[list[float], list[float]]:
        """Minutes before now that the patient may say, and those that are said without a number."""
        exact, vague = list[float](), list[float]()
        for plan in self.record.plan.values():
            if plan.says_began is not None and plan.manner != "omitted":
                (vague if plan.manner == "vague" else exact).append(minute - plan.says_began)
        life, patient = self.record.life, self.record.patient
        exact.append(minute - life.meal)
        exact += [minute - one.minute for one in patient.past]
        begun = [(one.begun, f"medicine:{one.drug}") for one in patient.medicines]
        for when, fact in begun:
            if when is not None:
                manner = self.record.recollections[fact].manner
                (vague if manner == "vague" else exact).append(minute - when)
        days = [one for one in (life.back, life.period) if one is not None]
        exact += [one * 1440 + minute for one in days]
        exact.append(int(patient.person.age * 12) * MONTH)
        years = [one.years for one in patient.background] + [patient.person.age]
        exact += [one * 365.25 * 1440 for one in years]
        if patient.person.pregnant_weeks is not None:
            exact.append(patient.person.pregnant_weeks * 7 * 1440)
        return exact, vague

    def _of_numbers(self, text: str, minute: float, pain: int) -> Iterator[str]:
        now = self.record.now(minute)
        known = self._numbers(pain)
        born = self.record.patient.born
        for one in DATE.finditer(text):
            if one[0] != f"{born.day} {born:%B %Y}":
                yield f"date: {one[0]!r}"
        left = DATE.sub(" ", text)
        for time in mentioned_times(left, now):
            left = left.replace(time.text, " ", 1)
        scores = self._scores(pain)
        for one in _SCORE.finditer(left):
            if _value(one[1]) not in scores:
                yield f"number: {one[1]!r} of ten"
        for one in _NUMBER.finditer(_SCORE.sub(" ", left)):
            if _value(one[0]) not in known:
                yield f"number: {one[0]!r}"

    def _scores(self, pain: int) -> set[float]:
        """The pain of ten that the patient may say."""
        patient, found = self.record.patient, {float(pain)}
        if any(
            plan.distortion == "minimises" and PAINFUL.search(patient.facts.phenotypes[key].name)
            for key, plan in self.record.plan.items()
        ):
            found.add(float(max(pain - MINIMISED, 1 if pain else 0)))
        return found

    def _numbers(self, pain: int) -> set[float]:
        """The numbers that the patient may say."""
        patient, life = self.record.patient, self.record.life
        found = {
            10.0,
            float(life.births or 0),
            float(life.losses),
            float(life.cigarettes),
            float(life.units),
        } | self._scores(pain)
        for one in patient.medicines:
            found |= {one.dose, float(round(one.per_day))}
        age = patient.person.age
        found |= {float(int(age)), float(int(age * 12)) if age < 2 else float(int(age))}
        if patient.person.pregnant_weeks is not None:
            found.add(float(patient.person.pregnant_weeks))
        return found

    def _of_medicines(self, text: str) -> Iterator[str]:
        plans = self.record.recollections
        named = {
            plan.says or one.drug
            for one in self.record.patient.medicines
            if (plan := plans[f"medicine:{one.drug}"]).distortion != "forgets"
            and plan.manner != "omitted"
        }
        named |= {one.what for one in self.record.patient.past if one.kind == "medicine"}
        recalled = {
            one.drug for one in self.record.patient.medicines
            if plans[f"medicine:{one.drug}"].distortion in ("forgets", "wrong")
        } | {overdosed(self.record.patient)}  # fmt: skip
        unsure = {
            one.drug for one in self.record.patient.medicines
            if plans[f"medicine:{one.drug}"].manner == "omitted"
        }  # fmt: skip
        allergens = {one.allergen for one in self.record.patient.allergies}
        for sentence in _SENTENCE.findall(text):
            negated = _NEGATED.search(sentence) is not None
            for drug in self._hearing.drugs(sentence):
                if drug in allergens and self._of_allergies(text):
                    continue
                if negated and drug in named:
                    yield f"medicine: {drug} is denied and taken"
                elif not negated and drug not in named | recalled:
                    yield f"medicine: {drug} is not in the record"
                elif negated and drug in unsure:
                    yield f"medicine: {drug} is not told by the plan"

    def _of_illnesses(self, text: str) -> Iterator[str]:
        """Illnesses that are left once those of the record are masked."""
        for sentence in _SENTENCE.findall(text):
            if not _NEGATED.search(sentence):
                for key in self._hearing.illnesses(sentence):
                    if not self._stands_for_a_finding(key):
                        yield f"illness: {key} is not in the record"

    def _stands_for_a_finding(self, illness: str) -> bool:
        """Whether the patient has a finding of the illness's name, such as a migraine."""
        facts = self.record.patient.facts
        names = (*illness_names(facts, illness), facts.diseases[illness].name)
        linked = {one.record.id for name in names for one in self._hearing.linker.link(name)}
        return not linked.isdisjoint(self.record.says_has())


def _value(said: str) -> float:
    word = said.casefold()
    if word == "nought":
        return 0.0
    return float(NUMBERS.index(word)) if word in NUMBERS else float(word)


def _pattern(names: Iterator[str]) -> re.Pattern[str] | None:
    listed = sorted({re.escape(one) for one in names}, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(listed)})(?!\w)", re.IGNORECASE) if listed else None
