"""``gym-clinic judge``: a chat model's marks for recorded answers, a metric beside the rewards."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from gym_clinic.commands.options import (
    FAILED_BY_SERVICE,
    EnvOptions,
    KeyVariable,
    Modules,
    OutFile,
    Traces,
    import_modules,
    read_options,
)

app = typer.Typer()


@app.command(
    epilog="example: gym-clinic judge runs/first --url http://localhost:8000/v1 --model NAME "
    "--out runs/first/judged.jsonl"
)
def judge(
    traces: Traces,
    out: OutFile,
    url: Annotated[str, typer.Option(metavar="URL", help="Server of the model that marks.")],
    model: Annotated[str, typer.Option(metavar="NAME", help="The model that marks.")],
    api_key_env: KeyVariable = None,
    concurrency: Annotated[int, typer.Option(metavar="N", help="Requests at once.")] = 16,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            metavar="KEY=VALUE",
            help="An option of the client, as JSON or text, such as --option temperature=0.",
        ),
    ] = None,
    module: Modules = None,
    settings: EnvOptions = None,
) -> int:
    """Let a chat model mark recorded answers.

    Ask a chat model for marks of accuracy, coherence and safety of each answer, held against the
    answer of the oracle. No reward reads them: a model can be talked into a better mark. The same
    command continues a file that was begun.
    """
    from gym_clinic.consult import ChatClient
    from gym_clinic.evaluate import judge_answers
    from gym_clinic.names import call_with_options

    import_modules(module)
    options: dict[str, Any] = {"url": url, "model": model, "concurrency": concurrency}
    if api_key_env is not None:
        options["api_key_env"] = api_key_env
    client = call_with_options(ChatClient, {**options, **read_options(option)}, "the client")
    found = judge_answers(traces, client, out, env_options=read_options(settings))
    for name, mean in found.means().items():
        if mean.mean is not None:
            print(f"{name}: {mean.mean:.3f} [{mean.low:.3f}, {mean.high:.3f}]")
    if found.rows:
        print(f"says the same as success of {found.agreement():.0%} of the answers")
    if found.unanswered:
        print(f"{found.unanswered:,} episodes without an answer are not marked")
    if found.failed:
        why = next(iter(found.failed.values()))
        print(
            f"gym-clinic: {len(found.failed):,} answers got no readable marks; the same command "
            f"asks again. The first, {why}",
            file=sys.stderr,
        )
    print(f"Written to {out}: marks of {len(found.rows):,} answers")
    return FAILED_BY_SERVICE if found.failed and not found.rows else 0
