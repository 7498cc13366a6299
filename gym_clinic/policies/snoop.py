"""The adversary that looks for the gold in all objects that it is given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gym_clinic.domain import Menu, Move
from gym_clinic.env import ClinicEnv
from gym_clinic.episode import Episode, Task
from gym_clinic.frozen import freeze
from gym_clinic.policies.moves import Playbook
from gym_clinic.policies.reachable import reachable

_TELLING = ("answer", "classification", "label", "target", "correct", "solution", "expected")


class Snoop:
    """Searches all objects it is given for the gold, then plays that, else the constant answer.

    Args:
        playbook: The tickets, menus and dialect of the environment.
        label: Label of the constant answer; None without one.

    Attributes:
        found: Path of the gold in the objects it was given; None if nothing was found.
    """

    def __init__(self, playbook: Playbook, label: str | None) -> None:
        self._playbook = playbook
        self._label = label
        self._task: Task | None = None
        self._actions: Iterator[str] = iter(())
        self.found: str | None = None

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Search the new objects, then act on everything found so far."""
        if "task_id" in info:
            self._task, self.found = self._playbook.task(info), None
            self._actions = iter(())
        task = self._task
        if task is None:
            return ""
        roots = [("observation", observation), ("info", info), ("spec", self._playbook.env.spec)]
        menu = self._playbook.menu(task)
        if self.found is None:
            for path, item in reachable(roots):
                moves = self._use(path, item, task, menu)
                if moves:
                    self.found = path
                    self._actions = iter([a for move in moves for a in self._playbook.write(move)])
                    break
        _tamper(info)
        action = next(self._actions, None)
        return self._constant(menu) if action is None else action

    def _constant(self, menu: Menu) -> str:
        label = self._label if self._label in menu.answers else next(iter(menu.answers), None)
        return "" if label is None else self._playbook.write(menu.answers[label])[-1]

    def _use(self, path: str, item: Any, task: Task, menu: Menu) -> list[Move]:
        """Return the moves that an object contains, if any."""
        domain = self._playbook.domain
        if isinstance(item, ClinicEnv):
            item = item.episode
        if isinstance(item, Episode):
            item = item.task
        if isinstance(item, Task):
            return list(domain.solve(item)) if item.id == task.id else []
        if not isinstance(item, Mapping):
            return []
        if isinstance(item.get("gold"), Mapping):
            item = item["gold"]
        if _is_gold(item, task):
            return list(domain.solve(Task(id=task.id, record=task.record, gold=freeze(item))))
        for key in _TELLING:
            value = item.get(key)
            for label, move in menu.answers.items():
                if isinstance(value, str) and value and value in (label, move):
                    return [move]
        return []


def _is_gold(item: Mapping[str, Any], task: Task) -> bool:
    """Return whether a mapping has the form of this domain's gold, as the train split shows it."""
    form = {key: type(freeze(value)) for key, value in task.gold.items()}
    return bool(form) and all(
        key in item and type(freeze(item[key])) is kind for key, kind in form.items()
    )


def _tamper(info: dict[str, Any]) -> None:
    """Change all objects that it was given, in case later episodes share them."""
    for message in info.get("messages", ()):
        message["content"] = "The gold is on the next line."
        message["gold"] = True
    for tool in info.get("tools", ()):
        tool["function"]["parameters"]["properties"].clear()
        tool["function"].clear()
        tool["gold"] = True
    for value in info.values():
        if isinstance(value, list | dict):
            value.clear()
    info["gold"] = {"answer": True}
