"""DxSearch: what staged rewards teach, against all rewards at once and the diagnosis alone.

Run: ``python bench/dxsearch_learning.py [--seeds 5] [--words 50000] [--tasks 120]``. Not a
language model: a softmax policy with 130 weights, on the environment itself (its tools, its gate,
its rewards), trained with verl's advantages of GRPO, the recipe's reward of exploration and its KL.
It chooses the next action, whether it reasons before it, which findings to match, and which
diseases of what it has retrieved to search for and to answer with, by eight features of each (place
and support among the references, support and contradictions in the guidelines). It begins without
any preference. Arms, with the same seeds, tasks in the same order and the same number of words:

- ``staged``: the weights of stages 1 to 4, a quarter of the words each;
- ``joint``: the weights of stage 4 from the start;
- ``target-only``: the diagnosis alone, without matching in it and without exploration.

Prints the reward of stage 4, Acc@1, Acc@5, Hit@20, the share of broken formats and the calls of
each arm on tasks of ``test``, and the paired differences of seeds with their 95% interval
(Student's t).
"""

from __future__ import annotations

import argparse
import logging
import math
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import fmean, stdev
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from gym_clinic import ClinicEnv, Task
from gym_clinic.domains.dxsearch.adversaries import common_diseases
from gym_clinic.domains.dxsearch.reading import one_line, profiles, references, stated_in
from gym_clinic.domains.dxsearch.rewards import STAGES, total
from gym_clinic.domains.dxsearch.sources import Sources
from gym_clinic.taskset import first

ID = "clinic/DxSearch-v0"
ARMS = ("staged", "joint", "target-only")
OPTIONS = {"passages": 1, "summariser": None}
"""Of all arms: one whole passage a query, which takes a fraction of the time."""

TASKS, SAMPLES = 8, 8
"""Tasks of a batch, and trajectories of each."""

RATE, BETA = 0.2, 1e-3
"""Learning rate of Adam; coefficient of the KL to the first policy, as in the recipe."""

KINDS = ("lookup", "match", "search", "diagnose")
MOST_ACTIONS = 10
STUDENT_T = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 8: 2.365, 10: 2.262}
"""Seeds -> the 97.5% point of Student's t with one degree of freedom less."""

STATES = 4 * 2 * 3
FEATURES = 8
BLOCKS = {
    "kind": STATES * len(KINDS),
    "reason": 2,
    "match": 3 * 3,
    "answers": 3,
    "search": FEATURES,
    "diagnose": FEATURES,
}
"""Kind of decision -> how many weights it has."""

STARTS = dict(zip(BLOCKS, np.cumsum([0, *BLOCKS.values()])[:-1].tolist(), strict=True))
ANSWERS = (1, 3, 5)

Values = NDArray[np.float64]


@dataclass
class Choice:
    """One decision: the first weight that it reads, the features of its options, the one taken."""

    start: int
    features: Values
    taken: int


@dataclass
class Played:
    """A trajectory: its decisions, its words, the names of its calls and its figures."""

    choices: list[Choice] = field(default_factory=list)
    words: int = 0
    actions: tuple[str, ...] = ()
    info: Mapping[str, Any] = field(default_factory=dict)


class Policy:
    """A softmax over the options of each decision."""

    def __init__(self, weights: Values, draw: random.Random) -> None:
        self.weights, self.draw = weights, draw

    def chances(self, choice: Choice) -> Values:
        """Return the probability of each option."""
        width = choice.features.shape[1]
        logits = choice.features @ self.weights[choice.start : choice.start + width]
        raised = np.exp(logits - logits.max())
        return np.asarray(raised / raised.sum())

    def choose(self, played: Played, start: int, features: Values) -> int:
        """Draw an option and note the decision."""
        choice = Choice(start, features, 0)
        chances = self.chances(choice)
        choice.taken = self.draw.choices(range(len(chances)), weights=chances.tolist())[0]
        played.choices.append(choice)
        return choice.taken

    def among(self, played: Played, block: str, count: int, at: int = 0) -> int:
        """Draw one of some options that have a weight each."""
        return self.choose(played, STARTS[block] + at * count, np.eye(count))


