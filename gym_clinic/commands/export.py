"""``gym-clinic export``: recorded episodes in the form that training elsewhere reads."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gym_clinic.commands.options import (
    EnvOptions,
    Modules,
    OutFile,
    Traces,
    import_modules,
    read_options,
)

app = typer.Typer()


@app.callback()
def export() -> None:
    """Write recorded episodes for training elsewhere."""


@app.command(
    epilog="example: gym-clinic eval clinic/ClinGen-v0 --policy rules --split train --trials "
    "1 --out runs/calls, then: gym-clinic export sft runs/calls --out train.parquet"
)
def sft(
    traces: Traces,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The .jsonl or .parquet file.")],
    split: Annotated[
        str | None, typer.Option(metavar="NAME", help="Take the episodes of this split only.")
    ] = None,
    only_success: Annotated[
        bool,
        typer.Option("--only-success", help="Take only the episodes that solved their task."),
    ] = False,
    module: Modules = None,
    settings: EnvOptions = None,
) -> None:
    """Write the calls of sub-agents as conversations.

    The conversations fine-tune the model behind the sub-agents: each answered call becomes one,
    with its role prompt, the text that it was given, and its answer. Identical ones are written
    once. A trace of recorded sub-agents gives the curators' annotation; a trace of a chat model
    gives the model's answers.
    """
    from gym_clinic.evaluate.conversations import collect, writer

    import_modules(module)
    write = writer(out)  # before the work: the name may be wrong, or pyarrow missing
    found = collect(
        traces, split=split, only_success=only_success, env_options=read_options(settings)
    )
    write(found.conversations)
    for name, episodes in found.episodes.items():
        print(f"{name}: {found.kept[name]:,} conversations from {episodes:,} episodes")
    if found.repeated:
        print(f"{found.repeated:,} identical ones were left out")
    if found.failed:
        print(f"{found.failed:,} episodes that a service failed were left out")
    print(f"Written to {out}: {len(found.conversations):,} conversations")


@app.command(epilog="example: gym-clinic export episodes runs/first --out marked.jsonl")
def episodes(
    traces: Traces,
    out: OutFile,
    module: Modules = None,
    settings: EnvOptions = None,
) -> None:
    """Write episodes with each call marked as needed or extra.

    Write one JSON object a line: the episode, its calls marked "needed" or "extra", and the calls
    that were missed. A trace holds no gold; it is joined here, by task id.
    """
    from gym_clinic.evaluate import mark_calls
    from gym_clinic.files import check_output, json_line, replace_file

    import_modules(module)
    check_output(out, *traces)
    marked = [json_line(row) for row in mark_calls(traces, env_options=read_options(settings))]
    replace_file(out, marked)
    print(f"{out}: {len(marked):,} episodes")
