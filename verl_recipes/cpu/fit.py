"""The first fit: teach a tiny model the form of a run, and what a hint about its outcome means.

Dynamic sampling keeps the groups of samples of which some succeed and some fail, and the teacher
of TT-OPD differs from the student by its hint alone. So a tiny model is fitted on runs of the
oracle and on runs that are wrong on purpose, half of them behind a hint that is true of them. It
then plays right and wrong runs, and right ones more often where it reads that the run was right.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from statistics import fmean
from typing import Any

import torch
from torch.nn.functional import cross_entropy
from transformers import AutoModelForCausalLM, AutoTokenizer

from gym_clinic import ClinicEnv, ConfigError, Task
from gym_clinic.names import at_least_one
from verl_recipes.agent_loop.prompts import candidates, shortest
from verl_recipes.agent_loop.tokens import Tokens
from verl_recipes.agent_loop.trajectory import Budgets
from verl_recipes.cpu.groups import Look, Player, sample_groups
from verl_recipes.cpu.learner import BRIEF, CONTEXT, LONG, Learner, read_logits
from verl_recipes.cpu.sampler import Sampler
from verl_recipes.cpu.tiny import replacing, value_tokens
from verl_recipes.cpu.transcripts import Transcript, asks_several, transcripts
from verl_recipes.ttopd.hints import Hints
from verl_recipes.ttopd.placement import HintPlacement


@dataclass(frozen=True)
class Goals:
    """What is good enough.

    Attributes:
        mixed: Share of the groups with both outcomes.
        calls: Calls an episode that a tool answered; the mean of the lessons where that is less.
        informed: Share of the runs that their own hint makes likelier than the other.
    """

    mixed: float = 1 / 3
    calls: float = 2.0
    informed: float = 0.7


@dataclass(frozen=True)
class FitReport:
    """How a first fit went; it depends on no clock.

    Attributes:
        look: What the groups showed, of tasks that were not learned from.
        informed: Share of right and wrong runs of these tasks that are likelier behind a hint of
            their own outcome than behind one of the other.
        nats: How much likelier, as the mean log ratio of a run.
        goals: What was asked for.
        groups: Groups sampled.
        samples: Most samples of a group.
        loss: Mean negative log-likelihood of a policy token over the last twenty steps, in nats.
        steps: Steps trained.
        seconds: Wall-clock time of it all.
    """

    look: Look
    informed: float
    nats: float
    goals: Goals
    groups: int
    samples: int
    loss: float
    steps: int
    seconds: float

    @property
    def reached(self) -> bool:
        """Whether all goals are reached."""
        asked = self.goals
        return (
            self.look.mixed >= asked.mixed
            and self.look.calls >= asked.calls
            and self.informed >= asked.informed
        )

    @property
    def brief(self) -> str:
        """What is measured on the way, in few words."""
        return (
            f"loss {self.loss:.2f}, mixed {self.look.mixed:.0%}, {self.look.calls:.1f} calls, "
            f"hints tell {self.informed:.0%}, {self.seconds:.0f} s"
        )

    def __str__(self) -> str:
        """Return the lines that a run prints."""
        return (
            f"first fit: {self.look.mixed:.0%} of {self.groups} groups of {self.samples} are mixed "
            f"(goal {self.goals.mixed:.0%}), success {self.look.success:.0%}, "
            f"{self.look.calls:.1f} calls an episode (goal {self.goals.calls:.1f}); a hint of the "
            f"own outcome makes {self.informed:.0%} of runs likelier (goal "
            f"{self.goals.informed:.0%}), by {self.nats:.1f} nats on average; loss {self.loss:.2f} "
            f"after {self.steps} steps in {self.seconds:.0f} s"
        )


def read_report(text: bytes) -> FitReport:
    """Return a report that was written as JSON."""
    found = json.loads(text)
    return FitReport(**{**found, "look": Look(**found["look"]), "goals": Goals(**found["goals"])})


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch use one thread: the same bits on any machine, and no waiting on a busy one."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@one_thread()
def first_fit(
    model_dir: Path,
    env: ClinicEnv,
    task_ids: Sequence[str],
    hints: Hints,
    *,
    budgets: Budgets,
    seed: int,
    native: bool = True,
    groups: int = 16,
    samples: int = 8,
    temperature: float = 1.0,
    goals: Goals | None = None,
    taught: int = 160,
    also: Sequence[ClinicEnv] = (),
    **changes: Any,
) -> FitReport:
    """Fit a model in its folder until it is good enough, and save it there.

    It is measured after fixed numbers of steps and stops by what is measured, so that the same
    processor gives the same weights, however busy it is.

    Args:
        model_dir: Model and tokenizer, as :func:`verl_recipes.cpu.tiny.build` writes them.
        env: Plays the tasks.
        task_ids: The tasks of the training to come; some are kept apart for the groups.
        hints: Of the teacher to come.
        budgets: Of the rollouts that are to come.
        seed: Of runs, order and samples.
        native: Whether tools are shown by the chat template.
        groups: Groups to sample, one of a task; at most half of ``task_ids``.
        samples: Most samples of a group; fewer once it is mixed.
        temperature: Of the samples.
        goals: What is good enough.
        taught: Tasks to learn from: the other ``task_ids``, then those with the shortest tickets.
        also: Further environments of the training; their shortest tasks are learned from as well.
        changes: Fields of :class:`FitSchedule` in place of those of `BRIEF` or `LONG`.

    Raises:
        ConfigError: If a task is unknown, there are fewer than two, or no run fits the budgets.
    """
    begun = time.monotonic()
    course = replace(LONG if asks_several(env) else BRIEF, **changes)
    known = {task.id: task for task in candidates(env, seed)}
    if unknown := [name for name in task_ids if name not in known]:
        raise ConfigError(f"the environment has no tasks {unknown[:3]}; they are of another split")
    if len(task_ids) < 2:
        raise ConfigError(f"a first fit needs two tasks or more, got {list(task_ids)}")
    held, rest = _split([known[name] for name in task_ids], at_least_one("groups", groups))
    named = {*task_ids}
    more = (task for task in shortest(env, len(known), seed) if task.id not in named)
    lessons = list(islice(chain(rest, more), at_least_one("taught", taught)))
    model = AutoModelForCausalLM.from_pretrained(model_dir)
    tokenizer = AutoTokenizer.from_pretrained(model_dir)
    tokens = Tokens(tokenizer, model.config.model_type, native=native)
    told = hint_tokens(hints, tokens)
    runs = random.Random(f"{seed}:runs")
    played = transcripts(env, lessons, tokens, budgets, runs)
    for other in also:
        played += transcripts(other, shortest(other, taught, seed), tokens, budgets, runs)
    unseen = transcripts(env, held, tokens, budgets, random.Random(f"{seed}:held"))
    goals = goals or Goals()
    goals = replace(goals, calls=min(goals.calls, fmean(one.calls for one in unseen)))
    draw = random.Random(f"{seed}:order")
    learner = Learner(model, played, told, draw, course, value_tokens(tokenizer))
    total = course.near_steps + course.steps * (1 + course.between)
    print(
        f"         fit on {len(played)} runs of {len(lessons)} tasks, {total} steps at most",
        flush=True,
    )
    for _ in range(course.near_steps):
        learner.step(CONTEXT)
    for step in range(1, course.steps + 1):
        for _ in range(course.between):
            learner.step(CONTEXT)
        learner.step(None)
        last = step == course.steps
        if step % course.look_every and not last:
            continue
        informed, nats = informs(model, unseen, told)
        sampler = Sampler(
            model, stop=[tokenizer.eos_token_id], max_length=budgets.prompt + budgets.response
        )
        player = Player(env, tokens, budgets, sampler, temperature, seed)
        look = sample_groups(player, held, samples, least=0.0 if last else goals.calls)
        report = FitReport(
            look=look,
            informed=informed,
            nats=nats,
            goals=goals,
            groups=len(held),
            samples=samples,
            loss=fmean(learner.losses[-20:]),
            steps=len(learner.losses),
            seconds=time.monotonic() - begun,
        )
        print(f"         fit {len(learner.losses)} steps: {report.brief}", flush=True)
        if report.reached:
            break
    with replacing(model_dir) as beside:
        model.save_pretrained(beside)
        tokenizer.save_pretrained(beside)
    return report


def hint_tokens(hints: Hints, tokens: Tokens) -> dict[bool, list[list[int]]]:
    """Return outcome -> the tokens of every hint about it, of either size."""
    placement = HintPlacement(tokens)
    sizes = [hints, hints.of_size("outcome")]
    return {
        True: [placement.ids(text) for size in sizes for text in size.correct],
        False: [placement.ids(text) for size in sizes for text in size.incorrect],
    }


@torch.no_grad()
def informs(
    model: Any, runs: Sequence[Transcript], told: dict[bool, list[list[int]]]
) -> tuple[float, float]:
    """Return whether the model as a teacher tells right runs from wrong ones by their hints.

    Args:
        model: The model.
        runs: Right and wrong ones.
        told: Outcome -> tokens of the hints about it.

    Returns:
        The share of the runs that are likelier behind a hint of their own outcome than behind one
        of the other, and the mean log ratio of the two likelihoods, in nats a run.
    """
    gains = []
    for number, one in enumerate(runs):
        own, other = (
            _log_likelihood(model, one.hinted(hints[number % len(hints)]))
            for hints in (told[one.success], told[not one.success])
        )
        gains.append(own - other)
    return fmean(gain > 0 for gain in gains), fmean(gains)


def _log_likelihood(model: Any, one: Transcript) -> float:
    ids, targets, logits = read_logits(model, one, None)
    return -float(cross_entropy(logits, ids[targets], reduction="sum"))


def _split(tasks: Sequence[Task], groups: int) -> tuple[list[Task], list[Task]]:
    """Keep evenly spaced tasks apart, at most half of them."""
    count = min(groups, len(tasks) // 2)
    apart = {number * len(tasks) // count for number in range(count)}
    held = [task for place, task in enumerate(tasks) if place in apart]
    return held, [task for place, task in enumerate(tasks) if place not in apart]
