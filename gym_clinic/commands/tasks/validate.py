"""``gym-clinic tasks validate``: every task of every split."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gym_clinic.commands.options import EnvOptions, read_options

if TYPE_CHECKING:
    from gym_clinic.env import ClinicEnv

app = typer.Typer()


@app.command(
    epilog="example, for an imported folder: gym-clinic tasks validate clinic/ClinGen-v0 "
    "--set folder=my-tasks"
)
def validate(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Ids or domains; every id by default."),
    ] = None,
    settings: EnvOptions = None,
) -> int:
    """Check every task of every split.

    Check, on all cores, that every task has the right form, that ids are unique over all splits,
    that the calls of its gold work, and that the oracle earns the highest reward. Exit status 1 if
    a check fails.
    """
    from gym_clinic.catalog import ids, sizes
    from gym_clinic.testing import check_tasks

    workers = os.cpu_count() or 1
    broken = False
    chosen = read_options(settings)
    for given in names or ids():
        for name, env in _environments(given, chosen):
            problems = check_tasks(env, workers=workers)
            verdict = f"{len(problems):,} problems" if problems else "all well"
            print(f"{name}: {sizes(env.domain)}: {verdict}")
            for problem in problems:
                print(f"  {problem}")
            broken = broken or bool(problems)
    return int(broken)


def _environments(name: str, chosen: dict[str, Any]) -> Iterator[tuple[str, ClinicEnv]]:
    """Yield the environments that an id or a domain means, with the chosen arguments."""
    from gym_clinic.catalog import domain_name, find, ids, open_domain, open_env

    if "/" in name or name in ids():
        yield find(name), open_env(name, **chosen)
        return
    using = [
        one for one in ids() if name in ((domain := domain_name(one)), domain.partition(":")[0])
    ]
    for one in using:
        yield one, open_env(one, **chosen)
    if not using:
        yield name, open_domain(name, **chosen)
