"""Groups of samples of a tiny model: how many have both outcomes, and how many calls they make."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from gym_clinic import ClinicEnv, Task
from verl_recipes.agent_loop.tokens import Tokens
from verl_recipes.agent_loop.trajectory import Budgets, Trajectory
from verl_recipes.cpu.sampler import Sampler

HOPELESS = 16
"""Samples without a success after which no further ones are taken."""


@dataclass(frozen=True)
class Look:
    """What the groups showed.

    Attributes:
        mixed: Share of the groups with both outcomes.
        success: Share of successes among the first two samples of every group.
        calls: Mean calls of an episode among these, of those that a tool answered.
    """

    mixed: float
    success: float
    calls: float


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

    def play(self, task: Task, sample: int) -> tuple[bool, int]:
        """Play one sample of a task to its end; return whether it is correct, and its calls."""
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
        calls = sum(call.ok for turn in self.env.episode.turns for call in turn.calls)
        return self.env.domain.is_correct(self.env.episode), calls


def sample_groups(player: Player, tasks: Sequence[Task], samples: int, *, least: float) -> Look:
    """Sample every task until it has both outcomes.

    Two samples of each group are enough where too few calls are made, and where `HOPELESS` samples
    or more all fail: a strict task of twenty calls is beyond a tiny model.

    Args:
        player: Plays them.
        tasks: One group each.
        samples: Most samples of a group.
        least: Calls an episode; with fewer, two samples of each group are taken.
    """
    outcomes: list[list[bool]] = [[] for _ in tasks]
    made: list[int] = []
    for sample in range(samples):
        failing = len(made) >= HOPELESS and not any(map(any, outcomes))
        if sample == 2 and (failing or fmean(made) < least):
            break
        for task, seen in zip(tasks, outcomes, strict=True):
            if sample < 2 or len(set(seen)) < 2:
                success, calls = player.play(task, sample)
                seen.append(success)
                made += [calls] if sample < 2 else []
    return Look(
        mixed=fmean(len(set(seen)) == 2 for seen in outcomes),
        success=fmean(one for seen in outcomes for one in seen[:2]),
        calls=fmean(made),
    )
