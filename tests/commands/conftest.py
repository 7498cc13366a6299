from __future__ import annotations

import pytest
from command_runs import Done, Run
from typer.testing import CliRunner

from gym_clinic.cli import app


@pytest.fixture
def run() -> Run:
    """Run a command in this process, ``run("kb", "info", path)``; a bug of ours is raised."""
    runner = CliRunner()

    def command(*arguments: object, typed: str | None = None) -> Done:
        argv = [str(one) for one in arguments]
        ended = runner.invoke(
            app, argv, input=typed, prog_name="gym-clinic", catch_exceptions=False
        )
        return Done(ended.exit_code, ended.stdout, ended.stderr)

    return command
