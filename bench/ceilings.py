"""What can be earned on the clinical ids without clinical reasoning, in one table an id.

Run: ``python bench/ceilings.py [--every N] [--write] [ID ...]``; ``--write`` keeps the figures in
``tasks/<domain>/ceilings.json``, from which the page of the domain shows them. The mean of the
scaled reward (0 to 1) on every third test task, with its 95% interval, the accuracy of the answer
by itself, and the share of findings that were read of those that must be. From the top: the oracle
and the rules baseline; doing nothing; one constant answer, without looking and after a look, and
one for each kind of request that a ticket plainly shows (a proposed drug, or a whole list), which
is the same where a domain has one kind; what the words of the ticket tell, without and with the
reading of the rules; that reading, and all that the oracle reads, with the best constant answer,
and with the best of each kind; sweeps of the tools with a linear model of all that
came back, trained on the train split, which order what was right for the train patient most alike
and pay for it; and a reading without orders, after which what solved that train patient is done.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import gymnasium as gym

from gym_clinic import ClinicEnv, Task
from gym_clinic.catalog import unwrap
from gym_clinic.evaluate.intervals import mean_intervals, resamples
from gym_clinic.files import replace_file
from gym_clinic.paths import tasks_dir
from gym_clinic.policies import Maker, load, play
from gym_clinic.policies.clinical import answer_without_looking
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
    "best constant of each kind of request": partial(
        answer_without_looking, tasks=FIT, by_kind=True
    ),
    "the ticket's words alone": partial(linear, evidence=True),
    "rules' reading, the ticket's words": partial(_named, "ticket-bayes"),
    "rules' reading, best constant": partial(borrowed_calls, cites=True, tasks=FIT),
    "oracle's reading, best constant": partial(
        borrowed_calls, source="oracle", cites=True, tasks=FIT
    ),
    "rules' reading, best constant of each kind": partial(
        borrowed_calls, cites=True, tasks=FIT, by_kind=True
    ),
    "oracle's reading, best constant of each kind": partial(
        borrowed_calls, source="oracle", cites=True, tasks=FIT, by_kind=True
    ),
    "sweep of 100 calls, linear model": partial(sweep, calls=100),
    "sweep of 250 calls, linear model": partial(sweep, calls=250),
    "reading without orders, then a learned recipe": partial(sweep, calls=60, recipe=True),
}


def measure(label: str, env: ClinicEnv, tasks: Sequence[Task], maker: Maker) -> dict[str, Any]:
    """Play the tasks, each with its number as the seed; print a line, and return its figures."""
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
    figures = {"reward": earned.mean, "low": earned.low, "high": earned.high,
               "accuracy": right.mean, "read": found.mean}  # fmt: skip
    return {"player": label} | {name: round(value, 3) for name, value in figures.items()}


def write(env: ClinicEnv, every: int, lines: Sequence[dict[str, Any]]) -> None:
    """Keep the figures of an id, with what they depend on, in the task folder."""
    folder = tasks_dir(env.domain.name)
    test = hashlib.sha256((folder / "test.jsonl").read_bytes()).hexdigest()
    head = json.dumps({"scoring": env.domain.scoring(), "test": test, "every": every}, indent=2)
    rows = ",\n".join(f"    {json.dumps(one)}" for one in lines)
    text = f'{head[:-2]},\n  "lines": [\n{rows}\n  ]\n}}\n'
    replace_file(folder / "ceilings.json", [text.encode()])


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ids", nargs="*", metavar="ID", default=IDS)
    parser.add_argument("--every", type=int, default=3, metavar="N", help="every Nth test task")
    parser.add_argument("--write", action="store_true", help="keep the figures beside the tasks")
    arguments = parser.parse_args()
    for name in arguments.ids:
        env = unwrap(gym.make(name, split="test"))
        tasks = list(env.tasks)[:: arguments.every]
        print(f"\n{name}, {len(tasks)} test tasks\n")
        print("| | scaled reward | accuracy | findings read |\n|---|---|---|---|")
        lines = [measure(label, env, tasks, make(env)) for label, make in PLAYERS.items()]
        if arguments.write:
            write(env, arguments.every, lines)


if __name__ == "__main__":
    main()
