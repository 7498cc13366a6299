"""The domain of the walk, put together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from gym_clinic.action import Tag, Tags
from gym_clinic.domain import Domain, Menu, Move
from gym_clinic.domains.kacr import adversaries, baseline, describe
from gym_clinic.domains.kacr.judge import WalkJudge, ended, explain
from gym_clinic.domains.kacr.labels import DisciplineLabels
from gym_clinic.domains.kacr.oracle import best_walk
from gym_clinic.domains.kacr.rules import WalkRules
from gym_clinic.domains.kacr.state import graph_info
from gym_clinic.domains.kacr.tasks import SIZES, make_task
from gym_clinic.domains.kacr.tools import read_answer, select_nodes
from gym_clinic.domains.kacr.walk import WalkCase
from gym_clinic.embedded import EMBEDDED
from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError
from gym_clinic.names import at_least_one, suggest
from gym_clinic.paths import tasks_dir
from gym_clinic.taskset import EndlessTasks, TaskFolder

REFUSED = 6
"""Messages beside the steps of a walk, for selections that were refused."""

DIALECT = Tags(
    {"select": Tag(select_nodes.name, "names", describe.SEPARATOR)},
    answers="{response}",
    name="select",
)
"""``<select>Cough; Fever</select>``."""


def make_domain(
    disciplines: int,
    nodes: int,
    iterations: int,
    explored: int,
    graph: str,
    questions: str,
    description: str,
    order: int,
    annotator_noise: float,
) -> Domain:
    """Return the domain; the options are those of the data sheet."""
    if description not in describe.DESCRIPTIONS:
        known = describe.DESCRIPTIONS
        raise ConfigError(f"no description {description!r}; {suggest(str(description), known)}")
    if isinstance(order, bool) or not isinstance(order, int):
        raise ConfigError(f"order is a whole number, the seed of an order, not {order!r}")
    number = isinstance(annotator_noise, int | float) and not isinstance(annotator_noise, bool)
    if not number or not 0 <= annotator_noise <= 1:
        raise ConfigError(f"annotator_noise is a number from 0 to 1, not {annotator_noise!r}")
    rules = WalkRules(
        graph=graph,
        disciplines=at_least_one("disciplines", disciplines),
        nodes=at_least_one("nodes", nodes),
        iterations=at_least_one("iterations", iterations),
        explored=at_least_one("explored", explored),
        order=order,
        description=description,
    )
    rules.open_graph()  # a graph that is not there is named at once
    labels = DisciplineLabels(rules, float(annotator_noise))
    judge = WalkJudge(labels)
    # With more disciplines a step, chance alone earns much: the tricks then show what chance is.
    strict = disciplines == 1
    own = questions != EMBEDDED
    if not isinstance(questions, str) or not questions:
        raise ConfigError(f"questions is {EMBEDDED!r} or a folder of tasks, not {questions!r}")
    folder = TaskFolder(Path(questions) if own else tasks_dir("kacr"), tuple(SIZES))
    endless = EndlessTasks(lambda seed: make_task(f"endless:{seed}", "train"), "dg")
    policy = (tasks_dir("kacr") / "policy.md").read_text(encoding="utf-8")
    return Domain(
        name="kacr",
        policy=policy,
        tasks={**{split: folder[split] for split in folder},
               **({} if own else {"endless": endless})},
        rubric=judge.rubric(iterations),
        tools=(select_nodes,),
        ticket=lambda task: describe.ticket(WalkCase(task, rules)),
        open_case=lambda task: WalkCase(task, rules),
        read_answer=read_answer,
        ended=ended,
        success=judge.solved,
        metrics=judge.metrics,
        info=graph_info,
        explain=partial(explain, labels),
        solution=partial(solution, rules=rules, labels=labels),
        menu=partial(menu, rules=rules),
        classes=lambda task: "misleading" if task.gold.get("misleading") else "plain",
        baselines={**baseline.BASELINES, **({} if strict else adversaries.ADVERSARIES)},
        adversaries=adversaries.ADVERSARIES if strict else {},
        turn_reward=judge.turn_reward,
        turn_range=(0.0, 1.0),
        paid_turns=iterations,
        dialects={DIALECT.name: DIALECT},
        dialect=DIALECT.name,
        max_turns=len(rules.layers) + REFUSED,
    )  # fmt: skip


def menu(task: Task, rules: WalkRules) -> Menu:
    """Return what can be done on a ticket: select the symptoms that the question mentions."""
    case = WalkCase(task, rules)
    names = [case.node(key).name for key in case.mentions[: rules.nodes]]
    return Menu(calls=((select_nodes.name, {"names": names}),))


def solution(task: Task, rules: WalkRules, labels: DisciplineLabels) -> Sequence[Move]:
    """Return the moves of a perfect agent: one selection a step."""
    return [((select_nodes.name, {"names": names}),)
            for names in best_walk(task, rules, labels(task))]  # fmt: skip
