"""The debrief of a finished episode: reward, calls that were needed, extra or missed, the gold."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console

from gym_clinic.commands.terminal import show, visible
from gym_clinic.env import ClinicEnv
from gym_clinic.evaluate.marks import mark
from gym_clinic.evaluate.report import Grid
from gym_clinic.frozen import thaw
from gym_clinic.rewards import scale


def print_debrief(
    screen: Console, clinic: ClinicEnv, total: float, info: Mapping[str, Any]
) -> None:
    """Print how an episode went; it shows the gold, so call it after the end only.

    Args:
        screen: The console.
        clinic: The environment, its episode ended.
        total: The sum of the rewards of the episode.
        info: The info of the last step.
    """
    low, high = clinic.reward_range
    screen.rule("end")
    solved = "solved" if info.get("success") else "not solved"
    screen.print(
        f"{info.get('stop', 'cut off from outside')}, {solved}; reward {total:.3f} of {low:g} to "
        f"{high:g}, scaled {scale(total, (low, high)):.3f}",
        style="bold",
        markup=False,
    )
    rows = [
        (f"reward part: {name}", f"{value:.3f}", f"{info['weights'][name]:g}")
        for name, value in info.get("rewards", {}).items()
    ]
    metrics = info.get("metrics", {})
    rows += [(name, f"{value:.3f}", "") for name, value in metrics.items() if value]
    if rows:
        screen.print(Grid("Figures", ("figure", "value", "weight"), tuple(rows)).rich())
    for table in _judgement(clinic):
        screen.print(table.rich(figures=False))
    calls = tuple(_calls(clinic))
    if calls:
        grid = Grid("Calls", ("mark", "call"), calls)
        screen.print(grid.rich(figures=False))
    screen.print("Gold", markup=False)
    gold = thaw(clinic.episode.task.gold)
    show(screen, "\n".join(_lines(gold)))


def _judgement(clinic: ClinicEnv) -> Sequence[Grid]:
    """Return what the judge of a clinical episode found, item by item."""
    found = getattr(clinic.episode.case, "judged", None)
    if found is None:
        return ()
    from gym_clinic.evaluate.clinical_debrief import explain

    return explain(found[1])


def _lines(gold: Mapping[str, Any]) -> Iterator[str]:
    """Yield each field of a gold; a list has a line for each item."""
    for name, value in gold.items():
        if isinstance(value, list) and len(value) > 1:
            yield f"{name}:"
            yield from (f"  {json.dumps(one, ensure_ascii=False)}" for one in value)
        else:
            yield f"{name}: {json.dumps(value, ensure_ascii=False)}"


def _calls(clinic: ClinicEnv) -> Iterator[tuple[str, str]]:
    """Yield each call with its mark, then the calls that were missed."""
    made = [
        {"name": call.name, "arguments": call.arguments, "ok": call.ok}
        for call in clinic.episode.calls
    ]
    marked, missed = mark(clinic.domain, clinic.episode.task, made)
    for call in marked:
        yield call["mark"], _written(call)
    for call in missed:
        yield "missed", _written(call)


def _written(call: Mapping[str, Any]) -> str:
    given = json.dumps(call["arguments"], ensure_ascii=False)
    return visible(f"{call['name']} {given}")
