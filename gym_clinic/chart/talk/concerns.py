"""What a patient says of worries, of how it is now, of what started it and of earlier times."""

from __future__ import annotations

from collections.abc import Iterator

from gym_clinic.chart.talk.answer import Said
from gym_clinic.chart.talk.history import History
from gym_clinic.chart.talk.meaning import TOLD
from gym_clinic.chart.talk.own_record import OwnRecord
from gym_clinic.chart.talk.speech import Speech
from gym_clinic.chart.talk.telling import Telling
from gym_clinic.chart.talk.times import number_word

Saying = Iterator[tuple[str, Said]]

FEARED = (
    "stable-angina-pectoris", "type-2-diabetes-mellitus", "alzheimer-disease",
    "chronic-obstructive-pulmonary-disease",
)  # fmt: skip
"""Illnesses of relatives that people fear to have."""

BLOODY_VOMIT = ("Hematemesis", "Coffee ground vomitus")
"""Findings that tell what vomit looks like."""

GREEN_VOMIT = frozenset({"bowel-obstruction", "intussusception"})
"""Conditions with vomit of bile; that of a narrow pylorus has none (authored)."""

WANTS_RELIEF = 4
"""Pain of ten from which something is wanted for it."""


class Concerns:
    """Answers what every patient can answer, whatever the illness is.

    Args:
        record: The record as the patient knows it.
        speech: The words.
        telling: What is said of findings.
        history: What is said of life.
    """

    def __init__(
        self, record: OwnRecord, speech: Speech, telling: Telling, history: History
    ) -> None:
        self.record, self.speech = record, speech
        self.telling, self.history = telling, history

    def worry(self, minute: float) -> Saying:
        """Say what the worry is: an illness of a relative, or that it is something serious."""
        family = [one for one in self.record.life.family if one.condition in FEARED]
        if family and self.speech.speaker == "patient":
            one, said = family[0], Said("life:family", "yes")
            illness = self.history.illness_name(one.condition)
            text = self.speech.say("worry.family", relative=one.relative, illness=illness)
            yield text, said
        else:
            yield self.speech.say("worry"), Said("life:worry", "unknown")

    def cause(self, minute: float) -> Saying:
        """Say what is thought to be the cause: nothing, as nobody told."""
        yield self.speech.say("cause"), Said("life:cause", "unknown")

    def questions(self, minute: float) -> Saying:
        """Ask something back."""
        yield self.speech.say("questions"), Said("life:questions", "yes")

    def now(self, minute: float) -> Saying:
        """Say how the complaint is now."""
        finding = self.record.complaint
        way = self.telling.way(finding, minute)
        text = self.speech.say(f"now.{way}")
        if self.record.pain(minute, self.telling.actions) >= WANTS_RELIEF:
            text = f"{text} {self.speech.say('now.pain')}"
        yield text, Said(f"course:{finding}", way)

    def before(self, minute: float) -> Saying:
        """Say that this is the first time: no record has an earlier one."""
        yield self.speech.say("before"), Said("life:before", "no")

    def trigger(self, minute: float) -> Saying:
        """Say what came before it, or what sets it off; else that nothing did."""
        exposures = [one for one in self.record.patient.past if one.kind == "exposure"]
        for one in exposures:
            when = self.history.ago(minute - one.minute, minute)
            yield (
                self.speech.say("trigger", what=one.what, when=when),
                Said(f"past:{one.what}", str(one.minute)),
            )
        if not exposures:
            text, said = self.telling.relief(self.record.complaint, minute)
            if said.value == "unknown":
                text = self.speech.say("trigger.unknown")
            yield text, said

    def pain_relief(self, minute: float) -> Saying:
        """Say whether something is wanted for the pain."""
        pain = self.record.pain(minute, self.telling.actions)
        pool = "relief.wanted" if pain >= WANTS_RELIEF else "relief.some" if pain else "relief.none"
        yield self.speech.say(pool), Said("severity:pain", str(pain))

    def pain_score(self, minute: float) -> tuple[str, Said]:
        """Say how bad the pain is that no finding of the plan explains; or that there is none."""
        pain = self.record.pain(minute, self.telling.actions)
        pool = "pain.score" if pain else "pain.none"
        text = self.speech.say(pool, number=number_word(pain))
        return text, Said("severity:pain", str(pain))

    def tried(self, minute: float) -> Saying:
        """Say that nothing was taken for it: no record has anything."""
        yield self.speech.say("tried"), Said("life:tried", "no")

    def private(self, minute: float) -> Saying:
        """Say nothing about love and sex: no record has anything."""
        pool = "crew.unsure" if self.speech.speaker == "crew" else "private"
        yield self.speech.say(pool), Said("life:private", "unknown")

    def grapefruit(self, minute: float) -> Saying:
        """Say that none is eaten or drunk: no record has any."""
        yield self.speech.say("denies.plain"), Said("life:grapefruit", "no")

    def aids(self, minute: float) -> Saying:
        """Say that there is no stick or frame: no record has one."""
        yield self.speech.say("denies.plain"), Said("life:aids", "no")

    def safe(self, minute: float) -> Saying:
        """Say that nobody is feared at home: no record has anything."""
        yield self.speech.say("safe"), Said("life:safe", "yes")

    def breastfeeding(self, minute: float) -> Saying:
        """Say whether a woman feeds a baby: it is not known of one who gave birth lately."""
        if self.record.patient.person.postpartum:
            yield self.speech.say("not.known"), Said("life:breastfeeding", "unknown")
        else:
            yield self.speech.say("denies.plain"), Said("life:breastfeeding", "no")

    def vomit(self, minute: float) -> Saying:
        """Say what the vomit looks like: bloody, like coffee grounds, green or plain."""
        ids, known = self.record.patient.facts.finding_ids, self.record.known
        bloody = [ids[name] for name in BLOODY_VOMIT if known(ids[name]).stance in TOLD]
        if bloody:
            yield self.telling.answer(bloody[0])
        elif known(ids["Vomiting"]).stance in TOLD:
            green = any(one.condition in GREEN_VOMIT for one in self.record.patient.problems)
            colour = "green" if green else "plain"
            yield self.speech.say(f"vomit.{colour}"), Said("vomit:colour", colour)

    def lasting(self, minute: float) -> Saying:
        """Say that nobody timed it."""
        yield self.speech.say("lasting"), Said(f"lasts:{self.record.complaint}", "unknown")
