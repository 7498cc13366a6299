"""The config of a run, composed once from what its caller asked for."""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson
from hydra import compose as hydra_compose
from hydra import initialize_config_module
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from gym_clinic import ConfigError
from gym_clinic.names import suggest
from gym_clinic.policies import oracle, play
from gym_clinic.taskset import spread
from verl_recipes import settings
from verl_recipes.agent_loop.environment import make_env
from verl_recipes.config.methods import own_method
from verl_recipes.config.settle import settle, share_steps
from verl_recipes.registry import is_own
from verl_recipes.request import RunRequest

CONFIGS = Path(__file__).parent

RESPONSE = "data.max_response_length"

TINY: dict[str, Any] = {
    "data.model_type": "qwen3",
    "data.max_prompt_length": 3_000,
    RESPONSE: 1_500,
    "data.val_max_samples": 16,
    "clinic.shortest": 48,
    "actor_rollout_ref.rollout.temperature": 0.5,
}
"""Settings that go with the tiny model: budgets in tokens, few, short tasks, and a temperature at
which unlikely tokens seldom spoil a call. The response is longer where right runs are."""

FREE = ("clinic.env_kwargs", "clinic.critic.options", "clinic.population.options")
"""Objects with keys of anybody's choice: ``clinic.env_kwargs={max_turns: 5}`` adds one, and so does
``clinic.env_kwargs.max_turns=5``."""

RUNS, CHARACTERS = 8, 4
"""Right runs that are measured for that, and characters of a token at least."""


def choices(group: str) -> list[str]:
    """Return the choices of a config group: ``stack`` or ``method``."""
    return sorted(path.stem for path in (CONFIGS / group).glob("*.yaml"))


def compose(request: RunRequest) -> DictConfig:
    """Compose the config of a run.

    Only ``data.model_type`` of a named model is still missing: it is read from the model's own
    config, which may have to be downloaded first.

    Raises:
        ConfigError: If a name or an override is unknown, a setting of ours is out of range, its
            file of hints cannot be read, verl has no such parser, or settings contradict.
    """
    method, own = own_method(request.method) if is_own(request.method) else (request.method, {})
    for group, name in (("stack", request.stack), ("method", method)):
        if name not in choices(group):
            raise ConfigError(f"no {group} {name!r}; {suggest(name, choices(group))}")
    added = tuple(one for one in request.overrides if one[:1] in ("+", "~"))
    given = [one for one in request.overrides if one not in added]
    try:
        config = _base(request.stack, method, added).copy()
        for name in FREE:
            OmegaConf.set_struct(OmegaConf.select(config, name), False)
        config.merge_with(own)
        for key, value in _settings_of(request).items():
            OmegaConf.update(config, key, value)
        for override in OverridesParser.create().parse_overrides(given):
            OmegaConf.update(config, override.key_or_group, override.value())
        share_steps(config)
        clinic = settings.from_config(config)
        if request.model is None and not any(one.startswith(f"{RESPONSE}=") for one in given):
            OmegaConf.update(config, RESPONSE, _tiny_response(clinic))
        OmegaConf.set_struct(config, False)
    except (HydraException, OmegaConfBaseException) as error:
        said = " ".join(str(error).split())
        advice = "; a key that is not there yet is added by +KEY=VALUE" * ("in struct" in said)
        raise ConfigError(f"the config cannot be composed: {said}{advice}") from error
    settle(config)
    return config


@lru_cache(maxsize=16)
def _base(stack: str, method: str, added: tuple[str, ...]) -> DictConfig:
    """Compose what does not depend on a request, once a process: it takes hydra a second."""
    with initialize_config_module("verl_recipes.config", version_base=None):
        return hydra_compose("train", overrides=[f"stack={stack}", f"method={method}", *added])


def _settings_of(request: RunRequest) -> dict[str, Any]:
    """Return the settings of a request."""
    out = request.out.absolute()
    found: dict[str, Any] = {
        "clinic.seed": request.seed,
        "actor_rollout_ref.model.path": request.model or str(out / "model"),
        "trainer.total_training_steps": request.steps,
        "trainer.nnodes": request.nodes,
        "trainer.n_gpus_per_node": max(request.gpus, 1),
        "trainer.experiment_name": out.name,
        "trainer.default_local_dir": str(out / "checkpoints"),
        "trainer.resume_mode": "auto" if request.resume else "disable",
    }
    named = request.environments
    if len(named) == 1:
        found |= {"clinic.env": named[0]["id"], "clinic.envs": []}
    elif named:
        found["clinic.envs"] = named
    if request.model is None:
        found |= TINY
    if request.address:
        found["ray_kwargs.ray_init.address"] = request.address
    if request.lora:
        found["actor_rollout_ref.model.lora_rank"] = request.lora
    return found


def _tiny_response(clinic: settings.ClinicSettings) -> int:
    """Return the tokens of a response in which a right run of every environment fits."""
    lengths = (
        _run_length(one.id, orjson.dumps(one.options), clinic.modules)
        for one in clinic.environments
    )
    tokens = max(lengths) / CHARACTERS
    return max(int(TINY[RESPONSE]), 500 * math.ceil(tokens / 500))


@lru_cache(maxsize=64)
def _run_length(name: str, options: bytes, modules: tuple[str, ...]) -> int:
    """Return the characters of the longest of a few right runs of an environment."""
    try:
        env = make_env(name, orjson.loads(options), modules)
    except ConfigError:  # it is refused where it is opened to be played
        return 0
    solve = oracle(env)
    return max(
        sum(
            len(turn.action) + len(turn.observation)
            for turn in play(env, task, solve(0)).episode.turns
        )
        for task in spread(env.tasks, RUNS)
    )
