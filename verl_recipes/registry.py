"""The names that settings may have: a further one is its code in a file, and a line here.

Entries are strings, so that a setting is checked without importing torch or verl.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Generic, TypeVar

from gym_clinic import ConfigError
from gym_clinic.names import import_named, suggest

_Entry = TypeVar("_Entry")


class Registry(Generic[_Entry]):
    """The names that one setting may have, and the object behind each.

    Args:
        setting: Which setting, for errors.
        entries: Name -> ``"module:NAME"``, imported when it is asked for.
        refused: Names that are not offered, and why.
    """

    def __init__(
        self, setting: str, entries: Mapping[str, str], refused: Mapping[str, str] | None = None
    ) -> None:
        self.setting = setting
        self.entries = dict(entries)
        self.refused = dict(refused or {})

    def check(self, name: object) -> None:
        """Check that a name is offered.

        Raises:
            ConfigError: If it is not; the error says why, or which name is nearest.
        """
        if isinstance(name, str) and name in self.entries:
            return
        if isinstance(name, str) and name in self.refused:
            raise ConfigError(f"{self.setting} {name!r} is refused: {self.refused[name]}")
        raise ConfigError(f"{self.setting}: no {name!r}; {suggest(str(name), self.entries)}")

    def __getitem__(self, name: str) -> _Entry:
        """Return what a name stands for; errors as for :meth:`check`."""
        self.check(name)
        found: _Entry = import_named(self.entries[name], self.setting)
        return found

    def __iter__(self) -> Iterator[str]:
        """Yield the names."""
        return iter(self.entries)


TRAINERS: Registry[type[Any]] = Registry(
    "trainer.v1.trainer_mode",
    {
        "clinic": "verl_recipes.trainer.trainer:ClinicTrainer",
        "ttopd": "verl_recipes.ttopd.trainer:TTOPDTrainer",
    },
)
"""The algorithms; each trainer registers itself with verl under this name."""
