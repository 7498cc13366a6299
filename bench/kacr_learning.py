"""KACR: does PPO with a graph critic learn the walk to the right disciplines?

Run: ``python bench/kacr_learning.py [--seeds 20] [--episodes 768] [--tasks 60] [--workers 2]
[--out FILE]``. A small actor (``kacr_actor.py``) plays ``clinic/DisciplineGraph-v0`` through its
text, at K = 1: each step on disciplines selects one. It is trained on train, and tested on test,
where it selects what it scores highest. Arms, at equal episodes, with the same first weights and
tasks in a seed:

- ``untrained``: the first weights;
- ``degree``: the candidates with most links to what was selected, without training;
- ``reinforce``: policy gradient with returns to go over their mean in a batch, one pass;
- ``ppo``: PPO with GAE (gamma .9, lambda .95, eps .2) and the graph critic;
- ``ppo-text``: the same, the critic reads the question alone.

Prints the scaled reward on test (the share of steps on disciplines that were right) with its
interval over seeds, and paired differences with theirs; then how good the critics are, on episodes
that the trained actor draws on test: explained variance of the returns, calibration of p as a
value, and how well p tells walks that end right from those that do not. With ``--out`` each result
is kept as it comes, and a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import torch
from kacr_actor import Batch, Heuristic, Scorer, Turn, degree, log_probs, play, shuffled

from gym_clinic import ClinicEnv, Task
from gym_clinic.domains.kacr.critic import measure_calibration
from gym_clinic.domains.kacr.state import FEATURES
from gym_clinic.evaluate.intervals import Interval, mean_intervals, resamples
from gym_clinic.taskset import spread
from verl_recipes.critic.gae import turn_advantages
from verl_recipes.critic.value import Critic
from verl_recipes.settings import CriticSettings

ID = "clinic/DisciplineGraph-v0"
ARMS = ("untrained", "degree", "reinforce", "ppo", "ppo-text")
GAMMA, LAM, CLIP = 0.9, 0.95, 0.2
"""The KACR paper's (section 4.1)."""

GOAL = 0.2
"""What the lower bound of PPO less untrained is to exceed."""

EPISODES_A_BATCH = 32
PASSES, MINI_BATCH = 4, 64
"""Of PPO's update; REINFORCE makes one pass."""

RATE, REINFORCE_RATE = 3e-3, 1e-2
"""Of Adam: the paper's 5e-5 is of an adapter on 70 billion weights. REINFORCE has more, as it makes
one pass and learns next to nothing at the rate of PPO."""


class ArmResult(NamedTuple):
    """One arm with one seed.

    Attributes:
        arm: Which.
        seed: Its seed.
        hits: Share of the steps on disciplines that were right, mean over test.
        first: The same of the first batch of training, as drawn; None without training.
        last: Of the last.
        critic: Figures of the critic on test.
        seconds: CPU seconds of training and test.
    """

    arm: str
    seed: int
    hits: float
    first: float | None
    last: float | None
    critic: dict[str, float]
    seconds: float


@lru_cache(maxsize=2)
def make(split: str) -> ClinicEnv:
    """Return the environment at K = 1, without the subgraph in text, which this actor skips."""
    env = gym.make(ID, split=split, disciplines=1, description="none").unwrapped
    assert isinstance(env, ClinicEnv)
    return env


def share(turns: Sequence[Turn]) -> float:
    """Return the share of the steps on disciplines that were right."""
    return sum(turn.reward for turn in turns) / len(turns[0].state["pays"])


def test_hits(scorer: Scorer | Heuristic, tasks: Sequence[Task]) -> float:
    """Return the mean share on tasks of test, where the highest scores are selected."""
    return statistics.fmean(share(play(make("test"), task, scorer)) for task in tasks)


def make_critic(seed: int, *, graph: bool) -> Critic:
    """Return the critic of an arm."""
    options = {"features": FEATURES, "graph": graph, "gamma": GAMMA}
    name = "gym_clinic.domains.kacr.critic:GraphValue"
    return Critic(CriticSettings(name, options, lr=RATE, batch=32, epochs=2), seed)


def returns_of(episodes: Sequence[Sequence[Turn]]) -> list[float]:
    """Return the discounted returns of all turns."""
    return [
        value
        for turns in episodes
        for value in turn_advantages(
            [turn.reward for turn in turns], [0.0] * len(turns), gamma=GAMMA, lam=1.0
        )[1]
    ]


