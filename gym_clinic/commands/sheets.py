"""``gym-clinic sheets``: sheets for physicians over recorded episodes, and what filled ones say."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gym_clinic.commands.options import Modules, OutFile, Seed, Traces, import_modules

Form = Annotated[
    str,
    typer.Argument(metavar="FORM", help="assistance, reasoning, failures, steps or study."),
]

NOTICE = "simulated cases, no advice"

app = typer.Typer()


@app.callback()
def sheets() -> None:
    """Write sheets for physicians, and read filled ones.

    The forms are those of the Deep-DxSearch paper: the help of an agent (table 2), its reasoning
    (table 1), causes of failure (section 2.8), steps, and a study with and without the agent. A
    simulation, not for patient care, and no advice.
    """


@app.command(epilog="example: gym-clinic sheets write failures runs/first --out failures.csv")
def write(form: Form, traces: Traces, out: OutFile, module: Modules = None) -> None:
    """Write a sheet to fill.

    Each physician fills a copy. What structure decides about a failure is filled in advance, and
    may be overruled.
    """
    from gym_clinic.errors import ConfigError
    from gym_clinic.evaluate.sheets import find_form, sheet_rows, write_sheet
    from gym_clinic.files import check_output, replace_file

    import_modules(module)
    chosen = find_form(form)
    if chosen.rows == "reading":
        raise ConfigError("the sheets of a study are written by 'gym-clinic sheets study'")
    rows = sheet_rows(chosen, traces)
    check_output(out, *traces)
    replace_file(out, [write_sheet(chosen, rows)])
    print(f"{out}: {len(rows):,} rows; {NOTICE}")


@app.command(epilog="example: gym-clinic sheets study runs/first --physicians 3 --out study")
def study(
    traces: Traces,
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write.")],
    physicians: Annotated[int, typer.Option(metavar="N", min=1, help="Sheets to write.")] = 3,
    cases: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Cases drawn; all by default.")
    ] = None,
    seed: Seed = 0,
    module: Modules = None,
) -> None:
    """Write the sheets of a study of physicians with and without the agent.

    A sheet for each physician with an order of its own, the key, and the protocol.
    """
    from gym_clinic.evaluate.sheets import study_files
    from gym_clinic.files import replace_files

    import_modules(module)
    files = study_files(traces, physicians, cases, seed)
    replace_files({out / name: [content] for name, content in files.items()})
    print(f"{out}: {', '.join(files)}; {NOTICE}")


@app.command(epilog="example: gym-clinic sheets agree failures first.csv second.csv third.csv")
def agree(
    form: Form,
    filled: Annotated[
        list[Path], typer.Argument(metavar="SHEET", help="A filled copy of each physician.")
    ],
) -> None:
    """Print positive rows and the agreement of filled sheets.

    The share of positive rows of each physician, positive agreement, and Krippendorff's alpha, over
    all rows and by stratum: the class of the case, or the condition of a study.
    """
    from gym_clinic.commands.terminal import console, print_table
    from gym_clinic.evaluate.sheets import agreement, agreement_table, find_form, read_filled

    chosen = find_form(form)
    found = agreement(chosen, [read_filled(chosen, path) for path in filled])
    print_table(console(), agreement_table(found))
