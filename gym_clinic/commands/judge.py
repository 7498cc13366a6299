"""``gym-clinic judge``: marks of chat models for recorded answers, a metric beside the rewards."""

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
    repeating,
)

app = typer.Typer()


@app.command(
    cls=repeating("--model"),
    epilog="example: gym-clinic judge runs/first --url http://localhost:8000/v1 --model NAME "
    "--out runs/first/judged.jsonl",
)
def judge(
    traces: Traces,
    out: OutFile,
    url: Annotated[str, typer.Option(metavar="URL", help="Server of the model that marks.")],
    model: Annotated[
        list[str], typer.Option(metavar="NAME...", help="The models that mark; their mean counts.")
    ],
    form: Annotated[
        str,
        typer.Option(
            metavar="FORM",
            help="answer: accuracy, coherence and safety, 0 to 1; reasoning: five dimensions of "
            "the whole transcript, 1 to 4.",
        ),
    ] = "answer",
    runs: Annotated[int, typer.Option(metavar="N", help="How often each model is asked.")] = 1,
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
    """Let chat models mark recorded answers.

    Ask chat models for marks of each answer, held against the answer of the oracle, or of the
    reasoning that led to it. No reward reads them: a model can be talked into a better mark. A
    reply that cannot be read is asked for again, and then counted as a failure of the judge. The
    same command continues a file that was begun.
    """
    from gym_clinic.consult import ChatClient
    from gym_clinic.evaluate import judge_answers
    from gym_clinic.names import call_with_options

    import_modules(module)
    options: dict[str, Any] = {"url": url, "concurrency": concurrency, **read_options(option)}
    if api_key_env is not None:
        options["api_key_env"] = api_key_env
    clients = [
        call_with_options(ChatClient, {**options, "model": name}, "the client")
        for name in dict.fromkeys(model)
    ]
    found = judge_answers(
        traces, clients, out, form=form, runs=runs, env_options=read_options(settings)
    )
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
            f"gym-clinic: {len(found.failed):,} requests got no readable marks; the same command "
            f"asks again. The first, {why}",
            file=sys.stderr,
        )
    print(f"Written to {out}: {len(found.rows):,} rows of marks")
    return FAILED_BY_SERVICE if found.failed and not found.rows else 0
