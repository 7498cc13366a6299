"""What constant behaviour earns, found by playing the train split."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterable, Sequence

from gym_clinic.domain import Domain
from gym_clinic.env import ClinicEnv
from gym_clinic.policies.moves import Playbook, scripted
from gym_clinic.policies.playing import play
from gym_clinic.taskset import as_tasks

SAMPLE = 150
"""Tasks of the train split that are played."""

SHORTLIST = 12
"""Labels that are tried on the whole sample."""

Constant = tuple[frozenset[str], str]
"""Tool names whose every menu call is made, and the label of the answer given then."""


class ConstantSearch:
    """Plays constant behaviour on a fixed sample of the train split.

    The sample is drawn by ``Random(f"{domain}:rehearsal")``; every figure is kept, so that
    nothing is played twice.

    Args:
        env: The environment; its own episode is not touched.
    """

    def __init__(self, env: ClinicEnv) -> None:
        self.env = env
        self.playbook = Playbook(env)
        train = as_tasks(env.domain.tasks.get("train", ()))
        draw = random.Random(f"{env.domain.name}:rehearsal")
        chosen = sorted(draw.sample(range(len(train)), min(SAMPLE, len(train))))
        self.tasks = [train[index] for index in chosen]
        self._menus = [self.playbook.menu(task) for task in self.tasks]
        self._means: dict[tuple[frozenset[str], str, int], float] = {}

    @property
    def labels(self) -> list[str]:
        """Labels that every sampled task can be answered with, in the order of the menu."""
        if not self._menus:
            return []
        shared = set.intersection(*(set(menu.answers) for menu in self._menus))
        return [label for label in self._menus[0].answers if label in shared]

    @property
    def names(self) -> list[str]:
        """Names of the tools on the menus, in order of appearance."""
        return list(dict.fromkeys(name for menu in self._menus for name, _ in menu.calls))

    def mean(self, names: Iterable[str], label: str, every: int = 1) -> float:
        """Return the mean reward of making every menu call of ``names``, then answering.

        Args:
            names: Tool names.
            label: Label of the answer.
            every: Play each n-th task of the sample only.
        """
        key = frozenset(names), label, every
        if key not in self._means:
            rows = list(zip(self.tasks, self._menus, strict=True))[::every]
            total = 0.0
            for task, menu in rows:
                calls = [call for call in menu.calls if call[0] in key[0]]
                plan = self.playbook.plan(calls, menu.answers[label])
                total += play(self.env, task, scripted(plan)).reward
            self._means[key] = total / len(rows)
        return self._means[key]

    def best_label(self) -> str | None:
        """Return the label that earns most without any call; None if there is none."""
        labels = self._shortlist()
        return max(labels, key=lambda label: self.mean((), label)) if labels else None

    def best(self) -> Constant | None:
        """Return the best constant: tool names and label; None if there is no label.

        Greedy from no call and again from all calls: the label that earns most, then the tool
        name whose adding or dropping earns most, until nothing does. In a domain that waits
        for a service no call is rehearsed.
        """
        labels = self._shortlist()
        if not labels:
            return None
        names = [] if self.env.domain.blocking else self.names
        starts = [frozenset[str](), frozenset(names)] if names else [frozenset[str]()]
        found = [self._climb(start, labels, names) for start in starts]
        return max(found, key=lambda constant: self.mean(*constant))

    def _shortlist(self) -> list[str]:
        """Return the labels, or the best of very many as played on every fifth task."""
        labels = self.labels
        if len(labels) <= SHORTLIST:
            return labels
        ranked = sorted(labels, key=lambda label: -self.mean((), label, every=5))
        return ranked[:SHORTLIST]

    def _climb(
        self, chosen: frozenset[str], labels: Sequence[str], names: Sequence[str]
    ) -> Constant:
        label = labels[0]
        while True:
            label = max([label, *labels], key=lambda one: self.mean(chosen, one))
            toggled = [chosen ^ {name} for name in names]
            better = max([chosen, *toggled], key=lambda some: self.mean(some, label))
            if better == chosen:
                return chosen, label
            chosen = better


class _Shared:
    """The rehearsals of this process; a strong reference to the domain keeps its id its own."""

    def __init__(self, limit: int = 8) -> None:
        self.lock = threading.RLock()
        self._limit = limit
        self._kept: dict[tuple[object, ...], tuple[Domain, ConstantSearch]] = {}

    def get(self, env: ClinicEnv) -> ConstantSearch:
        weights = tuple(sorted(env.rubric.weights.items()))
        limits = (env.dialect.name, env.max_turns, env.response_limit, env.text_budget)
        key = (id(env.domain), weights, *limits)
        with self.lock:
            if key not in self._kept:
                while len(self._kept) >= self._limit:
                    del self._kept[next(iter(self._kept))]
                self._kept[key] = env.domain, ConstantSearch(env)
            return self._kept[key][1]


_SHARED = _Shared()


def best_constant(env: ClinicEnv) -> Constant | None:
    """Return the best constant of an environment; see :meth:`ConstantSearch.best`.

    Worked out once for each domain object, weights, dialect and limits of this process.
    """
    with _SHARED.lock:
        return _SHARED.get(env).best()


def best_label(env: ClinicEnv) -> str | None:
    """Return the label that earns most without any call; see :meth:`ConstantSearch.best_label`."""
    with _SHARED.lock:
        return _SHARED.get(env).best_label()
