"""What a patient says of findings: whether they are there, since when, where, how bad."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from random import Random

from gym_clinic.chart.talk.answer import Said
from gym_clinic.chart.talk.own_record import KnownFinding, OwnRecord
from gym_clinic.chart.talk.speech import Speech
from gym_clinic.chart.talk.times import ago, how_long, number_word, vaguely_ago
from gym_clinic.facts.records.epidemiology import Sex
from gym_clinic.simulate.clinic.beginnings import begins_it
from gym_clinic.simulate.clinic.problems import FORMS_OF_CLOUDED, PAINFUL
from gym_clinic.simulate.clinic.telling.disclosure import Disclosure
from gym_clinic.simulate.clinic.telling.lay_words import (
    LayWords,
    bare,
    in_person,
    mild,
    negatable,
    sayable,
    words_of,
)
from gym_clinic.simulate.clinic.texts.sections.history import events
from gym_clinic.simulate.split import of_split

Sentence = tuple[str, Said]

CHANGED = 0.08
"""Least change of severity that a patient notices."""

LOOK_BACK = 180
"""Minutes over which the patient compares."""

MINIMISED = 3
"""By how much a patient who minimises gives less of ten."""

CLAUSES = 0.6
"""Share of findings that are told by a clause, where there is one."""

UNREMEMBERED = (
    "Coma", "Loss of consciousness", "Reduced consciousness/confusion", "Confusion", "Delirium",
    "Seizure", "Bilateral tonic-clonic seizure", "Focal-onset seizure", "Status epilepticus",
    "Drowsiness", "Disorientation", "Fluctuations in consciousness", "Slow breathing", "Apnea",
)  # fmt: skip
"""What patients who were unconscious have only been told of."""

QUALITIES = (
    "Heartburn", "Colicky pain", "Abdominal colic", "Abdominal cramps", "Pleuritic chest pain",
    "Chest tightness", "Dysuria", "Radicular pain", "Thunderclap headache", "Trigeminal neuralgia",
    "Allodynia",
)  # fmt: skip
"""Findings that say what something feels like."""

GOES_TO = (
    "Radicular pain", "Jaw pain", "Shoulder pain", "Upper limb pain", "Back pain", "Low back pain",
    "Groin pain", "Flank pain", "Neck pain", "Lower limb pain", "Testicular pain",
)  # fmt: skip
"""Pains elsewhere that a patient names who is asked where a pain goes."""

EASES = ("Pain eased by rest",)
WORSENS = (
    "Chest pain on exertion", "Exertional dyspnea", "Orthopnea", "Pleuritic chest pain",
    "Photophobia", "Phonophobia", "Positional vertigo", "Orthostatic hypotension", "Odynophagia",
    "Nocturnal cough", "Jaw claudication", "Dyspareunia", "Allodynia", "Scalp tenderness",
)  # fmt: skip
"""Findings that say what makes something worse."""


PUBERTY = 9
"""Age in years below which no girl has periods."""

NOT_OF: Mapping[Sex, tuple[str, ...]] = {
    "male": (
        "Abnormal vaginal bleeding", "Abnormal vaginal discharge", "Amenorrhea", "Oligomenorrhea",
        "Antepartum hemorrhage", "Menorrhagia", "Tender hard uterus", "Dyspareunia",
    ),
    "female": ("Erectile dysfunction", "Scrotal pain", "Scrotal swelling", "Testicular pain"),
}  # fmt: skip
"""Sex -> findings that do not apply."""


class Telling:
    """Says what a patient knows of findings.

    Args:
        record: The record as the patient knows it.
        speech: The words.

    Attributes:
        actions: What was done -> when, by which the patient feels better or worse.
    """

    def __init__(self, record: OwnRecord, speech: Speech) -> None:
        self.record, self.speech = record, speech
        self.actions: Mapping[str, float] | None = None

    @cached_property
    def order(self) -> dict[str, int]:
        """Finding -> its place in the order in which findings come to mind."""
        keys = sorted(self.record.plan)
        Random(f"{self.speech.key}:order").shuffle(keys)
        return {key: place for place, key in enumerate(keys)}

    def answer(self, finding: str) -> Sentence:
        """Answer whether a finding is there."""
        known = self.record.known(finding)
        fact = f"finding:{known.finding}"
        if known.stance == "unsure":
            return self._unsure(), Said(fact, "unknown")
        if known.stance in ("not felt", "too small"):
            return self.speech.say(known.stance.replace(" ", ".")), Said(fact, "unknown")
        if known.stance in ("denies", "doubts"):
            return self._denial(finding, known), Said(f"finding:{finding}", "no")
        if self.woke and self._name(known.finding) in UNREMEMBERED:
            return self.speech.say("woke.told"), Said(fact, "unknown")
        if known.stance == "has" and self._is_another_form(finding, known.finding):
            return self.speech.say("has.rather", it=self.noun(known.finding)), Said(fact, "yes")
        if known.stance == "has":
            return self._present(known.finding, "has"), Said(fact, "yes")
        slight = known.stance == "slight"
        noun = (self.slight_noun if slight else self.noun)(known.finding)
        return self.speech.say(f"has.{known.stance}", it=noun), Said(fact, known.stance)

    def _is_another_form(self, asked: str, said: str) -> bool:
        """Whether drowsiness is told to somebody who asked about confusion, or the other way."""
        above = self.record.patient.facts.above
        form = self._name(asked) in FORMS_OF_CLOUDED
        return form and asked != said and asked not in above[said]

    def denials(self, findings: Sequence[str]) -> list[Sentence]:
        """Deny several findings in one sentence; the others have no text of their own."""
        nouns = [self.bare_noun(one) for one in findings]
        listed = " or ".join((", ".join(nouns[:-1]), nouns[-1]))
        text = self.speech.say("denies.several", no_it=listed)
        said = [Said(f"finding:{one}", "no") for one in findings]
        return [(text, said[0]), *(("", one) for one in said[1:])]

    def denies_by_noun(self, finding: str) -> bool:
        """Return whether a finding is denied, by a noun that follows "no" well."""
        denied = self.record.known(finding).stance == "denies"
        return denied and self.applies(finding) and bool(self._negatable(finding))

    def applies(self, finding: str) -> bool:
        """Return whether a finding may be one of this sex and age."""
        person, name = self.record.patient.person, self._name(finding)
        if name in NOT_OF[person.sex]:
            return False
        only = self.record.patient.facts.phenotypes[finding].only
        past = only is not None and not only.admits(person.person)
        return name not in NOT_OF["male"] or not (past or person.age < PUBERTY)

    def complaint(self, finding: str) -> Sentence:
        """Say why the patient comes."""
        said = Said(f"finding:{finding}", "yes")
        if self.woke and self._name(finding) in UNREMEMBERED:
            return self.speech.say("woke"), Said(f"finding:{finding}", "unknown")
        if self.speech.speaker == "crew":
            return self.speech.say("crew.complaint", it=self.noun(finding)), said
        return self._present(finding, "complaint"), said

    def besides(self, finding: str) -> Sentence:
        """Tell a finding without being asked, or that it is absent."""
        plan, fact = self.record.plan[finding], f"finding:{finding}"
        if not plan.has:
            text = self.speech.say("besides.not", no_it=self.bare_noun(finding))
            return text, Said(fact, "no")
        if plan.distortion == "minimises":
            return self.speech.say("has.slight", it=self.slight_noun(finding)), Said(fact, "slight")
        if plan.manner == "vague":
            return self.speech.say("has.vague", it=self.noun(finding)), Said(fact, "vague")
        return self._present(finding, "besides"), Said(fact, "yes")

    def of_area(self, finding: str) -> Sentence:
        """Tell a finding to somebody who asked how things are, not whether it is there."""
        if self.record.known(finding).stance == "has" and not self.woke:
            return self._present(finding, "area"), Said(f"finding:{finding}", "yes")
        return self.answer(finding)

    def onset(self, finding: str, minute: float) -> Sentence:
        """Say when a finding began."""
        plan = self.record.plan.get(finding)
        if plan is None or plan.says_began is None:
            return self.speech.say("onset.unknown"), Said(f"onset:{finding}", "unknown")
        minutes, now = minute - plan.says_began, self.record.now(minute)
        random = self.speech.random("time")
        if plan.manner == "vague":
            text = self.speech.say("onset.vague", about=vaguely_ago(minutes, now, random))
            return text, Said(f"onset:{finding}", "vague")
        when, duration = ago(minutes, now, random), how_long(minutes, random)
        happened = self.record.patient.facts.phenotypes[finding].name in events() | begins_it()
        pool = "onset.event" if happened else "onset"
        text = self.speech.say(pool, when=when, long=duration)
        return text, Said(f"onset:{finding}", str(plan.says_began))

    def course(self, finding: str, minute: float) -> Sentence:
        """Say whether a finding gets worse."""
        way = self.way(finding, minute)
        return self.speech.say(f"course.{way}"), Said(f"course:{finding}", way)

    def way(self, finding: str, minute: float) -> str:
        """Return how a finding changes: "worse", "better" or "same"."""
        patient = self.record.patient
        for problem in patient.problems:
            if finding in problem.findings:
                before = max(minute - LOOK_BACK, problem.findings[finding])
                now = patient.severity(problem, minute, self.actions)
                change = now - patient.severity(problem, before, self.actions)
                return "worse" if change > CHANGED else "better" if change < -CHANGED else "same"
        return "same"

    def site(self, finding: str, minute: float) -> Sentence:
        """Say where it is: in other words for the finding, which is all that is known."""
        name = self.record.patient.facts.phenotypes[finding].name
        if PAINFUL.search(name) or "pain" in self.noun(finding) or "swell" in name.casefold():
            text = self.speech.say("site", where=self.noun(finding))
            return text, Said(f"site:{finding}", "yes")
        return self.speech.say("site.unknown"), Said(f"site:{finding}", "unknown")

    def spread(self, finding: str, minute: float) -> Sentence:
        """Say whether it goes anywhere: only what hurts does, and only where it hurts as well."""
        for key in self._that_say_so(GOES_TO) if PAINFUL.search(self._name(finding)) else ():
            if key != finding:
                return self.speech.say("spread.to", it=self.noun(key)), Said(
                    f"finding:{key}", "yes"
                )
        pool = "spread" if PAINFUL.search(self._name(finding)) else "spread.none"
        return self.speech.say(pool), Said(f"spread:{finding}", "no")

    def severity(self, finding: str, minute: float) -> Sentence:
        """Say how bad it is: of ten for what hurts, else in words."""
        plan = self.record.plan.get(finding)
        less = plan is not None and plan.distortion == "minimises"
        fact = f"severity:{finding}"
        if self.hurts(finding):
            score = self.record.pain(minute, self.actions)
            score = max(score - MINIMISED, 1 if score else 0) if less else score
            if not score and not self.actions and plan is not None and plan.has:
                return self.speech.say("severity.mild"), Said(fact, "mild")  # it hurts at times
            pool = "severity.number" if score else "severity.none"
            number = number_word(score) if score else "nought"
            return self.speech.say(pool, number=number), Said(fact, str(score))
        strength = "mild" if less else self._strength(finding, minute)
        return self.speech.say(f"severity.{strength}"), Said(fact, strength)

    def quality(self, finding: str, minute: float) -> Sentence:
        """Say what it feels like, where a finding says so."""
        for key in sorted(self._that_say_so(QUALITIES), key=lambda one: one != finding):
            return self.speech.say("quality", says=self.clause(key)), Said(f"finding:{key}", "yes")
        pain = self.record.known(self.record.patient.facts.finding_ids["Pain"])
        hurts = self.hurts(finding) or pain.stance in ("has", "vague", "slight")
        if not hurts and not self.record.pain(minute, self.actions):
            return self.speech.say("quality.none"), Said("severity:pain", "0")
        pool = "quality.pain" if hurts else "quality.unknown"
        return self.speech.say(pool), Said(f"quality:{finding}", "unknown")

    def relief(self, finding: str, minute: float) -> Sentence:
        """Say what makes it better or worse, where a finding says so."""
        for names, pool, slot in (
            (EASES, "relief.better", "eases"),
            (WORSENS, "relief.worse", "worsens"),
        ):
            for key in self._that_say_so(names):
                text = self.speech.say(pool, **{slot: self.clause(key)})
                return text, Said(f"finding:{key}", "yes")
        return self.speech.say("relief.unknown"), Said(f"relief:{finding}", "unknown")

    @property
    def woke(self) -> bool:
        """Whether the patient speaks now and was unconscious on arrival."""
        return self.speech.speaker == "patient" and self.record.speaker == "crew"

    def noun(self, finding: str) -> str:
        """Return a noun for a finding, with its article."""
        name = self._name(finding)
        nouns = of_split(name, self._words(name).nouns, self.speech.split)
        return self._person(self.speech.choose_of(f"noun:{name}", sayable(nouns)))

    def slight_noun(self, finding: str) -> str:
        """Return a noun that may be called slight: "a fever", not "a raging fever"."""
        name = self._name(finding)
        nouns = mild(of_split(name, sayable(self._words(name).nouns), self.speech.split))
        return self._person(self.speech.choose_of(f"slight:{name}", nouns))

    def bare_noun(self, finding: str) -> str:
        """Return a noun that follows "no": not "being sick" where there is "vomiting"."""
        name = self._name(finding)
        nouns = of_split(name, self._words(name).nouns, self.speech.split)
        noun = self.speech.choose_of(f"no:{name}", self._negatable(finding) or nouns)
        return bare(self._person(noun))

    def _negatable(self, finding: str) -> list[str]:
        """The nouns of this split that follow "no" well."""
        name = self._name(finding)
        words = words_of(name, self.record.patient.person.age)
        return negatable(of_split(name, words.nouns, self.speech.split)) if words else []

    def _words(self, name: str) -> LayWords:
        found = words_of(name, self.record.patient.person.age)
        assert found is not None, name
        return found

    def _name(self, finding: str) -> str:
        return self.record.patient.facts.phenotypes[finding].name

    def clause(self, finding: str) -> str:
        """Return a clause that says a finding, or a noun where there is none."""
        name = self.record.patient.facts.phenotypes[finding].name
        clauses = self._words(name).says
        if not clauses:
            return self.noun(finding)
        return self._person(self.speech.choose(f"says:{name}", clauses, f"{name} says"))

    def _that_say_so(self, names: Iterable[str]) -> list[str]:
        ids = self.record.patient.facts.finding_ids
        plans: list[Disclosure | None] = [self.record.plan.get(ids[name]) for name in names]
        return [
            one.finding for one in plans
            if one is not None and self.record.known(one.finding).stance == "has"
        ]  # fmt: skip

    def _present(self, finding: str, pool: str) -> str:
        """Say that a finding is there, by a noun or by a clause."""
        name = self.record.patient.facts.phenotypes[finding].name
        words, noun_pool = self._words(name), "has.noun" if pool == "has" else pool
        number = self.speech.random(f"form:{finding}").random()
        if words.says and number < CLAUSES:
            return self.speech.say(f"{pool}.clause", says=self.clause(finding))
        return self.speech.say(noun_pool, it=self.noun(finding))

    def _denial(self, finding: str, known: KnownFinding) -> str:
        """Deny what was asked, in its own words where there are any."""
        said = finding if self.record.words_for(finding) else known.finding
        if not self.record.words_for(said):
            return self.speech.say("denies.plain")
        name = self._name(said)
        if not self.applies(said):
            return self.speech.say("period.none")
        denies = self._words(name).denies
        if denies:
            denial = self.speech.choose(f"denies:{name}", denies, f"{name} denies")
            return self.speech.say("denies.clause", denies=self._person(denial))
        if not self._negatable(said):
            return self.speech.say("denies.plain")
        pool = "denies.vague" if known.stance == "doubts" else "denies.noun"
        return self.speech.say(pool, no_it=self.bare_noun(said))

    def _unsure(self) -> str:
        return self.speech.say("crew.unsure" if self.speech.speaker == "crew" else "unsure")

    def hurts(self, finding: str) -> bool:
        """Return whether a finding of a problem is pain."""
        phenotype = self.record.patient.facts.phenotypes[finding]
        of_problem = any(finding in one.findings for one in self.record.patient.problems)
        return of_problem and PAINFUL.search(phenotype.name) is not None

    def _strength(self, finding: str, minute: float) -> str:
        patient = self.record.patient
        for problem in patient.problems:
            if finding in problem.findings:
                severity = patient.severity(problem, minute, self.actions)
                return "mild" if severity < 0.7 else "moderate" if severity < 1.2 else "bad"
        return "mild"

    def _person(self, text: str) -> str:
        return in_person(text, self.speech.speaker, self.record.patient.person.sex)
