"""``gym-clinic list``: the registered environments."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer()


@app.command("list")
def print_environments(
    modules: Annotated[
        list[str] | None,
        typer.Argument(metavar="MODULE", help="A module to import that registers more."),
    ] = None,
) -> None:
    """List the environments.

    List every clinic environment: its domain, the tasks of its splits, the range of its reward
    and its purpose.
    """
    from gym_clinic.catalog import data_sheet, domain_name, ids, open_env, sizes, smallest_split
    from gym_clinic.commands.terminal import console, print_table
    from gym_clinic.errors import ClinicError
    from gym_clinic.evaluate.report import Grid
    from gym_clinic.names import import_module

    for module in modules or ():
        import_module(module, "clinic environment")
    rows = []
    for name in ids():
        domain = domain_name(name)
        try:
            clinic = open_env(name, split=smallest_split(name))
            low, high = clinic.reward_range
            about = data_sheet(domain).partition("\n")[0]
            rows.append((name, domain, sizes(clinic.domain), f"{low:g}..{high:g}", about))
        except ClinicError as error:
            rows.append((name, domain, "–", "–", f"cannot be made: {error}"))
    columns = ("id", "domain", "tasks", "reward", "about")
    grid = Grid("Clinic environments", columns, tuple(rows))
    print_table(console(), grid, figures=False)
