"""The report of a finished run: its first and last evaluation, and where everything lies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path

import orjson

from gym_clinic.viewer import Run, read_run
from verl_recipes.run.supervisor import LOG
from verl_recipes.trainer import checkpoints

HIDDEN = (
    "acc", "reward", "score", "hint_echo", "dropped_turns", "prompt_tokens", "fault", "retries",
)  # fmt: skip
"""Figures of an evaluation that repeat another or mean nothing there."""


def report(out: Path, envs: Iterable[str]) -> None:
    """Print the first and last evaluation of each environment, and where everything lies."""
    run = read_run(out)
    for env in envs:
        print_evaluations(run, env)
    print(f"metrics  {out}/metrics-*.jsonl")
    print("plot    ", draw(out) or "needs matplotlib: pip install 'gym_clinic[plot]'")
    latest = out / "checkpoints" / "latest_checkpointed_iteration.txt"
    if latest.is_file():
        folder = checkpoints.folder_of(latest.parent, int(latest.read_text()))
        print(f"model    {_model(folder)}")
        if best := orjson.loads((folder / checkpoints.STATE).read_bytes())["best"]:
            found = _model(checkpoints.folder_of(latest.parent, best[0]))
            print(f"best     {found}  (step {best[0]}, success {best[1]:.3f} at evaluation)")
    print(f"log      {out / LOG}")


def _model(checkpoint: Path) -> Path:
    """Return the model of a checkpoint, as transformers or peft reads it."""
    adapter = checkpoint / "adapter"
    return adapter if adapter.is_dir() else checkpoint / "actor" / "huggingface"


def draw(out: Path) -> Path | None:
    """Draw the curves of a run; None without matplotlib."""
    if find_spec("matplotlib") is None:
        return None
    from gym_clinic.viewer import draw as draw_curves

    picture = out / "curves.png"
    draw_curves([read_run(out)], picture)
    return picture


def print_evaluations(run: Run, env: str) -> None:
    """Print the first and the last evaluation of a run beside one another."""
    from rich.console import Console
    from rich.table import Table

    evaluated = [step for step, row in sorted(run.steps.items()) if evaluation(row, env)]
    if not evaluated:
        return
    first, last = evaluated[0], evaluated[-1]
    before, after = evaluation(run.steps[first], env), evaluation(run.steps[last], env)
    table = Table("evaluation", f"step {first}", f"step {last}", title=env, title_justify="left")
    for name in before:
        table.add_row(name, f"{before[name]:.3f}", f"{after.get(name, float('nan')):.3f}")
    Console(width=100).print(table)


def evaluation(row: Mapping[str, float], env: str) -> dict[str, float]:
    """Return the means of an evaluation, by the record's names."""
    found = {}
    for name, value in row.items():
        section, _, rest = name.partition("/")
        if section in ("val-core", "val-aux") and rest.startswith(f"{env}/"):
            figure, _, statistic = rest[len(env) + 1 :].rpartition("/")
            if statistic.startswith("mean@") and figure not in HIDDEN:
                found[figure] = float(value)
    order = ["success", "total", "turns", "policy_tokens", "truncated", "malformed"]
    return {
        name: found[name] for name in [*order, *sorted(set(found) - set(order))] if name in found
    }
