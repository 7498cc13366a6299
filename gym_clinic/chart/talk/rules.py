"""A patient who answers by rules: the record, the disclosure plan and lay words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from gym_clinic.chart.talk.answer import PatientAnswer, Said
from gym_clinic.chart.talk.before_it import WhatCameBefore
from gym_clinic.chart.talk.concerns import Concerns
from gym_clinic.chart.talk.function import Function
from gym_clinic.chart.talk.hearing import Heard, areas, hearing_of
from gym_clinic.chart.talk.history import History
from gym_clinic.chart.talk.meaning import (
    ABOUT_A_FINDING,
    CHILD,
    DENIED_BY_NAME,
    DENIED_PLAINLY,
    FUNCTIONS,
    OF_CONCERNS,
    OF_HISTORY,
    ONLY_ALONE,
    STAND_FOR,
    TOLD,
    TOO_YOUNG,
    UNKNOWN,
    VOLUNTEERED,
    meant,
)
from gym_clinic.chart.talk.own_record import SAYS_WORDS, OwnRecord
from gym_clinic.chart.talk.speech import Speech
from gym_clinic.chart.talk.telling import Telling
from gym_clinic.simulate.clinic.patient import ClinicPatient
from gym_clinic.simulate.clinic.texts.voice import americanised
from gym_clinic.simulate.split import Split

DENIED = 2
"""Absent findings that are volunteered in one talk, at most."""

SHORT = 0.4
"""Share of single questions that are denied without a word for what was asked."""

AT_ONCE, TAKEN_IN = 4, 2
"""Things that can be asked at once; of a longer list the patient takes in the last ones only."""

MOST = 4
"""Findings that are told in answer to one question about an area or "anything else"."""

Saying = Iterator[tuple[str, Said]]


class RulesPatient:
    """Answers questions by the record.

    The same questions in the same order always get the same answers; a question that comes again
    gets the same facts in other words.

    Args:
        patient: The patient.
        split: Whose phrases are used: "train", "dev" or "test".
        record: The record as the patient knows it, if it was made before; it never changes.

    Attributes:
        record: The record as the patient knows it.
        about: The finding that was spoken of last, which "it" means.
        drug: The medicine that was spoken of last, which "taking it" means.
        told: The findings that were told without being asked.
        kept: Exposures that were kept back when they were asked about.
        denied: How many absent findings were volunteered.
    """

    def __init__(
        self, patient: ClinicPatient, split: Split = "train", record: OwnRecord | None = None
    ) -> None:
        self.record = OwnRecord(patient) if record is None else record
        key = f"{patient.seed}:{patient.problems[0].condition}:speech"
        self._speech = speech = Speech(key, self.record.speaker, patient.person.sex, split)
        self._telling = Telling(self.record, speech)
        self._history = History(self.record, speech)
        self._concerns = Concerns(self.record, speech, self._telling, self._history)
        self._before = WhatCameBefore(self.record, speech, self._history)
        self._function = Function(self.record, self._telling)
        self._pain = patient.facts.finding_ids["Pain"]
        self.about = self.record.complaint
        self.drug: str | None = None
        self.told: set[str] = set()
        self.kept: set[str] = set()
        self.denied = 0

    def answer(
        self, question: str, minute: float = 0, actions: Mapping[str, float] | None = None
    ) -> PatientAnswer:
        """Answer a question.

        Args:
            question: What is asked, in any words.
            minute: Minutes from arrival.
            actions: What was done -> when: it decides how the patient feels and who can answer.
        """
        speaker = self.record.speaker_at(minute, actions)
        if speaker is None:
            awake = self.record.patient.state(minute, actions)["gcs"] >= SAYS_WORDS
            return PatientAnswer(self._speech.say("no.answer.muddled" if awake else "no.answer"))
        self._speech.speaker, self._telling.actions = speaker, actions
        asked = hearing_of(self.record.patient.facts).hear(question)
        events = self._before.events(asked)
        heard = self._before.instead_of_events(meant(asked, self.record, self.drug), events)
        self.drug = heard.drugs[-1] if heard.drugs else self.drug
        said = [*self._before.swallowed(question, asked)]
        said = said or [*self._answers(heard, minute), *self._before.told(heard, events, minute)]
        if said and not events and "past" not in heard.topics:
            said += self._before.denied(heard, beside=True)
        if not said:
            others = ("other illness",) if "ever" in heard.cues else ()
            said = [*self._before.denied(heard)] or [*self._history.none_of(others)]
        if not said:
            polite = (one for one in ("hello", "statement") if one in heard.topics)
            return PatientAnswer(self._speech.say(next(polite, "what")))
        texts = dict.fromkeys(text for text, _ in said if text)
        spelled = americanised if self.record.american else str
        return PatientAnswer(spelled(" ".join(texts)), tuple(one for _, one in said))

    def _answers(self, heard: Heard, minute: float) -> Saying:
        """Yield each sentence with the fact that it says; one of several facts may have no text."""
        topics = [one for one in heard.topics if one in ABOUT_A_FINDING]
        if "relief" in topics and "course" in topics:
            topics.remove("course")
        named = self._findings(heard)
        if heard.drugs and not named:  # when it began is asked of the medicine
            topics = [one for one in topics if one != "onset"]
        areas_asked = [*self._areas(heard, named)]
        if "mood" in areas_asked:
            mood = self._there("mood")
            named = [one for one in named if one not in self._ids("mood") or one in mood]
        too_many = len(areas_asked) + len(named) > AT_ONCE
        if too_many:
            named, areas_asked = named[-TAKEN_IN:], [] if named else areas_asked[-TAKEN_IN:]
        if "opening" in heard.topics:
            yield from self._opening()
        denied = [one for one in named if self._denies(one, minute)]
        if len(denied) > 1:
            self.told.update(denied)
            yield from self._telling.denials(denied)
            named = [one for one in named if one not in denied]
        others = areas_asked or heard.drugs or heard.illnesses or "self-harm" in heard.topics
        brief = len(named) == 1 and not others and self._speech.random("short").random() < SHORT
        for finding in self._forms(named, topics):
            known = self.record.known(finding)
            self.told.add(known.finding)
            if known.stance in ("denies", "doubts", "unsure") and self._scored(finding, minute):
                if "site" in topics:
                    yield self._speech.say("pain.nowhere"), Said("site:pain", "unknown")
                else:
                    yield self._concerns.pain_score(minute)
            elif known.stance == "denies" and brief and self._telling.applies(finding):
                yield self._speech.say("denies.plain"), Said(f"finding:{finding}", "no")
            elif not topics or known.stance not in TOLD or "whether" in heard.cues:
                yield self._answer(finding, heard)
            if known.stance in TOLD:
                self.about = known.finding
                yield from self._of_finding(known.finding, topics, minute)
        lived_with = [one for one in heard.illnesses if self._history.knows(one)]
        aside = heard.illnesses or areas_asked
        if topics and not named and not aside:
            polite = (*topics, "hello", "statement", "opening", "now")
            asked_more = [one for one in heard.topics if one not in polite]
            if "severity" in topics and self._asks_of_pain(heard):
                topics.remove("severity")
                yield self._concerns.pain_score(minute)
            if not asked_more or topics != ["onset"]:
                yield from self._of_finding(self.about, topics, minute)
        for area in areas_asked:
            yield from self._of_area(area, heard, minute)
        for illness in () if "family" in heard.topics else heard.illnesses:
            if "onset" in heard.topics and illness in lived_with:
                yield self._history.since(illness, minute)
            else:
                yield self._history.illness(illness)
        yield from self._history.none_of(heard.groups)
        for drug in heard.drugs:
            yield self._history.medicine(drug, minute, heard.topics)
        for group in heard.medicine_groups:
            yield from self._history.medicines_of(group, minute)
        if young := [one for one in self._not_for_children if one in heard.topics]:
            yield from self._history.too_young(young)
        told = any(self.record.known(one).stance in TOLD for one in named)
        without = {"private"} if named else set()
        without |= {"often"} if (named or denied) and not told else set()  # nobody counts nothing
        for topic in heard.topics:
            if topic not in young and topic not in without:
                yield from self._of_topic(topic, heard, minute)
        if "more" in heard.topics:
            yield from self._more()
        if too_many:
            yield self._speech.say("too.many"), Said("life:list", "unknown")

    def _answer(self, finding: str, heard: Heard) -> tuple[str, Said]:
        """Answer whether a finding is there; an exposure that is kept back opens in the end."""
        known = self.record.known(finding)
        if known.stance == "unsure" and self.record.opens(known.finding):
            if known.finding in self.kept or "gentle" in heard.topics:
                return self._telling.besides(known.finding)
            self.kept.add(known.finding)
        return self._telling.answer(finding)

    def _findings(self, heard: Heard) -> list[str]:
        """The findings that are asked about, but for those that a topic or illness stands for."""
        names = {self.record.patient.facts.phenotypes[one].name: one for one in heard.findings}
        for topic, standing in STAND_FOR.items():
            if topic in heard.topics:
                for name in standing:
                    names.pop(name, None)
        if heard.illnesses or heard.drugs or heard.medicine_groups:
            known = self.record.patient.facts.diseases
            for illness in heard.illnesses:
                names.pop(known[illness].name, None)
            names = {name: key for name, key in names.items() if self.record.words_for(key)}
        return [] if "family" in heard.topics else list(names.values())

    def _scored(self, finding: str, minute: float) -> bool:
        """Whether a finding is pain, which the chart scores: it is not denied then."""
        return finding == self._pain and self.record.pain(minute, self._telling.actions) > 0

    def _asks_of_pain(self, heard: Heard) -> bool:
        """Whether it is asked how bad the pain is, and what was spoken of is none."""
        return self._pain in heard.findings and not self._telling.hurts(self.about)

    def _denies(self, finding: str, minute: float) -> bool:
        return self._telling.denies_by_noun(finding) and not self._scored(finding, minute)

    def _forms(self, named: list[str], topics: list[str]) -> list[str]:
        """The findings that are asked about; for pain, all that hurts.

        Who is asked where it hurts, or since when, names a headache or a heartburn, too.
        """
        hurting = [
            one for one in self.record.implied.get(self._pain, ())
            if self.record.known(one).stance in TOLD
        ]  # fmt: skip
        if topics and not hurting:
            hurting = [one for one in self.record.painful if self._of_today(one)]
        hurting.sort(key=lambda one: one != self.record.complaint)
        forms = dict[str, None]()
        for one in named:
            forms |= dict.fromkeys(hurting[:2] if one == self._pain and hurting else [one])
        return list(forms)

    def _of_finding(self, finding: str, topics: list[str], minute: float) -> Saying:
        ways: Mapping[str, Callable[[str, float], tuple[str, Said]]] = {
            "onset": self._telling.onset,
            "course": self._telling.course,
            "site": self._telling.site,
            "spread": self._telling.spread,
            "severity": self._telling.severity,
            "quality": self._telling.quality,
            "relief": self._telling.relief,
        }
        for topic in topics:
            yield ways[topic](finding, minute)

    def _areas(self, heard: Heard, named: list[str]) -> Iterator[str]:
        """The areas that are asked about, but for those of a finding that is named itself.

        The mood is told by what is there, whatever word was used for it.
        """
        names = {self.record.patient.facts.phenotypes[one].name for one in named}
        asked = dict.fromkeys((*heard.areas, *(one for one in heard.topics if one in areas())))
        if "high mood" in asked or "self-harm" in asked:
            asked.pop("mood", None)
        if "walking" in heard.topics:
            asked.pop("weight", None)
        for area in asked:
            there = self._there(area)
            if area == "mood" and not there and "mood before" in heard.topics:
                continue
            told = any(one in there for one in named)
            mood = area == "mood" and there and not told
            fluids = area == "feeding" and "fluids" in heard.cues
            alone = not named or fluids or area not in ONLY_ALONE
            if alone and (mood or names.isdisjoint(areas()[area])):
                yield area

    def _ids(self, area: str) -> list[str]:
        return [self.record.patient.facts.finding_ids[name] for name in areas()[area]]

    def _there(self, area: str) -> list[str]:
        """The findings of an area that the patient has, or keeps back."""
        found = dict[str, None]()
        for finding in self._ids(area):
            known = self.record.known(finding)
            if known.stance not in ("denies", "doubts", "not felt", "too small"):
                found[known.finding] = None
        return list(found)

    def _of_area(self, area: str, heard: Heard, minute: float) -> Saying:
        there = self._there(area)
        if not there and area in FUNCTIONS:
            yield self._function.unhindered(area, minute, upper="upper" in heard.cues)
        elif not there and area in DENIED_BY_NAME:
            fumes = area == "exposure" and "fumes" in heard.circumstances
            yield self._telling.answer(self._ids(area)[fumes])
        elif not there:
            pool = "denies.plain" if area in DENIED_PLAINLY else "fine"
            yield self._speech.say(pool), Said(f"area:{area}", "no")
        if area in FUNCTIONS:
            there = self._function.hindering(there, upper="upper" in heard.cues)
        for finding in there[:MOST]:
            self.told.add(finding)
            if self._of_today(finding):
                self.about = finding
            asked = area in DENIED_BY_NAME or area in DENIED_PLAINLY
            yield self._answer(finding, heard) if asked else self._telling.of_area(finding)

    @property
    def _not_for_children(self) -> tuple[str, ...]:
        return TOO_YOUNG if self.record.patient.person.age < CHILD else ()

    def _of_today(self, finding: str) -> bool:
        """Whether it is of what brings the patient, and not of an illness of long ago."""
        return any(finding in one.findings for one in self.record.patient.problems)

    def _of_topic(self, topic: str, heard: Heard, minute: float) -> Saying:
        teller = self._history if topic in OF_HISTORY else self._concerns
        if topic in UNKNOWN:
            yield self._speech.say("not.known"), Said(f"life:{topic}", "unknown")
        elif topic == "often" and not (
            set(heard.topics) - {"often", "hello", "statement"} or heard.drugs
        ):
            yield self._speech.say("often.unknown"), Said(f"often:{self.about}", "unknown")
        elif topic in ("amount", "plan"):
            yield from self._of_act(topic)
        elif topic in (*OF_HISTORY, *OF_CONCERNS) and not (topic == "medicines" and heard.drugs):
            told: Callable[[float], Saying] = getattr(teller, topic.replace(" ", "_"))
            yield from told(minute)

    def _of_act(self, topic: str) -> Saying:
        """How many were taken, or whether there is a plan: no record has it."""
        area = "exposure" if topic == "amount" else "self-harm"
        there = self._there(area)
        if any(self.record.known(one).stance != "unsure" for one in there):
            yield self._speech.say(f"{topic}.unknown"), Said(f"{topic}:{there[0]}", "unknown")
        elif not there and topic == "plan":
            yield self._telling.answer(self._ids(area)[0])

    def _opening(self) -> Saying:
        """The complaint and one or two of the findings that are told at once."""
        first = self.record.complaint
        self.about = first
        self.told.add(first)
        yield self._telling.complaint(first)
        absent = 0
        for finding in self._volunteered(self._untold("told"))[:2]:
            absent += not self.record.plan[finding].has
            if absent < 2 or self.record.plan[finding].has:
                yield self._besides(finding)

    def _more(self) -> Saying:
        """What is there, is told without being asked and has not been; then what is absent."""
        told, vague = self._untold("told"), self._untold("vague")
        there = [one for one in (*told, *vague) if self.record.plan[one].has]
        absent = [one for one in told if one not in there]
        left = self._volunteered([*there, *absent])[:MOST]
        for finding in left:
            yield self._besides(finding)
        if not left:
            yield self._speech.say("nothing.more"), Said("more", "no")

    def _besides(self, finding: str) -> tuple[str, Said]:
        self.told.add(finding)
        self.denied += not self.record.plan[finding].has
        return self._telling.besides(finding)

    def _volunteered(self, findings: list[str]) -> list[str]:
        """The findings that are there, and few of those that are absent, such as a fever."""
        plan, kept = self.record.plan, list[str]()
        for one in findings:
            absent = [key for key in kept if not plan[key].has]
            few = len(absent) + self.denied < DENIED
            if plan[one].has or (few and self._is_common(one)):
                kept.append(one)
        return kept

    def _is_common(self, finding: str) -> bool:
        """Whether a finding is so common that people think of its absence."""
        return self.record.patient.facts.phenotypes[finding].name in VOLUNTEERED

    def _untold(self, manner: str) -> list[str]:
        """What is told in a manner and has not been, in an order that is drawn."""
        crew = self._speech.speaker == "crew"  # knows nothing of small complaints
        left = [
            key for key, one in self.record.plan.items()
            if one.manner == manner and one.distortion != "forgets" and key not in self.told
            and not (crew and one.origin in ("background", "irrelevant"))
        ]  # fmt: skip
        order = self._telling.order
        return sorted(left, key=lambda key: order[key])
