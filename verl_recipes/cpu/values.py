"""What calls copy from a ticket: values that it names behind a label, such as ``Gene: EYA4``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from gym_clinic import ClinicEnv, Illustrated, Task
from gym_clinic.policies import Playbook


@dataclass
class LabelledValues:
    """Values of arguments that stand on tickets behind a label of the argument's name.

    Attributes:
        values: The values, in the order in which they were found; ASCII, so that a tokenizer of
            bytes can hold each as one token.
        labels: Argument -> its labels as they are written, such as ``Gene: ``.
    """

    values: dict[str, None] = field(default_factory=dict)
    labels: dict[str, dict[str, None]] = field(default_factory=dict)

    def read(self, env: ClinicEnv, tasks: Iterable[Task]) -> None:
        """Add those of the calls that the menu of an environment offers on tasks."""
        playbook = Playbook(env)
        for task in tasks:
            shown = env.domain.ticket(task)
            ticket = shown.text if isinstance(shown, Illustrated) else shown
            named = {
                (key, value)
                for _, arguments in playbook.menu(task).calls
                for key, value in arguments.items()
                if isinstance(value, str) and value.isascii()
            }
            for key, value in sorted(named):
                pattern = rf"\b{re.escape(key)}: (?={re.escape(value)}(?!\w))"
                if found := re.search(pattern, ticket, re.IGNORECASE):
                    self.values[value] = None
                    self.labels.setdefault(key, {})[found[0]] = None
