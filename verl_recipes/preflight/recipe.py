"""A reward of anybody's own, tried on an episode before Ray is started."""

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
    """Yield the results of trying the reward on the first task of each environment.

    Raises:
        ConfigError: If it pays no number.
    """
    clinic, data = settings.from_config(config), config.data
    mode = clinic.reward.mode
    if is_own(mode):
        for name, env in open_all(data, data.train_files).items():
            score = _try_reward(name, env, _last_info(env), clinic)
            yield CheckResult("reward", OK, f"{name}: {mode} pays {score:g} for no answer")


def _last_info(env: ClinicEnv) -> dict[str, Any]:
    """Return the info at the end of an episode of one idle turn."""
    env.reset(options={"task_id": env.tasks[0].id})
    *_, over, cut, stepped = env.step("")
    if over or cut:
        return stepped
    *_, ended = env.truncate("token_budget")
    return ended


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
