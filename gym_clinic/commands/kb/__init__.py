"""``gym-clinic kb``: knowledge bases of passages, fact tables, patients and the symptom graph."""

from __future__ import annotations

import typer

from gym_clinic.commands.kb import (
    build,
    embed,
    graph,
    guidelines,
    imports,
    info,
    patients,
    search,
    serve,
    validate,
)

app = typer.Typer()


@app.callback()
def kb() -> None:
    """Build, search and serve knowledge; check and import facts.

    Knowledge: bases of passages, the tables of facts, patients and the graph of symptoms.
    """


for command in (build, search, info, embed, serve, guidelines, validate, imports):
    app.add_typer(command.app)
app.add_typer(patients.app, name="patients")
app.add_typer(graph.app, name="graph")
