"""``python -m verl_recipes train|check …``: training runs, and checks of what they need."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

from gym_clinic import ConfigError
from gym_clinic.errors import ClinicError
from gym_clinic.names import suggest
from verl_recipes.preflight import pins, toolkit

COMMANDS = {"train": "verl_recipes.launch", "check": "verl_recipes.preflight.command"}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; 0, 1 for a run or check that failed, 2 for a mistake of the caller."""
    name, *rest = [*(sys.argv[1:] if argv is None else argv), ""]
    try:
        if name not in COMMANDS:
            raise ConfigError(f"no command {name!r}; {suggest(name, COMMANDS)}")
        require_installed()
        status: int = importlib.import_module(COMMANDS[name]).main(rest[:-1])
    except ClinicError as error:
        print(f"verl_recipes: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; RESUME=1 continues a run from its last checkpoint", file=sys.stderr)
        return 130
    return status


def require_installed() -> None:
    """Check that the training packages are installed before anything imports one.

    Raises:
        ConfigError: If one is missing; it names all that are, and the line that installs them.
    """
    stack = pins.installed_stack()
    missing = ["verl"] if stack is None else pins.missing(stack)
    if missing:
        ways = dict.fromkeys([pins.INSTALL[stack or "cpu"], pins.INSTALL["gpu"]])
        said = f"training needs {', '.join(missing)}: {' or, with GPUs, '.join(ways)}"
        if toolkit.COMPILED in missing:
            said += f"\n{toolkit.check()}"
        raise ConfigError(said)


if __name__ == "__main__":
    sys.exit(main())
