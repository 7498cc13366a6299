"""What verl imports in every process (``VERL_USE_EXTERNAL_MODULES``): our registrations.

Each module registers what it defines, so that it does not matter which of them a process meets
first: verl imports this one while the other may still be half imported.
"""

from __future__ import annotations

import importlib
import os

ALWAYS = ("verl_recipes.ttopd.engine", "verl_recipes.trainer")
"""Register the engine with a teacher, and the trainer."""

ON_THE_CPU = ("verl_recipes.cpu.platform", "verl_recipes.cpu.rollout")
"""Register the platform and its rollouts."""

for _name in (*(ON_THE_CPU if os.environ.get("VERL_PLATFORM") == "cpu" else ()), *ALWAYS):
    importlib.import_module(_name)
