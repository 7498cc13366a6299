"""The reading of another policy with another answer: what a reward pays for looking alone.

A reader makes the calls of another policy, such as the rules baseline, and keeps its citations if
asked to, but gives an answer that those findings had no part in: a constant, or a conclusion that a
naive Bayes model of the tickets' words has learned from the train split.
"""

from __future__ import annotations

import copy
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import orjson

from gym_clinic.domain import CallSpec, Move
from gym_clinic.env import ClinicEnv
from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError
from gym_clinic.frozen import thaw
from gym_clinic.images import text_of
from gym_clinic.names import at_least_one
from gym_clinic.policies.fitted.constants import train_sample
from gym_clinic.policies.moves import Playbook
from gym_clinic.policies.playing import Action, Maker, Policy, next_action, take
from gym_clinic.taskset import TaskList, as_tasks, first

FIT = 24
"""Tasks of the train split on which the constant answer is chosen."""

CITED = "cited_findings"
"""The field of an answer that holds what was read."""

_WORD = re.compile(r"[a-z]{3,}")
_FEWEST, _MOST = 3, 0.5
"""Tickets that a word is in at least, and the share of all tickets at most."""

_SMOOTHING = 0.05

Arguments = Mapping[str, Any]
Answerer = Callable[[dict[str, Any]], Arguments]
"""The info of ``reset`` -> arguments of the answer."""


class _BorrowedReading:
    """Makes the calls of another policy, and gives an answer in place of its own.

    Args:
        other: The policy whose calls are made.
        env: The environment; its dialect reads actions in text.
        answer: The answer to what ``reset`` tells.
        cites: Whether the other's citations are kept; else there are none.
    """

    def __init__(self, other: Policy, env: ClinicEnv, answer: Answerer, cites: bool) -> None:
        self._other, self._env, self._answer, self._cites = other, env, answer, cites
        self._submits = _submits(env)
        self._opened: dict[str, Any] = {}

    def act(self, observation: str, info: dict[str, Any]) -> Action:
        """Return the other's action, with the answer for its own."""
        if "task_id" in info:
            self._opened = {**info, "messages": [*info["messages"]]}
        action = next_action(self._other, observation, info)
        made = []
        for name, arguments in _requests(self._env, action):
            if name == self._submits:
                arguments = replaced(arguments, self._answer(self._opened), self._cites)
            made.append({"name": name, "arguments": arguments})
        return made or action


def replaced(own: Arguments, other: Arguments, cites: bool = True) -> dict[str, Any]:
    """Return another answer with the citations of one's own, or with none."""
    return {**other, CITED: own.get(CITED, []) if cites else []}


def _submits(env: ClinicEnv) -> str:
    for tool in env.domain.tools:
        if tool.submits:
            return tool.name
    raise ConfigError(f"{env.domain.name} has no tool that gives the answer")


def _requests(env: ClinicEnv, action: Action) -> list[CallSpec]:
    if isinstance(action, str):
        read = env.dialect.parse(action).requests
        return [(one.name, one.arguments) for one in read if one.fault is None]
    return [(one["name"], one["arguments"]) for one in action]


def before_answer(
    env: ClinicEnv, task: Task, policy: Policy, seed: int = 0
) -> tuple[ClinicEnv, Arguments] | None:
    """Play a task up to the answer of a policy, and return what it would answer.

    Answers can then be tried on forks of the environment at the price of one reading.

    Args:
        env: The environment; its own episode is not changed.
        task: The task.
        policy: The policy that reads.
        seed: Seed of the environment.

    Returns:
        An environment with the open episode, and the arguments of the policy's own answer; None
        if the episode ended without one.
    """
    stage, submits = copy.copy(env), _submits(env)
    stage.tasks = TaskList((task,))
    observation, info = stage.reset(seed=seed)
    while True:
        action = next_action(policy, observation, info)
        for name, arguments in _requests(stage, action):
            if name == submits:
                return stage, arguments
        observation, _, terminated, truncated, info = take(stage, action)
        if terminated or truncated:
            return None


def reward_of(stage: ClinicEnv, arguments: Arguments) -> float:
    """Return the reward of an answer in an open episode, on a fork of it."""
    call = {"name": _submits(stage), "arguments": dict(arguments)}
    return float(stage.fork().step_calls([call])[1])


def constants(env: ClinicEnv, task: Task) -> dict[str, Arguments]:
    """Return label -> arguments of the constant answers of a task's menu."""
    menu = Playbook(env).menu(task)
    return {label: _arguments(move) for label, move in menu.answers.items()}


def _arguments(move: Move) -> Arguments:
    assert not isinstance(move, str)
    found: dict[str, Any] = orjson.loads(orjson.dumps(dict(move[-1][1]), default=thaw))
    return found


