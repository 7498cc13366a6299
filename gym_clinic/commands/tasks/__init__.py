"""``gym-clinic tasks``: check task files, build or generate them, import published benchmarks."""

from __future__ import annotations

import typer

from gym_clinic.commands.tasks import build, generate, imports, validate

app = typer.Typer()


@app.callback()
def tasks() -> None:
    """Validate, build, generate and import tasks.

    Check task files, build the embedded ones again, generate tasks of clinical domains, or import
    published benchmarks.
    """


app.add_typer(validate.app)
app.add_typer(build.app)
app.add_typer(generate.app)
app.add_typer(imports.app)
