"""Golden trajectories of the consultation, word for word.

``python tests/domains/kacr/test_consultation_golden.py`` records them anew after a change that was
meant.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import gym_clinic  # noqa: F401  (registers the ids)

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "Consultation-v0.jsonl"
ROLES = ("agent", "debater", "all")
PLACES = (0, 1, 2)


def actions(env: Any, task: Any, role: str) -> Iterator[list[tuple[str, dict[str, Any]]]]:
    """What is played: references, a mistake, a round of the role, and a closing answer."""
    letters, panel = list(task.record["options"]), list(task.record["panel"])
    yield [("read_references", {"options": letters})]
    yield [("hear_panel", {}), ("submit_diagnosis", {"choice": "Z"})]
    said = {"confidence": 0.8, "findings": list(task.gold["findings"]), "explanation": "I argue."}
    if role == "agent":
        seat = {"discipline": task.record["seat"], "choice": task.gold["answer"]}
        yield [("give_opinion", {**seat, **said})]
        yield [("give_opinion", {**seat, **said})]
    if role == "all":
        yield [("give_opinion", {"discipline": member, "choice": letters[place % 4], **said})
               for place, member in enumerate(panel)]  # fmt: skip
    if role == "debater":
        yield [("calibrate_answer", {"discipline": member, "choice": letters[place % 2],
                                     "explanation": "I revise."})
               for place, member in enumerate(panel)]  # fmt: skip
    yield [("submit_diagnosis", {"choice": letters[0]})]


def trajectories() -> Iterator[dict[str, Any]]:
    for role in ROLES:
        env: Any = gym.make("clinic/Consultation-v0", split="test", role=role).unwrapped
        for place in PLACES:
            task = env.tasks[place]
            observation, info = env.reset(options={"task_id": task.id})
            steps: list[dict[str, Any]] = [{"observation": observation}]
            for batch in actions(env, task, role):
                calls = [{"id": f"c{number}", "name": name, "arguments": arguments}
                         for number, (name, arguments) in enumerate(batch)]  # fmt: skip
                observation, reward, done, cut, info = env.step_calls(calls)
                steps.append({"observation": observation, "reward": reward})
                if done or cut:
                    break
            yield {"role": role, "task_id": task.id, "steps": steps, "stop": info.get("stop"),
                   "rewards": info.get("rewards")}  # fmt: skip


def lines() -> list[str]:
    return [json.dumps(one, ensure_ascii=False) for one in trajectories()]


def test_golden_trajectories() -> None:
    recorded = GOLDEN.read_text(encoding="utf-8").splitlines()
    assert len(recorded) == len(ROLES) * len(PLACES)
    for expected, actual in zip(recorded, lines(), strict=True):
        assert json.loads(actual) == json.loads(expected)


if __name__ == "__main__":
    GOLDEN.write_text("\n".join(lines()) + "\n", encoding="utf-8")
    pytest.main([__file__, "-q"])
