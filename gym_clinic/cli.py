"""``gym-clinic``: list, show, play and evaluate the environments, and check what they need."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import gymnasium as gym
import typer
from typer.core import TyperGroup

from gym_clinic._version import __version__
from gym_clinic.commands import (
    actions,
    cases,
    compare,
    doctor,
    evaluate,
    export,
    info,
    instrument,
    judge,
    kb,
    listing,
    patient,
    play,
    plot,
    safety,
    sheets,
    show,
    tasks,
)
from gym_clinic.errors import ClinicError, ServiceError, Terminated

BROKEN_PIPE, CALLER, SERVICE, INTERRUPTED, TERMINATED = 1, 2, 3, 130, 143
"""Exit statuses, beside 0 and the 1 of a check that found something."""


class _Commands(TyperGroup):
    """The commands; an error of ours is one line on the error stream and an exit status."""

    def invoke(self, ctx: Any) -> Any:
        # Policies and domains of the working folder can be named, as with ``python -m``.
        if str(Path.cwd()) not in sys.path:
            sys.path.append(str(Path.cwd()))
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")  # agents write lone surrogates too
        try:
            status = super().invoke(ctx) or 0
            sys.stdout.flush()
        except ServiceError as error:
            status = _report(error, SERVICE)
        except Terminated as ended:
            status = _report(ended, TERMINATED)
        except KeyboardInterrupt as stopped:
            status = _report(str(stopped) or "stopped", INTERRUPTED)
        except BrokenPipeError:
            # The reader has closed the pipe; the interpreter must not flush into it again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            status = BROKEN_PIPE
        except (ClinicError, OSError, gym.error.Error) as error:
            status = _report(error, CALLER)
        raise typer.Exit(status)


def _report(error: object, status: int) -> int:
    print(f"gym-clinic: {error}", file=sys.stderr)
    return status


app = typer.Typer(
    cls=_Commands,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="'gym-clinic COMMAND --help' describes a command.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: rich takes as long to load as all the rest
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"gym-clinic {__version__}")
        raise typer.Exit()


@app.callback()
def gym_clinic(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Clinical agents as Gymnasium environments, with rewards that are tested against gaming."""


for _command in (listing, info, play, evaluate, show, compare, actions, judge):
    app.add_typer(_command.app)
app.add_typer(tasks.app, name="tasks")
app.add_typer(cases.app, name="cases")
app.add_typer(kb.app, name="kb")
app.add_typer(patient.app, name="patient")
app.add_typer(safety.app, name="safety")
app.add_typer(export.app, name="export")
app.add_typer(sheets.app, name="sheets")
for _command in (instrument, plot, doctor):
    app.add_typer(_command.app)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        argv: The arguments; those of the process by default.

    Returns:
        The exit status: 0; 1 when a check found something; 2 for a mistake of the caller or in
        the data; 3 when a service failed; 130 when stopped from the keyboard, 143 by SIGTERM.
    """
    status: Any = 0
    try:
        app(args=None if argv is None else list(argv), prog_name="gym-clinic")
    except SystemExit as ended:
        status = ended.code or 0
    if argv is None and status in (SERVICE, INTERRUPTED, TERMINATED):
        # The interpreter would wait for every policy that still acts in a thread.
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(status)
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
