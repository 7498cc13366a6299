"""What every policy is worth on ClinGen, in one table.

Run: ``python bench/trust.py [--limit N]``. Beside the adversaries: the outcome reward alone,
which a constant answer games, and the right class stated without any call.
"""

from __future__ import annotations

import argparse
import statistics
from typing import Any

import gymnasium as gym

from gym_clinic import ClinicEnv, Task
from gym_clinic.policies import ADVERSARIES, Policy, load
from gym_clinic.rewards import scale


class Stated:
    """Says one thing, whatever it is told."""

    def __init__(self, text: str) -> None:
        self.text = text

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Return the text."""
        return self.text


def play(env: ClinicEnv, policy: Policy, task: Task, seed: int) -> tuple[float, bool]:
    """Play one episode; return its scaled reward and whether it was a success."""
    observation, info = env.reset(seed=seed, options={"task_id": task.id})
    total, over = 0.0, False
    while not over:
        observation, reward, done, cut, info = env.step(policy.act(observation, info))
        total += reward
        over = done or cut
    return scale(total, env.reward_range), info["success"]


def show(label: str, played: list[tuple[float, bool]]) -> None:
    """Print one line of the table."""
    scaled = statistics.fmean(reward for reward, _ in played)
    solved = statistics.fmean(success for _, success in played)
    print(f"  {label:34s} scaled {scaled:.3f}   success {solved:.3f}", flush=True)


def table(name: str, limit: int | None) -> None:
    """Print what the policies are worth on an id."""
    env: Any = gym.make(name, split="test").unwrapped
    tasks = env.tasks[:limit]
    print(f"{name}, {len(tasks)} test tasks")
    for policy in ("oracle", "rules", "random", *ADVERSARIES):
        maker = load(policy, env)
        show(policy, [play(env, maker(seed), task, seed) for seed, task in enumerate(tasks)])
    alone: Any = gym.make(name, split="test", reward="outcome").unwrapped
    maker = load("prior", alone)
    show(
        "prior, outcome reward alone",
        [play(alone, maker(seed), task, seed) for seed, task in enumerate(tasks)],
    )
    played = []
    for seed, task in enumerate(tasks):
        answers = env.domain.menu(task).answers
        label = task.gold["classification"]
        text = answers.get(label) or answers[f"{label}, no evidence"]
        played.append(play(env, Stated(text), task, seed))
    show("right class, no call, no evidence", played)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, help="only the first tasks")
    limit = parser.parse_args().limit
    for name in ("clinic/ClinGen-v0", "clinic/ClinGenSingle-v0"):
        table(name, limit)


if __name__ == "__main__":
    main()
