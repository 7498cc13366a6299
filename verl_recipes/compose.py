"""A training config from names: which stack, which method, which overrides."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hydra import compose as hydra_compose
from hydra import initialize_config_module
from hydra.errors import HydraException
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from gym_clinic import ConfigError
from gym_clinic.names import suggest
from verl_recipes import hints, settings

CONFIGS = Path(__file__).parent / "config"


def names(group: str) -> list[str]:
    """Return the choices of a config group: ``stack`` or ``method``."""
    return sorted(path.stem for path in (CONFIGS / group).glob("*.yaml"))


def compose(stack: str, method: str, overrides: Sequence[str] = ()) -> DictConfig:
    """Compose a config.

    Args:
        stack: What it runs on.
        method: How it learns.
        overrides: Further ``key=value``, as hydra writes them.

    Raises:
        ConfigError: If a name or an override is unknown, our section cannot be, its file of hints
            cannot be read, or verl has no such parser.
    """
    for group, name in (("stack", stack), ("method", method)):
        if name not in names(group):
            raise ConfigError(f"no {group} {name!r}; {suggest(name, names(group))}")
    chosen = [f"stack={stack}", f"method={method}"]
    try:
        with initialize_config_module("verl_recipes.config", version_base=None):
            if fault := unknown_key(hydra_compose("train", overrides=chosen), overrides):
                raise ConfigError(fault)
            config = hydra_compose("train", overrides=[*chosen, *overrides])
        clinic = settings.from_config(config)
        hints.load(clinic.hints.path)
        if clinic.tool_parser is not None:
            check_parser(clinic.tool_parser)
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(f"the config cannot be composed: {error}") from error
    return config


def unknown_key(config: DictConfig, overrides: Sequence[str]) -> str | None:
    """Say which override sets what is not there; hydra's own words would have it added.

    Args:
        config: Without the overrides.
        overrides: Of these, ``+key=value`` and ``~key`` are left to hydra.
    """
    for override in overrides:
        key, assigned, _ = override.partition("=")
        if not assigned or key[:1] in ("+", "~"):
            continue
        node: Any = config
        for depth, part in enumerate(parts := key.split(".")):
            if not isinstance(node, DictConfig):
                break
            if part not in node:
                where = ".".join(parts[:depth]) or "the config"
                return f"{where} has no {part!r}; {suggest(part, map(str, node))}"
            node = node._get_node(part)
    return None


def check_parser(name: str) -> None:
    """Check that verl has a parser of calls of this name.

    Raises:
        ConfigError: If it has none; the error names what is near.
    """
    from verl.experimental.agent_loop.tool_parser import ToolParser

    if name not in ToolParser._registry:
        raise ConfigError(f"clinic.tool_parser: no {name!r}; {suggest(name, ToolParser._registry)}")
