"""``gym-clinic consult``: patient guidance and a consultation for free text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gym_clinic.commands.options import KeyVariable

if TYPE_CHECKING:
    from gym_clinic.consult import Consultant
    from gym_clinic.domains.kacr.consulting.guidance import PatientGuidance

app = typer.Typer()


@app.command(
    epilog="examples:\n\n"
    '  gym-clinic consult "I have a fever, a cough and cannot smell anything"\n\n'
    '  gym-clinic consult "chest pain, worse lying down" --url http://localhost:8000/v1 '
    "--model NAME"
)
def consult(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What the patient complains of.")],
    url: Annotated[
        str | None, typer.Option(metavar="URL", help="Server of a chat model for the panel.")
    ] = None,
    model: Annotated[str | None, typer.Option(metavar="NAME", help="The chat model.")] = None,
    api_key_env: KeyVariable = None,
    rounds: Annotated[int, typer.Option(metavar="N", help="Rounds of discussion at most.")] = 3,
    log: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Append a line of JSON: what a service would note."),
    ] = None,
) -> None:
    """Guide a text to medical disciplines and let them consult. A simulation, no advice."""
    from gym_clinic.domains.kacr.consulting.guidance import guide
    from gym_clinic.files import json_line

    guidance = guide(text, members=_chat(url, model, api_key_env), rounds=rounds)
    print("\n".join(_lines(guidance)))
    if log is not None:
        with log.open("ab") as file:
            file.write(json_line(guidance.log.as_dict()))


def _chat(url: str | None, model: str | None, api_key_env: str | None) -> Consultant | None:
    from gym_clinic.consult import make_consultant
    from gym_clinic.errors import ConfigError

    if url is None and model is None:
        return None
    if url is None or model is None:
        raise ConfigError("a chat model needs --url and --model")
    option = {"kind": "chat", "url": url, "model": model}
    if api_key_env is not None:
        option["api_key_env"] = api_key_env
    return make_consultant(option, {})


def _lines(guidance: PatientGuidance) -> Iterator[str]:
    from gym_clinic.domains.kacr.consulting.guidance import NOTICE
    from gym_clinic.facts import load

    yield NOTICE
    yield "\nSymptoms linked"
    yield f"  present: {', '.join(guidance.present) or 'none'}"
    yield f"  absent:  {', '.join(guidance.absent) or 'none'}"
    if guidance.discussion is None:
        yield "\nToo little to guide by: name more symptoms."
        return
    yield "\nPaths"
    yield from (f"  {path}" for path in guidance.paths)
    disciplines = load().disciplines
    yield "\nDisciplines"
    yield f"  {', '.join(disciplines[key].name for key in guidance.disciplines)}"
    yield "\nOptions"
    yield from (f"  {letter}. {name}" for letter, name in guidance.options.items())
    for number, played in enumerate(guidance.discussion.rounds):
        yield f"\nRound {number} ({'first diagnosis' if number == 0 else 'discussion'})"
        for before, after in zip(played.opinions, played.final, strict=True):
            said = before.failure or getattr(before.reply, "explanation", "")
            revised = f" -> {after.choice}" if after.choice != before.choice else ""
            yield (
                f"  {disciplines[before.member].name}: {before.choice or 'no answer'}{revised} "
                f"({before.confidence:.2f}) {said}"
            )
        yield f"  vote: {played.consensus or 'none'}"
    choice = guidance.discussion.choice
    agreed = "unanimous" if guidance.discussion.unanimous else "by vote"
    answer = guidance.options[choice] if choice else "none"
    yield f"\nResult of the consultation: {answer} ({agreed})"
    yield f"{NOTICE} Adoption, intervention, satisfaction and conversion: not yet known."
