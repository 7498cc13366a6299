"""What an episode of the clinical domains costs, as ratios measured in one run.

A scripted episode of ten steps, with reset and reward, is held against the floor step of
``bench/env.py``; then 64 and 512 episodes are played at once in one loop.

It is given twice. "First" is the first episode of each of `COLD` tasks, none of which the process
has played before: its patient is drawn and its gold read. "Again" are later episodes of `TASKS`
tasks, as where a task is rolled out many times. These reuse what follows from the task alone: the
patient with the states, measurements and reports at the minutes and treatments that were asked for
before, the documents, what follows from the gold, which keys stand for which; of the tables, what
names and questions mean; and sentences of the patient that were written out before from the same
phrase and facts. Three small findings of the judge are kept by the set of actions that were made
or advised: which are forbidden, which drugs are double, and which are without a ground. So is what
became of each problem, by the minute and what was given. An episode that is the same as before
finds them there; one with other actions does not. Everything else of the judgement is worked out
anew in each episode, and so are calls and the parts of the reward.

Run: ``python bench/clinic.py`` (prints medians and ratios; asserts nothing).
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import env as floor
import gymnasium as gym

import gym_clinic
from gym_clinic.catalog import unwrap
from gym_clinic.registration import IDS
from gym_clinic.taskset import first

STEPS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("read_patient_record", {}),
    ("read_medicines", {}),
    ("read_allergies", {}),
    ("measure_vital_signs", {}),
    ("examine_patient", {"system": "chest"}),
    ("ask_patient", {"question": "When did it start?"}),
    ("order_lab", {"tests": ["blood-count", "basic-metabolic-panel"]}),
    ("wait", {"minutes": 60}),
    ("read_results", {}),
    ("check_time", {}),
    ("list_documents", {}),
    ("read_history", {"section": "past illnesses"}),
    ("read_history", {"section": "habits"}),
    ("list_orders", {}),
)
"""Calls of which the first nine that a domain has are made; its answer is the tenth step."""

TASKS = 8
"""Tasks that are played in turn; their patients are drawn before the clock runs."""

COLD = 20
"""Further tasks, of each of which the first episode is measured."""


def script(env: gym_clinic.ClinicEnv, task: gym_clinic.Task) -> list[str]:
    """Return the ten actions of an episode."""
    domain = env.domain
    assert domain.menu is not None
    calls = [one for one in STEPS if env.toolbox.get(one[0]) is not None][:9]
    answer = next(iter(domain.menu(task).answers.values()))
    assert not isinstance(answer, str)
    return [env.dialect.write((call,)) for call in (*calls, answer[-1])]


def episode(env: gym_clinic.ClinicEnv, task_id: str, actions: Sequence[str]) -> Iterator[float]:
    """Play an episode; yield the seconds of reset and of each step."""
    start = time.perf_counter()
    env.reset(options={"task_id": task_id})
    yield time.perf_counter() - start
    for action in actions:
        start = time.perf_counter()
        over = env.step(action)[2]
        yield time.perf_counter() - start
        if over:
            return


def bench_episodes(name: str, times: int) -> None:
    """Print what an episode costs against the floor step, interleaved."""
    env = unwrap(gym.make(name, split="dev"))
    tasks = first(env.tasks, TASKS + COLD)
    tasks, others = tasks[:TASKS], tasks[TASKS:]
    scripts = [script(env, task) for task in tasks]
    for task, actions in zip(tasks, scripts, strict=True):
        list(episode(env, task.id, actions))
    cold = [sum(episode(env, task.id, script(env, task))) for task in others]
    whole: list[float] = []
    rest: list[float] = []
    last: list[float] = []
    least: list[float] = []
    for number in range(times):
        task, actions = tasks[number % TASKS], scripts[number % TASKS]
        seconds = list(episode(env, task.id, actions))
        whole.append(sum(seconds))
        rest += seconds[:-1]
        last.append(seconds[-1])
        least += floor.floor_episode([floor.CALL] * 10)
    step = statistics.median(least)
    total, answer = statistics.median(whole), statistics.median(last)
    once = statistics.median(cold)
    print(
        f"{name}: first episode of a task {once * 1e3:,.1f} ms, ratio {once / step:,.0f}; "
        f"again {total * 1e6:,.0f} µs, floor step {step * 1e6:.2f} µs, "
        f"ratio {total / step:,.0f}; a step {statistics.median(rest) * 1e6:,.0f} µs, "
        f"the answer with its reward {answer * 1e6:,.0f} µs"
    )


async def _drive(env: gym_clinic.ClinicEnv, task_id: str, actions: Sequence[str]) -> int:
    env.reset(options={"task_id": task_id})
    for number, action in enumerate(actions, 1):
        over = (await env.astep(action))[2]
        await asyncio.sleep(0)
        if over:
            return number
    return len(actions)


async def _drive_all(envs: list[gym_clinic.ClinicEnv], tasks: list[gym_clinic.Task]) -> float:
    scripts = [script(envs[0], task) for task in tasks]
    start = time.perf_counter()
    played = (
        _drive(env, tasks[number % len(tasks)].id, scripts[number % len(tasks)])
        for number, env in enumerate(envs)
    )
    steps = sum(await asyncio.gather(*played))
    return steps / (time.perf_counter() - start)


def bench_concurrent(name: str, widths: Sequence[int]) -> None:
    """Print steps per second of many episodes in one loop."""
    for width in widths:
        envs = [unwrap(gym.make(name, split="dev")) for _ in range(width)]
        rate = asyncio.run(_drive_all(envs, first(envs[0].tasks, TASKS)))
        print(f"{name}: {width} episodes in one loop: {rate:,.0f} steps a second")


def main() -> None:
    """Print every figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few repetitions, for a check")
    parser.add_argument("names", nargs="*", help="ids; those over charts by default")
    given = parser.parse_args()
    for name in given.names or [one for one in IDS if "ClinGen" not in one]:
        bench_episodes(name, 8 if given.quick else 400)
        bench_concurrent(name, (8,) if given.quick else (64, 512))


if __name__ == "__main__":
    main()
