"""What a step costs, as ratios measured in one run.

Run: ``python bench/env.py`` (prints medians and ratios; asserts nothing).
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import gymnasium as gym
import orjson
from pydantic import BaseModel, ConfigDict

import gym_clinic
from gym_clinic import Domain, Episode, Kind, Rubric, Task, tool
from gym_clinic.catalog import unwrap
from gym_clinic.policies import load, play
from gym_clinic.taskset import first

FRESH = "import time; t = time.perf_counter(); import {}; print(time.perf_counter() - t)"


@tool
def check_interaction(drug_a: str, drug_b: str) -> str:
    """Look up the interaction between two drugs.

    Args:
        drug_a: Generic name of the first drug.
        drug_b: Generic name of the second drug.
    """
    return f"{drug_a} with {drug_b}: bleeding"


@tool(kind=Kind.SUBMIT)
def submit_answer(answer: str) -> str:
    """Give the final answer.

    Args:
        answer: The answer.
    """
    return answer


def answered(episode: Episode) -> float:
    """Return whether there was an answer."""
    return float(episode.answer is not None)


TRIVIAL = Domain(
    name="trivial",
    policy="Answer.",
    tasks={"train": [Task("t", {}, {"answer": "B", "calls": []}, ticket="Warfarin, aspirin?")]},
    rubric=Rubric({"answered": answered}, weights={"answered": 1.0}),
    tools=(check_interaction, submit_answer),
    max_turns=1000,
)

CALL = '{"name": "check_interaction", "arguments": {"drug_a": "warfarin", "drug_b": "aspirin"}}'
SUBMIT = '{"name": "submit_answer", "arguments": {"answer": "B"}}'
WRITTEN = {"json": "{}", "hermes": "<tool_call>\n{}\n</tool_call>"}


class Arguments(BaseModel):
    """The arguments of the trivial tool, for the floor."""

    model_config = ConfigDict(extra="forbid")
    drug_a: str
    drug_b: str


def floor_step(action: str) -> str:
    """Do the least: read JSON, look the tool up, check the arguments, run it, return text."""
    call = orjson.loads(action)
    function, model = FLOOR_TOOLS[call["name"]]
    arguments = model.model_validate(call["arguments"])
    return function(**arguments.__dict__)


FLOOR_TOOLS: dict[str, tuple[Callable[..., str], type[BaseModel]]] = {
    "check_interaction": (check_interaction.function, Arguments)
}


def env_episode(env: gym.Env[str, str], actions: list[str]) -> list[float]:
    """Play one episode; return the seconds of each step."""
    env.reset()
    seconds = []
    for action in actions:
        start = time.perf_counter()
        env.step(action)
        seconds.append(time.perf_counter() - start)
    return seconds


def floor_episode(actions: list[str]) -> list[float]:
    """Do the same calls at the floor; return the seconds of each."""
    seconds = []
    for action in actions:
        start = time.perf_counter()
        floor_step(action)
        seconds.append(time.perf_counter() - start)
    return seconds


def bench_steps(episodes: int) -> None:
    """Print a step through gym.make against the floor, both dialects, interleaved."""
    for dialect in ("hermes", "json"):
        env = gym.make("bench/Trivial-v0", dialect=dialect)
        actions = [WRITTEN[dialect].replace("{}", CALL)] * 9
        last = WRITTEN[dialect].replace("{}", SUBMIT)
        ours: list[float] = []
        floor: list[float] = []
        for _ in range(episodes):
            ours += env_episode(env, [*actions, last])
            floor += floor_episode([CALL] * 10)
        step, least = statistics.median(ours), statistics.median(floor)
        print(
            f"step ({dialect}): {step * 1e6:6.2f} µs, floor {least * 1e6:5.2f} µs, "
            f"ratio {step / least:.2f}"
        )


def bench_import(times: int) -> None:
    """Print fresh imports of gym_clinic against gymnasium, interleaved."""
    seconds: dict[str, list[float]] = {"gymnasium": [], "gym_clinic": []}
    for _, name in itertools.product(range(times), seconds):
        done = subprocess.run(
            [sys.executable, "-c", FRESH.format(name)], capture_output=True, text=True, check=True
        )
        seconds[name].append(float(done.stdout))
    ours, peer = (statistics.median(seconds[name]) for name in ("gym_clinic", "gymnasium"))
    print(f"import: {ours * 1e3:.0f} ms, gymnasium {peer * 1e3:.0f} ms, ratio {ours / peer:.2f}")


def bench_oracle(episodes: int) -> None:
    """Print oracle episodes per second on ClinGen."""
    for name in ("clinic/ClinGen-v0", "clinic/ClinGenSingle-v0"):
        env = unwrap(gym.make(name))
        maker = load("oracle", env)
        tasks = random.Random(0).choices(first(env.tasks), k=episodes)
        start = time.perf_counter()
        for seed, task in enumerate(tasks):
            play(env, task, maker(seed), seed)
        rate = episodes / (time.perf_counter() - start)
        print(f"oracle episodes ({name}): {rate:,.0f} a second")


async def _drive(env: gym_clinic.ClinicEnv, action: str, steps: int) -> None:
    env.reset()
    for _ in range(steps):
        await env.astep(action)
        await asyncio.sleep(0)


async def _drive_all(envs: list[gym_clinic.ClinicEnv], action: str, steps: int) -> float:
    start = time.perf_counter()
    await asyncio.gather(*(_drive(env, action, steps) for env in envs))
    return len(envs) * steps / (time.perf_counter() - start)


def bench_concurrent(steps: int) -> None:
    """Print steps per second of many episodes in one asyncio loop against a plain loop."""
    action = WRITTEN["hermes"].replace("{}", CALL)
    for width in (64, 512):
        envs = [gym.make("bench/Trivial-v0").unwrapped for _ in range(width)]
        ratios, rates = [], []
        for _ in range(5):
            start = time.perf_counter()
            for env in envs:
                env.reset()
                for _ in range(steps):
                    env.step(action)
            plain = width * steps / (time.perf_counter() - start)
            together = asyncio.run(_drive_all(envs, action, steps))
            ratios.append(together / plain)
            rates.append(together)
        print(
            f"{width} episodes in one loop: {statistics.median(rates):,.0f} steps a second, "
            f"{statistics.median(ratios):.2f} of the plain loop"
        )


def main() -> None:
    """Print every figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few repetitions, for a check")
    quick = parser.parse_args().quick
    gym.register(
        "bench/Trivial-v0",
        entry_point="gym_clinic.env:ClinicEnv",
        order_enforce=False,
        kwargs={"domain": f"{__name__}:TRIVIAL"},
    )
    bench_steps(200 if quick else 5000)
    bench_import(3 if quick else 25)
    bench_concurrent(20 if quick else 100)
    bench_oracle(50 if quick else 1000)


if __name__ == "__main__":
    main()
