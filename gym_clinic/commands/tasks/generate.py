"""``gym-clinic tasks generate``: tasks of a clinical domain, from a seed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from gym_clinic.errors import ConfigError

app = typer.Typer()


@app.command(
    epilog="examples: gym-clinic tasks generate triage_emergency --n 20 --seed 1; "
    "gym-clinic tasks generate triage_emergency --out tasks/triage_emergency"
)
def generate(
    domain: Annotated[str, typer.Argument(metavar="DOMAIN", help="Such as clinical_diagnosis.")],
    n: Annotated[
        int | None, typer.Option(metavar="N", help="How many; the sizes that ship by default.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="Decides everything that is drawn.")] = 0,
    split: Annotated[
        str | None, typer.Option(metavar="NAME", help="train, dev or test; all by default.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The task folder to write; else one split is printed."),
    ] = None,
) -> None:
    """Generate tasks of a clinical domain.

    The same arguments give the same tasks. Without a folder the tasks of one split (train by
    default) are printed, one JSON object a line; with one, its files are written.
    """
    from gym_clinic.clinical.tasks import SIZES, spec_of, task_lines, write_folder
    from gym_clinic.names import suggest

    if split is not None and split not in SIZES:
        raise ConfigError(f"no split {split!r}; {suggest(split, SIZES)}")
    spec = spec_of(domain)
    wanted = [name for name in SIZES if split in (None, name)]
    if out is not None:
        for name, count in write_folder(spec, out, wanted, n, seed).items():
            print(f"{out / name}.jsonl: {count:,} tasks")
        return
    for line in task_lines(spec, wanted[0], n, seed):
        sys.stdout.write(line)
