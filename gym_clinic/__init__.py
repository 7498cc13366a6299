"""Clinical agents, as Gymnasium environments with rewards that are tested against gaming.

Importing this package registers the ``clinic/*`` ids and loads nothing else; the public
names are imported when first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from gym_clinic._version import __version__
from gym_clinic.registration import register_all

if TYPE_CHECKING:
    from gym_clinic.action import Tag, Tags
    from gym_clinic.case import Case
    from gym_clinic.domain import Domain, Menu
    from gym_clinic.env import ClinicEnv
    from gym_clinic.episode import Call, Episode, Task, Turn
    from gym_clinic.errors import ConfigError, ServiceError, TaskError, ToolError
    from gym_clinic.images import Illustrated
    from gym_clinic.rewards import Rubric
    from gym_clinic.spaces import ClinicalText
    from gym_clinic.taskset import EndlessTasks, TaskFolder
    from gym_clinic.toolbox import Kind, tool, tools_of


_HOMES = {
    "Call": "episode",
    "Case": "case",
    "ClinicEnv": "env",
    "ClinicalText": "spaces",
    "ConfigError": "errors",
    "Domain": "domain",
    "Episode": "episode",
    "EndlessTasks": "taskset",
    "Illustrated": "images",
    "Kind": "toolbox",
    "Menu": "domain",
    "Rubric": "rewards",
    "ServiceError": "errors",
    "Task": "episode",
    "TaskError": "errors",
    "Tag": "action",
    "Tags": "action",
    "TaskFolder": "taskset",
    "ToolError": "errors",
    "Turn": "episode",
    "tool": "toolbox",
    "tools_of": "toolbox",
}

__all__ = [
    "Call",
    "Case",
    "ClinicEnv",
    "ClinicalText",
    "ConfigError",
    "Domain",
    "EndlessTasks",
    "Episode",
    "Illustrated",
    "Kind",
    "Menu",
    "Rubric",
    "ServiceError",
    "Tag",
    "Tags",
    "Task",
    "TaskError",
    "TaskFolder",
    "ToolError",
    "Turn",
    "__version__",
    "tool",
    "tools_of",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"gym_clinic.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'gym_clinic' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]


register_all()
