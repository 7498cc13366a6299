"""The environment of a trajectory: made by name, opened as messages, blamed for its own faults."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import gymnasium as gym

from gym_clinic import ClinicEnv, ConfigError
from gym_clinic.errors import ClinicError
from gym_clinic.names import import_module, suggest

Messages = list[dict[str, Any]]
Step = tuple[str, float, bool, bool, dict[str, Any]]
"""What ``env.step`` returns."""

OWN_KEYS = (
    "score",
    "total",
    "success",
    "acc",
    "fault",
    "truncated",
    "turns",
    "policy_tokens",
    "response_tokens",
    "prompt_tokens",
    "calls",
    "distinct_tools",
    "malformed",
    "dropped_turns",
    "hint_echo",
)
"""Keys of every record, whatever the environment."""


class PromptLengthError(ConfigError):
    """A task whose prompt does not fit; the text names the task and both lengths."""


class EnvironmentFaultError(ClinicError):
    """The environment failed under a trajectory; the trajectory is recorded and not trained on."""


@contextmanager
def blaming_the_environment(task_id: str) -> Iterator[None]:
    """Turn what an environment raises into an :class:`EnvironmentFaultError`.

    Except a ConfigError: a mistake of the caller, such as an unknown task, would fail them all.
    """
    try:
        yield
    except ConfigError:
        raise
    except Exception as error:
        raise EnvironmentFaultError(f"task {task_id!r}: {type(error).__name__}: {error}") from error


def make_env(name: str, options: Mapping[str, Any], modules: Sequence[str] = ()) -> ClinicEnv:
    """Make the environment that trajectories are played in.

    Args:
        name: A registered id, or ``module:NAME`` of a domain.
        options: Further arguments of the environment.
        modules: Modules to import first; they register ids of their own.

    Raises:
        ConfigError: If the name means nothing; the error names what is near.
    """
    for module in modules:
        import_module(module, "module that registers environments")
    if "/" not in name and ":" in name:
        return ClinicEnv(name, **options)
    if name not in gym.registry:
        known = [one for one in gym.registry if one.startswith("clinic/")] or list(gym.registry)
        raise ConfigError(f"no environment {name!r}; {suggest(name, known)}")
    env = gym.make(name, disable_env_checker=True, **options).unwrapped
    if not isinstance(env, ClinicEnv):
        raise ConfigError(f"{name!r} is a {type(env).__name__}; expected a {ClinicEnv.__name__}")
    return env


def record_keys(env: ClinicEnv) -> tuple[str, ...]:
    """Return the keys of the record of every trajectory of an environment, in order."""
    stage = copy.copy(env)
    stage.reset(options={"task_id": env.tasks[0].id})
    *_, info = stage.truncate("look")
    parts = [f"reward/{name}" for name in info["rewards"]]
    return (*OWN_KEYS, *parts, *(f"metric/{name}" for name in info["metrics"]))


def opening(env: ClinicEnv, info: Mapping[str, Any], *, native: bool) -> Messages:
    """Return the messages that open an episode.

    Args:
        env: The environment.
        info: Of its reset.
        native: Whether the chat template shows the tools; if not, the system message does.
    """
    messages = [dict(one) for one in info["messages"]]
    if not native and info["tools"]:
        how = env.dialect.explain(info["tools"])
        messages[0]["content"] = "\n\n".join(p for p in (messages[0]["content"], how) if p)
    return [one for one in messages if one["content"]]