def advantages_of(
    episodes: Sequence[Sequence[Turn]], critic: Critic | None
) -> tuple[list[float], list[float]]:
    """Return advantages and returns of all turns: by GAE, or the returns less their mean."""
    returns = returns_of(episodes)
    if critic is None:
        # The mean over the turns that are as far on, since those before them have more to come.
        by_turn: dict[int, list[float]] = {}
        numbers = [number for turns in episodes for number in range(len(turns))]
        for number, value in zip(numbers, returns, strict=True):
            by_turn.setdefault(number, []).append(value)
        means = {number: statistics.fmean(values) for number, values in by_turn.items()}
        return [v - means[number] for number, v in zip(numbers, returns, strict=True)], returns
    values = iter(critic.values([turn.state for turns in episodes for turn in turns]))
    advantages: list[float] = []
    for turns in episodes:
        rewards, before = [turn.reward for turn in turns], [next(values) for _ in turns]
        advantages += turn_advantages(rewards, before, gamma=GAMMA, lam=LAM)[0]
    return advantages, returns


def train(seed: int, episodes: int, critic: Critic | None) -> tuple[Scorer, list[float]]:
    """Train an actor; return it and the mean share of each batch, as drawn."""
    torch.manual_seed(seed)
    actor, draw = Scorer(), torch.Generator().manual_seed(seed)
    rate = RATE if critic is not None else REINFORCE_RATE
    optimizer = torch.optim.Adam(actor.parameters(), lr=rate)
    env, curve = make("train"), []
    tasks = shuffled(seed, env.tasks)
    for start in range(0, episodes, EPISODES_A_BATCH):
        chosen = [tasks[n % len(tasks)] for n in range(start, start + EPISODES_A_BATCH)]
        played = [play(env, task, actor, draw) for task in chosen]
        turns = [turn for episode in played for turn in episode]
        advantages, returns = advantages_of(played, critic)
        if critic is not None:
            critic.fit([turn.state for turn in turns], returns)
        gains, batch = torch.tensor(advantages), Batch.of(turns)
        with torch.no_grad():
            old = log_probs(actor(batch.rows), batch)
        for _ in range(1 if critic is None else PASSES):
            for rows in torch.randperm(len(turns), generator=draw).split(MINI_BATCH):
                part = batch.part(rows)
                new = log_probs(actor(part.rows), part)
                if critic is None:
                    objective = new * gains[rows]
                else:  # KACR paper, eq. 3
                    ratio = (new - old[rows]).exp()
                    clipped = ratio.clamp(1 - CLIP, 1 + CLIP)
                    objective = torch.minimum(ratio * gains[rows], clipped * gains[rows])
                optimizer.zero_grad()
                (-objective.mean()).backward()
                optimizer.step()
        curve.append(statistics.fmean(map(share, played)))
    return actor, curve


def critic_figures(
    critic: Critic, actor: Scorer, tasks: Sequence[Task], seed: int
) -> dict[str, float]:
    """Return how good a critic is on episodes that the actor draws on test.

    Returns:
        ``explained``: explained variance of the returns. ``calibration``: expected calibration
        error of p against the share of the payable return. ``right``: area under the curve of p
        before the last turn, as a sign that the walk ends right; .5 is chance.
    """
    draw = torch.Generator().manual_seed(seed)
    episodes = [play(make("test"), task, actor, draw) for task in tasks]
    states = [turn.state for turns in episodes for turn in turns]
    returns = torch.tensor(returns_of(episodes))
    values = torch.tensor(critic.values(states))
    largest = torch.tensor(critic.model.horizons(states))
    unexplained = (returns - values).var() / returns.var().clamp(min=1e-9)
    chances = (values / largest).tolist()
    ends = [sum(len(turns) for turns in episodes[: n + 1]) - 1 for n in range(len(episodes))]
    right = [turns[-1].reward for turns in episodes]
    return {
        "explained": 1.0 - float(unexplained),
        "calibration": measure_calibration(chances, (returns / largest).tolist()).error,
        "right": area([chances[place] for place in ends], right),
    }


def area(chances: Sequence[float], outcomes: Sequence[float]) -> float:
    """Return the chance that a right one has the higher p, ties counting half; .5 without both."""
    high = [p for p, outcome in zip(chances, outcomes, strict=True) if outcome > 0]
    low = [p for p, outcome in zip(chances, outcomes, strict=True) if outcome <= 0]
    if not high or not low:
        return 0.5
    return statistics.fmean((a > b) + 0.5 * (a == b) for a in high for b in low)