def borrowed_calls(
    env: ClinicEnv,
    source: str = "rules",
    cites: bool = False,
    tasks: int = FIT,
    by_kind: bool = False,
) -> Maker:
    """Make another policy's calls and give the constant answer that earns most after them.

    Args:
        env: The environment.
        source: Name of the other policy, such as "rules" or "oracle".
        cites: Whether its citations are kept.
        tasks: Tasks of the train split on which the constant answer is chosen.
        by_kind: Whether each kind of request that a ticket shows has a constant of its own.
    """
    from gym_clinic.policies.registry import load as load_policy

    maker, playbook = load_policy(source, env), Playbook(env)
    earned: dict[str, dict[str, float]] = {}
    for seed, task in enumerate(train_sample(env, at_least_one("tasks", tasks))):
        kind = playbook.menu(task).kind
        counts = [earned.setdefault(one, {}) for one in {"", kind if by_kind else ""}]
        opened = before_answer(env, task, maker(seed), seed)
        for label, arguments in constants(env, task).items():
            reward = 0.0
            if opened is not None:
                stage, own = opened
                reward = reward_of(stage, replaced(own, arguments, cites))
            for count in counts:
                count[label] = count.get(label, 0.0) + reward
    if not earned:
        raise ConfigError(f"{env.domain.name} has no task in its train split")
    best = {kind: max(count, key=count.__getitem__) for kind, count in earned.items()}

    def answer(info: dict[str, Any]) -> Arguments:
        task = playbook.task(info)
        return constants(env, task)[best.get(playbook.menu(task).kind, best[""])]

    return lambda seed: _BorrowedReading(maker(seed), env, answer, cites)


def rules_reading(env: ClinicEnv, tasks: int = FIT) -> Maker:
    """Read and cite as the rules baseline does, and give the constant answer that earns most."""
    return borrowed_calls(env, "rules", cites=True, tasks=tasks)


def ticket_bayes(env: ClinicEnv, source: str = "rules") -> Maker:
    """Read and cite as another policy does, and conclude from the words of the ticket alone."""
    from gym_clinic.policies.registry import load as load_policy

    maker, model = load_policy(source, env), TicketModel(env)
    return lambda seed: _BorrowedReading(
        maker(seed), env, lambda info: model.answer(text_of(info["messages"][-1]["content"])), True
    )


class AnswerModel:
    """Learns answers from texts.

    Each field of the answer that is a short text or a number is predicted by itself; the others
    are those of the most similar text that agrees on the first of them.

    Args:
        texts: A text for each answer.
        answers: The right answers.
        fit: Texts and the values of a field -> a function that predicts the value for a text.
    """

    def __init__(
        self,
        texts: Sequence[str],
        answers: Sequence[Arguments],
        fit: Callable[[Sequence[str], Sequence[Any]], Callable[[str], Any]],
    ) -> None:
        self._words, self._answers = [_words(one) for one in texts], answers
        # A text that most tasks have for themselves is no conclusion.
        values = {name: [one.get(name) for one in answers] for name in answers[0]}
        self._fields = {
            name: fit(texts, column)
            for name, column in values.items()
            if all(isinstance(value, str | int) for value in column)
            and len(set(column)) <= len(answers) / 2
        }

    def conclude(self, text: str) -> tuple[int, Arguments]:
        """Return the number of the most similar text, and the arguments of the answer."""
        words = _words(text)
        found = {name: predict(text) for name, predict in self._fields.items()}
        leading = next(iter(found), None)
        rows = [
            number for number, one in enumerate(self._answers)
            if leading is None or one.get(leading) == found[leading]
        ]  # fmt: skip
        nearest = max(rows, key=lambda row: _likeness(words, self._words[row]))
        return nearest, {**self._answers[nearest], **found}


class TicketModel:
    """Naive Bayes over the words of tickets, fitted on the right answers of the train split.

    Args:
        env: The environment.
        tasks: How many tasks of the train split it learns from; None for all.
    """

    def __init__(self, env: ClinicEnv, tasks: int | None = None) -> None:
        playbook = Playbook(env)
        train = first(as_tasks(env.domain.tasks["train"]), tasks)
        tickets = [playbook.ticket(task) for task in train]
        self._model = AnswerModel(tickets, solved_answers(env, train), WordBayes.fit)

    def answer(self, ticket: str) -> Arguments:
        """Return the arguments of the answer to a ticket."""
        return self._model.conclude(ticket)[1]


def solved_answers(env: ClinicEnv, tasks: Sequence[Task]) -> list[Arguments]:
    """Return the arguments of the right answer to each task."""
    return [_arguments(list(env.domain.solve(task))[-1]) for task in tasks]


class WordBayes:
    """The most likely class by the words that are there, with every class smoothed alike."""

    @classmethod
    def fit(cls, texts: Sequence[str], classes: Sequence[Any]) -> Callable[[str], Any]:
        """Return what predicts the class of a text."""
        model = cls([_words(one) for one in texts], classes)
        return lambda text: model.predict(_words(text))

    def __init__(self, texts: Sequence[frozenset[str]], classes: Sequence[Any]) -> None:
        spread = Counter(word for text in texts for word in text)
        self._known = {
            word for word, count in spread.items() if _FEWEST <= count < _MOST * len(texts)
        }
        self._sizes = Counter(classes)
        self._counts: dict[Any, Counter[str]] = {one: Counter() for one in self._sizes}
        for text, one in zip(texts, classes, strict=True):
            self._counts[one].update(text & self._known)

    def predict(self, words: frozenset[str]) -> Any:
        """Return the most likely class; of equal ones, the first of the train split."""
        known = words & self._known
        return max(self._sizes, key=lambda one: self._score(one, known))

    def _score(self, one: Any, words: frozenset[str]) -> float:
        size, counts = self._sizes[one], self._counts[one]
        return math.log(size) + math.fsum(
            math.log((counts[word] + _SMOOTHING) / (size + 2 * _SMOOTHING)) for word in words
        )


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(len(one | other), 1)
