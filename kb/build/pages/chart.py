"""The page of charts: its text, its tools and the errors of samples, from the declarations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gym_clinic.chart.tools import ASKING, ORDERING, READING, TREATING, score_tools
from gym_clinic.facts import Facts
from gym_clinic.simulate.clinic.measurement import measuring
from gym_clinic.toolbox import Tool


def chart_page(facts: Facts) -> str:
    """Return the page in Markdown."""
    text = Path(__file__).with_name("chart.md").read_text(encoding="utf-8")
    groups = (
        ("ASKING", ASKING),
        ("READING", READING),
        ("ORDERING", ORDERING),
        ("TREATING", TREATING),
    )
    tools = [line for name, group in groups for line in _tools(name, group)]
    filled = {
        "faults": "\n".join(_faults(facts)),
        "tools": "\n".join(tools).strip(),
        "scores": str(len(score_tools())),
    }
    for name, value in filled.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _tools(name: str, group: tuple[Tool, ...]) -> Iterator[str]:
    yield from ("", f"`{name}` ({group[0].kind.name}):", "")
    yield from ("| tool | arguments | what it does |", "| --- | --- | --- |")
    for one in group:
        function = one.schema["function"]
        required = function["parameters"].get("required", ())
        arguments = ", ".join(
            f"`{key}`" if key in required else f"`{key}` (optional)"
            for key in function["parameters"]["properties"]
        )
        yield f"| `{one.name}` | {arguments} | {function['description']} |"


def _faults(facts: Facts) -> Iterator[str]:
    yield from ("| error | of | share | noticed | falsifies |", "| --- | --- | --- | --- | --- |")
    for one in measuring().faults:
        short = ", ".join(facts.measurements[key].short for key in one.values)
        noted = f"{one.noted:.0%}" if one.noted else "never"
        yield f"| {one.id} | {one.specimen} | {one.share:.1%} | {noted} | {short} |"
