"""What came before an illness, as it is asked in many words: heat, a fall, surgery, a journey.

The events are those of the record. What is asked about and is none of them is denied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from gym_clinic.chart.talk.answer import Said
from gym_clinic.chart.talk.asked_tables import (
    Circumstance,
    circumstances,
    illness_groups,
    overdosed,
    overdoses,
)
from gym_clinic.chart.talk.hearing import EVENTS, Heard, content_words
from gym_clinic.chart.talk.history import History
from gym_clinic.chart.talk.meaning import BY_EVENT, TOLD
from gym_clinic.chart.talk.own_record import OwnRecord
from gym_clinic.chart.talk.speech import Speech
from gym_clinic.simulate.clinic.medicines import PastEvent

Saying = Iterator[tuple[str, Said]]

_DRINK = re.compile(r"\b(last drink|drinking|vodka|lager|beer)\b")
"""What an event with alcohol is called."""


def _says(kind: Circumstance, event: PastEvent) -> bool:
    return any(re.search(pattern, event.what) for pattern in kind.told)


class WhatCameBefore:
    """Tells the events that a question asks about, in whatever words.

    Args:
        record: The record as the patient knows it.
        speech: The words.
        history: What is said of life.
    """

    def __init__(self, record: OwnRecord, speech: Speech, history: History) -> None:
        self.record, self.speech, self.history = record, speech, history

    def events(self, heard: Heard) -> list[PastEvent]:
        """Return the events that a question asks about."""
        told = [one for one in self.record.patient.past if one.kind != "medicine"]
        return [one for one in told if self._is_asked(one, heard)]

    def _is_asked(self, event: PastEvent, heard: Heard) -> bool:
        if "last drink" in heard.topics and "eating" not in heard.topics:
            return _DRINK.search(event.what) is not None
        if event.kind == "procedure" and {"surgery", "hospital"} & {*heard.circumstances}:
            return True
        kinds, ids = circumstances(), self.record.patient.facts.finding_ids
        entailing = (one for one in kinds.values() if _says(one, event))
        if any(ids[name] in heard.findings for one in entailing for name in one.entails):
            return True
        return not heard.words.isdisjoint(content_words(event.what)) or any(
            _says(kinds[kind], event) for kind in heard.circumstances
        )

    def instead_of_events(self, heard: Heard, events: Sequence[PastEvent]) -> Heard:
        """Leave out of a question what its events answer.

        Nobody denies a fall and then tells of it.
        """
        if not events:
            return heard
        ids = self.record.patient.facts.finding_ids
        answered = {one for kind in heard.circumstances for one in BY_EVENT.get(kind, ())}
        if "last drink" in heard.topics:
            answered |= {"last drink", "alcohol"}
        if self.record.life.journey is None and "journey" in heard.circumstances:
            answered.add("travel")
        absent = {
            ids[name] for name in EVENTS if self.record.known(ids[name]).stance == "denies"
        }  # fmt: skip
        if absent.issuperset({ids["Overdose of tablets"], ids["Exposure to fumes or smoke"]}):
            answered.add("exposure")
        if "last drink" in heard.topics:
            absent.add(ids["Alcoholism"])
        kinds = [one for one in circumstances().values()
                 if any(_says(one, event) for event in events)]  # fmt: skip
        absent |= {ids[name] for one in kinds for name in one.entails}
        groups = [illness_groups()[one] for one in heard.circumstances if one in illness_groups()]
        others = {one for group in groups for one in group.conditions}
        return replace(
            heard,
            findings=tuple(one for one in heard.findings if one not in absent),
            topics=tuple(one for one in heard.topics if one not in answered),
            groups=tuple(one for one in heard.groups if one not in heard.circumstances),
            illnesses=tuple(
                one for one in heard.illnesses if one not in others or self.history.knows(one)
            ),
            areas=tuple(one for one in heard.areas if one not in answered),
        )

    def told(self, heard: Heard, events: Sequence[PastEvent], minute: float) -> Saying:
        """Say the events that a question asks about."""
        told_already = {"trigger", "past"} & set(heard.topics)
        for one in () if told_already else events:
            when = self.history.ago(minute - one.minute, minute)
            pool = (
                "event"
                if heard.circumstances and "before" not in heard.circumstances
                else "trigger"
            )
            text = self.speech.say(pool, what=one.what, when=when)
            yield text, Said(f"past:{one.what}", str(one.minute))

    def swallowed(self, question: str, heard: Heard) -> Saying:
        """Say what was taken in an overdose that is admitted, to who asks for it or names it."""
        patient = self.record.patient
        finding, drug = patient.facts.finding_ids["Overdose of tablets"], overdosed(patient)
        if drug is None or self.record.known(finding).stance not in TOLD:
            return
        if drug in heard.drugs or re.search(overdoses().asked, question, re.IGNORECASE):
            name = patient.facts.drugs[drug].name.casefold()
            yield self.speech.say("overdose.of", what=name), Said(f"finding:{finding}", "yes")

    def denied(self, heard: Heard, *, beside: bool = False) -> Saying:
        """Deny what is asked about, where no event of the record is it.

        Args:
            heard: The question.
            beside: Whether something else was answered; an operation is denied by name then.
        """
        kinds = [one for one in heard.circumstances if not beside or one == "surgery"]
        for kind in kinds[:1]:
            pool = "trigger.unknown" if kind == "before" else "event.no"
            pool = "operation.no" if kind == "surgery" else pool
            yield self.speech.say(pool), Said(f"event:{kind}", "no")
