"""What a clinical system must supply, and how it is found by name."""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gym_clinic.action import DIALECTS, Dialect
from gym_clinic.case import Case
from gym_clinic.episode import Call, Episode, Task
from gym_clinic.errors import ConfigError
from gym_clinic.frozen import thaw
from gym_clinic.images import Illustrated
from gym_clinic.names import call_with_options, import_named, suggest
from gym_clinic.rewards import Rubric
from gym_clinic.taskset import Tasks, as_tasks
from gym_clinic.toolbox import Kind, Tool

CallSpec = tuple[str, Mapping[str, Any]]
"""Name and arguments of a call to make."""

Move = tuple[CallSpec, ...] | str
"""One action: a batch of calls, or a final text."""

Conversation = list[dict[str, str]]
"""Chat messages, each with ``role`` and ``content``; the last is the assistant's."""


@dataclass(frozen=True)
class Menu:
    """What an agent could do on a ticket, from public knowledge alone.

    Baselines and adversaries are built from it; it never draws on the gold.

    Attributes:
        calls: Every sensible call that is not a submission.
        answers: Label -> the final move that gives this answer. Labels mean the same on
            every task, so that a constant answer can be fitted.
        kind: The kind of request that the ticket plainly shows, where a domain has several: who
            knows nothing else may still give each kind a constant answer of its own.
    """

    calls: tuple[CallSpec, ...] = ()
    answers: Mapping[str, Move] = field(default_factory=dict)
    kind: str = ""


