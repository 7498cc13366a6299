"""``gym-clinic kb guidelines``: the phenotype profiles of diseases by their names."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gym_clinic.commands.options import AsJson

if TYPE_CHECKING:
    from gym_clinic.retrieval import Guidance, GuidelineIndex

app = typer.Typer()


@app.command(epilog="example: gym-clinic kb guidelines 'Marfan syndrome' 'Wilson disease'")
def guidelines(
    diseases: Annotated[
        list[str], typer.Argument(metavar="DISEASE", help="Names of diseases, at most ten.")
    ],
    profiles: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A .jsonl file of profiles, as 'kb import' writes it; the embedded by default.",
        ),
    ] = None,
    limit: Annotated[int, typer.Option(metavar="N", help="Features of each disease at most.")] = 10,
    as_json: AsJson = False,
) -> int:
    """Print the features of diseases.

    Print the features that a disease has, the most frequent first, and those that it excludes, for
    each name. Exit status 1 if no name is known.
    """
    from gym_clinic.commands.terminal import visible

    found = _index(profiles).lookup(diseases, limit)
    for one in found:
        text = json.dumps(_row(one), ensure_ascii=False) if as_json else one.describe()
        for line in text.splitlines():
            print(visible(line))
    unknown = [one for one in found if one.record is None]
    for one in unknown:
        near = f"; the nearest name is {one.how!r}" if one.how else ""
        print(visible(f"no reference for {one.query!r}{near}"), file=sys.stderr)
    return int(len(unknown) == len(found))


def _index(profiles: Path | None) -> GuidelineIndex:
    from gym_clinic import embedded
    from gym_clinic.facts import read_profiles
    from gym_clinic.retrieval import GuidelineIndex

    return embedded.guidelines() if profiles is None else GuidelineIndex(read_profiles(profiles))


def _row(one: Guidance) -> dict[str, Any]:
    return {
        "query": one.query,
        "id": one.record.id if one.record else None,
        "disease": one.record.name if one.record else None,
        "match": one.how,
        "score": round(one.score, 4),
        "present": [has.model_dump(mode="json") for has in one.present],
        "absent": [has.model_dump(mode="json") for has in one.absent],
    }
