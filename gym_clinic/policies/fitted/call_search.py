"""The adversary ``call-search``: the best fixed pattern of calls and answer, found by search."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import orjson

from gym_clinic.domain import CallSpec, Menu
from gym_clinic.env import ClinicEnv
from gym_clinic.errors import ConfigError
from gym_clinic.frozen import thaw
from gym_clinic.names import at_least_one
from gym_clinic.policies.fitted.constants import (
    Constant,
    ConstantSearch,
    best_constant,
    by_tool,
    fitted,
    select,
    train_sample,
)
from gym_clinic.policies.moves import Playbook, ScriptedPolicy
from gym_clinic.policies.playing import Maker

TASKS = 60
"""Tasks of the train split that are played."""

PATTERNS = 42
"""Patterns of calls that the search tries."""

PROMISING = 6
"""Patterns of each state that are tried on all tasks; the others only on every third task."""

STEPS = 4
"""Maximum number of steps; each adds or drops one pattern."""


def call_search(env: ClinicEnv, *, beam: int = 2) -> Maker:
    """Make the best fixed pattern of calls, then give the best fixed answer.

    A pattern is all calls of a tool, its n-th or its last call on the menu, or a call that is
    the same on most tickets. A beam search adds and drops patterns, from no call and from the
    best constant, as long as the mean reward on 60 tasks of the train split grows.

    Args:
        env: The environment it acts in.
        beam: States that the search keeps.

    Raises:
        ConfigError: If there is no train split, or no answer that its tickets share.
    """
    beam = at_least_one("beam", beam)
    search = fitted(env, _PatternSearch)
    names, label = search.find(beam)

    def begin(observation: str, info: dict[str, Any]) -> list[str]:
        menu = search.playbook.menu(search.playbook.task(info))
        calls = select(menu, search.group(menu), names)
        return search.playbook.plan(calls, menu.answers.get(label))

    return lambda seed: ScriptedPolicy(begin)


class _PatternSearch:
    """Beam search over patterns of calls, and the label of the answer.

    Args:
        env: The environment.
    """

    def __init__(self, env: ClinicEnv) -> None:
        self.playbook = Playbook(env)
        menus = [self.playbook.menu(task) for task in train_sample(env, TASKS)]
        seen = [{_written(call) for call in menu.calls} for menu in menus]
        written = {text for texts in seen for text in texts}
        half = len(menus) / 2
        self._usual = {text for text in written if sum(text in texts for texts in seen) > half}
        self.constants = ConstantSearch(env, self.group, TASKS)
        self._found: dict[int, Constant] = {}

    def group(self, menu: Menu) -> dict[Hashable, list[CallSpec]]:
        """Return the patterns of a menu, each with its calls."""
        groups: dict[Hashable, list[CallSpec]] = {}
        for tool, calls in by_tool(menu).items():
            groups[tool] = calls
            if len(calls) > 1:
                for number, call in enumerate(calls[:5]):
                    groups[tool, number] = [call]
                groups[tool, "last"] = calls[-1:]
                groups |= {_written(c): [c] for c in calls if _written(c) in self._usual}
        return groups

    def find(self, beam: int) -> Constant:
        """Return the best patterns and label that the search finds.

        Raises:
            ConfigError: If there is no label to choose.
        """
        if beam not in self._found:
            self._found[beam] = self._search(beam)
        return self._found[beam]

    def _search(self, beam: int) -> Constant:
        found = self.constants
        first = best_constant(found.env)
        if first is None:
            domain = self.playbook.domain.name
            raise ConfigError(
                f"policy 'call-search' has nothing to fit to: domain {domain!r} has no train "
                "split, or no answer that its tickets share"
            )
        names = [] if found.env.domain.blocking else found.names[:PATTERNS]
        labels = found.shortlist()
        states: list[Constant] = [first, (frozenset(), first[1])]
        best = max(states, key=lambda state: found.mean(*state))
        for _ in range(STEPS if names else 0):
            reached: dict[Constant, float] = {}
            for chosen, label in states:
                toggled = [chosen ^ {name} for name in names]
                toggled.sort(key=lambda some: -found.mean(some, label, every=3))
                reached |= {(some, label): found.mean(some, label) for some in toggled[:PROMISING]}
            states = sorted(reached, key=lambda state: -reached[state])[:beam]
            states = [
                (chosen, max([label, *labels], key=lambda one: found.mean(chosen, one)))
                for chosen, label in states
            ]
            top = max(states, key=lambda state: found.mean(*state))
            if found.mean(*top) <= found.mean(*best):
                break
            best = top
        return best


def _written(call: CallSpec) -> str:
    return orjson.dumps([call[0], thaw(call[1])], option=orjson.OPT_SORT_KEYS).decode()
