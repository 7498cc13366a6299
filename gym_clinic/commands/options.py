"""Arguments and options that several commands take, and how their values are read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from gym_clinic.errors import ConfigError

EnvId = Annotated[
    str, typer.Argument(metavar="ID", help="An id such as clinic/ClinGen-v0, or module:id.")
]
EnvOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="An argument of the environment, as JSON or text, such as --set max_turns=3; "
        "'gym-clinic info ID' lists them.",
    ),
]
PolicyOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        metavar="KEY=VALUE",
        help="An option of the policy, as JSON or text, such as --option temperature=0; "
        "LABEL.key=value for one of several policies.",
    ),
]
Url = Annotated[
    str | None,
    typer.Option(
        metavar="URL", help="Server of the chat policy, such as http://localhost:8000/v1."
    ),
]
Model = Annotated[str | None, typer.Option(metavar="NAME", help="Model of the chat policy.")]
KeyVariable = Annotated[
    str | None,
    typer.Option(
        "--api-key-env",
        metavar="NAME",
        help="Environment variable that holds the API key of the server.",
    ),
]
Split = Annotated[str, typer.Option(metavar="NAME", help="Which tasks.")]
Seed = Annotated[int, typer.Option(metavar="N", help="Seed of all random choices.")]
OutFile = Annotated[Path, typer.Option("--out", metavar="FILE", help="The file to write.")]
Traces = Annotated[
    list[Path],
    typer.Argument(
        metavar="TRACE", help="A trace.jsonl, or a folder that 'gym-clinic eval' has written."
    ),
]
Modules = Annotated[
    list[str] | None,
    typer.Option("--module", metavar="MODULE", help="A module to import that registers the id."),
]
StrictFlag = Annotated[
    bool, typer.Option("--strict", help="Stop at a broken record instead of skipping it.")
]
PriceTable = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help='Prices of a million tokens by model, as JSON: {"my-model": {"input": 0.15, '
        '"output": 0.6}}. The cost of an episode is then given in money too.',
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")]

FAILED_BY_SERVICE = 3
"""Exit status of a run in which a service failed everything."""

POLICY_NAMES = (
    "oracle, random, rules, prior, human, chat, silent, every-tool, every-option, repeater, echo, "
    "rambler, malformed, forger, snoop, linear, call-search, one that the domain brings, or "
    "package.module:NAME"
)
"""The policies, for help texts; importing their table would load the environment."""


def import_modules(modules: Iterable[str] | None) -> None:
    """Import the modules of ``--module``, which register environments.

    Raises:
        ConfigError: If one cannot be found.
    """
    from gym_clinic.names import import_module

    for name in modules or ():
        import_module(name, "clinic environment")


def repeating(*flags: str) -> type[TyperCommand]:
    """Return a class of commands whose ``flags`` take one value or several.

    ``--policy oracle rules`` is then the same as ``--policy oracle --policy rules``.
    """

    class Command(TyperCommand):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            return super().parse_args(ctx, list(_repeat(args, flags)))

    return Command


def _repeat(args: Sequence[str], flags: Sequence[str]) -> Iterable[str]:
    """Yield the arguments with the flag repeated before each of its values."""
    flag, first = None, False
    for position, arg in enumerate(args):
        if arg == "--":
            yield from args[position:]
            return
        if arg.startswith("-"):
            flag, first = (arg, True) if arg in flags else (None, False)
            yield arg
            continue
        if flag is not None and not first:
            yield flag
        first = False
        yield arg


def read_options(pairs: Iterable[str] | None) -> dict[str, Any]:
    """Read ``key=value`` options; a value is JSON, or else text.

    Raises:
        ConfigError: If one has no ``=``, or names what the command line has an argument for.
    """
    found: dict[str, Any] = {}
    for pair in pairs or ():
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


def labelled(policies: Sequence[str]) -> dict[str, str]:
    """Return label -> name of the policies of a command; the label is the name if none is given.

    Args:
        policies: Each ``NAME`` or ``LABEL=NAME``.

    Raises:
        ConfigError: If a label is unusable or occurs twice.
    """
    found: dict[str, str] = {}
    for given in policies:
        label, equals, name = given.partition("=")
        if equals and not (name and re.fullmatch(r"[\w-]+", label)):
            raise ConfigError(
                f"a policy is written NAME or LABEL=NAME, such as native=chat, not {given!r}"
            )
        if label in found:
            raise ConfigError(
                f"two policies are called {label!r}; give each a label of its own, such as "
                f"a={name or label} b={name or label}"
            )
        found[label] = name or label
    return found


def options_by_policy(
    policies: Mapping[str, str],
    pairs: Iterable[str] | None,
    chat: Mapping[str, str | None],
) -> dict[str, dict[str, Any]]:
    """Return the options of each policy, by label.

    Args:
        policies: Label -> name of each policy.
        pairs: ``key=value`` for every policy, ``LABEL.key=value`` for one.
        chat: The shortcuts ``url``, ``model`` and ``api_key_env``, for chat policies alone;
            None where not given. An option of one policy goes before them.

    Raises:
        ConfigError: If an option has no ``=``, or a shortcut is given without a chat policy.
    """
    given = {name: value for name, value in chat.items() if value is not None}
    chats = [label for label, name in policies.items() if name == "chat"]
    if given and not chats:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise ConfigError(f"{flags}: only the policy 'chat' takes this; add --policy chat")
    shared: dict[str, dict[str, Any]] = {label: {} for label in policies}
    own: dict[str, dict[str, Any]] = {label: {} for label in policies}
    for option, value in read_options(pairs).items():
        # The longest label counts: one may begin like another, and names of modules have dots.
        owners = [label for label in policies if option.startswith(f"{label}.")]
        if owners:
            owner = max(owners, key=len)
            own[owner][option[len(owner) + 1 :]] = value
        else:
            for label in policies:
                shared[label][option] = value
    for label in chats:
        shared[label].update(given)
    return {label: {**shared[label], **own[label]} for label in policies}
