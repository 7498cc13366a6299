"""A case as its source reports it, before it is filtered, coded and made a task of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from typing import Any

from gym_clinic.errors import TaskError
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


def some_cases(
    expected: str,
) -> Callable[[Callable[..., Iterator[ReportedCase]]], Callable[..., Iterator[ReportedCase]]]:
    """Return a decorator of a reader, which then raises a TaskError if it yields no case.

    Args:
        expected: What the reader reads, in words.
    """

    def decorate(read: Callable[..., Iterator[ReportedCase]]) -> Callable[..., Any]:
        @wraps(read)
        def reading(path: Any, *args: Any, **options: Any) -> Iterator[ReportedCase]:
            empty = True
            for case in read(path, *args, **options):
                empty = False
                yield case
            if empty:
                raise TaskError(f"{path}: no case that can be used; expected {expected}")

        return reading

    return decorate
