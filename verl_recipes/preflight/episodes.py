"""What a run plays, in every stage: environments, splits, options, weights, targets, critic."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from gym_clinic import ClinicEnv, ConfigError
from gym_clinic.errors import ClinicError
from gym_clinic.taskset import first
from verl_recipes import settings
from verl_recipes.agent_loop.environment import open_all, splits_of
from verl_recipes.preflight import figures
from verl_recipes.preflight.result import MISSING, OK, CheckResult

if TYPE_CHECKING:
    from omegaconf import DictConfig

NAME = "environment"


def check(config: DictConfig) -> Iterator[CheckResult]:
    """Yield the results for the environments of a run and of each stage, each mistake once."""
    data, clinic = config.data, settings.from_config(config)
    opened: list[Mapping[str, ClinicEnv]] = []
    counts: dict[str, list[str]] = {}
    for files in dict.fromkeys((str(data.train_files), str(data.val_files))):
        try:
            envs, splits = open_all(data, files), splits_of(data, files)
        except ClinicError as error:
            yield CheckResult(NAME, MISSING, str(error))
            return
        opened.append(envs)
        for name, env in envs.items():
            counts.setdefault(name, []).append(f"{len(env.tasks):,} tasks of split {splits[name]}")
    for name, said in counts.items():
        yield CheckResult(NAME, OK, f"{name}: {', '.join(said)}")
    if config.algorithm.filter_groups.enable:
        metric = str(config.algorithm.filter_groups.metric)
        yield from _said("dynamic sampling", partial(figures.check_metric, metric, opened[0]))
    if config.actor_rollout_ref.rollout.name == "hf":
        for name in (name for name, env in opened[0].items() if _shows_images(env)):
            detail = f"{name} shows images; rollouts on the CPU read text alone"
            yield CheckResult(NAME, MISSING, detail, "use GPUs")
    yield from _said("critic", partial(check_critic, clinic, opened))
    for number, stage in enumerate(clinic.stages, 1):
        yield from _said(f"clinic.stages: {stage.name}", partial(_check_stage, config, number))


def _shows_images(env: ClinicEnv) -> bool:
    """Return whether the first case of an environment opens with an image."""
    _, info = next(iter(_infos(env)))
    return bool(info.get("images"))


def _said(name: str, look: Callable[[], None]) -> Iterator[CheckResult]:
    """Yield what is wrong with a part of a run, nothing if nothing is."""
    try:
        look()
    except ClinicError as error:
        yield CheckResult(name, MISSING, str(error))


def _check_stage(config: DictConfig, number: int) -> None:
    """Check that the environments of a stage open, and that its target will be logged."""
    from verl_recipes.schedule.trainer import staged_data

    clinic = settings.from_config(config)
    data = staged_data(config.data, clinic, number)
    envs = open_all(data, data.train_files)
    figures.check_target(clinic.stages[number - 1].figure, envs)
    check_critic(clinic, [envs])


def check_critic(clinic: settings.ClinicSettings, opened: list[Mapping[str, ClinicEnv]]) -> None:
    """Check that the value model reads what the environments show, and gives a value.

    It reads the info of a case that is opened and that of a first turn, as in a run.

    Raises:
        ConfigError: If it cannot; the error names the environment and what it shows.
    """
    if clinic.critic.model is None:
        return
    from verl_recipes.critic.value import Critic, reader

    read = reader(clinic.critic)
    assert read is not None
    try:
        critic = Critic(clinic.critic, clinic.seed)
    except ConfigError:
        raise
    except Exception as error:
        raise ConfigError(
            f"clinic.critic.model {clinic.critic.model!r} cannot be made: "
            f"{type(error).__name__}: {error}"
        ) from error
    for name, env in ((name, env) for envs in opened for name, env in envs.items()):
        for when, info in _infos(env):
            try:
                critic.values([read(info)])
            except ConfigError as error:
                raise ConfigError(f"{name}, {when}: {error}") from error
            except Exception as error:
                raise ConfigError(
                    f"clinic.critic.model {clinic.critic.model!r} cannot read what {name} shows "
                    f"{when}: {type(error).__name__}: {error}; info has {sorted(info)}"
                ) from error


def _infos(env: ClinicEnv) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield what an environment shows when a case is opened, and after a turn that does nothing."""
    own = copy.copy(env)
    _, info = own.reset(options={"task_id": first(env.tasks, 1)[0].id})
    yield "when a case is opened", info
    _, _, terminated, truncated, info = own.step("")
    if not (terminated or truncated):
        yield "after a turn", info
