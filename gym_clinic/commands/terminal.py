"""What all commands share: where they print, and how options are written on a command line."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gym_clinic.errors import ConfigError

if TYPE_CHECKING:
    from rich.console import Console

PIPED_WIDTH = 140
"""Characters of a line of a table that goes into a file or a pipe."""

# Everything that could move the cursor or recolour a terminal; line ends and tabs stay.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def console() -> Console:
    """Return a console on standard output: coloured in a terminal, plain in a pipe."""
    from rich.console import Console

    screen = Console(highlight=False)
    return screen if screen.is_terminal else Console(highlight=False, width=PIPED_WIDTH)


def visible(text: str) -> str:
    """Return a text of an agent with its control characters made visible."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def options(pairs: Sequence[str]) -> dict[str, Any]:
    """Read ``key=value`` options; a value is JSON, or else text as it stands.

    Raises:
        ConfigError: If one has no ``=``, or names what the command line has an argument for.
    """
    found: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise ConfigError(f"an option is written key=value, not {pair!r}")
        if name in ("id", "env_id", "split"):
            raise ConfigError(f"{name} is not set this way; give the id first and --split NAME")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def add_env_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--set key=value``."""
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="an argument of the environment, as JSON or text, such as --set max_turns=3; "
        "'gym-clinic info ID' lists them",
    )


def add_policy_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--option key=value`` and the shortcuts for a chat model."""
    parser.add_argument(
        "--option",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="an option of the policy, as JSON or text, such as --option temperature=0",
    )
    parser.add_argument("--url", help="server of the chat policy, such as http://localhost:8000")
    parser.add_argument("--model", help="model of the chat policy")
    parser.add_argument(
        "--api-key-env", metavar="NAME", help="variable that holds the key of the chat policy"
    )


def policy_options(args: argparse.Namespace, policies: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the options of each policy.

    ``--option`` goes to every policy, ``--option POLICY.key=value`` to one; the shortcuts go to
    the chat policy.

    Raises:
        ConfigError: If an option has no ``=``, or a shortcut is given without a chat policy.
    """
    found: dict[str, dict[str, Any]] = {policy: {} for policy in policies}
    for name, value in options(args.option).items():
        owner, dot, rest = name.partition(".")
        for policy in [owner] if dot and owner in found else policies:
            found[policy][rest if dot and owner in found else name] = value
    shortcuts = {"url": args.url, "model": args.model, "api_key_env": args.api_key_env}
    given = {name: value for name, value in shortcuts.items() if value is not None}
    if given and "chat" not in found:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise ConfigError(f"{flags}: only the policy 'chat' takes this; add --policy chat")
    if given:
        found["chat"].update(given)
    return found