def run(arm: str, seed: int, episodes: int, count: int) -> ArmResult:
    """Train and test one arm with one seed."""
    torch.set_num_threads(1)
    began, tasks = time.process_time(), spread(make("test").tasks, count)
    critic = make_critic(seed, graph=arm == "ppo") if arm.startswith("ppo") else None
    figures: dict[str, float] = {}
    curve: list[float] = []
    scorer: Scorer | Heuristic = degree
    if arm != "degree":
        actor, curve = train(seed, 0 if arm == "untrained" else episodes, critic)
        if critic is not None:
            figures = critic_figures(critic, actor, tasks, seed)
        scorer = actor
    hits = test_hits(scorer, tasks)
    first, last = (curve[0], curve[-1]) if curve else (None, None)
    return ArmResult(arm, seed, hits, first, last, figures, time.process_time() - began)


def bounds(values: Sequence[float]) -> Interval:
    """Return the mean over seeds with its 95% interval."""
    (found,) = mean_intervals([[[value] for value in values]], resamples(len(values), 0))
    return found


def cell(values: Sequence[float]) -> str:
    """Return the same as text."""
    found = bounds(values)
    return f"{found.mean:+.3f} [{found.low:+.3f}, {found.high:+.3f}]"


def report(results: Sequence[ArmResult]) -> Iterator[str]:
    """Yield the lines of the report."""
    by_arm = {arm: {one.seed: one for one in results if one.arm == arm} for arm in ARMS}
    by_arm = {arm: rows for arm, rows in by_arm.items() if rows}
    yield "arm         share of right steps on test     first batch  last batch   CPU s"
    for arm, rows in by_arm.items():
        drawn = [
            statistics.fmean(values) if (values := [v for v in column if v is not None]) else None
            for column in ([r.first for r in rows.values()], [r.last for r in rows.values()])
        ]
        shown = "  ".join("          -" if v is None else f"{v:11.3f}" for v in drawn)
        seconds = statistics.fmean(row.seconds for row in rows.values())
        yield f"{arm:10s}  {cell([row.hits for row in rows.values()])}  {shown}  {seconds:7.1f}"
    for first, second in (
        ("ppo", "untrained"), ("ppo", "degree"), ("ppo", "reinforce"), ("ppo", "ppo-text"),
    ):  # fmt: skip
        if first in by_arm and second in by_arm:
            pairs = differences(by_arm[first], by_arm[second])
            yield f"{first} less {second}, paired by seed: {cell(pairs)}"
    if {"ppo", "untrained"} <= by_arm.keys():
        low = bounds(differences(by_arm["ppo"], by_arm["untrained"])).low
        assert low is not None
        verdict = "reached" if low > GOAL else "NOT reached"
        yield f"goal: lower bound of ppo less untrained over +{GOAL}: {low:+.3f}, {verdict}"
    for arm in ("ppo", "ppo-text"):
        for name in ("explained", "calibration", "right"):
            if values := [row.critic[name] for row in by_arm.get(arm, {}).values()]:
                yield f"critic of {arm}, {name}: {cell(values)}"


def differences(first: Mapping[int, ArmResult], second: Mapping[int, ArmResult]) -> list[float]:
    """Return first less second, seed by seed."""
    return [first[seed].hits - second[seed].hits for seed in sorted(first) if seed in second]


def main() -> None:
    """Run the arms and print the report."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--episodes", type=int, default=768)
    parser.add_argument("--tasks", type=int, default=60, help="of test")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--arms", default=",".join(ARMS), help="some of the arms, by comma")
    parser.add_argument("--out", type=Path, help="a .jsonl file of all results")
    given = parser.parse_args()
    arms = given.arms.split(",")
    if unknown := sorted(set(arms) - set(ARMS)):
        parser.error(f"no arms {unknown}; choose from {list(ARMS)}")
    lines = given.out.read_text().splitlines() if given.out and given.out.is_file() else []
    results = [ArmResult(**json.loads(line)) for line in lines]
    done = {(result.arm, result.seed) for result in results}
    jobs = [(arm, seed) for seed in range(given.seeds) for arm in arms if (arm, seed) not in done]
    work: Any = partial(run, episodes=given.episodes, count=given.tasks)
    with ProcessPoolExecutor(given.workers) as pool:
        for future in as_completed([pool.submit(work, *job) for job in jobs]):
            results.append(future.result())
            if given.out:
                with given.out.open("a") as file:
                    file.write(json.dumps(results[-1]._asdict()) + "\n")
    trained, tested = len(make("train").tasks), len(spread(make("test").tasks, given.tasks))
    print(f"{given.seeds} seeds, {given.episodes} episodes on {trained} tasks, tested on {tested}")
    for line in report(results):
        print(line)


if __name__ == "__main__":
    main()
