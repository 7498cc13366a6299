"""Plays single episodes, in any number of threads, and writes down what happened."""

from __future__ import annotations

import hashlib
import math
import queue
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any

import gymnasium as gym

from gym_clinic.catalog import make, unwrap
from gym_clinic.episode import Episode
from gym_clinic.errors import ServiceError
from gym_clinic.policies import Maker, Policy, next_action


@dataclass(frozen=True)
class Job:
    """One episode to play.

    Attributes:
        task_id: The task.
        trial: Which of its trials, from 0.
        seed: Seed of environment and policy.
    """

    task_id: str
    trial: int
    seed: int


@dataclass(frozen=True)
class Played:
    """An episode that was played: its line of the trace and its wall-clock times."""

    row: dict[str, Any]
    timing: dict[str, Any]


def episode_seed(seed: int, task_id: str, trial: int) -> int:
    """Return the seed of one episode, below 2³²."""
    digest = hashlib.sha256(f"{seed}:{task_id}:{trial}".encode(errors="backslashreplace"))
    return int.from_bytes(digest.digest()[:4], "big")


class Envs:
    """Environments of one kind, made when none is idle.

    Args:
        env_id: Their id.
        options: Their arguments.
    """

    def __init__(self, env_id: str, options: Mapping[str, Any]) -> None:
        self._env_id, self._options = env_id, options
        self._idle: queue.LifoQueue[gym.Env[str, str]] = queue.LifoQueue()
        self._making = threading.Lock()

    def take(self) -> gym.Env[str, str]:
        """Return an environment that nobody else uses."""
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            with self._making:
                return make(self._env_id, **self._options)

    def give(self, env: gym.Env[str, str]) -> None:
        """Take an environment back."""
        self._idle.put(env)


class Player:
    """Plays one episode a call, in any number of threads.

    Args:
        envs: Where it plays.
        maker: Makes the policy of each episode.
        about: What every line of the trace begins with.
        stop: When set, episodes under way are given up at their next turn.
    """

    def __init__(
        self,
        envs: Envs,
        maker: Maker,
        about: Mapping[str, Any],
        stop: threading.Event,
    ) -> None:
        self._envs, self._maker, self._about, self.stop = envs, maker, about, stop

    def __call__(self, job: Job) -> Played | None:
        """Play an episode.

        A ServiceError ends it unscored; any other exception passes through.

        Returns:
            What happened; None if it was given up.
        """
        env = self._envs.take()
        played = self._play(env, job)
        self._envs.give(env)  # not after an exception: that environment is in doubt
        return played

    def _play(self, env: gym.Env[str, str], job: Job) -> Played | None:
        clinic = unwrap(env)
        started, clock = time.time(), time.perf_counter()
        thinking = reward = 0.0
        error: str | None = None
        opened = False
        policy: Policy | None = None
        messages: list[dict[str, Any]] = []
        info: dict[str, Any] = {}
        try:
            observation, info = env.reset(seed=job.seed, options={"task_id": job.task_id})
            opened = True
            messages += _copies(info)
            policy = self._maker(job.seed)
            over = False
            while not over:
                if self.stop.is_set():
                    return None
                asked = time.perf_counter()
                action = next_action(policy, observation, info)
                thinking += time.perf_counter() - asked
                messages.append({"role": "assistant", "content": action})
                observation, paid, terminated, truncated, info = env.step(action)
                messages += _copies(info)
                reward += float(paid)
                over = terminated or truncated
        except ServiceError as failure:
            error = str(failure) or type(failure).__name__
            info = {}
        if error is None and not math.isfinite(reward):
            raise ValueError(f"the reward is {reward}; a rubric must give finite numbers")
        episode = clinic.episode if opened else None
        row = {
            **self._about,
            "task_id": job.task_id,
            "trial": job.trial,
            "seed": job.seed,
            "messages": messages,
            "calls": [
                {"name": c.name, "arguments": c.arguments, "ok": c.ok, "response": c.response}
                for c in (episode.calls if episode else ())
            ],
            "answer": episode.answer if episode else None,
            "turns": len(episode.turns) if episode else 0,
            "rewards": info.get("rewards", {}),
            "weights": info.get("weights", {}),
            "total": info.get("total"),
            "reward": None if error is not None else reward,
            "success": info.get("success"),
            "metrics": info.get("metrics", {}),
            "stop": info.get("stop"),
            "usage": _usage(policy) | _consulted(episode),
            "error": error,
        }
        timing = {
            "task_id": job.task_id,
            "trial": job.trial,
            "started": started,
            "seconds": time.perf_counter() - clock,
            "policy_seconds": thinking,
        }
        return Played(row, timing)


def _copies(info: Mapping[str, Any]) -> list[dict[str, Any]]:
    # Copied before the policy sees them: it may write into whatever it is handed.
    return [dict(message) for message in info["messages"]]


def _usage(policy: Policy | None) -> dict[str, float]:
    usage = getattr(policy, "usage", None)
    if is_dataclass(usage) and not isinstance(usage, type):
        usage = asdict(usage)
    if not isinstance(usage, Mapping):
        return {}
    # What a server left out, or a policy put in beside its counts, is no figure.
    return {
        str(name): amount
        for name, amount in usage.items()
        if isinstance(amount, int | float) and math.isfinite(amount)
    }


def _consulted(episode: Episode | None) -> dict[str, float]:
    spent = episode.case.usage if episode else {}
    return {f"consultant_{kind}": amount for kind, amount in spent.items()}
