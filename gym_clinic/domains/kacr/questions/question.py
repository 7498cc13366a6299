"""The record of a question: a case that nobody sees, and the text of it that everybody sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Style = Literal["patient", "examination"]
Cause = Literal["first", "second", "distractor"]


@dataclass(frozen=True)
class ToldFinding:
    """A finding that a question tells as present.

    Attributes:
        id: Its id in the fact tables and in the embedded graph.
        cause: The disease that it is of: the first, the second, or another that the first can be
            mistaken for.
        words: How the text says it.
    """

    id: str
    cause: Cause
    words: str


@dataclass(frozen=True)
class ClinicalQuestion:
    """A question and its hidden record.

    Attributes:
        seed: What it was drawn from.
        style: As a patient asks, or as an examination does.
        text: The question.
        condition: Id of the first disease.
        second: Id of a second disease that the question tells of; None for none.
        differential: Ids of other diseases that the findings of the first leave plausible, the
            likelier ones first.
        disciplines: Ids of the right disciplines, one to three, that of the first disease first.
        age: In years.
        sex: "female" or "male".
        present: Findings that are told as present.
        absent: Ids of findings that are told as absent.
        linked: Ids of the symptoms that the embedded linker finds in the text as present.
        hidden: Ids of findings told that it does not find, in their own or a more general form.
        misleading: Whether the linked symptoms alone speak for a discipline that is not right,
            while all findings told speak for a right one.
    """

    seed: str
    style: Style
    text: str
    condition: str
    second: str | None
    differential: tuple[str, ...]
    disciplines: tuple[str, ...]
    age: float
    sex: str
    present: tuple[ToldFinding, ...]
    absent: tuple[str, ...]
    linked: tuple[str, ...]
    hidden: tuple[str, ...]
    misleading: bool
