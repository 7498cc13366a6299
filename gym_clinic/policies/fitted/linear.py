"""The adversary ``linear``: logistic models that see the ticket without its evidence.

If it earns much, the tickets show the answer by something other than clinical evidence.
"""

from __future__ import annotations

import importlib
import itertools
import operator
import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gym_clinic.domain import Menu
from gym_clinic.env import ClinicEnv
from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError
from gym_clinic.policies.fitted.constants import ConstantSearch, best_label, fitted, train_sample
from gym_clinic.policies.fitted.form import CallForm, Form, call_forms, ticket_form
from gym_clinic.policies.moves import Playbook, ScriptedPolicy, scripted
from gym_clinic.policies.playing import Maker, play
from gym_clinic.rewards.process import signature

FIT = 300
"""Tasks of the train split that the models are fitted to."""

TRIED = 80
"""Tasks among them on which the thresholds are tried."""

FOLDS = 3
"""Folds; each is predicted by models that are fitted to the others."""

THRESHOLDS = (0.2, 0.35, 0.5, 0.65, 0.8, 2.0)
"""Thresholds: a call is made from this probability on; with the last one no call is made."""


def linear(env: ClinicEnv, *, evidence: bool = False) -> Maker:
    """Predict answer and calls from the form of the ticket.

    The models see titles, field names, lengths, counts and order, and only the length of a line
    of 200 characters or more: see :mod:`.form`. The answer is the one with
    the highest expected reward; the calls are those whose probability is above a threshold. The
    threshold is chosen by playing tasks of the train split with models that were not fitted to
    them. Needs the extra ``adversaries``.

    Args:
        env: The environment it acts in.
        evidence: Let the models read all words of the ticket. The policy is then not an
            adversary but a ceiling: the reward of a linear reader of the whole ticket.

    Raises:
        ConfigError: If scikit-learn is missing, or there is no train split to fit to.
    """
    if not isinstance(evidence, bool):
        raise ConfigError(f"evidence is true or false, not {evidence!r}")
    try:
        importlib.import_module("sklearn")
    except ImportError:
        raise ConfigError(
            "policy 'linear' needs scikit-learn: pip install \"gym_clinic[adversaries]\""
        ) from None
    fit = fitted(env, _with_evidence if evidence else _without_evidence)
    return lambda seed: ScriptedPolicy(fit.plan)


def _with_evidence(env: ClinicEnv) -> _Linear:
    return _Linear(env, evidence=True)


def _without_evidence(env: ClinicEnv) -> _Linear:
    return _Linear(env, evidence=False)


@dataclass(frozen=True)
class _Example:
    """A task of the train split.

    Attributes:
        task: The task.
        menu: Its menu.
        form: The form of its ticket.
        calls: The form of each call of the menu.
        needed: Whether the task's solution makes each of them.
        rewards: The reward of each candidate answer, given without any call.
    """

    task: Task
    menu: Menu
    form: Form
    calls: list[CallForm]
    needed: list[bool]
    rewards: list[float]

    @property
    def best(self) -> int:
        """The index of the candidate answer that earns most."""
        return max(range(len(self.rewards)), key=self.rewards.__getitem__)


