"""What follows from the settings of a run, however it is started: the one place that sets it."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf, open_dict

from gym_clinic import ConfigError
from gym_clinic.names import suggest
from verl_recipes import settings
from verl_recipes.config.supported import check_supported
from verl_recipes.registry import OWN_TRAINER, is_own
from verl_recipes.schedule.stages import Schedule
from verl_recipes.ttopd import hints

METRICS = "VERL_FILE_LOGGER_PATH"
"""Variable that names the file of a run's figures; without it verl writes into the folder from
which it is started."""


def with_adapter(adapter: Any, full: Any, *, _root_: DictConfig) -> Any:
    """Return what a setting is with an adapter and without: ``${with_adapter:WITH,WITHOUT}``."""
    return adapter if _root_.actor_rollout_ref.model.lora_rank else full


def with_gpus(gpus: Any, cpu: Any, *, _root_: DictConfig) -> Any:
    """Return what a setting is with GPUs and without: ``${with_gpus:WITH,WITHOUT}``."""
    return cpu if _root_.trainer.device == "cpu" else gpus


OmegaConf.register_new_resolver("with_adapter", with_adapter, replace=True)
OmegaConf.register_new_resolver("with_gpus", with_gpus, replace=True)


def share_steps(config: DictConfig) -> None:
    """Give stages without ``steps`` as many as the run was asked for; changed in place."""
    for stage in config.clinic.stages:
        if stage.get("steps") is None:
            with open_dict(stage):
                stage.steps = int(config.trainer.total_training_steps or 0)


def settle(config: DictConfig) -> settings.ClinicSettings:
    """Check the settings of a run, and set what follows from them; done again, it changes nothing.

    The launcher does it when it composes a config, verl's own command before it starts Ray
    (:mod:`verl_recipes.run.plain`), and the trainer, for whoever starts verl in another way.

    Args:
        config: The whole config; it is changed in place.

    Returns:
        The ``clinic`` section.

    Raises:
        ConfigError: If a setting of ours is out of range, its file of hints cannot be read, verl
            has no such parser, or settings contradict.
    """
    share_steps(config)
    clinic = settings.from_config(config)
    hints.load(clinic.hints.path)
    if clinic.tool_parser is not None:
        check_parser(clinic.tool_parser)
    check_supported(config, clinic)
    with open_dict(config):
        _fit_to_adapter(config, clinic)
        trainer, folder = config.trainer, folder_of_run(config)
        trainer.default_local_dir = str(Path(trainer.default_local_dir).absolute())
        trainer.validation_data_dir = str(
            Path(trainer.validation_data_dir or folder / "evaluations").absolute()
        )
        if clinic.stages:
            trainer.total_training_steps = Schedule(clinic.stages).last_step
        start = config.ray_kwargs.ray_init
        given = OmegaConf.select(start, "runtime_env.env_vars") or {}
        variables = {**environment(config), **{str(name): given[name] for name in given}}
        OmegaConf.update(start, "runtime_env.env_vars", variables)
    return clinic


def folder_of_run(config: DictConfig) -> Path:
    """Return the folder of a run, which holds that of its checkpoints."""
    return Path(config.trainer.default_local_dir).absolute().parent


def environment(config: DictConfig) -> Mapping[str, str]:
    """Return the variables that every process of a run needs."""
    metrics = folder_of_run(config) / f"metrics-{int(time.time())}.jsonl"
    paths = [str(Path.cwd()), *filter(None, [os.environ.get("PYTHONPATH")])]
    variables = {
        "VERL_USE_EXTERNAL_MODULES": "verl_recipes.plugin",
        "VERL_USE_EXTERNAL_PLUGINS": "none",
        "VERL_ENGINE_VENDOR": "gym_clinic",
        METRICS: os.environ.get(METRICS) or str(metrics),
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)),
        "TOKENIZERS_PARALLELISM": "false",
    }
    if is_own(str(config.trainer.v1.trainer_mode)):
        variables[OWN_TRAINER] = str(config.trainer.v1.trainer_mode)
    if config.trainer.device == "cpu":
        variables |= {
            "VERL_PLATFORM": "cpu",
            "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1"),
            "RAY_memory_monitor_refresh_ms": "0",
        }
    return variables


def check_parser(name: str) -> None:
    """Check that verl has a parser of calls of this name; a ConfigError names the nearest."""
    from verl.experimental.agent_loop.tool_parser import ToolParser

    if name not in ToolParser._registry:
        raise ConfigError(f"clinic.tool_parser: no {name!r}; {suggest(name, ToolParser._registry)}")


def _fit_to_adapter(config: DictConfig, clinic: settings.ClinicSettings) -> None:
    """Settle what depends on whether an adapter is trained."""
    actor = config.actor_rollout_ref.actor
    if not config.actor_rollout_ref.model.lora_rank:
        return
    # verl would save the wrapped model as hf_model; the adapter is saved by itself.
    kept = [part for part in actor.checkpoint.save_contents if part != "hf_model"]
    actor.checkpoint.save_contents = kept
    if clinic.teacher.enabled:
        # The teacher is a second adapter, so the reference model is free for its own KL.
        actor.use_kl_loss = actor.kl_loss_coef > 0
