"""The base of the baselines: tickets, menus, and moves written in a dialect."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

import orjson

from gym_clinic.action import Dialect
from gym_clinic.domain import CallSpec, Menu, Move
from gym_clinic.env import ClinicEnv
from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError
from gym_clinic.images import Illustrated
from gym_clinic.policies.arguments import every
from gym_clinic.policies.playing import Action
from gym_clinic.taskset import as_tasks, first
from gym_clinic.toolbox import Kind

_ANSWERS = 40  # most answers of the train split, for a domain without a menu
_SOLVED = 200  # tasks of an endless train split from which they are taken


class ScriptedPolicy:
    """A policy that takes given actions in order, then writes nothing.

    Args:
        begin: Observation and info of ``reset`` -> the actions of that episode, in order.
    """

    def __init__(self, begin: Callable[[str, dict[str, Any]], Iterable[Action]]) -> None:
        self._begin = begin
        self._actions: Iterator[Action] = iter(())

    def act(self, observation: str, info: dict[str, Any]) -> Action:
        """Return the next action."""
        if "task_id" in info:
            self._actions = iter(self._begin(observation, info))
        return next(self._actions, "")


def scripted(plan: Sequence[Action]) -> ScriptedPolicy:
    """Return the policy that takes these actions in every episode."""
    return ScriptedPolicy(lambda observation, info: plan)


def write_move(dialect: Dialect, move: Move) -> list[str]:
    """Write a move as action text: one action, or none for an empty batch of calls."""
    if isinstance(move, str):
        return [move]
    return [dialect.write(move)] if move else []


class Playbook:
    """The tickets and menus of an environment, and how moves are written in it.

    Args:
        env: The environment it will act in.
    """

    def __init__(self, env: ClinicEnv) -> None:
        self.env = env
        self.domain = env.domain
        self._answers: dict[str, Move] | None = None

    def task(self, info: dict[str, Any]) -> Task:
        """Return the task that the info of ``reset`` names, from any split.

        Raises:
            ConfigError: If no split of the domain holds it.
        """
        wanted = info["task_id"]
        splits = (as_tasks(self.domain.tasks[name]) for name in self.domain.tasks)
        for tasks in chain([self.env.tasks], splits):
            with suppress(KeyError):
                return tasks.by_id(wanted)
        raise ConfigError(f"no split of domain {self.domain.name!r} holds task {wanted!r}")

    def ticket(self, task: Task) -> str:
        """Return the text of a task's ticket, without its images."""
        ticket = self.domain.ticket(task)
        return ticket.text if isinstance(ticket, Illustrated) else ticket

    def menu(self, task: Task) -> Menu:
        """Return the domain's menu, or one from tool schemas and the answers of the train split.

        The made-up menu holds the calls whose required arguments are all listed in the schema,
        and the answers in the order of their frequency, each labelled by its text.
        """
        if self.domain.menu is not None:
            return self.domain.menu(task)
        if self._answers is None:
            self._answers = _train_answers(self.env)
        calls: list[CallSpec] = []
        for one in self.domain.tools:
            if one.kind is not Kind.SUBMIT:
                choices = every(one.schema["function"]["parameters"])
                calls += [(one.name, arguments) for arguments in choices]
        return Menu(tuple(calls), self._answers)

    def write(self, move: Move) -> list[str]:
        """Write a move in the environment's dialect."""
        return write_move(self.env.dialect, move)

    def plan(self, calls: Sequence[CallSpec], answer: Move | None) -> list[str]:
        """Write calls and an answer; calls are dropped if the turns do not suffice."""
        last = self.write(answer) if answer is not None else []
        room = max(0, self.env.max_turns - len(last))
        return self.write(tuple(calls))[:room] + last


def _train_answers(env: ClinicEnv) -> dict[str, Move]:
    """Return the last moves of the train split's solutions, the most frequent first."""
    count: Counter[str] = Counter()
    found: dict[str, Move] = {}
    train = as_tasks(env.domain.tasks.get("train", ()))
    for task in first(train, _SOLVED if train.endless else None):
        moves = env.domain.solve(task)
        if moves:
            last = moves[-1]
            label = last if isinstance(last, str) else orjson.dumps(last).decode()
            found.setdefault(label, last)
            count[label] += 1
    return {label: found[label] for label, _ in count.most_common(_ANSWERS)}


def words(text: str) -> list[str]:
    """Return the distinct words of a text in order of appearance."""
    return list(dict.fromkeys(re.findall(r"[^\W_][\w-]{2,}", text)))
