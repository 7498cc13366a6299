"""``gym-clinic tasks``: check, build, generate, import and rewrite tasks."""

from __future__ import annotations

import typer

from gym_clinic.commands.tasks import build, consult, generate, imports, rewrite, validate

app = typer.Typer()


@app.callback()
def tasks() -> None:
    """Validate, build, generate, import, consult and rewrite tasks.

    Check task files, build the embedded ones again, generate tasks of clinical domains, import
    published benchmarks, ask specialists about visual questions, or have a chat model rewrite
    simulated articles.
    """


app.add_typer(validate.app)
app.add_typer(build.app)
app.add_typer(generate.app)
app.add_typer(imports.app)
app.add_typer(consult.app)
app.add_typer(rewrite.app)
