"""What agents without a model read: the step, its limit, its candidates, and the question."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from gym_clinic.action import Dialect
from gym_clinic.domains.kacr.describe import SEPARATOR
from gym_clinic.domains.kacr.tools import select_nodes

_CANDIDATES = re.compile(r"^#Candidate node set for current step: .*: \{(.*)\}\.$", re.MULTILINE)
_LIMIT = re.compile(r"^#Instruction: Select up to (\d+) (symptom|disease|discipline)s ", re.M)
_QUESTION = re.compile(
    r"consults you with a clinical question: (.*)\nFrom the question, we have initially", re.DOTALL
)


@dataclass(frozen=True)
class Step:
    """A step as the text shows it.

    Attributes:
        question: The question.
        kind: What is to be selected.
        most: How many at most.
        candidates: Their names, as shown.
    """

    question: str
    kind: str
    most: int
    candidates: tuple[str, ...]


class HasDialect(Protocol):
    """What such an agent knows of its environment."""

    dialect: Dialect


Chooser = Callable[[Step], Sequence[str]]
"""Returns the names to select; it may keep what it has seen."""


@dataclass
class Walker:
    """A policy for one episode: it selects what a chooser says, step by step.

    Args:
        begin: Makes the chooser of one episode.
        dialect: How calls are written.
    """

    begin: Callable[[], Chooser]
    dialect: Dialect
    _choose: Chooser | None = field(default=None, repr=False)
    _question: str = ""

    def act(self, observation: str, info: Mapping[str, Any]) -> str:
        """Return the next action; nothing where no step is shown."""
        if "task_id" in info:
            observation = info["messages"][-1]["content"]
            asked = _QUESTION.search(observation)
            self._question = asked[1] if asked else ""
            self._choose = self.begin()
        step = read_step(observation, self._question)
        if step is None or self._choose is None:
            return ""
        names = list(self._choose(step))[: step.most]
        return self.dialect.write([(select_nodes.name, {"names": names})])


def read_step(observation: str, question: str) -> Step | None:
    """Return the step that an observation shows; None if it shows none."""
    shown, limit = _CANDIDATES.search(observation), _LIMIT.search(observation)
    if shown is None or limit is None:
        return None
    names = tuple(name.strip() for name in shown[1].split(SEPARATOR))
    return Step(question, limit[2], int(limit[1]), names)
