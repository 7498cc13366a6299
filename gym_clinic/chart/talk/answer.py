"""The answer of a patient, and what it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Said:
    """A fact that an answer says.

    Attributes:
        fact: "finding:ID", "onset:ID", "medicine:ID", "allergy:REFERENCE", "condition:ID",
            "life:work" and the like.
        value: What is said of it: "yes", "no", "slight", "vague", "unknown", or a value in words.
    """

    fact: str
    value: str


@dataclass(frozen=True)
class PatientAnswer:
    """An answer.

    Attributes:
        text: What the patient, or who speaks for the patient, says.
        facts: What it says, in order; empty for a chat patient, whose text is read back instead.
        failures: What the check of the answer found wrong; always empty for the rules patient.
    """

    text: str
    facts: tuple[Said, ...] = ()
    failures: tuple[str, ...] = ()


class AskedPatient(Protocol):
    """A patient who answers."""

    def answer(
        self, question: str, minute: float, actions: Mapping[str, float] | None = None
    ) -> PatientAnswer:
        """Return the answer to a question.

        Args:
            question: What is asked, in any words.
            minute: Minutes from arrival.
            actions: What was done -> when: it decides how the patient feels and who can answer.
        """