class _Linear:
    """Models of answer and calls, fitted to the train split, and the threshold for calls.

    Args:
        env: The environment.
        evidence: Whether the models read the words of the evidence.

    Raises:
        ConfigError: If there is no train split, or no answer that its tickets share.
    """

    def __init__(self, env: ClinicEnv, *, evidence: bool) -> None:
        self._env, self._evidence = env, evidence
        self._playbook = Playbook(env)
        self._labels = fitted(env, ConstantSearch).shortlist()
        if not self._labels:
            raise ConfigError(
                f"policy 'linear' has nothing to fit to: domain {env.domain.name!r} has no train "
                "split, or no answer that its tickets share"
            )
        examples = [self._example(task) for task in train_sample(env, FIT)]
        # Shuffled, since a file may list its classes in turn.
        random.Random(f"{env.domain.name}:linear").shuffle(examples)
        self._threshold, self._constant = self._tune(examples)
        self._models = _Models(examples)

    def plan(self, observation: str, info: dict[str, Any]) -> list[str]:
        """Return the actions of an episode."""
        task = self._playbook.task(info)
        menu = self._playbook.menu(task)
        form, calls = self._forms(task, menu)
        chances = self._models.calls(calls) if self._threshold <= 1 else [0.0] * len(calls)
        answer = None if self._constant else self._models.answers([form])[0]
        return self._actions(menu, chances, self._threshold, answer)

    def _forms(self, task: Task, menu: Menu) -> tuple[Form, list[CallForm]]:
        ticket = self._playbook.ticket(task)
        form = ticket_form(ticket, task.id, self._evidence)
        return form, call_forms(ticket, menu, self._evidence)

    def _example(self, task: Task) -> _Example:
        menu = self._playbook.menu(task)
        form, calls = self._forms(task, menu)
        solution = [move for move in self._env.domain.solve(task) if not isinstance(move, str)]
        made = {signature(*call) for batch in solution for call in batch}
        plans = [self._playbook.plan((), menu.answers.get(label)) for label in self._labels]
        return _Example(
            task=task,
            menu=menu,
            form=form,
            calls=calls,
            needed=[signature(*call) in made for call in menu.calls],
            rewards=[play(self._env, task, scripted(plan)).reward for plan in plans],
        )

    def _actions(
        self, menu: Menu, chances: Sequence[float], threshold: float, answer: int | None
    ) -> list[str]:
        """Write the likely calls and an answer; without a number the constant answer."""
        chosen = [c for c, p in zip(menu.calls, chances, strict=True) if p >= threshold]
        label = best_label(self._env) if answer is None else self._labels[answer]
        return self._playbook.plan(chosen, menu.answers.get(label or ""))

    def _tune(self, examples: Sequence[_Example]) -> tuple[float, bool]:
        """Return the threshold for calls, and whether the constant answer does better."""
        thresholds = THRESHOLDS[-1:] if self._env.domain.blocking else THRESHOLDS
        earned = dict.fromkeys(itertools.product(thresholds, (True, False)), 0.0)
        folds = min(FOLDS, len(examples))
        for fold in range(folds):
            models = _Models([e for n, e in enumerate(examples) if folds == 1 or n % folds != fold])
            held = examples[fold::folds][: -(-TRIED // folds)]
            chances = iter(models.calls([form for e in held for form in e.calls]))
            answers = models.answers([e.form for e in held])
            for e, answer in zip(held, answers, strict=True):
                likely = list(itertools.islice(chances, len(e.calls)))
                for threshold, constant in earned:
                    given = None if constant else answer
                    plan = self._actions(e.menu, likely, threshold, given)
                    reward = play(self._env, e.task, scripted(plan)).reward
                    earned[threshold, constant] += reward
        return max(earned, key=lambda choice: earned[choice])


class _Models:
    """The models of one set of examples.

    Args:
        examples: The tasks to fit to.
    """

    def __init__(self, examples: Sequence[_Example]) -> None:
        self._answers = _Logistic([e.form for e in examples], [e.best for e in examples])
        # Mean reward of each answer (columns) on the tasks that each answer is best for (rows).
        alike = [[e.rewards for e in examples if e.best == best] for best in self._answers.labels]
        self._worth = [[statistics.fmean(c) for c in zip(*rows, strict=True)] for rows in alike]
        by_tool: dict[str, list[tuple[CallForm, bool]]] = {}
        for one in examples:
            for form, needed in zip(one.calls, one.needed, strict=True):
                by_tool.setdefault(form.tool, []).append((form, needed))
        self._tools = {
            tool: _Logistic([form for form, _ in rows], [needed for _, needed in rows])
            for tool, rows in by_tool.items()
        }

    def answers(self, forms: Sequence[Form]) -> list[int]:
        """Return for each ticket the index of the answer with the highest expected reward."""
        columns = list(zip(*self._worth, strict=True))
        found = []
        for chances in self._answers.probabilities(forms):
            expected = [sum(map(operator.mul, chances, column)) for column in columns]
            found.append(max(range(len(expected)), key=expected.__getitem__))
        return found

    def calls(self, forms: Sequence[CallForm]) -> list[float]:
        """Return the probability that each call is needed."""
        found = [0.0] * len(forms)
        for tool, model in self._tools.items():
            numbers = [number for number, form in enumerate(forms) if form.tool == tool]
            if numbers and True in model.labels:
                column = model.labels.index(True)
                chances = model.probabilities([forms[number] for number in numbers])
                for number, row in zip(numbers, chances, strict=True):
                    found[number] = row[column]
        return found


class _Logistic:
    """A logistic model of forms: TF-IDF of their words, and their counts.

    Args:
        forms: The features of each case.
        labels: The label of each case.
    """

    def __init__(self, forms: Sequence[Form], labels: Sequence[Any]) -> None:
        self.labels: list[Any] = sorted(set(labels))
        if len(self.labels) == 1:
            return  # only one label
        from sklearn.feature_extraction import DictVectorizer
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.preprocessing import MinMaxScaler

        words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
        try:
            words.fit([form.words for form in forms])
        except ValueError:  # no word occurs twice
            words = None
        self._words: Any = words
        self._counts: Any = DictVectorizer(sparse=False).fit([form.counts for form in forms])
        self._scale: Any = MinMaxScaler(clip=True)
        self._scale.fit(self._counts.transform([form.counts for form in forms]))
        self._model: Any = LogisticRegression(C=10.0, max_iter=1000, tol=1e-3)
        self._model.fit(self._matrix(forms), labels)

    def probabilities(self, forms: Sequence[Form]) -> list[list[float]]:
        """Return the probability of each label, in the order of ``labels``, for each case."""
        if len(self.labels) == 1:
            return [[1.0]] * len(forms)
        found: list[list[float]] = self._model.predict_proba(self._matrix(forms)).tolist()
        return found

    def _matrix(self, forms: Sequence[Form]) -> Any:
        from scipy.sparse import hstack

        counts = self._scale.transform(self._counts.transform([form.counts for form in forms]))
        if self._words is None:
            return counts
        return hstack([self._words.transform([form.words for form in forms]), counts]).tocsr()
