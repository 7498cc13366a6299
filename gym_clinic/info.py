"""What a domain adds to the info of its episodes: checked, copied, and made without the gold."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from gym_clinic.domain import Domain
from gym_clinic.episode import Episode, Task
from gym_clinic.errors import ConfigError

RESERVED = frozenset({
    "task_id", "tools", "messages", "prompt", "max_turns", "max_calls", "stop_strings", "inline",
    "images", "rewards", "weights", "total", "success", "metrics", "stop", "gold",
    "episode", "final_info", "final_obs",
})  # fmt: skip
"""Keys of info that are the environment's own, Gymnasium's, or would show the gold."""


class _Withheld(Mapping[str, Any]):
    """Stands in for the gold where it must not be read."""

    def __init__(self, domain: str) -> None:
        self._domain = domain

    def _refuse(self) -> NoReturn:
        raise ConfigError(
            f"domain {self._domain!r}: info(episode) reads the gold of the task; it may show what "
            "record, case and turns say, and nothing that depends on what is right"
        )

    def __getitem__(self, key: str) -> Any:
        self._refuse()

    def __iter__(self) -> Iterator[str]:
        self._refuse()

    def __len__(self) -> int:
        self._refuse()


def domain_info(domain: Domain, episode: Episode) -> dict[str, Any]:
    """Return what a domain adds to the info of a reset or step; nothing without ``domain.info``.

    Raises:
        ConfigError: If the domain's function reads the gold, uses a reserved key, or returns
            anything but plain JSON; the error says which.
    """
    if domain.info is None:
        return {}
    who = f"domain {domain.name!r}: info(episode)"
    shown = copy.copy(episode)
    shown.task = _without_gold(episode.task, domain.name)
    found = domain.info(shown)
    if not isinstance(found, Mapping):
        raise ConfigError(
            f"{who} returns a {type(found).__name__}; expected an object, name: value"
        )
    if taken := sorted(name for name in map(str, found) if name in RESERVED or name[:1] == "_"):
        raise ConfigError(
            f"{who} returns {taken}, which are reserved: choose names that do not begin with '_' "
            f"and are none of {sorted(RESERVED)}"
        )
    made: dict[str, Any] = _plain_json(found, who)
    return made


def _without_gold(task: Task, domain: str) -> Task:
    twin = copy.copy(task)
    object.__setattr__(twin, "gold", _Withheld(domain))
    return twin


def _plain_json(value: Any, where: str) -> Any:
    """Return a copy of plain JSON, so that nothing handed out is a part of the episode."""
    if value is None or type(value) in (str, bool, int):
        return value
    if type(value) is float and math.isfinite(value):
        return value
    if isinstance(value, Mapping):
        if odd := [key for key in value if type(key) is not str]:
            raise ConfigError(f"{where} has the key {odd[0]!r}; keys of plain JSON are text")
        return {key: _plain_json(item, f"{where}[{key!r}]") for key, item in value.items()}
    if isinstance(value, list | tuple):
        # The features of a graph are thousands of numbers, in every step.
        if set(map(type, value)) == {float} and all(map(math.isfinite, value)):
            return list(value)
        return [_plain_json(item, f"{where}[{place}]") for place, item in enumerate(value)]
    shown = repr(value) if type(value) is float else f"a {type(value).__name__}"
    raise ConfigError(
        f"{where} is {shown}; expected plain JSON: texts, finite numbers, lists, objects"
    )
