"""Stage II and III of the paper: screening of texts, and extraction of diagnosis and findings.

Offline, rules screen what can be seen without a model (too short, or no prose), the findings are
those of the linker, and the diagnosis of a case without one is the only disease that its verdict
names. With a chat model both steps are its own, and every finding that it names needs a quotation
that stands in the text; others are dropped.

Source:
    Deep-DxSearch paper, section 4.1, stages II and III; the prompts say the criteria given there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from pydantic import BaseModel, Field

from gym_clinic.case import Case
from gym_clinic.consult import Chat, Question, read_prompt
from gym_clinic.embedded import linker
from gym_clinic.importers.cases.reported import ReportedCase
from gym_clinic.importers.cases.taxonomy import Taxonomy
from gym_clinic.importers.formats.records import LeftOut

FEWEST_WORDS = 15
"""Words of a text at least; below, there is no clinical history."""

LEAST_PROSE = 0.6
"""Share of letters and blanks in a text at least; below, it is garbled or administrative."""

_PROMPTS = Path(__file__).with_name("prompts")
_SCREEN, _EXTRACT = (read_prompt(_PROMPTS / f"{name}.md") for name in ("screen", "extract"))
_BLANKS = re.compile(r"\s+")


class Extractor(Protocol):
    """Screens and reads the texts of cases."""

    def fault(self, reported: ReportedCase) -> str:
        """Return why a text cannot be used, as a plural: "texts that …"; empty if it can."""

    def read(self, reported: ReportedCase, left_out: LeftOut) -> ReportedCase:
        """Return the case with the diagnosis and findings of its text."""


class LinkedTexts:
    """Reads texts offline, by rules and the linker.

    Args:
        taxonomy: The names of diseases that a verdict may have.
    """

    def __init__(self, taxonomy: Taxonomy) -> None:
        self._taxonomy = taxonomy

    def fault(self, reported: ReportedCase) -> str:
        """Return a fault that can be seen without a model."""
        text = reported.text
        if len(text.split()) < FEWEST_WORDS:
            return f"texts of fewer than {FEWEST_WORDS} words were left out"
        prose = sum(letter.isalpha() or letter.isspace() for letter in text)
        if prose < LEAST_PROSE * len(text):
            return "texts that are no prose were left out"
        return ""

    def read(self, reported: ReportedCase, left_out: LeftOut) -> ReportedCase:
        """Return the case with what the linker finds, and the disease that its verdict names."""
        case = reported.case
        if reported.text and not case.phenotypes:
            present, absent = linker().symptoms(reported.text)
            has = tuple(dict.fromkeys(symptom.name for symptom in present))
            lacks = dict.fromkeys(symptom.name for symptom in absent if symptom.name not in has)
            case = replace(case, phenotypes=has, absent=tuple(lacks))
        if not case.diagnosis:
            named = self._taxonomy.named_in(reported.verdict)
            case = replace(case, diagnosis=named[0].name if len(named) == 1 else "")
        return replace(reported, case=case)


class ScreenReply(BaseModel):
    """What the model answers to the screening."""

    fault: str = Field(
        description='the first fault, "no causal logic", "incoherent" or "insufficient"; '
        "else an empty text"
    )


class QuotedFinding(BaseModel):
    """A finding with the words of the text that support it."""

    name: str
    quote: str


class ExtractReply(BaseModel):
    """What the model answers to the extraction."""

    diagnosis: str = Field(description="the one confirmed disease, or an empty text if none")
    present: list[QuotedFinding] = Field(
        description='findings that the patient has, each {"name": …, "quote": the words of the '
        "text that say so, unchanged}"
    )
    absent: list[QuotedFinding] = Field(
        description="findings that were looked for and are absent, in the same form"
    )


class ChatTexts:
    """Reads texts by a chat model.

    Args:
        model: The model.
    """

    def __init__(self, model: Chat) -> None:
        self._model = model

    def fault(self, reported: ReportedCase) -> str:
        """Return the fault that the model finds."""
        values = {"diagnosis": reported.case.diagnosis or reported.verdict, "text": reported.text}
        fault = self._model.ask(Question("screener", _SCREEN, values, ScreenReply), Case({})).fault
        return f"texts that are {fault.strip()} were left out" if fault.strip() else ""

    def read(self, reported: ReportedCase, left_out: LeftOut) -> ReportedCase:
        """Return the case with what the model finds and the text supports."""
        values = {"diagnosis": reported.case.diagnosis, "verdict": reported.verdict,
                  "text": reported.text}  # fmt: skip
        reply = self._model.ask(Question("extractor", _EXTRACT, values, ExtractReply), Case({}))
        text = _folded(reported.text)
        present = _supported(reply.present, text, left_out)
        absent = [name for name in _supported(reply.absent, text, left_out) if name not in present]
        case = replace(
            reported.case,
            diagnosis=reported.case.diagnosis or reply.diagnosis.strip(),
            phenotypes=tuple(present),
            absent=tuple(absent),
        )
        return replace(reported, case=case)


def _supported(findings: Sequence[QuotedFinding], text: str, left_out: LeftOut) -> list[str]:
    """Return the names whose quotation stands in the text."""
    kept: dict[str, None] = {}
    for finding in findings:
        quote = _folded(finding.quote)
        if finding.name.strip() and quote and quote in text:
            kept[" ".join(finding.name.split())] = None
        else:
            left_out("findings of the model without a quotation in the text were left out")
    return list(kept)


def _folded(text: str) -> str:
    return _BLANKS.sub(" ", text).strip().casefold()
