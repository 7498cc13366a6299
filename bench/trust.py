"""The mean reward of every policy on ClinGen, in one table.

Run: ``python bench/trust.py [--limit N] [--trained] [--fit N]``. Two means of the scaled reward
(0 to 1) are given with bootstrap intervals: balanced, in which each published class has the same
weight, and natural, in which each task has. Beside the adversaries: a linear reader of the whole
ticket, the outcome reward alone, which a constant answer games, each class as a constant answer,
and the right class stated without any call.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym

from gym_clinic import ClinicEnv, Task
from gym_clinic.domains.clingen.evidence import CLASSES
from gym_clinic.evaluate.intervals import Interval, mean_intervals, resamples
from gym_clinic.policies import TRAINED, Maker, Policy, adversaries_of, load, play, scripted
from gym_clinic.policies.constants import SAMPLE
from gym_clinic.rewards import scale
from gym_clinic.taskset import first


def show(label: str, env: ClinicEnv, tasks: Sequence[Task], maker: Maker) -> float:
    """Play every task, its number the seed, print a line of the table, return the balanced mean."""
    assert env.domain.classes is not None
    played = [play(env, task, maker(seed), seed) for seed, task in enumerate(tasks)]
    column = [[scale(one.reward, env.reward_range)] for one in played]
    classes = [env.domain.classes(task) for task in tasks]
    draws = resamples(len(tasks), 0)
    (natural,) = mean_intervals([column], draws)
    (balanced,) = mean_intervals([column], draws, classes)
    solved = statistics.fmean(one.info["success"] for one in played)
    print(f"  {label:37s} {_text(balanced)}   {_text(natural)}   {solved:.3f}", flush=True)
    return balanced.mean or 0.0


def _text(mean: Interval) -> str:
    return f"{mean.mean:.3f} [{mean.low:.3f}, {mean.high:.3f}]"


def always(env: ClinicEnv, answer: str) -> Maker:
    """Make a policy that gives one answer of the menu."""
    assert env.domain.menu is not None
    menu: Callable[[Task], Any] = env.domain.menu
    return lambda seed: scripted([menu(env.tasks[seed]).answers[answer]])


def table(name: str, limit: int | None, trained: bool, fit: int) -> None:
    """Print the mean reward of each policy on an id."""
    env: Any = gym.make(name, split="test").unwrapped
    tasks = first(env.tasks, limit)
    print(f"{name}, {len(tasks)} test tasks")
    print(f"  {'':37s} {'balanced':22s} {'natural':22s} success")
    own = [policy for policy in env.domain.baselines if policy != "rules"]
    adversaries = [one for one in adversaries_of(env) if trained or one not in TRAINED]
    for policy in ("oracle", "rules", *own, "random", *adversaries):
        options = {"tasks": fit} if policy == "prior" else {}
        show(policy, env, tasks, load(policy, env, options))
    if trained:
        reader = load("linear", env, {"evidence": True})
        show("linear, reads the whole ticket", env, tasks, reader)
    alone: Any = gym.make(name, split="test", reward="outcome").unwrapped
    show("prior, outcome reward alone", alone, tasks, load("prior", alone, {"tasks": fit}))
    for label in CLASSES:
        answer = next(key for key in env.domain.menu(tasks[0]).answers if key.startswith(label))
        show(f"always {label}", env, tasks, always(env, answer))

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
    parser.add_argument("--trained", action="store_true", help="the trained adversaries too")
    parser.add_argument("--fit", type=int, default=SAMPLE, help="train tasks for the constants")
    args = parser.parse_args()
    for name in ("clinic/ClinGen-v0", "clinic/ClinGenSingle-v0"):
        table(name, args.limit, args.trained, args.fit)


if __name__ == "__main__":
    main()