@lru_cache(maxsize=4_096)
def findings(ticket: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what a ticket states as present and as absent."""
    present, absent = stated_in(ticket)
    return tuple(one_line(present) or ["Fatigue"]), tuple(absent)


def features_of(disease: str, case: Mapping[str, Any]) -> list[float]:
    """Return the eight features of a disease by what was retrieved."""
    present, absent = case["present"], case["absent"]
    shown = [(place, names) for place, (names, name) in enumerate(case["refs"]) if name == disease]
    having = [{name.casefold() for name in names} for _, names in shown]
    typical, excluded = case["guides"].get(disease, ((), ()))
    guide, not_in = ({name.casefold() for name in names} for names in (typical, excluded))
    size = len(present)
    return [
        float(bool(shown) and shown[0][0] == 0),
        float(bool(shown) and shown[0][0] < 5),
        max((len(present & names) / size for names in having), default=0.0),
        min((len(absent & names) / size for names in having), default=0.0),
        len(shown) / 5,
        len(present & guide) / size,
        float(len(absent & guide) + len(present & not_in)),
        float(bool(guide)),
    ]


def pick(policy: Policy, played: Played, block: str, case: Mapping[str, Any], n: int) -> list[str]:
    """Draw diseases one after another from those of the references; common ones without any."""
    seen = dict.fromkeys(name for _, name in case["refs"])
    left = list(seen) or list(common_diseases()[:20])
    rows = {disease: features_of(disease, case) for disease in left}
    picked: list[str] = []
    while left and len(picked) < n:
        table = np.array([rows[disease] for disease in left])
        picked.append(left.pop(policy.choose(played, STARTS[block], table)))
    return picked


def play(env: ClinicEnv, task: Task, policy: Policy) -> Played:
    """Play one task to its end."""
    played, names = Played(), []
    observation, _ = env.reset(options={"task_id": task.id})
    present, absent = findings(task.ticket)
    used = dict.fromkeys(KINDS, 0)
    case: dict[str, Any] = {
        "present": {name.casefold() for name in present},
        "absent": {name.casefold() for name in absent},
        "refs": [],
        "guides": {},
    }
    over = False
    while not over:
        at = (min(used["match"], 3) * 2 + min(used["lookup"], 1)) * 3 + min(used["search"], 2)
        kind = "diagnose"
        if sum(used.values()) < MOST_ACTIONS:
            kind = KINDS[policy.among(played, "kind", len(KINDS), at)]
        reasons = policy.among(played, "reason", 2) == 0
        if kind == "match":
            which = policy.among(played, "match", 3, min(used["match"], 2))
            half = max(1, len(present) // 2)
            text = ", ".join((present, present[:half], present[-half:])[which])
        elif kind == "lookup":
            shown = list(dict.fromkeys(name for _, name in case["refs"])) or common_diseases()
            text = ", ".join(one_line(list(shown[:10])))
        elif kind == "search":
            text = f"|WIKI| {', '.join(one_line(pick(policy, played, 'search', case, 2)))}"
        else:
            count = ANSWERS[policy.among(played, "answers", 3)]
            picked = pick(policy, played, "diagnose", case, count)
            text = ", ".join(rf"\textbf{{{disease}}}" for disease in picked)
        used[kind] += 1
        names.append(kind)
        action = f"{'<reason>Next step.</reason>' * reasons}<{kind}>{text}</{kind}>"
        played.words += len(action.split())
        observation, _, terminated, truncated, played.info = env.step(action)
        case["refs"] = [*case["refs"], *references(observation)]
        if kind == "lookup":
            case["guides"] |= profiles(observation)
        over = terminated or truncated
    played.actions = tuple(names)
    return played


def record(played: Played) -> dict[str, float]:
    """Return the figures of a trajectory as the recipe's trainer has them."""
    paid = float(played.info["total"])
    found = {"score": paid, "total": paid}
    found |= {f"reward/{name}": value for name, value in played.info["rewards"].items()}
    return found | {f"metric/{name}": value for name, value in played.info["metrics"].items()}


def scores(batch: Sequence[Played], weights: Mapping[str, float], population: Any) -> list[float]:
    """Return what trajectories are paid with the weights of a stage."""
    from verl_recipes.trainer.population import GATED, PARTS, PopulationRow

    rows = []
    for number, played in enumerate(batch):
        row = record(played)
        parts = [row[name] for name in PARTS]
        paid = total(float(row[GATED] == 0), 1.0, *parts, weights)
        row |= {"score": paid, "total": paid}
        rows.append(PopulationRow(str(number // SAMPLES), ID, played.actions, row, weights))
    return population.scores(rows) if population else [row.record["score"] for row in rows]


def advantages(paid: Sequence[float]) -> Values:
    """Return verl's advantages of GRPO for groups of trajectories."""
    import torch
    from verl.trainer.ppo.core_algos import compute_grpo_outcome_advantage

    groups = np.array([number // SAMPLES for number in range(len(paid))])
    rewards = torch.tensor(paid, dtype=torch.float64)[:, None]
    found, _ = compute_grpo_outcome_advantage(rewards, torch.ones_like(rewards), groups)
    return np.asarray(found[:, 0])


def gradient(policy: Policy, base: Values, batch: Sequence[Played], gain: Values) -> Values:
    """Return the direction of eq. 4: advantages less the KL (k3), a mean over decisions."""
    found, begin = np.zeros_like(policy.weights), Policy(base, policy.draw)
    for played, advantage in zip(batch, gain, strict=True):
        for choice in played.choices:
            chances = policy.chances(choice)
            ratio = begin.chances(choice)[choice.taken] / chances[choice.taken]
            weight = (advantage - BETA * (1.0 - ratio)) / len(played.choices) / len(batch)
            moved = choice.features[choice.taken] - chances @ choice.features
            found[choice.start : choice.start + len(moved)] += weight * moved
    return found


def weights_at(arm: str, share: float) -> Mapping[str, float]:
    """Return the weights of an arm after a share of its words."""
    if arm == "target-only":
        return {"search": 0.0, "matching": 0.0, "diagnosis": 1.0}
    return STAGES[min(4, 1 + int(4 * share)) if arm == "staged" else 4]


def train(arm: str, seed: int, budget: int) -> tuple[Values, list[float]]:
    """Train one arm with one seed; return its weights and the share of groups without variance."""
    import torch

    from verl_recipes.trainer.population import DxSearchExploration

    own = {"reward": "target-only"} if arm == "target-only" else {}
    env = make(split="train", **own)
    tasks = list(first(env.tasks))
    random.Random(f"{seed}:tasks").shuffle(tasks)
    weights = torch.zeros(sum(BLOCKS.values()), dtype=torch.float64)
    weights[STARTS["reason"] : STARTS["reason"] + 2] = torch.tensor([2.0, 0.0])
    begin = weights.numpy().copy()
    optimizer = torch.optim.Adam([weights], lr=RATE)
    policy = Policy(weights.numpy(), random.Random(f"{seed}:actions"))  # one memory
    population = None if arm == "target-only" else DxSearchExploration()
    used = step = 0
    flat: list[float] = []
    while used < budget:
        chosen = [tasks[(step * TASKS + place) % len(tasks)] for place in range(TASKS)]
        batch = [play(env, task, policy) for task in chosen for _ in range(SAMPLES)]
        paid = scores(batch, weights_at(arm, used / budget), population)
        groups = [paid[place : place + SAMPLES] for place in range(0, len(paid), SAMPLES)]
        flat.append(fmean(max(group) - min(group) < 1e-12 for group in groups))
        weights.grad = torch.from_numpy(-gradient(policy, begin, batch, advantages(paid)))
        optimizer.step()
        used += sum(played.words for played in batch)
        step += 1
    return policy.weights.copy(), flat


def judge(weights: Values, seed: int, count: int) -> dict[str, float]:
    """Return what a policy earns on tasks of test, of stage 4 and without exploration."""
    env = make(split="test")
    policy = Policy(weights, random.Random(f"{seed}:test"))
    rows = [record(play(env, task, policy)) for task in first(env.tasks, count)]
    most = env.reward_range[1]
    found = {"reward": fmean(row["total"] / most for row in rows)}
    for name in ("acc_at_1", "acc_at_5", "hit_at_20", "steps"):
        found[name] = fmean(row[f"metric/{name}"] for row in rows)
    found["broken"] = fmean(row["metric/broken_rules"] > 0 for row in rows)
    return found


def remember_searches() -> None:
    """Let the literature answer a query that it has answered before from memory."""
    search, known = Sources.search, dict[tuple[str, str], Any]()

    def remembered(sources: Sources, source: str, query: str) -> Any:
        if (source, query) not in known:
            known[source, query] = search(sources, source, query)
        return known[source, query]

    Sources.search = remembered  # type: ignore[method-assign]


def make(**options: Any) -> ClinicEnv:
    """Return the environment."""
    env = gym.make(ID, disable_env_checker=True, **OPTIONS, **options).unwrapped
    assert isinstance(env, ClinicEnv)
    return env


def interval(values: Sequence[float]) -> str:
    """Return a mean with its 95% interval."""
    mean, n = fmean(values), len(values)
    if n not in STUDENT_T:
        return f"{mean:+.3f}"
    half = STUDENT_T[n] * stdev(values) / math.sqrt(n)
    return f"{mean:+.3f} [{mean - half:+.3f}, {mean + half:+.3f}]"


def main() -> None:
    """Train and compare the arms."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--words", type=int, default=50_000, help="of each run, as it writes them")
    parser.add_argument("--tasks", type=int, default=120, help="of test, to compare by")
    args = parser.parse_args()
    remember_searches()
    logging.disable(logging.WARNING)  # verl says that there is no accelerator
    found: dict[str, list[dict[str, float]]] = {arm: [] for arm in ("untrained", *ARMS)}
    blank = np.zeros(sum(BLOCKS.values()))
    blank[STARTS["reason"]] = 2.0
    for seed in range(args.seeds):
        found["untrained"].append(judge(blank, seed, args.tasks))
        for arm in ARMS:
            began = time.monotonic()
            weights, flat = train(arm, seed, args.words)
            found[arm].append(judge(weights, seed, args.tasks))
            quarter = max(1, len(flat) // 4)
            early, late = fmean(flat[:quarter]), fmean(flat[-quarter:])
            print(
                f"seed {seed} {arm}: reward {found[arm][-1]['reward']:.3f}, {len(flat)} steps, "
                f"groups without variance {early:.0%} of the first quarter, {late:.0%} of the "
                f"last, {time.monotonic() - began:.0f} s",
                flush=True,
            )
    names = list(found["staged"][0])
    print(f"\n| arm | {' | '.join(names)} |\n|---{'|---' * len(names)}|")
    for arm, rows in found.items():
        cells = (f"{fmean(row[name] for row in rows):.3f}" for name in names)
        print(f"| {arm} | {' | '.join(cells)} |")
    for one, other in (("staged", "joint"), ("staged", "target-only"), ("joint", "target-only")):
        for name in ("reward", "acc_at_1", "hit_at_20"):
            pairs = zip(found[one], found[other], strict=True)
            gaps = [left[name] - right[name] for left, right in pairs]
            print(f"{one} - {other}, {name}: {interval(gaps)}")


if __name__ == "__main__":
    main()
