"""What verl imports in every process (``VERL_USE_EXTERNAL_MODULES``): our registrations.

Each module registers what it defines, so that it does not matter which of them a process meets
first: verl imports this one while the other may still be half imported.
"""

from __future__ import annotations

import importlib
import os

from verl_recipes.registry import OWN_TRAINER, TRAINERS

ENGINE = "verl_recipes.ttopd.engine"
"""Registers the engine, which trains with or without a teacher."""

LOOP = "verl_recipes.agent_loop.loop"
"""Registers the agent loop."""

ON_THE_CPU = ("verl_recipes.cpu.platform", "verl_recipes.cpu.rollout")
"""Register the platform and its rollouts."""

os.environ.setdefault("VERL_ENGINE_VENDOR", "gym_clinic")  # verl looks for engines by it
_cpu = ON_THE_CPU if os.environ.get("VERL_PLATFORM") == "cpu" else ()
for _name in (*_cpu, ENGINE, LOOP):
    importlib.import_module(_name)
for _name in TRAINERS:
    TRAINERS[_name]
if _own := os.environ.get(OWN_TRAINER):
    from verl.trainer.ppo.v1.trainer_base import register_trainer

    register_trainer(_own)(TRAINERS[_own])
