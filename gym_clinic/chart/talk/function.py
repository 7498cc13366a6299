"""Whether somebody can walk, or move a limb: by the findings that hinder it, or that hurt."""

from __future__ import annotations

from collections.abc import Sequence

from gym_clinic.chart.talk.answer import Said
from gym_clinic.chart.talk.meaning import TOLD
from gym_clinic.chart.talk.own_record import OwnRecord
from gym_clinic.chart.talk.telling import Telling
from gym_clinic.simulate.clinic.patient import CONVERSES

WALKS = 1.3
"""Age in years below which nobody walks."""

LEGS = (
    "Lower limb muscle weakness", "Paraplegia", "Knee pain", "Ankle pain", "Hip pain",
    "Lower limb pain", "Toe pain", "Groin pain", "Low back pain", "Back pain",
)  # fmt: skip
ARMS = ("Joint contracture of the hand", "Upper limb pain", "Shoulder pain")
"""Findings of the legs and of the arms alone; other ones may be of either."""

HURTING = (
    "Knee pain", "Ankle pain", "Hip pain", "Lower limb pain", "Toe pain", "Groin pain",
    "Low back pain", "Back pain", "Upper limb pain", "Shoulder pain", "Arthralgia",
    "Joint swelling",
)  # fmt: skip
"""What hurts in a movement."""


class Function:
    """Says what a patient can do.

    Args:
        record: The record as the patient knows it.
        telling: What is said of findings.
    """

    def __init__(self, record: OwnRecord, telling: Telling) -> None:
        self.record, self.telling = record, telling

    def hindering(self, findings: Sequence[str], *, upper: bool) -> list[str]:
        """Return those of some findings that hinder the limbs which are asked about."""
        table = self.record.patient.facts.phenotypes
        others = LEGS if upper else ARMS
        return [one for one in findings if table[one].name not in others]

    def unhindered(self, area: str, minute: float, *, upper: bool) -> tuple[str, Said]:
        """Say that something can be done, and what hurts in it."""
        speech, said = self.telling.speech, Said(f"area:{area}", "no")
        awake = self.record.patient.state(minute, self.telling.actions)["gcs"] >= CONVERSES
        if speech.speaker == "crew" or not awake:
            return speech.say("function.not.now"), Said(f"area:{area}", "unknown")
        if area == "walking" and self.record.patient.person.age < WALKS:
            return speech.say("function.little"), said
        ids = self.record.patient.facts.finding_ids
        for finding in self.hindering([ids[one] for one in HURTING if one in ids], upper=upper):
            known = self.record.known(finding)
            if known.stance in TOLD and known.finding == finding:
                value = "yes" if known.stance == "has" else known.stance
                text = speech.say("function.hurts", it=self.telling.noun(finding))
                return text, Said(f"finding:{finding}", value)
        return speech.say("function.fine"), said
