"""``gym-clinic compare``: the paired difference of two runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from gym_clinic.commands.options import PriceTable

app = typer.Typer()


@app.command(
    "compare", epilog="example: gym-clinic compare runs/first/rules runs/first/oracle --tasks 5"
)
def compare_two(
    first: Annotated[Path, typer.Argument(metavar="RUN_A", help="A finished run of 'eval'.")],
    second: Annotated[Path, typer.Argument(metavar="RUN_B", help="Another one.")],
    tasks: Annotated[
        int, typer.Option(metavar="N", help="Tasks listed of those that differ most.")
    ] = 10,
    prices: PriceTable = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the comparison as JSON.")] = False,
) -> None:
    """Compare two runs.

    Print the difference of two runs, RUN_B less RUN_A, over the tasks that both have: each figure
    with its 95% interval (a bootstrap over tasks), and the tasks whose reward differs most.
    """
    from gym_clinic.commands.terminal import console, print_table
    from gym_clinic.evaluate.cost import cost_of_run, cost_table, read_prices
    from gym_clinic.evaluate.paired import compare_runs, comparison_tables, read_results

    runs = read_results(first), read_results(second)
    found = compare_runs(*runs)
    if as_json:
        print(json.dumps(found.as_dict(), indent=2, ensure_ascii=False))
        return
    table = None if prices is None else read_prices(prices)
    screen = console()
    for note in found.notes:
        screen.print(note, markup=False, soft_wrap=not screen.is_terminal)
    if found.notes:
        screen.print()
    for grid in comparison_tables(found, tasks):
        print_table(screen, grid)
    costs = {
        name: cost_of_run(run.folder, table) for name, run in zip(found.names, runs, strict=True)
    }
    print_table(screen, cost_table(costs))
