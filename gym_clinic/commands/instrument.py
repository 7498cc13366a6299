"""``gym-clinic instrument``: compute a published clinical score, or show how it is declared."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gym_clinic.commands.options import read_options

if TYPE_CHECKING:
    from gym_clinic.facts import Instrument

app = typer.Typer()

_QUANTITY = re.compile(r"(-?\d+(?:\.\d+)?) *([^\d\s].*)")


@app.command(
    epilog="examples:\n\n"
    "  gym-clinic instrument\n\n"
    "  gym-clinic instrument curb65\n\n"
    "  gym-clinic instrument curb65 confusion=false urea=8.9 rr=22 sbp=110 dbp=70 age=70\n\n"
    "  gym-clinic instrument corrected_na sodium=130 'glucose=25 mmol/L' factor=1.6"
)
def instrument(
    name: Annotated[
        str | None, typer.Argument(metavar="ID", help="The score; all are listed without one.")
    ] = None,
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="INPUT=VALUE...",
            help="Values in the declared unit, or with another ('glucose=7 mmol/L').",
        ),
    ] = None,
) -> None:
    """Compute a clinical score; without inputs, show what it needs. Not for patient care."""
    from gym_clinic.facts import load
    from gym_clinic.instruments import declaration, score

    if name is None:
        for one in load().instruments.values():
            print(f"{one.id:22} {one.name}")
        return
    declared = declaration(name)
    if not inputs:
        _show(declared)
        return
    choices = {one.name for one in declared.inputs if one.type == "choice"}
    given = {
        key: str(value) if key in choices else _value(value)
        for key, value in read_options(inputs).items()
    }
    result = score(declared.id, given)
    unit = f" {result.unit}" if result.unit else ""
    print(f"{declared.name}: {result.score}{unit}")
    if result.band is not None:
        print(f"band: {result.band}")
    if result.meaning is not None:
        print(f"meaning: {result.meaning}")
    for part, points in result.parts.items():
        print(f"  {part}: {points:g}")
    for flag in declared.flags:
        if (result.flags or {}).get(flag.name):
            print(f"note: {flag.meaning}")
    for note in result.notes:
        print(f"note: {note}")
    print(f"source: {declared.citation}. A simulation, not for patient care.")


def _value(value: Any) -> Any:
    """A value as typed, or a quantity where a unit follows a number."""
    found = _QUANTITY.fullmatch(value) if isinstance(value, str) else None
    return {"value": float(found[1]), "unit": found[2]} if found else value


def _show(declared: Instrument) -> None:
    from gym_clinic.instruments import input_schema
    from gym_clinic.instruments.wording import other_names

    print(f"{declared.name} ({declared.id}): {declared.purpose}")
    properties = input_schema(declared)["properties"]
    for one in declared.inputs:
        schema = properties[one.name]
        limits = schema.get("items", schema)
        span = f", {limits['minimum']:g} to {limits['maximum']:g}" if "minimum" in limits else ""
        choices = f", one of {', '.join(one.choices)}" if one.choices else ""
        needed = "" if one.required else " (optional)"
        print(f"  {one.name}: {schema['description']}{span}{choices}{needed}")
    for other, (input_name, implied) in other_names(declared).items():
        unit = f" in {implied['unit']}" if "unit" in implied else ""
        print(f"  {other}: another name of {input_name}{unit}")
    for limit in declared.valid_when:
        print(f"valid: {limit.otherwise}")
    for note in declared.result_notes:
        print(f"note: {note.text}")
    print(f"source: {declared.citation}")
