"""Reading the final answer of a supervisor or of a single agent."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from gym_clinic import strict_json
from gym_clinic.consult import json_text
from gym_clinic.domains.clingen.evidence import CLASSES, SUBTYPES
from gym_clinic.domains.clingen.naming import find_subtype
from gym_clinic.errors import ConfigError, ToolError

# Decorations may close between the word and its colon: "**CLASSIFICATION**:", "\textbf{…}:".
_STATEMENT = re.compile(r"\bCLASSIFICATION\b[ \t*_`\"'}$]{0,8}[:：]([^\n]*)", re.IGNORECASE)
_LABELS = {label.casefold(): label for label in CLASSES}
_COMMAND = re.compile(r"\\(?:[a-zA-Z]+|[()\[\],;:! ])")
"""A command of LaTeX, the brackets of formulas included."""

# In pairs, since a class may stand in angle brackets itself: "<Strong>".
_TAGS = re.compile(r"<(b|strong|i|em|u|code|mark)>(.*)</\1>", re.IGNORECASE)
"""Tags of HTML that only set type."""

_MARKS = " \t\r*_`~#|$(){}[]<>\"'“”„‘’‚«»‹›.,;:!-–—•✓✔✅"
"""Characters that may stand around a class without changing what it says."""
MAX_LABEL_CHARACTERS = 200
"""Longest text that is read as a class with its decorations."""

EXPECTED_CLASS = f"CLASSIFICATION: <one of {', '.join(CLASSES)}>"
EXPECTED_JSON = (
    '{"classification": "<class>", "evidence": [{"type": "<subtype>", "pmid": "<pmid>"}, …]}'
)


def read_label(text: str) -> str | None:
    r"""Return the class that a text names; None if it names none, or says more than a class.

    Case, spacing and what decorates a class are ignored: quotes, brackets, Markdown, LaTeX
    (``$\boxed{\text{Limited}}$``), and the tags of HTML that only set type.
    """
    if len(text) > MAX_LABEL_CHARACTERS:
        return None
    plain = _COMMAND.sub(" ", text).replace("~", " ")
    while (inner := _TAGS.sub(r"\2", plain)) != plain:
        plain = inner
    plain = plain.strip(_MARKS)
    return _LABELS.get(" ".join(plain.split()).casefold())


def read_classification(text: str) -> str:
    """Read a supervisor's synthesis, which must state its classification exactly once.

    Raises:
        ToolError: If the text has another form; the message gives the expected form.
    """
    stated = _STATEMENT.findall(text)
    if len(stated) != 1:
        found = "none" if not stated else f"{len(stated)} of them"
        raise ToolError(f"expected exactly one line '{EXPECTED_CLASS}', found {found}")
    label = read_label(stated[0])
    if label is None:
        raise ToolError(f"{stated[0].strip()[:80]!r} is not a class; expected '{EXPECTED_CLASS}'")
    return label


@dataclass(frozen=True)
class Judgement:
    """A single agent's answer.

    Attributes:
        classification: The class.
        evidence: The (pmid, subtype label) pairs it claims; duplicates count once.
    """

    classification: str
    evidence: frozenset[tuple[str, str]]


def read_judgement(text: str) -> Judgement:
    """Read a single agent's structured answer.

    Raises:
        ToolError: If the text has another form; the message gives the expected form.
    """
    try:
        value = strict_json.loads(json_text(text))
    except ValueError as error:
        raise ToolError(f"{error}. Expected {EXPECTED_JSON}") from None
    if not isinstance(value, dict) or value.keys() != {"classification", "evidence"}:
        raise ToolError(f"Expected {EXPECTED_JSON} and no other keys")
    label = value["classification"]
    if not isinstance(label, str) or (found := read_label(label)) is None:
        raise ToolError(f"classification must be one of {list(CLASSES)}, not {str(label)[:80]!r}")
    if not isinstance(value["evidence"], list):
        raise ToolError(f"evidence must be an array. Expected {EXPECTED_JSON}")
    return Judgement(found, frozenset(_read_item(item) for item in value["evidence"]))


def _read_item(item: Any) -> tuple[str, str]:
    if (
        not isinstance(item, dict)
        or item.keys() != {"type", "pmid"}
        or not all(isinstance(part, str) for part in item.values())
    ):
        raise ToolError('each item of evidence is {"type": "<subtype>", "pmid": "<pmid>"}')
    try:
        return item["pmid"].strip(), find_subtype(item["type"]).label
    except ConfigError:
        labels = [subtype.label for subtype in SUBTYPES.values()]
        raise ToolError(f"no subtype {item['type'][:80]!r}; choose from {labels}") from None
