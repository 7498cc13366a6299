"""``gym-clinic show``: a recorded episode, turn by turn, with its debrief."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gym_clinic.commands.options import Modules, import_modules, repeating

app = typer.Typer()

_STYLES = {"assistant": "green", "system": "magenta", "user": "cyan"}
_AUTHORS = {"assistant": "agent", "user": "clinic"}


@app.command(
    "show",
    cls=repeating("--trial", "--policy"),
    epilog="example: gym-clinic show runs/first clingen-0a1b2c3d4e --policy rules --trial 0 1",
)
def show_episode(
    run: Annotated[
        Path,
        typer.Argument(metavar="RUN", help="A folder that 'gym-clinic eval' has written."),
    ],
    task_id: Annotated[str, typer.Argument(metavar="TASK", help="Id of the task.")],
    trial: Annotated[
        list[int] | None,
        typer.Option(metavar="N...", help="Which trials, from 0; by default the first."),
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME...", help="Which policies of the run; by default all."),
    ] = None,
    module: Modules = None,
) -> None:
    """Show a recorded episode.

    Print a recorded episode turn by turn, and its debrief: how the reward adds up, what was found
    right and wrong, the calls that were needed, extra or missed, and what was right.
    """
    from gym_clinic.commands.debrief import print_ended
    from gym_clinic.commands.terminal import console, show
    from gym_clinic.errors import ConfigError, TaskError
    from gym_clinic.evaluate.replay import find_episodes, messages_of, replay

    import_modules(module)
    screen = console()
    for where, row in find_episodes(run, task_id, trials=trial or [0], policies=policy):
        screen.rule(f"{row['policy']} on {row['id']}, task {task_id}, trial {row['trial']}")
        for turn, author, text in messages_of(row):
            name = _AUTHORS.get(author, author)
            head = f"[turn {turn}: {name}]" if turn else f"[{name}]"
            screen.print(f"\n{head}", style=f"bold {_STYLES.get(author, 'yellow')}", markup=False)
            show(screen, text)
        screen.print()
        if row["error"] is not None:
            screen.rule("failed, not scored")
            show(screen, row.get("traceback") or row["error"])
            continue
        try:
            clinic, ended, why_not = replay(where, row)
        except (ConfigError, TaskError) as error:
            stop, success = row["stop"], "solved" if row["success"] else "not solved"
            screen.rule("end")
            show(screen, f"{stop}, {success}; reward {row['reward']:.3f}\nNo debrief: {error}")
            continue
        print_ended(screen, clinic, ended)
        if why_not:
            show(screen, f"Judged as it was recorded; it was not played again: {why_not}.")
