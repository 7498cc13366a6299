"""What a recipe of anybody's own does with an episode, tried on one before Ray is started."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from gym_clinic import ClinicEnv, ConfigError
from verl_recipes import settings
from verl_recipes.agent_loop.environment import open_all
from verl_recipes.preflight.result import OK, CheckResult
from verl_recipes.registry import REWARDS, is_own


def check(config: Any) -> Iterator[CheckResult]:
    """Yield the results of trying a critic and a reward on the first task of each environment.

    Raises:
        ConfigError: If a critic cannot read the info or returns no value, or a reward no number.
    """
    clinic, data = settings.from_config(config), config.data
    mode = clinic.reward.mode
    if clinic.critic.model is None and not is_own(mode):
        return
    for name, env in open_all(data, data.train_files).items():
        infos = _first_episode(env)
        if clinic.critic.model is not None:
            _try_critic(name, infos, clinic)
            yield CheckResult("critic", OK, f"{name}: {clinic.critic.model} reads its info")
        if is_own(mode):
            score = _try_reward(name, env, infos[-1], clinic)
            yield CheckResult("reward", OK, f"{name}: {mode} pays {score:g} for no answer")


def _first_episode(env: ClinicEnv) -> list[dict[str, Any]]:
    """Return the infos of an episode of one idle turn: of its reset, step and end."""
    _, opened = env.reset(options={"task_id": env.tasks[0].id})
    *_, over, cut, stepped = env.step("")
    if over or cut:
        return [opened, stepped]
    *_, ended = env.truncate("token_budget")
    return [opened, stepped, ended]


def _try_critic(name: str, infos: list[dict[str, Any]], clinic: settings.ClinicSettings) -> None:
    from verl_recipes.critic.value import Critic

    critic = Critic(clinic.critic, clinic.seed)
    read = infos[:-1]  # the last info of an episode is not read: no turn follows
    try:
        values = critic.values([critic.read(info) for info in read])
    except (KeyError, TypeError, ValueError, IndexError, RuntimeError) as error:
        raise ConfigError(
            f"clinic.critic.model {clinic.critic.model!r} cannot judge an info of {name}, which "
            f"has {sorted(read[0])} after a reset and {sorted(read[-1])} after a step: "
            f"{type(error).__name__}: {error}"
        ) from error
    if not all(map(math.isfinite, values)):
        raise ConfigError(
            f"clinic.critic.model {clinic.critic.model!r} returns {values} for {name}"
        )


def _try_reward(
    name: str, env: ClinicEnv, ended: dict[str, Any], clinic: settings.ClinicSettings
) -> float:
    from verl_recipes.agent_loop.trajectory import idle_record

    record, mode = idle_record(env, ended), clinic.reward.mode
    try:
        score = float(REWARDS[mode](record, clinic.reward))
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise ConfigError(
            f"clinic.reward.mode {mode!r} fails on a trajectory of {name}, whose figures are "
            f"{sorted(record)}: {type(error).__name__}: {error}"
        ) from error
    if not math.isfinite(score):
        raise ConfigError(f"clinic.reward.mode {mode!r} pays {score} on {name}; expected a number")
    return score
