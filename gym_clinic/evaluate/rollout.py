"""Runs single episodes, in any number of threads, and records them."""

from __future__ import annotations

import hashlib
import math
import queue
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

import gymnasium as gym

from gym_clinic.catalog import make, unwrap
from gym_clinic.episode import Call, Episode
from gym_clinic.errors import ConfigError, ServiceError
from gym_clinic.images import image_reference
from gym_clinic.policies import Maker, Policy, next_action, take

Returned = TypeVar("Returned")


class PolicyError(Exception):
    """A policy raised an exception, which is the cause of this one."""


@dataclass(frozen=True)
class Job:
    """One episode to run.

    Attributes:
        task_id: The task.
        trial: Which of its trials, from 0.
        seed: Seed of environment and policy.
    """

    task_id: str
    trial: int
    seed: int


@dataclass(frozen=True)
class EpisodeRecord:
    """The record of an episode: its line of the trace and its line of the timing file."""

    row: dict[str, Any]
    timing: dict[str, Any]


def episode_seed(seed: int, task_id: str, trial: int) -> int:
    """Return the seed of one episode, below 2³²."""
    digest = hashlib.sha256(f"{seed}:{task_id}:{trial}".encode(errors="backslashreplace"))
    return int.from_bytes(digest.digest()[:4], "big")


class EnvPool:
    """A pool of equal environments; a new one is made when none is idle.

    Args:
        env_id: Their id.
        options: Their arguments.
    """

    def __init__(self, env_id: str, options: Mapping[str, Any]) -> None:
        self._env_id, self._options = env_id, options
        self._idle: queue.LifoQueue[gym.Env[str, str]] = queue.LifoQueue()
        self._making = threading.Lock()

    def take(self) -> gym.Env[str, str]:
        """Return an environment that no other thread uses."""
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            with self._making:
                return make(self._env_id, **self._options)

    def give(self, env: gym.Env[str, str]) -> None:
        """Take an environment back."""
        self._idle.put(env)


class EpisodeRunner:
    """Runs one episode a call, in any number of threads.

    Args:
        envs: The environments.
        maker: Makes the policy of each episode.
        about: The first fields of every line of the trace.
        stop: When set, open episodes are abandoned at their next turn.
    """

    def __init__(
        self,
        envs: EnvPool,
        maker: Maker,
        about: Mapping[str, Any],
        stop: threading.Event,
    ) -> None:
        self._envs, self._maker, self._about, self.stop = envs, maker, about, stop

    def __call__(self, job: Job) -> EpisodeRecord | None:
        """Run an episode.

        A ServiceError, and any exception that the policy raises, end it without a score; an
        exception of the environment reaches the caller.

        Returns:
            Its record; None if it was abandoned.
        """
        env = self._envs.take()
        recorded = self._run(env, job)
        self._envs.give(env)  # not after an exception: the state of that environment is unknown
        return recorded

    def _run(self, env: gym.Env[str, str], job: Job) -> EpisodeRecord | None:
        clinic = unwrap(env)
        started, clock = time.time(), time.perf_counter()
        reward = 0.0
        error: str | None = None
        raised: BaseException | None = None
        opened = False
        policy: Policy | None = None
        messages: list[dict[str, Any]] = []
        turns: list[dict[str, Any]] = []
        info: dict[str, Any] = {}
        try:
            observation, info = env.reset(seed=job.seed, options={"task_id": job.task_id})
            opened = True
            messages += _copies(info)
            policy = _by_policy(self._maker, job.seed)
            over = False
            while not over:
                if self.stop.is_set():
                    return None
                turn = _Turn(policy)
                turns.append(turn.timing)
                try:
                    action = _by_policy(next_action, policy, observation, info)
                finally:
                    turn.acted()
                messages.append({"role": "assistant", "content": action})
                observation, paid, terminated, truncated, info = take(env, action)
                turn.answered()
                messages[-1]["content"] = clinic.episode.turns[-1].action
                messages += _copies(info)
                reward += float(paid)
                over = terminated or truncated
        except ServiceError as failure:
            error = str(failure) or type(failure).__name__
            info = {}
        except PolicyError as failure:
            error, raised = str(failure), failure.__cause__
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
            "calls": [_call(call) for call in (episode.calls if episode else ())],
            "answer": episode.answer if episode else None,
            "turns": len(episode.turns) if episode else 0,
            "rewards": info.get("rewards", {}),
            "weights": info.get("weights", {}),
            "total": info.get("total"),
            "reward": None if error is not None else reward,
            "success": info.get("success"),
            "metrics": info.get("metrics", {}),
            "stop": info.get("stop"),
            "usage": usage_of(policy) | _consulted(episode),
            "error": error,
        }
        if raised is not None:
            row["traceback"] = "".join(traceback.format_exception(raised))
        timing = {
            "task_id": job.task_id,
            "trial": job.trial,
            "started": started,
            "seconds": time.perf_counter() - clock,
            "policy_seconds": math.fsum(turn["policy_seconds"] for turn in turns),
            "turns": turns,
        }
        return EpisodeRecord(row, timing)


