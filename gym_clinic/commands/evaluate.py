"""``gym-clinic eval``: policies over a split, with intervals."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from gym_clinic.commands.options import (
    FAILED_BY_SERVICE,
    POLICY_NAMES,
    EnvId,
    EnvOptions,
    KeyVariable,
    Model,
    PolicyOptions,
    Seed,
    Split,
    Url,
    options_by_policy,
    read_options,
    repeating,
)

app = typer.Typer()


@app.command(
    "eval",
    cls=repeating("--policy"),
    epilog="example: gym-clinic eval clinic/ClinGen-v0 --policy oracle rules --trials 1 "
    "--out runs/first",
)
def evaluate_policies(
    env_id: EnvId,
    policy: Annotated[
        list[str],
        typer.Option(
            metavar="NAME...",
            help=f"One or more of {POLICY_NAMES}. Several are compared, each in its own folder "
            "under --out.",
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the run.")],
    split: Split = "test",
    trials: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Episodes of each task; a larger number continues an existing run.",
        ),
    ] = 4,
    seed: Seed = 0,
    concurrency: Annotated[int, typer.Option(metavar="N", help="Episodes at once.")] = 16,
    limit: Annotated[
        int | None,
        typer.Option(metavar="N", help="Play a random sample of N tasks, fixed by --seed."),
    ] = None,
    settings: EnvOptions = None,
    policy_options: PolicyOptions = None,
    url: Url = None,
    model: Model = None,
    api_key_env: KeyVariable = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
    no_progress: Annotated[
        bool, typer.Option("--no-progress", help="Show no progress bar.")
    ] = False,
) -> int:
    """Evaluate policies.

    Play policies over a split and report means with 95% intervals. The same command continues a
    run that was stopped, and tries again the episodes that a model server failed.
    """
    from gym_clinic.commands.terminal import console
    from gym_clinic.evaluate import check, compare, episodes, evaluate, tables
    from gym_clinic.files import replace_file

    names = list(dict.fromkeys(policy))
    chat = {"url": url, "model": model, "api_key_env": api_key_env}
    given = options_by_policy(names, policy_options, chat)
    if "chat" in given:  # more threads than connections would only wait
        given["chat"].setdefault("concurrency", concurrency)
    env_options = read_options(settings)
    check(env_id, given, split=split, env_options=env_options)  # all, before the first episode
    summaries = []
    for name in names:
        folder = out if len(names) == 1 else out / re.sub(r"[^\w.-]+", "-", name)
        summary = evaluate(
            env_id,
            name,
            out=folder,
            split=split,
            trials=trials,
            seed=seed,
            concurrency=concurrency,
            limit=limit,
            policy_options=given[name],
            env_options=env_options,
            progress=not no_progress,
        )
        summaries.append(summary)
        if summary.errors:
            first = next(row["error"] for row in episodes(folder / "trace.jsonl") if row["error"])
            print(
                f"gym-clinic: {name}: {summary.errors} of {summary.episodes} episodes were failed "
                f"by a service and are not scored; the same command tries them again. "
                f"The first: {first}",
                file=sys.stderr,
            )
    comparison = compare(summaries)
    if len(names) > 1:
        replace_file(out / "comparison.md", [comparison.markdown().encode()])
    if as_json:
        found = [summary.as_dict() for summary in summaries]
        print(json.dumps(found[0] if len(found) == 1 else found, indent=2, ensure_ascii=False))
    else:
        screen = console()
        for grid in tables(summaries[0]) if len(names) == 1 else [comparison]:
            screen.print(grid.rich())
        screen.print(f"Written to {out}", markup=False, soft_wrap=True)
    unscored = all(summary.errors == summary.episodes for summary in summaries)
    return FAILED_BY_SERVICE if unscored else 0
