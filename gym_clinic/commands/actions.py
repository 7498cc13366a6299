"""``gym-clinic actions``: sequences of actions of recorded episodes, transitions and seconds."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from gym_clinic.commands.options import Traces

app = typer.Typer()


@app.command("actions", epilog="example: gym-clinic actions runs/first --json")
def count_actions(
    traces: Traces,
    as_json: Annotated[bool, typer.Option("--json", help="Print all figures as JSON.")] = False,
) -> None:
    """Show how policies act.

    Print for each policy of recorded episodes how diverse its sequences of actions are, which
    action follows which, and the seconds that the environment takes for each.
    """
    from gym_clinic.commands.terminal import console, print_table
    from gym_clinic.evaluate.actions import action_tables, as_dict, read_actions

    figures = read_actions(traces)
    if as_json:
        print(json.dumps(as_dict(figures), indent=2, ensure_ascii=False))
        return
    screen = console()
    for grid in action_tables(figures):
        print_table(screen, grid)
