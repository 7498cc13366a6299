"""A case as its source reports it, before it is filtered, coded and made a task of."""

from __future__ import annotations

from dataclasses import dataclass

from gym_clinic.retrieval import PatientCase


@dataclass(frozen=True)
class ReportedCase:
    """One case of a published source, or of one's own.

    Attributes:
        case: The patient; without a diagnosis where only `verdict` names it, and without
            phenotypes where they have to be extracted from `text`.
        text: What is known before the diagnosis; empty where the source has codes only.
        verdict: The text that names the diagnosis, such as the title of a report or what the
            doctor answers; empty where the source codes the diagnosis.
        synonyms: Further names of the diagnosis.
        rare: Whether the source classes the disease as rare; None if it does not say.
    """

    case: PatientCase
    text: str = ""
    verdict: str = ""
    synonyms: tuple[str, ...] = ()
    rare: bool | None = None


def one_line(text: str) -> str:
    """Return a text with single blanks and no line breaks."""
    return " ".join(text.split())
