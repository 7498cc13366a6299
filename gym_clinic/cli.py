"""``gym-clinic``: list, look at, play, evaluate and check the environments, and what came out."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import gymnasium as gym

from gym_clinic._version import __version__
from gym_clinic.commands import doctor, export, kb, play, plot, score, show, tasks
from gym_clinic.errors import ClinicError, ServiceError

INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        argv: The arguments; those of the process by default.

    Returns:
        The exit status: 0; 1 when a check found something; 2 for a mistake of the caller or in
        the data; 3 when a service failed; 130 when stopped from the keyboard.
    """
    args = parser().parse_args(argv)
    # Policies and domains of the working folder can be named, as with ``python -m``.
    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # agents write lone surrogates too
    try:
        status: int = args.run(args)
        sys.stdout.flush()
    except ServiceError as error:
        print(f"gym-clinic: {error}", file=sys.stderr)
        return 3
    except KeyboardInterrupt as stopped:
        print(f"gym-clinic: {str(stopped) or 'stopped'}", file=sys.stderr)
        if argv is None:
            # The interpreter would wait for every policy that is still thinking.
            sys.stderr.flush()
            os._exit(INTERRUPTED)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read us has seen enough; the interpreter must not flush into the pipe again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (ClinicError, OSError, gym.error.Error) as error:
        print(f"gym-clinic: {error}", file=sys.stderr)
        return 2
    return status


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser(
        prog="gym-clinic",
        description="Clinical agents as Gymnasium environments, with rewards that cannot be gamed.",
        epilog="'gym-clinic COMMAND --help' tells more about a command.",
    )
    top.add_argument("--version", action="version", version=f"gym-clinic {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in (show, play, score, tasks, kb, export, plot, doctor):
        command.add(commands)
    return top


if __name__ == "__main__":
    sys.exit(main())
