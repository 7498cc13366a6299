"""The best constant behaviour: the same calls and the same answer on every ticket."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from gym_clinic.domain import CallSpec, Domain, Menu
from gym_clinic.env import ClinicEnv
from gym_clinic.episode import Task
from gym_clinic.policies.moves import Playbook, scripted
from gym_clinic.policies.playing import play
from gym_clinic.taskset import as_tasks

SAMPLE = 150
"""Tasks of the train split that are played."""

SHORTLIST = 12
"""Maximum number of labels that are tried on the whole sample."""

Patterns = Callable[[Menu], Mapping[Hashable, Sequence[CallSpec]]]
"""Menu -> named groups of its calls, such as all calls of one tool; a name has the same meaning
on every task."""

Constant = tuple[frozenset[Hashable], str]
"""Names of the groups of calls that are made, and the label of the answer."""

T = TypeVar("T")


def by_tool(menu: Menu) -> dict[Hashable, list[CallSpec]]:
    """Group the calls of a menu by the name of their tool."""
    groups: dict[Hashable, list[CallSpec]] = {}
    for call in menu.calls:
        groups.setdefault(call[0], []).append(call)
    return groups


def train_sample(env: ClinicEnv, size: int) -> list[Task]:
    """Return tasks of the train split, drawn by ``Random(f"{domain}:rehearsal")``, in order."""
    train = as_tasks(env.domain.tasks.get("train", ()))
    draw = random.Random(f"{env.domain.name}:rehearsal")
    chosen = sorted(draw.sample(range(len(train)), min(size, len(train))))
    return [train[position] for position in chosen]


class ConstantSearch:
    """Plays constant behaviour on a fixed sample of the train split.

    Every result is kept, so that nothing is played twice.

    Args:
        env: The environment; its own episode is not touched.
        patterns: Groups the calls of a menu.
        size: Tasks of the sample.
        kind: The kind of request that is played, of the sample; None for every kind.
    """

    def __init__(
        self,
        env: ClinicEnv,
        patterns: Patterns = by_tool,
        size: int = SAMPLE,
        kind: str | None = None,
    ) -> None:
        self.env = env
        self.playbook = Playbook(env)
        menus = [(one, self.playbook.menu(one)) for one in train_sample(env, size)]
        chosen = [(one, menu) for one, menu in menus if kind in (None, menu.kind)]
        self.tasks = [one for one, _ in chosen]
        self._menus = [menu for _, menu in chosen]
        self._groups = [patterns(menu) for menu in self._menus]
        self._means: dict[tuple[frozenset[Hashable], str, int], float] = {}

    @property
    def labels(self) -> list[str]:
        """Labels that are valid on every sampled task, in the order of the menu."""
        if not self._menus:
            return []
        shared = set.intersection(*(set(menu.answers) for menu in self._menus))
        return [label for label in self._menus[0].answers if label in shared]

    @property
    def kinds(self) -> list[str]:
        """Kinds of request in the sample, in order."""
        return sorted({menu.kind for menu in self._menus})

    @property
    def names(self) -> list[Hashable]:
        """Names of the groups of calls on the menus, in order of appearance."""
        return list(dict.fromkeys(name for groups in self._groups for name in groups))

    def mean(self, names: Iterable[Hashable], label: str, every: int = 1) -> float:
        """Return the mean reward of making the calls of some groups, then answering.

        Args:
            names: Names of groups.
            label: Label of the answer.
            every: Play only every n-th task of the sample.
        """
        return self.means(frozenset(names), [label], every)[label]

    def means(
        self, names: frozenset[Hashable], labels: Sequence[str], every: int = 1
    ) -> dict[str, float]:
        """Return the mean reward of each label, as `mean` has it.

        All labels are played on a task before the next, so that a task is opened once.
        """
        new = [label for label in labels if (names, label, every) not in self._means]
        totals = dict.fromkeys(new, 0.0)
        rows = list(zip(self.tasks, self._menus, self._groups, strict=True))[::every]
        for task, menu, groups in rows if new else ():
            calls = select(menu, groups, names)
            for label in totals:
                plan = self.playbook.plan(calls, menu.answers[label])
                totals[label] += play(self.env, task, scripted(plan)).reward
        for label, total in totals.items():
            self._means[names, label, every] = total / len(rows)
        return {label: self._means[names, label, every] for label in labels}

    def best_label(self) -> str | None:
        """Return the label that earns most, see `shortlist`; None if there is none."""
        labels = self.shortlist()
        means = self._earned(labels)
        return max(labels, key=means.__getitem__) if labels else None

    def best(self) -> Constant | None:
        """Return the best constant: names and label; None if there is no label.

        The search is greedy, once from no call and once from all calls: first the label that earns
        most, then names are added or dropped as long as the reward grows. In a domain that waits
        for a service no call is tried.
        """
        labels = self.shortlist()
        if not labels:
            return None
        names = [] if self.env.domain.blocking else self.names
        starts = [frozenset[Hashable](), frozenset(names)] if names else [frozenset[Hashable]()]
        found = [self._climb(start, labels, names) for start in starts]
        return max(found, key=lambda constant: self.mean(*constant))

    def shortlist(self) -> list[str]:
        """Return the labels; of very many, those that do best on every fifth task."""
        labels = self.labels
        if len(labels) <= SHORTLIST:
            return labels
        means = self._earned(labels, every=5)
        return sorted(labels, key=lambda label: -means[label])[:SHORTLIST]

    def _earned(self, labels: Sequence[str], every: int = 1) -> dict[str, float]:
        """Return what labels earn without any call, or after all calls if the best earns more so.

        An environment may pay for no answer that was given without a call.
        """
        names = [] if self.env.domain.blocking else self.names
        starts = {frozenset[Hashable](), frozenset(names)}
        found = [self.means(start, labels, every) for start in sorted(starts, key=len)]
        return max(found, key=lambda means: max(means.values(), default=0.0))

    def _climb(
        self, chosen: frozenset[Hashable], labels: Sequence[str], names: Sequence[Hashable]
    ) -> Constant:
        label = labels[0]
        while True:
            means = self.means(chosen, [label, *labels])
            label = max(means, key=means.__getitem__)
            toggled = [chosen ^ {name} for name in names]
            better = max([chosen, *toggled], key=lambda some: self.mean(some, label))
            if better == chosen:
                return chosen, label
            chosen = better


def select(
    menu: Menu, groups: Mapping[Hashable, Sequence[CallSpec]], chosen: frozenset[Hashable]
) -> list[CallSpec]:
    """Return the calls of the chosen groups, each once, in the order of the menu."""
    if not chosen:
        return []
    wanted = [id(call) for name in groups if name in chosen for call in groups[name]]
    return [call for call in menu.calls if id(call) in wanted]


class _Fits:
    """Fits of this process; they hold the domain, so that its id is not used again."""

    def __init__(self, limit: int = 24) -> None:
        self.lock = threading.RLock()
        self._limit = limit
        self._kept: dict[tuple[object, ...], tuple[Domain, Any]] = {}

    def get(self, env: ClinicEnv, build: Callable[..., T], *options: Any) -> T:
        weights = tuple(sorted(env.rubric.weights.items()))
        limits = (env.max_turns, env.max_calls, env.response_limit, env.text_budget)
        key = (build, options, id(env.domain), weights, env.dialect.name, *limits)
        with self.lock:
            if key not in self._kept:
                while len(self._kept) >= self._limit:
                    del self._kept[next(iter(self._kept))]
                self._kept[key] = env.domain, build(env, *options)
            made: T = self._kept[key][1]
            return made


_FITS = _Fits()


def fitted(env: ClinicEnv, build: Callable[..., T], *options: Any) -> T:
    """Return ``build(env, *options)``, made once for each domain object, weights and limits.

    Args:
        env: The environment.
        build: A function of a module that fits something to the train split.
        options: What else it takes; hashable.
    """
    return _FITS.get(env, build, *options)


def best_constant(env: ClinicEnv, size: int = SAMPLE) -> Constant | None:
    """Return the best constant on a sample of tasks; see :meth:`ConstantSearch.best`."""
    with _FITS.lock:
        return fitted(env, ConstantSearch, by_tool, size).best()


def best_labels(env: ClinicEnv, size: int) -> dict[str, str]:
    """Return kind of request -> the label that earns most on the tasks of that kind."""
    with _FITS.lock:
        kinds = fitted(env, ConstantSearch, by_tool, size).kinds
        found = {one: fitted(env, ConstantSearch, by_tool, size, one).best_label() for one in kinds}
    return {kind: label for kind, label in found.items() if label is not None}


def best_label(env: ClinicEnv) -> str | None:
    """Return the label that earns most; see :meth:`ConstantSearch.best_label`."""
    with _FITS.lock:
        return fitted(env, ConstantSearch).best_label()
