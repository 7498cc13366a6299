"""The mean reward of every policy on ClinGen, in one table.

Run: ``python bench/trust.py [--limit N] [--trained] [--fit N]``. Two means of the scaled reward
(0 to 1) are given with bootstrap intervals: balanced, in which each published class has the same
weight, and natural, in which each task has. Beside the adversaries: a linear reader of the whole
ticket, the outcome reward alone, which a constant answer games, each class as a constant answer,
and the right class stated without any call. Then what the parts of a task are worth: the calls that
are needed with the best constant class, and with the class that the rules read from the reports
(supervisor); and all that abstracts tell, without any article opened (single agent).
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Sequence
from typing import Any

import gymnasium as gym

from gym_clinic import ClinicEnv, Task
from gym_clinic.domains.clingen import baselines
from gym_clinic.domains.clingen.evidence import CLASSES, SUBTYPES
from gym_clinic.domains.clingen.genetics import read_genetics
from gym_clinic.domains.clingen.reader import read_article
from gym_clinic.domains.clingen.rewards import outcome_reward
from gym_clinic.evaluate.intervals import Interval, mean_intervals, resamples
from gym_clinic.policies import (
    TRAINED,
    Maker,
    Playbook,
    Policy,
    adversaries_of,
    load,
    play,
    scripted,
)
from gym_clinic.policies.fitted.constants import SAMPLE
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
    """Make a policy that gives one answer of the menu, the single agent after one article."""
    return lambda seed: stating(env, seed, answer)


def stating(env: ClinicEnv, seed: int, *answers: str) -> Policy:
    """State the first answer that the menu of a test task has.

    The single agent opens an article before: its class is worth nothing without one.
    """
    assert env.domain.menu is not None
    menu = env.domain.menu(env.tasks[seed])
    looks = menu.calls[:1] if env.toolbox.get("get_full_text") else []
    answer = next(one for one in answers if one in menu.answers)
    return scripted(Playbook(env).plan(looks, menu.answers[answer]))


BEST = max(CLASSES, key=lambda one: sum(outcome_reward(one, gold) for gold in CLASSES))
"""The class that earns most as a constant answer where each class has the same weight."""


def needed_calls(env: ClinicEnv, tasks: Sequence[Task], *, constant: bool) -> Maker:
    """Make a policy that makes the needed calls.

    Args:
        env: The environment.
        tasks: The tasks, in the order of their seeds.
        constant: Answer `BEST`; if not, the class that the rules read from the reports.
    """

    def answer(ticket: baselines.Ticket, heard: Sequence[str]) -> str:
        reports = [one for response in heard for one in baselines.read_reports(response)]
        return f"CLASSIFICATION: {BEST if constant else baselines.decide(ticket, reports)}"

    def make(seed: int) -> Policy:
        moves = env.domain.solve(tasks[seed])
        calls = [call for move in moves if not isinstance(move, str) for call in move]
        return baselines.Turns(lambda ticket: calls, answer, env.dialect, env.max_turns)

    return make


def abstracts_alone(env: ClinicEnv) -> Maker:
    """Make a policy that answers from the abstracts as the rules read them."""

    def answer(ticket: baselines.Ticket, heard: Sequence[str]) -> str:
        reports = []
        for one in ticket.articles:
            found = read_article(ticket.gene, [("Abstract", one.abstract)])
            keys = tuple(finding.subtype for finding in found)
            reports.append(baselines.Report(one.pmid, keys, read_genetics(one.abstract)))
        evidence = [
            {"type": SUBTYPES[key].label, "pmid": one.pmid}
            for one in reports
            for key in one.subtypes
        ]
        label = baselines.decide(ticket, reports)
        return json.dumps({"classification": label, "evidence": evidence})

    return lambda seed: baselines.Turns(lambda ticket: [], answer, env.dialect, env.max_turns)


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
        label = tasks[seed].gold["classification"]
        return stating(env, seed, label, f"{label}, no evidence")

    show("right class, no evidence", env, tasks, stated)
    if "Single" in name:
        show("rules, abstracts alone", env, tasks, abstracts_alone(env))
        return
    show(f"needed calls, always {BEST}", env, tasks, needed_calls(env, tasks, constant=True))
    show("needed calls, rules read reports", env, tasks, needed_calls(env, tasks, constant=False))


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
