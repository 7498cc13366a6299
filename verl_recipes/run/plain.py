"""Verl's own command with our config: what hydra calls before verl sees the config."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from typing import Any

from hydra.experimental.callback import Callback
from omegaconf import DictConfig, OmegaConf, open_dict

from gym_clinic.errors import ClinicError
from gym_clinic.files import replace_file
from verl_recipes.config.settle import folder_of_run, settle
from verl_recipes.preflight.checks import require, settled
from verl_recipes.preflight.model import type_of


class PlainRun(Callback):
    """Checks and settles the config of ``python -m verl.trainer.main_ppo``, before Ray starts.

    ``config/train.yaml`` names it. Hydra turns what a callback raises into a warning and goes on,
    so a run that cannot start ends here: with status 2 for a mistake of the caller.
    """

    def on_run_start(self, config: DictConfig, **_: Any) -> None:
        """Prepare a run; ends the process if it cannot start."""
        try:
            prepare(config)
        except ClinicError as error:
            print(f"verl_recipes: {error}", file=sys.stderr)
            sys.exit(2)
        except Exception as error:
            traceback.print_exc()
            raise SystemExit(1) from error


def prepare(config: DictConfig) -> None:
    """Check and settle the config of a run, and give this process what a launcher's child has.

    Args:
        config: As hydra composed it, with its own section; changed in place.

    Raises:
        ConfigError: If the run cannot start; the error names all that is missing.
    """
    settle(config)
    for name, value in config.ray_kwargs.ray_init.runtime_env.env_vars.items():
        os.environ.setdefault(str(name), str(value))
    importlib.import_module("verl_recipes.plugin")
    with open_dict(config):
        config.data.model_type = config.data.model_type or type_of(
            str(config.actor_rollout_ref.model.path)
        )
    require(settled(config))
    shown = OmegaConf.masked_copy(config, [name for name in config if name != "hydra"])
    text = OmegaConf.to_yaml(shown, resolve=True)
    replace_file(folder_of_run(config) / "config.yaml", [text.encode()])
