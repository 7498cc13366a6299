"""Golden walks: what an agent saw and earned, word for word.

``python tests/domains/kacr/test_kacr_golden.py`` records them anew after a change that was meant.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym

from gym_clinic import ClinicEnv

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "DisciplineGraph-v0.jsonl"
SEEDS = (0, 1, 2)


def scripts(env: ClinicEnv) -> Iterator[tuple[str, list[str]]]:
    """The solution, and ways of going wrong that each say something else."""
    moves = [call for (call,) in env.domain.solve(env.episode.task)]
    names = moves[0][1]["names"]
    write = env.dialect.write
    yield "solution", [write([move]) for move in moves]
    yield "silence", ["", "Cardiology."]
    yield (
        "wrong names",
        [
            write([("select_nodes", {"names": [names[0] + "s", "nonsense"]})]),
            write([("select_nodes", {"names": [*names[:1], "nonsense"]})]),
            "<select></select>",
            "<select>a; b",
            write([moves[0], moves[0]]),
        ],
    )


def walks() -> Iterator[dict[str, Any]]:
    env = gym.make("clinic/DisciplineGraph-v0", split="test", disciplines=2).unwrapped
    assert isinstance(env, ClinicEnv)
    for seed in SEEDS:
        env.reset(seed=seed)
        for script, actions in list(scripts(env)):
            observation, info = env.reset(seed=seed)
            steps = [{"observation": observation, "task_id": info["task_id"]}]
            for action in actions:
                observation, reward, done, cut, info = env.step(action)
                shown = {key: info[key] for key in ("rewards", "metrics", "success", "stop")
                         if key in info}  # fmt: skip
                steps.append({"action": action, "observation": observation, "reward": reward,
                              "terminated": done, "truncated": cut, **shown})  # fmt: skip
                if done or cut:
                    break
            yield json.loads(json.dumps({"seed": seed, "script": script, "steps": steps}))


def recorded() -> list[dict[str, Any]]:
    return [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]


def test_walks_are_as_recorded() -> None:
    played = list(walks())
    kept = recorded()
    assert [(walk["seed"], walk["script"]) for walk in played] == [
        (walk["seed"], walk["script"]) for walk in kept
    ]
    for walk, other in zip(played, kept, strict=True):
        assert walk == other, (walk["seed"], walk["script"])


def test_recorded_solutions_earn_the_maximum() -> None:
    solutions = [walk for walk in recorded() if walk["script"] == "solution"]
    assert len(solutions) == len(SEEDS)
    for walk in solutions:
        assert sum(step.get("reward", 0.0) for step in walk["steps"]) == 3.0
        assert walk["steps"][-1]["stop"] == "last layer"


if __name__ == "__main__":
    lines = [json.dumps(walk, ensure_ascii=False) for walk in walks()]
    GOLDEN.write_text("\n".join(lines) + "\n", encoding="utf-8")
