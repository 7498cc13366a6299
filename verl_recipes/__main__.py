"""``python -m verl_recipes train|check …``: training runs, and what they need."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

from gym_clinic import ConfigError
from gym_clinic.names import suggest
from verl_recipes import pins

COMMANDS = {"train": "verl_recipes.launch", "check": "verl_recipes.check"}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; 0, 1 for a run or check that failed, 2 for a mistake of the caller."""
    name, *rest = [*(sys.argv[1:] if argv is None else argv), ""]
    try:
        if name not in COMMANDS:
            raise ConfigError(f"no command {name!r}; {suggest(name, COMMANDS)}")
        require_installed()
    except ConfigError as error:
        print(f"verl_recipes: {error}", file=sys.stderr)
        return 2
    status: int = importlib.import_module(COMMANDS[name]).main(rest[:-1])
    return status


def require_installed() -> None:
    """Check that the packages of a world are here, before anything imports one.

    Raises:
        ConfigError: If one is missing; it names all that are, and the line that installs them.
    """
    world = pins.installed_world() or "cpu"
    missing = [one.pin.name for one in pins.survey(world) if one.verdict == "missing"]
    if missing:
        lines = " or, with GPUs, ".join(dict.fromkeys([pins.INSTALL[world], pins.INSTALL["gpu"]]))
        raise ConfigError(f"training needs {', '.join(missing)}: {lines}")


if __name__ == "__main__":
    sys.exit(main())
