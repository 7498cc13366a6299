"""``gym-clinic eval``: policies over a split, with intervals."""

from __future__ import annotations

import json
import re
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gym_clinic.commands.options import (
    FAILED_BY_SERVICE,
    POLICY_NAMES,
    EnvId,
    EnvOptions,
    KeyVariable,
    Model,
    PolicyOptions,
    PriceTable,
    Seed,
    Split,
    Url,
    labelled,
    options_by_policy,
    read_options,
    repeating,
)
from gym_clinic.errors import ConfigError, Terminated

if TYPE_CHECKING:
    from gym_clinic.evaluate import Grid, Summary

app = typer.Typer()


@app.command(
    "eval",
    cls=repeating("--policy", "--columns"),
    epilog="example: gym-clinic eval clinic/ClinGen-v0 --policy oracle rules --trials 1 "
    "--out runs/first; one policy twice: --policy text=chat native=chat "
    "--option native.tools=native",
)
def evaluate_policies(
    env_id: EnvId,
    policy: Annotated[
        list[str],
        typer.Option(
            metavar="NAME...",
            help=f"One or more of {POLICY_NAMES}. Several are compared, each in its own folder "
            "under --out. LABEL=NAME gives one a label, so that a policy can occur twice: "
            "--policy a=chat b=chat --option a.temperature=0.",
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
        typer.Option(
            metavar="N",
            help="Play a random sample of N tasks, fixed by --seed; a larger number continues an "
            "existing run.",
        ),
    ] = None,
    max_failures: Annotated[
        int,
        typer.Option(metavar="N", help="Failed episodes in a row that end the run; 0: never."),
    ] = 5,
    settings: EnvOptions = None,
    policy_options: PolicyOptions = None,
    url: Url = None,
    model: Model = None,
    api_key_env: KeyVariable = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
    no_progress: Annotated[bool, typer.Option("--no-progress", help="Show no progress.")] = False,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME...",
            help="Columns of the comparison of several policies instead of success, reward and "
            "its parts; 'all' for all.",
        ),
    ] = None,
    prices: PriceTable = None,
) -> int:
    """Evaluate policies.

    Play policies over a split and report means with 95% intervals. The same command continues a
    run that was stopped, and tries again the episodes that failed. A run whose policy has changed
    since is refused.
    """
    from gym_clinic.commands.terminal import console, print_table
    from gym_clinic.evaluate import (
        check,
        compare,
        cost_of_run,
        cost_table,
        evaluate,
        read_prices,
        tables,
    )
    from gym_clinic.files import replace_file

    policies = labelled(policy)
    chat = {"url": url, "model": model, "api_key_env": api_key_env}
    given = options_by_policy(policies, policy_options, chat)
    for label, name in policies.items():
        if name == "chat":  # more threads than connections would only wait
            given[label].setdefault("concurrency", concurrency)
    table = None if prices is None else read_prices(prices)
    env_options = read_options(settings)
    wanted = [(name, given[label]) for label, name in policies.items()]
    check(env_id, wanted, split=split, env_options=env_options)  # all, before the first episode
    folders = {
        label: out if len(policies) == 1 else out / re.sub(r"[^\w.-]+", "-", label)
        for label in policies
    }
    if len(set(folders.values())) < len(folders):
        raise ConfigError("two of the policies would share a folder; give them labels, LABEL=NAME")
    summaries, costs = [], {}
    for label, name in policies.items():
        with stopped_by_sigterm():
            summary = evaluate(
                env_id,
                name,
                out=folders[label],
                split=split,
                trials=trials,
                seed=seed,
                concurrency=concurrency,
                limit=limit,
                policy_options=given[label],
                env_options=env_options,
                progress=not no_progress,
                label=label,
                max_failures=max_failures or None,
            )
        summaries.append(summary)
        costs[label] = cost_of_run(folders[label], table)
        _warn_of_failures(summary)
    comparison = compare(summaries)
    shown = _first(summaries, comparison, columns)  # a wrong name of a column ends here
    if len(policies) > 1:
        replace_file(out / "comparison.md", [comparison.markdown().encode()])
    if as_json:
        found = [summary.as_dict() for summary in summaries]
        print(json.dumps(found[0] if len(found) == 1 else found, indent=2, ensure_ascii=False))
    else:
        screen = console()
        for grid in tables(summaries[0]) if len(policies) == 1 else [shown]:
            print_table(screen, grid)
        left = [name for name in comparison.columns if name not in shown.columns]
        if len(policies) > 1 and left:
            screen.print(f"More with --columns all, or of: {', '.join(left)}", markup=False)
        print_table(screen, cost_table(costs))
        screen.print(f"Written to {out}", markup=False, soft_wrap=True)
    unscored = all(summary.errors == summary.episodes for summary in summaries)
    return FAILED_BY_SERVICE if unscored else 0


def _first(summaries: Sequence[Summary], comparison: Grid, columns: list[str] | None) -> Grid:
    """Return the table that is printed: the columns asked for, by default the first ones."""
    from gym_clinic.evaluate import compare, first_columns

    if columns is None:
        return compare(summaries, first_columns(summaries))
    return comparison if columns == ["all"] else compare(summaries, columns)


def _warn_of_failures(summary: Summary) -> None:
    """Say on standard error how many episodes failed, and why."""
    from gym_clinic.evaluate import failures

    for episodes, by, error, *_ in failures(summary).rows:
        whom = "a service" if by == "service" else "an exception of the policy"
        print(
            f"gym-clinic: {summary.policy}: {episodes} of {summary.episodes} episodes were failed "
            f"by {whom} and are not scored; the same command tries them again. The first: {error}",
            file=sys.stderr,
        )


@contextmanager
def stopped_by_sigterm() -> Iterator[None]:
    """Let SIGTERM end a run as Ctrl-C does."""

    def stop(*_: Any) -> None:
        raise Terminated("stopped by SIGTERM; the same command continues")

    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread can handle signals
        return
    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
