"""The form of a ticket: the ticket without its evidence.

Evidence is a line of 200 characters or more (an abstract, a note, a vignette); only its length is
kept. Titles, fields, ids and other short lines keep their words. Trained adversaries see only the
form, so that their reward does not come from reading the evidence.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from gym_clinic.domain import CallSpec, Menu

LONG = 200
"""Minimum number of characters of a line of evidence."""

_FIELD = re.compile(r"\s*(?:[-*•]\s*)?([^\W\d_][\w /-]{0,30}):(?=\s|$)")


@dataclass(frozen=True)
class Form:
    """The features of a text.

    Attributes:
        words: Text whose words are features.
        counts: Named numbers: lengths, counts, positions, fields that are present.
    """

    words: str
    counts: dict[str, float]


@dataclass(frozen=True)
class CallForm(Form):
    """The features of a possible call.

    Attributes:
        tool: Name of the tool; each tool has its own model.
    """

    tool: str = ""


def ticket_form(ticket: str, task_id: str, evidence: bool = False) -> Form:
    """Return the form of a ticket.

    Args:
        ticket: Its text.
        task_id: The id of its task; its characters are features too.
        evidence: Keep the words of long lines too.
    """
    lines = ticket.splitlines()
    short = [line for line in lines if evidence or len(line) < LONG]
    counts = {f"of ticket, {name}": value for name, value in _counts(lines).items()}
    for line in lines:
        if field := _FIELD.match(line):
            name = f"field {field[1].casefold()}"
            counts[name] = counts.get(name, 0.0) + 1.0
    for place, character in enumerate(reversed(task_id[-4:])):
        counts[f"id {place} {character}"] = 1.0
    return Form("\n".join(short), counts)


def call_forms(ticket: str, menu: Menu, evidence: bool = False) -> list[CallForm]:
    """Return the form of each call of a menu: its arguments and the part of the ticket on them.

    That part is the paragraphs (between empty lines) with an argument that tells the call from
    the other calls of its tool, or the whole ticket where there is none.
    """
    paragraphs = [part.splitlines() for part in re.split(r"\n\s*\n", ticket) if part.strip()]
    calls: dict[str, list[CallSpec]] = {}
    for call in menu.calls:
        calls.setdefault(call[0], []).append(call)
    found = []
    for name, arguments in menu.calls:
        same = calls[name]
        texts = {str(value) for value in arguments.values()}
        shared = set.intersection(*({str(v) for v in other.values()} for _, other in same))
        own = [text for text in texts - shared if text] if len(same) > 1 else []
        part = [
            line
            for paragraph in paragraphs
            if any(text in line for line in paragraph for text in own)
            for line in paragraph
        ] or ticket.splitlines()
        place = next(n for n, one in enumerate(same) if one[1] is arguments)
        counts = {
            **_counts(part),
            "calls of this tool": float(len(same)),
            f"call number {min(place, 9)}": 1.0,
            "last call of this tool": float(place == len(same) - 1),
        }
        short = [line for line in part if evidence or len(line) < LONG]
        given = [f"{key}_{value}" for key, value in arguments.items()]
        found.append(CallForm("\n".join([*short, *given]), counts, name))
    return found


def _counts(lines: Sequence[str]) -> dict[str, float]:
    text = "\n".join(lines)
    long = [line for line in lines if len(line) >= LONG]
    return {
        "characters": math.log1p(len(text)),
        "lines": math.log1p(len(lines)),
        "empty lines": float(sum(not line.strip() for line in lines)),
        "long lines": float(len(long)),
        "characters of long lines": math.log1p(sum(map(len, long))),
        "words of short lines": math.log1p(sum(len(x.split()) for x in lines if len(x) < LONG)),
        "numbers": math.log1p(len(re.findall(r"\d+", text))),
        "commas": math.log1p(text.count(",")),
        "question marks": float(text.count("?")),
        "brackets": float(text.count("(")),
    }
