"""``gym-clinic tasks build``: the embedded tasks of a domain, from their seed."""

from __future__ import annotations

import importlib.util
from typing import Annotated

import typer

from gym_clinic.errors import ConfigError

app = typer.Typer()


@app.command(
    context_settings={"allow_interspersed_args": False},
    epilog="example: gym-clinic tasks build clingen --out my-tasks --seed 1",
)
def build(
    domain: Annotated[str, typer.Argument(metavar="DOMAIN", help="Such as clingen.")],
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="ARGUMENT", help="The arguments of its builder."),
    ] = None,
) -> None:
    """Build embedded tasks again from their seed.

    Build the tasks of an embedded domain again; the same seed gives the same bytes.
    'gym-clinic tasks build DOMAIN --help' lists the arguments of its builder.
    """
    from gym_clinic.domain import builtin_names
    from gym_clinic.names import import_named, suggest

    built = [name for name in builtin_names() if importlib.util.find_spec(_home(name))]
    if domain not in built:
        raise ConfigError(f"no built tasks of {domain!r}; {suggest(domain, built)}")
    main = import_named(f"{_home(domain)}:main", "builder")
    main(arguments or [], prog=f"gym-clinic tasks build {domain}")


def _home(domain: str) -> str:
    """Return the module that builds the tasks of a domain, ``main(arguments, prog)``."""
    return f"gym_clinic.domains.{domain}.build"
