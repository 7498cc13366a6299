"""What can be earned on the clinical ids without clinical reasoning, in one table an id.

Run: ``python bench/ceilings.py [--every N] [ID ...]``. The mean of the scaled reward (0 to 1) on
every third test task, with its 95% interval, the accuracy of the answer by itself, and the share of
findings that were read of those that must be. From the top: the oracle and the rules baseline;
doing nothing; one constant answer, without looking and after a look; what the words of the ticket
tell, without and with the reading of the rules; that reading, and all that the oracle reads, with
the best constant answer; a sweep of the tools with a linear model of all that came back, trained on
the train split, which orders what was right for the train patient most alike and pays for it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial

import gymnasium as gym

from gym_clinic import ClinicEnv, Task
from gym_clinic.catalog import unwrap
from gym_clinic.evaluate.intervals import mean_intervals, resamples
from gym_clinic.policies import Maker, load, play
from gym_clinic.policies.fitted.linear import linear
from gym_clinic.policies.fitted.reading import borrowed_calls
from gym_clinic.policies.fitted.sweep import sweep
from gym_clinic.rewards import scale

IDS = ("clinic/ClinicalDiagnosis-v0", "clinic/TriageEmergency-v0", "clinic/DrugInteraction-v0")

FIT = 120
"""Train tasks on which the constant answer after a reading is chosen."""


def _named(policy: str, env: ClinicEnv) -> Maker:
    return load(policy, env)


PLAYERS: dict[str, Callable[[ClinicEnv], Maker]] = {
    "oracle": partial(_named, "oracle"),
    "rules": partial(_named, "rules"),
    "doing nothing": partial(_named, "silent"),
    "best constant": partial(_named, "answer-without-looking"),
    "a look and the best constant": partial(_named, "look-once"),
    "the ticket's words alone": partial(linear, evidence=True),
    "rules' reading, the ticket's words": partial(_named, "ticket-bayes"),
    "rules' reading, best constant": partial(borrowed_calls, cites=True, tasks=FIT),
    "oracle's reading, best constant": partial(
        borrowed_calls, source="oracle", cites=True, tasks=FIT
    ),
    "sweep of 20 calls, linear model": partial(sweep, calls=20),
    "sweep of 100 calls, linear model": partial(sweep, calls=100),
    "sweep of 250 calls, linear model": partial(sweep, calls=250),
    "reading without orders, then a learned recipe": partial(sweep, calls=60, recipe=True),
}


def show(label: str, env: ClinicEnv, tasks: Sequence[Task], maker: Maker) -> None:
    """Play the tasks, each with its number as the seed, and print a line."""
    played = [play(env, task, maker(seed), seed) for seed, task in enumerate(tasks)]
    rewards = [[scale(one.reward, env.reward_range)] for one in played]
    accuracy, read = (
        [[float(one.info["metrics"][name] or 0.0)] for one in played]
        for name in ("accuracy", "findings_read")
    )
    earned, right, found = mean_intervals([rewards, accuracy, read], resamples(len(tasks), 0))
    print(
        f"| {label} | {earned.mean:.3f} [{earned.low:.3f}, {earned.high:.3f}] "
        f"| {right.mean:.3f} | {found.mean:.3f} |",
        flush=True,
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ids", nargs="*", metavar="ID", default=IDS)
    parser.add_argument("--every", type=int, default=3, metavar="N", help="every Nth test task")
    arguments = parser.parse_args()
    for name in arguments.ids:
        env = unwrap(gym.make(name, split="test"))
        tasks = list(env.tasks)[:: arguments.every]
        print(f"\n{name}, {len(tasks)} test tasks\n")
        print("| | scaled reward | accuracy | findings read |\n|---|---|---|---|")
        for label, make in PLAYERS.items():
            show(label, env, tasks, make(env))


if __name__ == "__main__":
    main()
