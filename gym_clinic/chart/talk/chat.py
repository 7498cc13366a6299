"""A patient who answers through a chat model, given the own record and nothing of the diagnosis."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from gym_clinic.chart.talk.answer import PatientAnswer
from gym_clinic.chart.talk.checks import AnswerCheck
from gym_clinic.chart.talk.history import HOMES, History
from gym_clinic.chart.talk.own_record import OwnRecord
from gym_clinic.chart.talk.speech import Speech
from gym_clinic.chart.talk.telling import Telling
from gym_clinic.chart.talk.times import how_long
from gym_clinic.consult import ChatClient, read_prompt
from gym_clinic.simulate.clinic.patient import ClinicPatient
from gym_clinic.simulate.clinic.telling.disclosure import Disclosure
from gym_clinic.simulate.clinic.telling.lay_words import Speaker, in_person, words_of
from gym_clinic.simulate.split import Split

PROMPT = read_prompt(Path(__file__).with_name("chat_patient.md"))

_WHO = {
    "patient": "You are the patient.",
    "parent": "You are the parent of the patient, a child, and speak for the child.",
    "crew": "You are the ambulance crew and speak for the patient, who cannot answer.",
}
NO_ANSWER = "(There is no answer.)"
"""What is noted of a patient who lost consciousness."""

_WAYS = {"worse": "it gets worse", "better": "it gets better", "same": "it stays the same"}


class ChatPatient:
    """Answers questions through a chat model.

    Every answer is read back and compared with the record. What is wrong is counted and never
    scored: the agent has not said it.

    Args:
        patient: The patient.
        client: The server and its options.
        split: Whose phrases it is given: "train", "dev" or "test".

    Attributes:
        record: The record as the patient knows it.
        answers: Answers so far.
        failures: Kind of a failure, such as "finding" -> how many answers had it.
    """

    def __init__(self, patient: ClinicPatient, client: ChatClient, split: Split = "train") -> None:
        self.split = split
        self.record = OwnRecord(patient)
        self.answers = 0
        self.failures: Counter[str] = Counter()
        self._client = client
        self._check = AnswerCheck(self.record)
        self._said: list[dict[str, str]] = []

    def __deepcopy__(self, memo: dict[int, Any]) -> ChatPatient:
        """Return a patient with a conversation of its own, over the same client and record."""
        twin = copy.copy(self)
        memo[id(self)] = twin
        twin.failures, twin._said = Counter(self.failures), list(self._said)
        return twin

    def answer(
        self, question: str, minute: float = 0, actions: Mapping[str, float] | None = None
    ) -> PatientAnswer:
        """Answer a question.

        Args:
            question: What is asked, in any words.
            minute: Minutes from arrival.
            actions: What was done -> when: it decides who can answer.

        Raises:
            ServiceError: If the server fails.
        """
        speaker = self.record.speaker_at(minute, actions)
        if speaker is None:
            return PatientAnswer(NO_ANSWER)
        asked = {"role": "user", "content": question}
        system = {"role": "system", "content": self.instructions(minute, speaker)}
        text = self._client.complete([system, *self._said, asked]).text.strip()
        self._said += [asked, {"role": "assistant", "content": text}]
        failures = self._check.failures(text, minute, actions)
        self.answers += 1
        self.failures.update({one.partition(":")[0] for one in failures})
        return PatientAnswer(text, (), failures)

    def metrics(self) -> dict[str, float]:
        """Return the share of answers with a failure of each kind."""
        share = {f"patient/{kind}": n / self.answers for kind, n in sorted(self.failures.items())}
        return {"patient/answers": float(self.answers), **share}

    def instructions(self, minute: float, speaker: Speaker | None = None) -> str:
        """Return what the model is told of the patient: the record in the words of the plan.

        Args:
            minute: Minutes from arrival.
            speaker: Who answers; by default who does so on arrival.
        """
        speaker = speaker or self.record.speaker
        record, patient = self.record, self.record.patient
        plans = list(record.plan.values())
        tellable = [one for one in plans if one.has and one.distortion != "forgets"]
        denied = [one for one in plans if one.distortion == "forgets" or not one.has]
        key = f"{patient.seed}:{patient.problems[0].condition}:chat"
        speech = Speech(key, speaker, patient.person.sex, self.split)
        history = History(record, speech)
        recalled = (history.medicines, history.allergies, history.past)
        life = [history.family, history.smoking, history.alcohol, history.travel, history.meal]
        if record.life.births is not None:
            life.append(history.parity)
        if record.life.movements is not None:
            life.append(history.movements)
        return PROMPT.system.format(
            who=_WHO[speaker],
            now=f"{record.now(minute):%A, %d %B %Y, %H:%M}",
            person=self._person(),
            complaint=self._words(record.plan[record.complaint], minute, speaker),
            told=_lines(
                self._words(one, minute, speaker)
                for one in tellable
                if one.manner in ("told", "vague")
            ),
            asked=_lines(
                self._words(one, minute, speaker) for one in tellable if one.manner == "asked"
            ),
            omitted=_lines(self._noun(one, speaker) for one in plans if one.manner == "omitted"),
            absent=_lines(self._noun(one, speaker) for one in denied if one.manner != "omitted"),
            recalled=_lines(text for way in recalled for text, _ in way(minute) if text),
            life=_lines(text for way in life for text, _ in way(minute) if text),
        )

    def _person(self) -> str:
        patient, life = self.record.patient, self.record.life
        age = patient.person.age
        years = f"{age:g} years" if age >= 2 else f"{int(age * 12)} months"
        born = f"born on {patient.born.day} {patient.born:%B %Y}"
        home = HOMES[life.home].format(my="a")
        pregnant = patient.person.pregnant_weeks
        more = f", {pregnant} weeks pregnant" if pregnant is not None else ""
        return (
            f"The patient: {patient.person.name}, {patient.person.sex}, {years}, {born}{more}. "
            f"Work: {life.work}. Lives {home}."
        )

    def _words(self, plan: Disclosure, minute: float, speaker: Speaker) -> str:
        """A finding in lay words, with what the patient knows of its time and course."""
        text = self._noun(plan, speaker)
        if plan.says_began is not None:
            since = how_long(minute - plan.says_began)
            vague = plan.manner == "vague"
            text += ", you cannot say since when" if vague else f", for {since}"
        if plan.distortion == "minimises":
            text += "; you call it slight"
        way = Telling(self.record, Speech("", "patient", "male", "train")).way(plan.finding, minute)
        return f"{text}; {_WAYS[way]}"

    def _noun(self, plan: Disclosure, speaker: Speaker) -> str:
        name = self.record.patient.facts.phenotypes[plan.finding].name
        person = self.record.patient.person
        words = words_of(name, person.age)
        assert words is not None, name
        return in_person(words.nouns[0], speaker, person.sex)


def _lines(texts: Iterable[str]) -> str:
    return "\n".join(f"- {one}" for one in texts) or "- nothing"
