"""What the trajectories of one environment and split share, made once a process."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson
from verl.tools.schemas import OpenAIFunctionToolSchema

from gym_clinic import ClinicEnv
from verl_recipes import settings
from verl_recipes.agent_loop.environment import make_env, record_keys


@dataclass(frozen=True)
class Shared:
    """What the trajectories of one environment and split share.

    Attributes:
        env: They copy it.
        keys: Of their records.
        schemas: The tools, as verl's parsers read them.
    """

    env: ClinicEnv
    keys: tuple[str, ...]
    schemas: list[OpenAIFunctionToolSchema]


def open_shared(
    clinic: settings.ClinicSettings, one: settings.EnvironmentSettings, split: str
) -> Shared:
    """Return what the trajectories of a split share; each is made once a process."""
    options = orjson.dumps(dict(one.env_kwargs))
    with _OPENING:  # the first trajectories ask all at once
        return _open(one.id, options, clinic.modules, split)


_OPENING = threading.Lock()


@lru_cache(maxsize=64)
def _open(name: str, options: bytes, modules: tuple[str, ...], split: str) -> Shared:
    env = make_env(name, {**orjson.loads(options), "split": split}, modules)
    return Shared(env, record_keys(env), [parsed(one) for one in env.toolbox.schemas()])


def parsed(tool: Mapping[str, Any]) -> OpenAIFunctionToolSchema:
    """Return a tool as verl's parsers read it: an argument without a type may be any JSON."""
    function = tool["function"]
    known = function["parameters"]["properties"]
    properties = {name: {"type": str(one.get("type", "object"))} for name, one in known.items()}
    parameters = {"type": "object", "properties": properties}
    shown = {**function, "parameters": parameters}
    return OpenAIFunctionToolSchema.model_validate({"type": "function", "function": shown})
