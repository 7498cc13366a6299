from __future__ import annotations

import functools

import pytest
import typer.testing
from command_runs import Done, Run
from typer.testing import CliRunner

from gym_clinic.cli import app

# Building the command tree takes longer than most of these commands.
built = functools.cache(typer.main.get_command)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in this process, ``run("kb", "info", path)``; a bug of ours is raised."""
    monkeypatch.setattr(typer.testing, "_get_command", built)
    runner = CliRunner()

    def command(*arguments: object, typed: str | None = None) -> Done:
        argv = [str(one) for one in arguments]
        ended = runner.invoke(
            app, argv, input=typed, prog_name="gym-clinic", catch_exceptions=False
        )
        return Done(ended.exit_code, ended.stdout, ended.stderr)

    return command
