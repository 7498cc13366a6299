"""``gym-clinic tasks rewrite``: a more natural edition of simulated articles."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gym_clinic.commands.options import OutFile, read_options
from gym_clinic.errors import ConfigError

if TYPE_CHECKING:
    from gym_clinic.domains.clingen.rewriting.run import RewriteReport

DOMAINS = ("clingen",)
"""Domains whose tasks hold articles to rewrite."""

app = typer.Typer()


@app.command(
    epilog="example: gym-clinic tasks rewrite clingen --url http://localhost:8000/v1 --model NAME "
    "--split test --out clingen-test.jsonl"
)
def rewrite(
    domain: Annotated[str, typer.Argument(metavar="DOMAIN", help="Such as clingen.")],
    url: Annotated[
        str, typer.Option(metavar="URL", help="Chat server, such as http://localhost:8000/v1.")
    ],
    model: Annotated[str, typer.Option(metavar="NAME", help="Model that rewrites.")],
    out: OutFile,
    split: Annotated[str, typer.Option(metavar="NAME", help="train, dev or test.")] = "train",
    limit: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="How many tasks, from the first.")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Simulated tasks instead of the embedded ones."),
    ] = None,
    concurrency: Annotated[
        int, typer.Option(metavar="N", min=1, help="Paragraphs asked for at once.")
    ] = 8,
    api_key_env: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Environment variable that holds the API key."),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="An option of the client, such as temperature=0.7."),
    ] = None,
) -> None:
    """Have a chat model rewrite the articles of tasks, checked fact by fact.

    A rewritten sentence is accepted only if names, numbers, negations and references read back as
    they were; otherwise the original stays. What was judged is kept in the file at once, and the
    same command goes on where it stopped. Episodes then read the file and ask no model:
    --set edition=FILE.
    """
    from gym_clinic.consult import ChatClient
    from gym_clinic.domains.clingen.rewriting.run import rewrite as rewrite_tasks
    from gym_clinic.names import call_with_options, suggest

    if domain not in DOMAINS:
        raise ConfigError(f"no articles of {domain!r} to rewrite; {suggest(domain, DOMAINS)}")
    options = {"api_key_env": api_key_env, "concurrency": concurrency, **read_options(option)}
    client = call_with_options(ChatClient, {"url": url, "model": model, **options}, "client")

    def show(report: RewriteReport) -> None:
        print(f"task {report.tasks:,}: {_judged(report)}", flush=True)

    try:
        report = rewrite_tasks(
            client, out, split=split, limit=limit, folder=str(folder) if folder else None,
            concurrency=concurrency, progress=show,
        )  # fmt: skip
    finally:
        client.close()
    print(f"{out}: {_judged(report)}; paragraphs in the file before: {report.kept:,}")
    for kind, number in report.refused.most_common():
        print(f"refused, {kind}: {number:,}, such as {report.examples[kind]:.200}")


def _judged(report: RewriteReport) -> str:
    all_of_them = report.accepted + report.refused.total()
    return (
        f"{report.paragraphs:,} paragraphs, {report.accepted:,} of {all_of_them:,} sentences "
        "accepted"
    )
