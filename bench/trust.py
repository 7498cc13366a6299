"""What every policy is worth on ClinGen, in one table.

Run: ``python bench/trust.py [--limit N]``. Beside the adversaries: the outcome reward alone,
which a constant answer games, and the right class stated without any call.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence
from typing import Any

import gymnasium as gym

from gym_clinic import ClinicEnv, Task
from gym_clinic.policies import ADVERSARIES, Maker, Policy, load
from gym_clinic.policies.moves import scripted
from gym_clinic.policies.playing import play
from gym_clinic.rewards import scale


def show(label: str, env: ClinicEnv, tasks: Sequence[Task], maker: Maker) -> None:
    """Play every task, its number the seed, and print one line of the table."""
    played = [play(env, task, maker(seed), seed) for seed, task in enumerate(tasks)]
    scaled = statistics.fmean(scale(one.reward, env.reward_range) for one in played)
    solved = statistics.fmean(one.info["success"] for one in played)
    print(f"  {label:34s} scaled {scaled:.3f}   success {solved:.3f}", flush=True)


def table(name: str, limit: int | None) -> None:
    """Print what the policies are worth on an id."""
    env: Any = gym.make(name, split="test").unwrapped
    tasks = env.tasks[:limit]
    print(f"{name}, {len(tasks)} test tasks")
    own = [policy for policy in env.domain.baselines if policy != "rules"]
    for policy in ("oracle", "rules", *own, "random", *ADVERSARIES):
        show(policy, env, tasks, load(policy, env))
    alone: Any = gym.make(name, split="test", reward="outcome").unwrapped
    show("prior, outcome reward alone", alone, tasks, load("prior", alone))

    def stated(seed: int) -> Policy:
        """State the right class and nothing else."""
        answers = env.domain.menu(tasks[seed]).answers
        label = tasks[seed].gold["classification"]
        return scripted([answers.get(label) or answers[f"{label}, no evidence"]])

    show("right class, no call, no evidence", env, tasks, stated)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, help="only the first tasks")
    limit = parser.parse_args().limit
    for name in ("clinic/ClinGen-v0", "clinic/ClinGenSingle-v0"):
        table(name, limit)


if __name__ == "__main__":
    main()
