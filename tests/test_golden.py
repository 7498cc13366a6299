"""Golden trajectories: what an agent saw and earned, word for word.

``python tests/test_golden.py`` records them anew after a change that was meant.
"""

from __future__ import annotations

import json
from pathlib import Path

import gymnasium as gym
import pytest

from gym_clinic.policies import load

GOLDEN = Path(__file__).resolve().parent / "golden"
NAMES = ("clinic/ClinGen-v0", "clinic/ClinGenSingle-v0")
SEEDS = (0, 1)


def scripts(env, task):
    """What is played: the solution, and ways of going wrong that each say something else."""
    write = env.dialect.write
    moves = env.domain.solve(task)
    solution = [move if isinstance(move, str) else write(move) for move in moves]
    call = env.domain.menu(task).calls[0]
    name, arguments = call
    yield "solution", solution
    yield "silence", ["", ""]
    yield (
        "wrong calls",
        [
            "\n".join(
                [
                    write([call]),
                    write([(name + "s", arguments)]),
                    write([(name, {**arguments, "pmid": "none"})]),
                    write([(name, {})]),
                    '<tool_call>{"name": "a", "name": "b"}</tool_call>',
                    "<tool_call>{",
                ]
            ),
            "CLASSIFICATION: Strong\nCLASSIFICATION: Limited",
        ],
    )
    yield "thought only", [f"<think>{solution[-1]}</think>", solution[-1]]


def trajectories(name):
    env = gym.make(name, split="test").unwrapped
    for seed in SEEDS:
        env.reset(seed=seed)
        task = env.episode.task
        for script, actions in scripts(env, task):
            observation, info = env.reset(seed=seed)
            assert info["task_id"] == task.id
            steps = [{"observation": observation, "task_id": info["task_id"]}]
            for action in actions:
                observation, reward, done, cut, info = env.step(action)
                steps.append({"action": action, "observation": observation, "reward": reward,
                              "terminated": done, "truncated": cut, "info": info})  # fmt: skip
                if done or cut:
                    break
            yield json.loads(json.dumps({"seed": seed, "script": script, "steps": steps}))


def path(name):
    return GOLDEN / f"{name.split('/')[1]}.jsonl"


@pytest.mark.parametrize("name", NAMES)
def test_trajectories_are_as_recorded(name):
    recorded = [json.loads(line) for line in path(name).read_text(encoding="utf-8").splitlines()]
    played = list(trajectories(name))
    assert [(one["seed"], one["script"]) for one in played] == [
        (one["seed"], one["script"]) for one in recorded
    ]
    for one, other in zip(played, recorded, strict=True):
        assert one == other, (one["seed"], one["script"])


@pytest.mark.parametrize("name", NAMES)
def test_the_recorded_solutions_earn_the_maximum(name):
    for line in path(name).read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        last = one["steps"][-1]
        assert last["terminated"] != last["truncated"]
        if one["script"] == "solution":
            assert last["reward"] == 1.0
        elif one["script"] == "silence":
            assert last["reward"] == -1.0


def test_the_golden_policy_equals_the_oracle():
    env = gym.make(NAMES[0], split="test").unwrapped
    observation, info = env.reset(seed=SEEDS[0])
    moves = env.domain.solve(env.episode.task)
    assert load("oracle", env)(0).act(observation, info) == env.dialect.write(moves[0])


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for one_name in NAMES:
        lines = [json.dumps(one, ensure_ascii=False) for one in trajectories(one_name)]
        path(one_name).write_text("\n".join(lines) + "\n", encoding="utf-8")