def _by_policy(function: Callable[..., Returned], *arguments: Any) -> Returned:
    """Call what a policy is made of.

    Raises:
        PolicyError: If it raised an exception; one of a service or a wrong option stays as it is.
    """
    try:
        return function(*arguments)
    except ServiceError:
        raise
    except Exception as error:  # of any kind: a policy is anybody's code
        if isinstance(error, ConfigError) and function is not next_action:
            raise  # the policy cannot be made at all
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}, line {last.lineno}"
        raise PolicyError(f"{type(error).__name__}: {error} ({place})") from error


class _Turn:
    """Measures one turn: seconds of policy and environment, and usage of the policy.

    Args:
        policy: The policy that is about to act.

    Attributes:
        timing: The figures in the form of the timing file.
    """

    def __init__(self, policy: Policy) -> None:
        self.timing: dict[str, Any] = {"policy_seconds": 0.0, "env_seconds": 0.0, "usage": {}}
        self._policy, self._before = policy, usage_of(policy)
        self._clock = time.perf_counter()

    def acted(self) -> None:
        """Record that the policy has returned its action, or failed."""
        self.timing["policy_seconds"] = self._lap()
        used = usage_of(self._policy)
        before = {name: self._before.get(name, 0) for name in used}
        # A policy that resets its account is counted from zero.
        self.timing["usage"] = {
            name: amount - before[name] if amount >= before[name] else amount
            for name, amount in used.items()
        }

    def answered(self) -> None:
        """Record that the environment has answered."""
        self.timing["env_seconds"] = self._lap()

    def _lap(self) -> float:
        now = time.perf_counter()
        seconds, self._clock = now - self._clock, now
        return seconds


def _copies(info: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return copies of the messages of an info, with references in place of images.

    They are copied before the policy sees them, since a policy may change its arguments.
    """
    references = [image_reference(image) for image in info.get("images", ())]
    waiting = iter(references[-_images(info["messages"]) :])
    return [
        {**message, "content": _referenced(message["content"], waiting)}
        for message in info["messages"]
    ]


def _images(messages: Sequence[Mapping[str, Any]]) -> int:
    return sum(
        part.get("type") == "image_url"
        for message in messages
        if isinstance(message["content"], list)
        for part in message["content"]
    )


def _referenced(content: Any, references: Iterator[dict[str, str]]) -> Any:
    """Replace the images of a message's content, which are data, by references."""
    if not isinstance(content, list):
        return content
    return [
        {"type": "image", **next(references)} if part.get("type") == "image_url" else dict(part)
        for part in content
    ]


def _call(call: Call) -> dict[str, Any]:
    row = {
        "id": call.id,
        "name": call.name,
        "arguments": call.arguments,
        "ok": call.ok,
        "response": call.response,
    }
    if call.images:
        row["images"] = [image_reference(image) for image in call.images]
    return row


def usage_of(policy: Policy | None) -> dict[str, float]:
    """Return the amounts that a policy reports as its ``usage``, such as tokens; a copy."""
    usage = getattr(policy, "usage", None)
    if is_dataclass(usage) and not isinstance(usage, type):
        usage = asdict(usage)
    if not isinstance(usage, Mapping):
        return {}
    # Values that are not numbers are left out: missing counts, or other entries of a policy.
    return {
        str(name): amount
        for name, amount in usage.items()
        if isinstance(amount, int | float) and math.isfinite(amount)
    }


def _consulted(episode: Episode | None) -> dict[str, float]:
    spent = episode.case.usage if episode else {}
    return {f"consultant_{kind}": amount for kind, amount in spent.items()}
