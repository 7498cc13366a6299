"""A patient who answers by rules: the record, the disclosure plan and lay words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from gym_clinic.chart.talk.answer import PatientAnswer, Said
from gym_clinic.chart.talk.hearing import Heard, areas, hearing_of
from gym_clinic.chart.talk.history import History
from gym_clinic.chart.talk.own_record import KnownFinding, OwnRecord
from gym_clinic.chart.talk.speech import Speech
from gym_clinic.chart.talk.telling import Telling
from gym_clinic.simulate.clinic.patient import ClinicPatient
from gym_clinic.simulate.split import Split

ABOUT_A_FINDING = ("onset", "course", "site", "spread", "severity", "relief")
"""Topics that are asked of a finding."""

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

    Attributes:
        record: The record as the patient knows it.
        about: The finding that was spoken of last, which "it" means.
        told: The findings that were told without being asked.
    """

    def __init__(self, patient: ClinicPatient, split: Split = "train") -> None:
        self.record = OwnRecord(patient)
        key = f"{patient.seed}:{patient.problems[0].condition}:speech"
        speech = Speech(key, self.record.speaker, patient.person.sex, split)
        self._telling = Telling(self.record, speech)
        self._history = History(self.record, speech)
        self._speech = speech
        self.about = self.record.complaint
        self.told: set[str] = set()

    def answer(self, question: str, minute: float = 0) -> PatientAnswer:
        """Answer a question.

        Args:
            question: What is asked, in any words.
            minute: Minutes from arrival.
        """
        heard = hearing_of(self.record.patient.facts).hear(question)
        said = list(self._answers(heard, minute))
        if not said and "hello" in heard.topics:
            return PatientAnswer(self._speech.say("hello"))
        if not said:
            return PatientAnswer(self._speech.say("what"))
        texts = dict.fromkeys(text for text, _ in said if text)
        return PatientAnswer(" ".join(texts), tuple(one for _, one in said))

    def _answers(self, heard: Heard, minute: float) -> Saying:
        """Yield each sentence with the fact that it says; one of several facts may have no text."""
        topics = [one for one in heard.topics if one in ABOUT_A_FINDING]
        if "relief" in topics and "course" in topics:
            topics.remove("course")
        named = self._findings(heard)
        if "opening" in heard.topics:
            yield from self._opening()
        for finding in named:
            known = self.record.known(finding)
            self.told.add(known.finding)
            if not topics or known.stance not in ("has", "vague", "slight"):
                yield self._telling.answer(finding)
            if known.stance in ("has", "vague", "slight"):
                self.about = known.finding
                yield from self._of_finding(known.finding, topics, minute)
        if topics and not named and "opening" not in heard.topics:
            asked_more = [one for one in heard.topics if one not in (*topics, "hello")]
            if not asked_more or topics != ["onset"]:
                yield from self._of_finding(self.about, topics, minute)
        for area in self._areas(heard, named):
            yield from self._of_area(area)
        for illness in () if "family" in heard.topics else heard.illnesses:
            yield self._history.illness(illness)
        for drug in heard.drugs:
            yield self._history.medicine(drug)
        for topic in heard.topics:
            yield from self._of_topic(topic, heard, minute)
        if "more" in heard.topics:
            yield from self._more()

    def _findings(self, heard: Heard) -> list[str]:
        """The findings that are asked about, but for those that a topic or illness stands for."""
        names = {self.record.patient.facts.phenotypes[one].name: one for one in heard.findings}
        for topic, standing in _STAND_FOR.items():
            if topic in heard.topics:
                for name in standing:
                    names.pop(name, None)
        if heard.illnesses:
            known = self.record.patient.facts.diseases
            for illness in heard.illnesses:
                names.pop(known[illness].name, None)
            names = {name: key for name, key in names.items() if self.record.words_for(key)}
        return [] if "family" in heard.topics else list(names.values())

    def _of_finding(self, finding: str, topics: list[str], minute: float) -> Saying:
        ways: Mapping[str, Callable[[str, float], tuple[str, Said]]] = {
            "onset": self._telling.onset,
            "course": self._telling.course,
            "site": self._telling.site,
            "spread": self._telling.spread,
            "severity": self._telling.severity,
            "relief": self._telling.relief,
        }
        for topic in topics:
            yield ways[topic](finding, minute)

    def _areas(self, heard: Heard, named: list[str]) -> Iterator[str]:
        """The areas that are asked about, but for those of a finding that is named itself."""
        names = {self.record.patient.facts.phenotypes[one].name for one in named}
        for area in heard.areas:
            if names.isdisjoint(areas()[area]):
                yield area

    def _of_area(self, area: str) -> Saying:
        ids = self.record.patient.facts.finding_ids
        there: list[KnownFinding] = []
        for name in areas()[area]:
            known = self.record.known(ids[name])
            if known.stance not in ("denies", "doubts", "not felt") and known not in there:
                there.append(known)
        if not there:
            yield self._speech.say("fine"), Said(f"area:{area}", "no")
        for known in there[:MOST]:
            yield self._telling.answer(known.finding)

    def _of_topic(self, topic: str, heard: Heard, minute: float) -> Saying:
        ways: Mapping[str, Callable[[float], Saying]] = {
            "medicines": self._history.medicines,
            "allergies": self._history.allergies,
            "past": self._history.past,
            "family": self._history.family,
            "smoking": self._history.smoking,
            "alcohol": self._history.alcohol,
            "drugs": self._history.drugs,
            "travel": self._history.travel,
            "work": self._history.work,
            "home": self._history.home,
            "meal": self._history.meal,
            "period": self._history.period,
            "pregnant": self._history.pregnant,
            "name": self._history.name,
            "born": self._history.born,
        }
        if topic in ways and not (topic == "medicines" and heard.drugs):
            yield from ways[topic](minute)

    def _opening(self) -> Saying:
        """The complaint and one or two of the findings that are told at once."""
        first = self.record.complaint
        self.about = first
        self.told.add(first)
        yield self._telling.complaint(first)
        for finding in self._untold("told")[:2]:
            self.told.add(finding)
            yield self._telling.besides(finding)

    def _more(self) -> Saying:
        """Some of the findings that are told without being asked, and have not been."""
        vague = [one for one in self._untold("vague") if self.record.plan[one].has]
        left = [*self._untold("told"), *vague][:MOST]
        for finding in left:
            self.told.add(finding)
            yield self._telling.besides(finding)
        if not left:
            yield self._speech.say("nothing.more"), Said("more", "no")

    def _untold(self, manner: str) -> list[str]:
        """What is told in a manner and has not been, in an order that is drawn."""
        left = [
            key for key, one in self.record.plan.items()
            if one.manner == manner and one.distortion != "forgets" and key not in self.told
        ]  # fmt: skip
        order = self._telling.order
        return sorted(left, key=lambda key: order[key])


_STAND_FOR: Mapping[str, tuple[str, ...]] = {
    "alcohol": ("Alcoholism",),
    "period": ("Amenorrhea",),
    "travel": ("Stay in the tropics",),
    "allergies": ("Food allergy", "Contact with an allergen", "Allergic rhinitis"),
    "severity": ("Pain",),
    "opening": ("Malaise",),
    "relief": ("Pain eased by rest",),
    "medicines": ("Overdose of tablets", "Pain"),
    "meal": ("Anorexia",),
}
"""Topic -> findings that a question about it may seem to name."""
