"""The first fit: teach a random model the form of a run, until its groups differ in outcome.

Dynamic sampling keeps the groups of samples of which some succeed and some fail. A random model
never succeeds, so none would be kept. It is fitted on runs of the oracle and on runs that are
wrong on purpose, which teaches the form of calls and answers, and little of what is right.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import torch
from torch.nn.functional import cross_entropy
from transformers import AutoModelForCausalLM, AutoTokenizer

from gym_clinic import ClinicEnv, ConfigError, Task
from gym_clinic.names import at_least_one
from verl_recipes.agent_loop.prompts import candidates, shortest
from verl_recipes.agent_loop.tokens import Tokens
from verl_recipes.agent_loop.trajectory import Budgets, Trajectory
from verl_recipes.cpu.sampler import Sampler
from verl_recipes.cpu.tiny import replacing
from verl_recipes.cpu.transcripts import Transcript, transcripts, with_aside

NEAR_STEPS = 400
"""Steps on the end of the prompt alone: the form of a call is learned there, and cheaply."""

CONTEXT = 320
"""Tokens of the prompt in those steps."""

STEPS = 240
"""Most steps on whole transcripts that follow."""

LOOKS = (60, 120)
"""After which of them groups are sampled, to see whether it is enough; after the last anyway."""

RATE = 3e-3
"""Learning rate of AdamW after the warm-up; from there it falls in a line to 0."""

WARM_UP = 10

NEAR_SHARE, SHARE = 0.4, 0.7
"""Shares of the time limit after which the first steps, and all, end; groups take the rest."""


@dataclass(frozen=True)
class FitReport:
    """How a first fit went.

    Attributes:
        fraction: Share of the groups with both outcomes.
        target: What was asked for.
        success: Share of successes among the first two samples of every group.
        groups: Groups sampled, of tasks that were not learned from.
        samples: Most samples of a group.
        loss: Mean negative log-likelihood of a policy token over the last twenty steps, in nats.
        steps: Steps trained.
        seconds: Wall-clock time of it all.
        cut: Whether the time limit cut anything; where not, the result depends on no clock.
    """

    fraction: float
    target: float
    success: float
    groups: int
    samples: int
    loss: float
    steps: int
    seconds: float
    cut: bool

    @property
    def reached(self) -> bool:
        """Whether enough groups are mixed."""
        return self.fraction >= self.target

    def __str__(self) -> str:
        """Return the line that a run prints."""
        end = ", stopped by the time limit" if self.cut else ""
        return (
            f"first fit: {self.fraction:.0%} of {self.groups} groups of {self.samples} are mixed "
            f"(target {self.target:.0%}), success {self.success:.0%}, loss {self.loss:.2f} after "
            f"{self.steps} steps in {self.seconds:.0f} s{end}"
        )


@dataclass(frozen=True)
class Look:
    """What the groups showed.

    Attributes:
        fraction: Share of the groups with both outcomes.
        success: Share of successes among the first two samples of every group.
    """

    fraction: float
    success: float


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
    *,
    budgets: Budgets,
    seed: int,
    native: bool = True,
    seconds: float = 90.0,
    groups: int = 16,
    samples: int = 8,
    temperature: float = 1.0,
    target: float = 1 / 3,
    taught: int = 160,
    near_steps: int = NEAR_STEPS,
    steps: int = STEPS,
    looks: Collection[int] = LOOKS,
    asides: Sequence[str] = (),
) -> FitReport:
    """Fit a model in its folder until enough groups are mixed, and save it there.

    Numbers of steps are fixed beforehand and groups are looked at after fixed ones, so that the
    same machine gives the same weights; the time limit is a guard against slow machines.

    Args:
        model_dir: Model and tokenizer, as :func:`verl_recipes.cpu.tiny.build` writes them.
        env: Plays the tasks.
        task_ids: The tasks of the training to come; some are kept apart for the groups.
        budgets: Of the rollouts that are to come.
        seed: Of runs, order and samples.
        native: Whether tools are shown by the chat template.
        seconds: Time limit for all of it but the saving.
        groups: Groups to sample, one of a task; at most half of ``task_ids``.
        samples: Most samples of a group; fewer once it is mixed.
        temperature: Of the samples.
        target: Share of mixed groups that is enough.
        taught: Tasks to learn from: the other ``task_ids``, then those with the shortest tickets.
        near_steps: Steps on the ends of prompts.
        steps: Most steps on whole transcripts.
        looks: After which of these to sample groups; the last is one in any case.
        asides: Texts that may stand between prompt and response: the hints of a teacher to come.

    Raises:
        ConfigError: If a task is unknown, there are fewer than two, or no run fits the budgets.
    """
    begun = time.monotonic()
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
    hints = [tokenizer.encode(text, add_special_tokens=False) for text in asides]
    played = transcripts(env, lessons, tokens, budgets, random.Random(f"{seed}:runs"))
    learner = Learner(
        model,
        played,
        random.Random(f"{seed}:order"),
        near_steps + at_least_one("steps", steps),
        asides=hints,
    )
    late = False
    for _ in range(near_steps):
        learner.step(CONTEXT)
        late = time.monotonic() - begun > NEAR_SHARE * seconds
        if late:
            break
    look = Look(0.0, 0.0)
    for step in range(1, steps + 1):
        learner.step(None)
        ends = time.monotonic() - begun > SHARE * seconds
        late = late or ends
        if ends or step == steps or step in looks:
            sampler = Sampler(
                model,
                stop=[tokenizer.eos_token_id],
                max_length=budgets.prompt + budgets.response,
            )
            player = Player(env, tokens, budgets, sampler, temperature, seed)
            last, until = ends or step == steps, begun + seconds
            look = sample_groups(player, held, samples, patient=last, until=until)
            late = late or time.monotonic() >= until
            if last or look.fraction >= target:
                break
    with replacing(model_dir) as beside:
        model.save_pretrained(beside)
        tokenizer.save_pretrained(beside)
    return FitReport(
        fraction=look.fraction,
        target=target,
        success=look.success,
        groups=len(held),
        samples=samples,
        loss=sum(learner.losses[-20:]) / len(learner.losses[-20:]),
        steps=len(learner.losses),
        seconds=time.monotonic() - begun,
        cut=late,
    )


class Learner:
    """Learns from transcripts, one a step, each once before any comes again.

    Args:
        model: The model; its weights are changed.
        found: The transcripts.
        draw: Source of their order.
        steps: Steps until the learning rate is 0.
        asides: One of them stands between prompt and response, at even odds, whenever a transcript
            is read. To a tiny model a hint would be noise that changes whatever it says next;
            having met each before right and wrong runs alike, it reads on.

    Attributes:
        losses: Mean loss of every step so far, in nats a policy token.
    """

    def __init__(
        self,
        model: Any,
        found: Sequence[Transcript],
        draw: random.Random,
        steps: int,
        *,
        asides: Sequence[Sequence[int]] = (),
    ) -> None:
        self.model = model
        self.losses: list[float] = []
        self._steps = steps
        self._order = _shuffled(found, draw)
        self._draw, self._asides = draw, asides
        self._optimizer = torch.optim.AdamW(
            model.parameters(), lr=RATE, betas=(0.9, 0.98), weight_decay=0.0
        )

    def step(self, context: int | None) -> None:
        """Take one step.

        Args:
            context: Tokens before the first reply that are read; None for all.
        """
        done = len(self.losses)
        for group in self._optimizer.param_groups:
            group["lr"] = RATE * min(1.0, (done + 1) / WARM_UP) * (1 - done / self._steps)
        one = next(self._order)
        if self._asides and self._draw.random() < 0.5:
            one = with_aside(one, self._draw.choice(self._asides))
        start = 0 if context is None else max(0, one.targets[0] - context)
        ids = torch.tensor(one.ids[start:])
        targets = torch.tensor(one.targets) - start
        # Logits are made only where a policy token is predicted: a few in a hundred.
        out = self.model(input_ids=ids[None], logits_to_keep=targets - 1, use_cache=False)
        loss = cross_entropy(out.logits[0].float(), ids[targets])
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self._optimizer.step()
        self._optimizer.zero_grad()
        self.losses.append(float(loss.detach()))


def _split(tasks: Sequence[Task], groups: int) -> tuple[list[Task], list[Task]]:
    """Keep evenly spaced tasks apart, at most half of them."""
    count = min(groups, len(tasks) // 2)
    apart = {number * len(tasks) // count for number in range(count)}
    held = [task for place, task in enumerate(tasks) if place in apart]
    return held, [task for place, task in enumerate(tasks) if place not in apart]


def _shuffled(found: Sequence[Transcript], draw: random.Random) -> Iterator[Transcript]:
    """Yield every transcript once, in another order each time, for ever."""
    while True:
        order = list(found)
        draw.shuffle(order)
        yield from order


@dataclass(frozen=True)
class Player:
    """Plays tasks with a model, as the rollouts will.

    Attributes:
        env: The environment.
        tokens: Of the model.
        budgets: Of the rollouts.
        sampler: The model.
        temperature: Of the samples.
        seed: Of the samples, with task, sample and turn.
    """

    env: ClinicEnv
    tokens: Tokens
    budgets: Budgets
    sampler: Sampler
    temperature: float
    seed: int

    def succeeds(self, task: Task, sample: int) -> bool:
        """Play one sample of a task to its end; return the environment's ``success``."""
        one = Trajectory(self.env, task.id, self.tokens, self.budgets)
        one.begin()
        while not one.over:
            key = f"{self.seed}:{task.id}:{sample}:{one.turns}".encode()
            said = self.sampler.generate(
                one.ids,
                max_tokens=one.room,
                temperature=self.temperature,
                seed=int.from_bytes(hashlib.blake2b(key, digest_size=7).digest(), "big"),
                ends=one.stopped if one.stops else None,
            )
            done = said.stop_reason == "completed"
            one.take(said.token_ids, said.log_probs, finished=done)
        return bool(one.info["success"])


def sample_groups(
    player: Player, tasks: Sequence[Task], samples: int, *, patient: bool, until: float
) -> Look:
    """Sample every task until it has both outcomes.

    Args:
        player: Plays them.
        tasks: One group each.
        samples: Most samples of a group.
        patient: Go on although two samples of every group were all alike.
        until: When to stop, on the monotonic clock; what is not seen by then is not mixed.
    """
    outcomes: list[list[bool]] = [[] for _ in tasks]
    for sample in range(samples):
        if sample == 2 and not patient and len({one for seen in outcomes for one in seen}) < 2:
            break
        for task, seen in zip(tasks, outcomes, strict=True):
            if len(set(seen)) < 2 and time.monotonic() < until:
                seen.append(player.succeeds(task, sample))
    first = [one for seen in outcomes for one in seen[:2]]
    mixed = sum(len(set(seen)) == 2 for seen in outcomes)
    return Look(mixed / len(tasks), sum(first) / len(first) if first else 0.0)
