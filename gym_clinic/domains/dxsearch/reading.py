"""What agents without a model read: symptoms of the ticket, retrieved patients and guidelines.

They read what any agent is shown, and the embedded linker; nothing of the simulator.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from gym_clinic.action import Dialect
from gym_clinic.domains.dxsearch.limits import EXCLUDED
from gym_clinic.embedded import linker

_REFERENCE = re.compile(r"^Phenotype: (.*)\. Confirmed disease: \[(.*)\]$", re.MULTILINE)
_GUIDE = re.compile(r"^([^:\n]+): (?!no reference)(.+)$", re.MULTILINE)


class DialectHolder(Protocol):
    """What such an agent knows of its environment."""

    dialect: Dialect


@dataclass
class Investigator:
    """A policy for one episode: one call a message, as the plan asks for them.

    Args:
        plan: Ticket -> a generator of calls, or of whole actions as text, that is sent the text
            that each returned.
        dialect: How calls are written.
    """

    plan: Any
    dialect: Dialect
    _running: Any = field(default=None, repr=False)

    def act(self, observation: str, info: Mapping[str, Any]) -> str:
        """Return the next action; nothing where the plan has ended."""
        if "task_id" in info:
            self._running = self.plan(info["messages"][-1]["content"])
            step = next(self._running, None)
        else:
            try:
                step = self._running.send(observation)
            except StopIteration:
                step = None
        if step is None or isinstance(step, str):
            return step or ""
        return self.dialect.write([step])


def stated_in(ticket: str) -> tuple[list[str], list[str]]:
    """Return the names of the findings that a ticket states as present, and as absent."""
    present, absent = linker().symptoms(ticket)
    return [symptom.name for symptom in present], [symptom.name for symptom in absent]


def present_in(ticket: str) -> list[str]:
    """Return the names of the findings that a ticket states as present."""
    return stated_in(ticket)[0]


def references(text: str) -> list[tuple[list[str], str]]:
    """Return the retrieved patients: their phenotypes and the confirmed disease."""
    return [(names.split(", "), disease) for names, disease in _REFERENCE.findall(text)]


def profiles(text: str) -> dict[str, tuple[list[str], list[str]]]:
    """Return the guidelines that were found: disease -> its typical and its excluded phenotypes."""
    read = {}
    for disease, named in _GUIDE.findall(text):
        typical, _, excluded = named.partition(EXCLUDED)
        read[disease] = typical.split(", "), excluded.split(", ") if excluded else []
    return read


def first_diseases(text: str, count: int) -> list[str]:
    """Return the diseases of retrieved patients in order, each once."""
    return list(dict.fromkeys(disease for _, disease in references(text)))[:count]


def one_line(names: Sequence[str]) -> list[str]:
    """Return names without commas, which would split a list of tags."""
    return [name.replace(",", " ") for name in names]
