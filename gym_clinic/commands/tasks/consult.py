"""``gym-clinic tasks consult``: the opinions of specialists for imported visual questions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gym_clinic.commands.options import read_options
from gym_clinic.errors import ConfigError

if TYPE_CHECKING:
    from gym_clinic.domains.mmedagent.consulting import ConsultReport

app = typer.Typer()


@app.command(
    epilog="examples: gym-clinic tasks consult my-tasks --url http://localhost:8000/v1 --model "
    "NAME --images my-images; gym-clinic tasks consult my-tasks --recorded"
)
def consult(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder of visual questions.")],
    url: Annotated[
        str | None, typer.Option(metavar="URL", help="Chat server of a model that sees images.")
    ] = None,
    model: Annotated[str | None, typer.Option(metavar="NAME", help="The model.")] = None,
    recorded: Annotated[
        bool, typer.Option("--recorded", help="Simulated opinions, without a server.")
    ] = False,
    images: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The image files; 'images' in the folder by default."),
    ] = None,
    specialists: Annotated[
        int, typer.Option(metavar="E", min=1, max=9, help="How many are asked.")
    ] = 3,
    concurrency: Annotated[
        int, typer.Option(metavar="N", min=1, help="Tasks asked about at once.")
    ] = 8,
    api_key_env: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Environment variable that holds the API key."),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="An option of the client, such as temperature=1."),
    ] = None,
) -> None:
    """Ask specialists about every task of a folder, and keep what they reply.

    Replies are kept at once, and the same command goes on where it stopped. Then the tasks hold
    them, with their difficulty: easy, medium or hard by the share of specialists who are right.
    """
    from gym_clinic.domains.mmedagent.consulting import consult_folder
    from gym_clinic.domains.mmedagent.specialists.consultants import RECORDED

    if recorded == (url is not None) or (url is None) != (model is None):
        raise ConfigError("give --url and --model of a chat server, or --recorded")
    who: str | dict[str, Any] = RECORDED
    if url is not None:
        key = {"api_key_env": api_key_env} if api_key_env else {}
        who = {"kind": "chat", "url": url, "model": model, **key, **read_options(option)}

    def show(report: ConsultReport) -> None:
        if report.asked % 100 == 0:
            print(f"asked about {report.asked:,} tasks", flush=True)

    done = consult_folder(folder, who, images=images, specialists=specialists,
                          concurrency=concurrency, progress=show)  # fmt: skip
    print(f"{folder}: asked about {done.asked:,} tasks, {done.kept:,} were there before")
    print(", ".join(f"{level} {count:,}" for level, count in sorted(done.levels.items())))