class Table(NamedTuple):
    """A table for people.

    Attributes:
        title: Its heading.
        columns: The headings of the columns.
        rows: The cells.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def _open_case(task: Task) -> Case:
    return Case(task.record)


def _ticket(task: Task) -> str:
    return task.ticket


def _solved(episode: Episode) -> bool:
    return episode.answer is not None and episode.answer == episode.task.gold.get("answer")


def _no_metrics(episode: Episode) -> dict[str, float]:
    return {}


def _mean_metrics(rows: Sequence[tuple[Task, Mapping[str, float]]]) -> dict[str, float]:
    names = rows[0][1] if rows else {}
    return {name: sum(row[name] for _, row in rows) / len(rows) for name in names}


@dataclass(frozen=True)
class Domain:
    """A clinical system: tools, case, rubric, policy and tasks.

    Attributes:
        name: Short name, as in ``tasks/<name>/``.
        policy: The standing instructions to the agent (policy.md).
        tasks: Split name -> its tasks: a sequence, or :class:`gym_clinic.taskset.EndlessTasks`.
        rubric: How episodes are judged.
        tools: What the agent can call, in the order shown.
        ticket: Composes the text that opens a case, with images if it has any.
        open_case: Makes the world of one episode.
        read_answer: Reads the answer from an action without calls; raises ToolError with what
            was expected. None where answers are given by a SUBMIT tool.
        ended: Asked after each turn without an answer: why the domain's work is done (a walk at
            its last layer, a patient who left), None while it goes on. The episode is then
            terminated and judged, and ``info["stop"]`` is this text.
        success: The domain's own notion of a solved task.
        correct: What training by outcomes asks for (hints, groups of mixed outcomes), where success
            is too rare for the samples of a group to differ in it; success by default.
        metrics: Further figures of an episode, always with the same keys; the gold must not
            be among them.
        info: What is added to the env's ``info`` at every reset and step: what a value model reads
            (a graph of the case, say) and no text shows. Returns plain JSON, always with the same
            keys, none of them the environment's own (:data:`gym_clinic.info.RESERVED`); a copy of
            it is handed out. The task of the episode that it gets has no gold: reading it is an
            error. Policies and critics see it, so what the agent may not know stays out.
        aggregate: Figures of many episodes from theirs; means by default.
        solution: The moves of a perfect agent, from the gold; by default one batch of
            ``gold["calls"]``, then ``gold["answer"]`` as text, or submitted by the last call.
        menu: What could be done on a ticket, for baselines and adversaries.
        classes: The class that the gold of a task belongs to, for means balanced over classes;
            None where a domain has none.
        baselines: Policy name -> ``(env, **options) -> maker``, or its path "module:NAME", where
            this domain has a version of its own; see :mod:`gym_clinic.policies`.
        adversaries: Adversary name -> ``(env, **options) -> maker``, or its path: cheap tricks on
            this domain that must never be worth playing, beside the built-in ones.
        conversation: The case and a call that a model answers -> what that model is asked and
            what it answered, to fine-tune it on; None for a call that no model answers. The case
            is as it was opened, and of the call only name, arguments and response are there, as
            in a trace.
        explain: Returns how a finished episode was judged, as tables for people, the gold in words
            among them; without it a debrief lists the fields of the gold.
        edition: Names what results depend on beside tasks, code and data files, such as texts that
            an option chose; part of :meth:`scoring`.
        turn_reward: Paid after each turn, beside the rubric's total at the end; clipped to
            ``turn_range``.
        turn_range: Lowest and highest reward of one turn; needed with ``turn_reward``.
        paid_turns: Most turns of an episode that ``turn_reward`` pays, where that is known: the
            declared range of the reward counts them, and a perfect agent earns the highest
            reward on each. Without it any turn may pay.
        dialects: Name -> a dialect of its own, such as :class:`gym_clinic.action.Tags`, beside
            ``"hermes"`` and ``"json"``.
        dialect: The dialect that is used where the caller names none.
        max_turns: Assistant messages before truncation.
        response_limit: Characters of one tool response before it is cut in the middle.
        blocking: Whether a step may wait (a model server behind a tool), so that an
            asynchronous loop must not run it inline. A step that fails with ServiceError then
            leaves the case as it was, so that it can be tried again.
        module: The module that makes it, for :meth:`scoring`; :func:`load` fills it in.
    """

    name: str
    policy: str
    tasks: Mapping[str, Sequence[Task] | Tasks]
    rubric: Rubric
    tools: tuple[Tool, ...] = ()
    ticket: Callable[[Task], str | Illustrated] = _ticket
    open_case: Callable[[Task], Case] = _open_case
    read_answer: Callable[[str], Any] | None = None
    ended: Callable[[Episode], str | None] | None = None
    success: Callable[[Episode], bool] = _solved
    correct: Callable[[Episode], bool] | None = None
    metrics: Callable[[Episode], dict[str, float]] = _no_metrics
    info: Callable[[Episode], Mapping[str, Any]] | None = None
    aggregate: Callable[[Sequence[tuple[Task, Mapping[str, float]]]], dict[str, float]] = (
        _mean_metrics
    )
    solution: Callable[[Task], Sequence[Move]] | None = None
    menu: Callable[[Task], Menu] | None = None
    classes: Callable[[Task], str] | None = None
    baselines: Mapping[str, Callable[..., Any] | str] = field(default_factory=dict)
    adversaries: Mapping[str, Callable[..., Any] | str] = field(default_factory=dict)
    conversation: Callable[[Any, Call], Conversation | None] | None = None
    explain: Callable[[Episode], Sequence[Table]] | None = None
    edition: Callable[[], str] = str
    turn_reward: Callable[[Episode], float] | None = None
    turn_range: tuple[float, float] | None = None
    paid_turns: int | None = None
    dialects: Mapping[str, Dialect] = field(default_factory=dict)
    dialect: str = "hermes"
    max_turns: int = 10
    response_limit: int | None = None
    blocking: bool = False
    module: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not self.tools and self.read_answer is None:
            raise ConfigError(f"domain {self.name!r} needs tools or read_answer; it has neither")
        if self.read_answer is None and not any(t.kind is Kind.SUBMIT for t in self.tools):
            raise ConfigError(
                f"domain {self.name!r} cannot take an answer: give it a tool of kind SUBMIT "
                "or read_answer"
            )
        if (self.turn_reward is None) != (self.turn_range is None):
            raise ConfigError(
                f"domain {self.name!r}: turn_reward and turn_range belong together, such as "
                "turn_range=(0.0, 0.1)"
            )
        if self.paid_turns is not None and (self.turn_reward is None or self.paid_turns < 1):
            raise ConfigError(
                f"domain {self.name!r}: paid_turns is a whole number from 1, with turn_reward; "
                f"got {self.paid_turns!r}"
            )
        self.find_dialect(self.dialect)

    def is_correct(self, episode: Episode) -> bool:
        """Return whether an episode is correct for training by outcomes."""
        return bool((self.correct or self.success)(episode))

    def find_dialect(self, name: str) -> Dialect:
        """Return a dialect of this domain, or one that every domain takes.

        Raises:
            ConfigError: If there is none of that name.
        """
        known = {**DIALECTS, **self.dialects}
        if not isinstance(name, str) or name not in known:
            raise ConfigError(f"no dialect {name!r}; {suggest(str(name), known)}")
        return known[name]

    def split(self, name: str) -> Tasks:
        """Return the tasks of a split.

        Raises:
            ConfigError: If there is no such split, or it is empty.
        """
        if not isinstance(name, str) or name not in self.tasks:
            raise ConfigError(
                f"domain {self.name!r} has no split {name!r}; {suggest(str(name), self.tasks)}"
            )
        tasks = as_tasks(self.tasks[name])
        if not len(tasks):
            raise ConfigError(f"split {name!r} of domain {self.name!r} holds no task")
        return tasks

    def scoring(self) -> str:
        """Return a fingerprint of what results depend on beside the tasks.

        The code of the environment and of this domain, the data files beside it, its policy, the
        schemas of its tools, and its edition. Comments, docstrings and formatting of code do not
        count. Results of different fingerprints are not put into one table.
        """
        from gym_clinic.fingerprint import fingerprint  # for evaluation only

        judged = (self.rubric, self.ended, self.success, self.metrics, self.aggregate,
                  self.turn_reward)  # fmt: skip
        played = (self.tools, self.ticket, self.open_case, self.read_answer, self.dialects)
        endless = [split for split in self.tasks.values() if getattr(split, "endless", False)]
        schemas = json.dumps([tool.schema for tool in self.tools], sort_keys=True)
        return fingerprint(
            (*judged, *played, *endless),
            module=self.module,
            tasks=self.name,
            texts=(self.policy, schemas, self.edition()),
        )

    def solve(self, task: Task) -> Sequence[Move]:
        """Return the moves of a perfect agent, from the gold."""
        if self.solution is not None:
            return self.solution(task)
        calls = tuple((call["name"], thaw(call["arguments"])) for call in task.gold["calls"])
        if self.read_answer is not None:
            return [*([calls] if calls else []), str(task.gold["answer"])]
        submits = {one.name for one in self.tools if one.kind is Kind.SUBMIT}
        batch = tuple(call for call in calls if call[0] not in submits)
        return [*([batch] if batch else []), *((call,) for call in calls if call[0] in submits)]


def load(
    name: str, options: Mapping[str, Any] | None = None, *, also: Sequence[str] = ()
) -> Domain:
    """Find a domain.

    Args:
        name: ``"clingen"`` for a built-in one, ``"pkg.module:NAME"`` for anyone's. What it
            names is a Domain, or a function that makes one from options.
        options: Plain-JSON options for such a function.
        also: Options that the caller takes itself, to suggest for one that is unknown.

    Raises:
        ConfigError: If there is no such domain, or it does not take these options.
    """
    if not isinstance(name, str) or not name:
        raise ConfigError(f"a domain is named by text, such as 'clingen', not {name!r}")
    if options is not None and not isinstance(options, Mapping):
        raise ConfigError(f"the options of a domain are an object, not {options!r}")
    module_name, _, attribute = name.partition(":")
    if module_name in builtin_names():
        module_name = f"gym_clinic.domains.{module_name}"
    elif not attribute:
        raise ConfigError(
            f"no domain {name!r}; {suggest(name, builtin_names())} Or name your own: "
            "'package.module:NAME'"
        )
    found = import_named(f"{module_name}:{attribute or 'domain'}", "domain")
    if not isinstance(found, Domain) and callable(found):
        found = call_with_options(found, options or {}, f"domain {name!r}", also=also)
    elif options:
        advice = suggest(next(iter(options)), also) if also else ""
        raise ConfigError(f"domain {name!r} takes no options, got {sorted(options)}; {advice}")
    if not isinstance(found, Domain):
        raise ConfigError(f"{name!r} is a {type(found).__name__}; expected a Domain")
    if not found.module:
        object.__setattr__(found, "module", module_name)
    return found


def builtin_names() -> list[str]:
    """Return the names of the built-in domains."""
    import gym_clinic.domains as room

    return sorted(module.name for module in pkgutil.iter_modules(room.__path__))
