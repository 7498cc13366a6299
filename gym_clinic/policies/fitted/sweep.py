"""A sweep with a trained classifier: what can be earned by reading everything without a thought.

It reads the evidence, so it is no adversary that must earn little but a ceiling: what it earns
needs no clinical reasoning. It makes every call of a task's menu, orders and all, and the calls
that read most often in the solutions of the train split, and pays for what it ordered. A linear
model of all that came back, learned from the train split, gives the answer; the orders, and what
is cited, are those of the train task that is most alike.

As a recipe it reads what needs no order, concludes from that, and then does all that solved the
train task most alike: a fixed work-up for each conclusion, learned by heart.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any

import orjson

from gym_clinic.domain import CallSpec
from gym_clinic.env import ClinicEnv
from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError
from gym_clinic.frozen import thaw
from gym_clinic.images import text_of
from gym_clinic.policies.fitted.reading import AnswerModel, solved_answers
from gym_clinic.policies.moves import Playbook
from gym_clinic.policies.playing import Action, Maker, play
from gym_clinic.taskset import as_tasks, first
from gym_clinic.toolbox import Kind

CALLS = 60
"""Calls beside those of the menu."""


def sweep(
    env: ClinicEnv, tasks: int | None = None, calls: int = CALLS, recipe: bool = False
) -> Maker:
    """Read everything and answer as a linear model of it says. Needs the extra ``adversaries``.

    Args:
        env: The environment.
        tasks: Tasks of the train split that the model learns from; None for all.
        calls: Calls beside those of the menu: the most frequent of the train split's solutions.
        recipe: Whether only calls that order nothing are made before the conclusion, and after it
            all that solved the train task most alike.

    Raises:
        ConfigError: If scikit-learn is missing.
    """
    try:
        importlib.import_module("sklearn")
    except ImportError:
        raise ConfigError(
            "policy 'sweep' needs scikit-learn: pip install \"gym_clinic[adversaries]\""
        ) from None
    playbook = Playbook(env)
    train = first(as_tasks(env.domain.tasks["train"]), tasks)
    usual = _usual(env, train, calls)
    writing = frozenset(one.name for one in env.domain.tools if recipe and one.writes)
    texts = []
    for seed, task in enumerate(train):
        reader = _Sweep(playbook, usual, writing)
        play(env, task, reader, seed)
        texts.append(reader.text)
    learned = _Learned(AnswerModel(texts, solved_answers(env, train), _linear), env, train, recipe)
    return lambda seed: _Sweep(playbook, usual, writing, learned)


def _usual(env: ClinicEnv, tasks: Sequence[Task], most: int) -> list[CallSpec]:
    """The calls that read most often in the solutions of tasks."""
    kinds = {tool.name: tool.kind for tool in env.domain.tools}
    count: Counter[bytes] = Counter()
    for task in tasks:
        moves = [move for move in env.domain.solve(task) if not isinstance(move, str)]
        made = _written([call for move in moves for call in move])
        count.update(orjson.dumps(one) for one in made if kinds[one["name"]] is Kind.READ)
    found = [orjson.loads(one) for one, _ in count.most_common(most)]
    return [(one["name"], one["arguments"]) for one in found]


class _Learned:
    """What the train split teaches: an answer, and what was done for the task most alike."""

    def __init__(
        self, model: AnswerModel, env: ClinicEnv, train: Sequence[Task], recipe: bool
    ) -> None:
        self._model, self._env, self._train, self._recipe = model, env, train, recipe
        self._kinds = {tool.name: tool.kind for tool in env.domain.tools}
        self._submits = next(tool.name for tool in env.domain.tools if tool.submits)

    def conclude(self, text: str) -> list[list[CallSpec]]:
        """Return what is done for what was read, in batches, and the answer as the last one."""
        nearest, arguments = self._model.conclude(text)
        moves = self._env.domain.solve(self._train[nearest])
        done = [list(move) for move in moves if not isinstance(move, str)]
        if self._recipe:
            batches = done[:-1]
        else:
            calls = [call for move in done for call in move]
            batches = [[call for call in calls if self._kinds[call[0]] is Kind.WRITE]]
        return [*filter(None, batches), [(self._submits, arguments)]]


class _Sweep:
    """Makes the calls of the menu and others at once, then what was learned, or nothing.

    Args:
        playbook: Tickets and menus.
        usual: The other calls, before those of the menu.
        left_out: Tools of the menu that are not called.
        learned: What was learned; None to read alone.

    Attributes:
        text: The ticket, and all that came back.
    """

    def __init__(
        self,
        playbook: Playbook,
        usual: Sequence[CallSpec],
        left_out: Collection[str] = (),
        learned: _Learned | None = None,
    ) -> None:
        self._playbook, self._usual, self._learned = playbook, usual, learned
        self._left_out = left_out
        self.text = ""
        self._waiting: list[list[CallSpec]] = []

    def act(self, observation: str, info: dict[str, Any]) -> Action:
        """Return the next calls."""
        said = "\n".join(text_of(one["content"]) for one in info["messages"] if one["content"])
        if "task_id" in info:
            task = self._playbook.task(info)
            self.text = self._playbook.ticket(task)
            menu = self._playbook.menu(task).calls
            calls = _written([one for one in (*self._usual, *menu) if one[0] not in self._left_out])
            return [one for at, one in enumerate(calls) if one not in calls[:at]]
        if self._learned is None:
            self.text += "\n" + said
            return ""
        if not self._waiting:
            self.text += "\n" + said
            self._waiting = self._learned.conclude(self.text)[::-1]
        return _written(self._waiting.pop())


def _written(calls: Sequence[CallSpec]) -> list[dict[str, Any]]:
    return [
        {"name": name, "arguments": orjson.loads(orjson.dumps(dict(given), default=thaw))}
        for name, given in calls
    ]


def _linear(texts: Sequence[str], values: Sequence[Any]) -> Callable[[str], Any]:
    """A linear model of one to three words in a row."""
    labels = list(dict.fromkeys(values))
    if len(labels) == 1:
        return lambda text: labels[0]
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    words = TfidfVectorizer(ngram_range=(1, 3), min_df=2, max_df=0.5, sublinear_tf=True)
    model = make_pipeline(words, LinearSVC(C=1.0))
    model.fit(texts, [labels.index(one) for one in values])
    return lambda text: labels[int(model.predict([text])[0])]
