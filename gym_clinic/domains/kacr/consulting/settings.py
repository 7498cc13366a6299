"""The domain of the consultation, put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, cast

from gym_clinic.consult import Assessor, make_consultant, self_reported
from gym_clinic.domain import CallSpec, Domain, Menu, Move
from gym_clinic.domains.kacr.consulting import adversaries, baseline, judge
from gym_clinic.domains.kacr.consulting.confidence import CriticAssessor, equal_confidence
from gym_clinic.domains.kacr.consulting.draw import LETTERS
from gym_clinic.domains.kacr.consulting.members import DEBATER, MEMBER
from gym_clinic.domains.kacr.consulting.setup import (
    Role,
    Setup,
    options_text,
    oracle_reply,
    panel_text,
)
from gym_clinic.domains.kacr.consulting.tasks import make_task
from gym_clinic.domains.kacr.consulting.tools import (
    TOOLS,
    ConsultationCase,
    calibrate_answer,
    give_opinion,
    hear_panel,
    read_references,
    submit_diagnosis,
)
from gym_clinic.episode import Episode, Task
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts import load
from gym_clinic.names import at_least_one, suggest
from gym_clinic.paths import tasks_dir
from gym_clinic.taskset import EndlessTasks, TaskFolder

NAME = "kacr_consultation"
SPLITS = ("train", "dev", "test")
MAX_TURNS = 24
"""Assistant messages: one opinion each for five members and the debater in every round."""

MOST_RESEEDED = 20

ROLES: Mapping[str, str] = {
    "agent": "You sit on the panel for {seat}. Give its opinion in every round (give_opinion), or "
             "close with your own answer once you have heard enough.",
    "debater": "You are the debater. Hear the panel, then revise the answers (calibrate_answer), "
               "or close the consultation with the answer that holds.",
    "all": "You speak for every member in every round (give_opinion) and for the debater "
           "(calibrate_answer), or close the consultation with the answer that holds.",
}  # fmt: skip


def make_domain(
    role: Any, confidence: Any, graph: Any, rounds: Any, reasoning: Any, k: Any, members: Any,
    debater: Any,
) -> Domain:  # fmt: skip
    """Return the domain; the options are those of the data sheet."""
    if not isinstance(role, str) or role not in ROLES:
        raise ConfigError(f"no role {role!r}; {suggest(str(role), ROLES)}")
    if not isinstance(graph, bool):
        raise ConfigError(f"graph is true or false, not {graph!r}")
    setup = Setup(
        role=cast("Role", role),
        confidence=assessor_of(confidence),
        graph=graph,
        rounds=at_least_one("rounds", rounds),
        reasoning=at_least_one("reasoning", reasoning),
        k=at_least_one("k", k),
        members=make_consultant(members, {"recorded": MEMBER}),
        debater=make_consultant(debater, {"recorded": DEBATER}),
    )
    speaks = {"agent": (give_opinion,), "debater": (calibrate_answer,),
              "all": (give_opinion, calibrate_answer)}[role]  # fmt: skip
    offered = (hear_panel, *((read_references,) if graph else ()), *speaks, submit_diagnosis)
    folder = TaskFolder(tasks_dir(NAME), SPLITS)
    return Domain(
        name=NAME,
        policy=(tasks_dir(NAME) / "policy.md").read_text(encoding="utf-8"),
        tasks={**{split: folder[split] for split in folder},
               "endless": EndlessTasks(endless_task, "kc")},
        rubric=judge.rubric(role),
        tools=tuple(tool for tool in TOOLS if tool in offered),
        ticket=partial(ticket, setup=setup),
        open_case=partial(ConsultationCase, setup=setup),
        ended=ended,
        success=judge.solved,
        metrics=judge.metrics,
        aggregate=judge.aggregate,
        solution=partial(solution, setup=setup),
        menu=partial(menu, setup=setup),
        classes=lambda task: str(task.gold["answer"]),
        explain=judge.explain,
        baselines={"rules": baseline.rules, **adversaries.CEILINGS},
        adversaries=adversaries.ADVERSARIES,
        max_turns=MAX_TURNS,
        blocking=isinstance(members, Mapping) or isinstance(debater, Mapping),
    )  # fmt: skip


def assessor_of(option: Any) -> Assessor:
    """Return what says how sure a member is.

    Args:
        option: ``"self"`` for what the reply states, None for 1 in all, or ``{"critic": path}``
            for the critic of step I, a file of ``gym_clinic.domains.kacr.critic.save_critic``.

    Raises:
        ConfigError: It is none of them.
    """
    if option == "self":
        return self_reported
    if option is None:
        return equal_confidence
    if isinstance(option, Mapping) and set(option) == {"critic"}:
        return CriticAssessor(option["critic"])
    raise ConfigError(f"confidence is 'self', None or {{'critic': path}}, not {option!r}")


def endless_task(seed: int) -> Task:
    """Return the task of a seed; a seed that makes none passes to one of its own."""
    for number in range(MOST_RESEEDED):
        try:
            return make_task(f"endless:{seed}" + f":{number}" * (number > 0), "train")
        except TaskError:
            continue
    raise TaskError(f"seed {seed} makes no consultation")


def ticket(task: Task, setup: Setup) -> str:
    """Return the question, the options, the panel and the role."""
    record = task.record
    seat = setup.seat(record)
    parts = [
        f"Question:\n{record['question']}\n{record['note']}",
        f"Options, which diagnosis is it:\n{options_text(record)}",
        f"Panel:\n{panel_text(setup, record)}",
        ROLES[setup.role].format(seat=f"{load().disciplines[seat].name} ({seat})"),
    ]
    if played := setup.played(record):
        found = "\n".join(
            f"- {name}: {', '.join(record['examinations'][name]) or 'nothing new'}"
            for name in played
        )
        parts.append(f"Found on your own examination and not told above:\n{found}")
    return "\n\n".join(parts)


def ended(episode: Episode) -> str | None:
    """Return why the consultation is over; None while it goes on."""
    case = episode.case
    assert isinstance(case, ConsultationCase)
    result = case.result()
    if result is None:
        return None
    return "consensus" if result.unanimous else "last round"


def solution(task: Task, setup: Setup) -> Sequence[Move]:
    """Return the moves of a perfect agent.

    The debater, and who plays all, close with the right answer; one agent argues for it with the
    findings that decide, round by round, until the panel has voted.
    """
    answer = task.gold["answer"]
    if setup.role != "agent":
        return [((hear_panel.name, {}),), ((submit_diagnosis.name, {"choice": answer}),)]
    said = {"discipline": setup.seat(task.record), **oracle_reply(task).model_dump()}
    case = ConsultationCase(task, setup)
    moves: list[Move] = []
    while not case.talk().over and len(moves) <= setup.rounds:
        moves.append(((give_opinion.name, dict(said)),))
        give_opinion.call(dict(said), case)
    return moves


def menu(task: Task, setup: Setup) -> Menu:
    """Return what can be done from the ticket alone."""
    letters = [letter for letter in LETTERS if letter in task.record["options"]]
    calls: list[CallSpec] = [(hear_panel.name, {})]
    if setup.graph:
        calls.append((read_references.name, {"options": letters}))
    answers: dict[str, Move] = {
        letter: ((submit_diagnosis.name, {"choice": letter}),) for letter in letters
    }
    return Menu(tuple(calls), answers)
