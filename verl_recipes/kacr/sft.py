"""Whole episodes as conversations, for the ablation that is fine-tuned instead of trained by PPO.

    python -m verl_recipes.kacr.sft --out sft.parquet

plays a policy, by default the oracle, and writes the episodes that solved their task. The paper
says of its row "SFT" that training data "lacks explicit reasoning traces"; these have walks alone.
"""

from __future__ import annotations

import argparse
import copy
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from gym_clinic import ClinicEnv, Task
from gym_clinic.domain import Conversation
from gym_clinic.errors import ClinicError
from gym_clinic.evaluate.conversations import writer
from gym_clinic.policies import Policy, load, next_action, take
from gym_clinic.taskset import spread
from verl_recipes.agent_loop.environment import make_env, opening

ENV = "clinic/DisciplineGraph-v0"


def conversation(env: ClinicEnv, task: Task, policy: Policy) -> tuple[Conversation, bool]:
    """Play a task, and return its messages as ``clinic.tools=text`` has them, and its success.

    Whatever a policy said is the assistant's; the loss of fine-tuning is taken of that alone.
    """
    stage = copy.copy(env)
    observation, info = stage.reset(options={"task_id": task.id})
    messages, _ = opening(info, native=False)
    while True:
        action = next_action(policy, observation, info)
        messages.append({"role": "assistant", "content": action})
        observation, _, terminated, truncated, info = take(stage, action)
        if terminated or truncated:
            return messages, bool(info["success"])
        messages.append({"role": "user", "content": observation})


def solved(
    env: ClinicEnv, tasks: Sequence[Task], make: Callable[[int], Policy]
) -> Iterator[Conversation]:
    """Yield the conversations of the tasks that a policy solves."""
    for seed, task in enumerate(tasks):
        messages, success = conversation(env, task, make(seed))
        if success:
            yield messages


def main(argv: Sequence[str] | None = None) -> int:
    """Write the file; 2 for a mistake of the caller."""
    parser = argparse.ArgumentParser(prog="python -m verl_recipes.kacr.sft")
    parser.add_argument("--env", default=ENV)
    parser.add_argument("--split", default="train")
    parser.add_argument("--policy", default="oracle", help="as gym-clinic eval takes it")
    parser.add_argument("--limit", type=int, help="episodes to play; every task of the split")
    parser.add_argument("--out", type=Path, required=True, help="a .parquet or .jsonl file")
    given = parser.parse_args(argv)
    try:
        write = writer(given.out)
        env = make_env(given.env, {"split": given.split})
        tasks = spread(env.tasks, given.limit or len(env.tasks))
        rows = list(solved(env, tasks, load(given.policy, env)))
    except ClinicError as error:
        print(f"verl_recipes.kacr.sft: {error}", file=sys.stderr)
        return 2
    write(rows)
    print(f"{given.out}: {len(rows):,} of {len(tasks):,} episodes, those that solved their task")
    return 0


if __name__ == "__main__":
    sys.exit(main())
