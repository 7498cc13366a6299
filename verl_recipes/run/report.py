"""The report of a finished run: its first and last evaluation, and where everything lies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path

import orjson

from gym_clinic.viewer import Run, read_run
from verl_recipes.run.supervisor import LOG
from verl_recipes.trainer import checkpoints

SHOWN = ("success", "total", "turns", "policy_tokens", "truncated", "malformed")
"""Figures of an evaluation that are shown, with the parts of the reward and the metrics."""


def report(out: Path, envs: Iterable[str]) -> None:
    """Print the first and last evaluation of each environment, and where everything lies."""
    run = read_run(out)
    for env in envs:
        print_evaluations(run, env)
    print(f"metrics  {out}/metrics-*.jsonl")
    if find_spec("matplotlib") is None:
        print("plot     needs matplotlib: pip install 'gym_clinic[plot]'")
    else:
        from gym_clinic.viewer import draw

        draw([run], out / "curves.png")
        print(f"plot     {out / 'curves.png'}")
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


def print_evaluations(run: Run, env: str) -> None:
    """Print the first and the last evaluation of a run beside one another."""
    found = {step: evaluation(row, env) for step, row in sorted(run.steps.items())}
    evaluated = [step for step, values in found.items() if values]
    if not evaluated:
        return
    first, last = evaluated[0], evaluated[-1]
    print(f"{env:24} step {first:<8} step {last}")
    for name, value in found[first].items():
        print(f"  {name:22} {value:<13.3f} {found[last].get(name, float('nan')):.3f}")


def evaluation(row: Mapping[str, float], env: str) -> dict[str, float]:
    """Return the means of an evaluation, by the record's names."""
    found = {}
    for name, value in row.items():
        for section in (f"val-core/{env}/", f"val-aux/{env}/"):
            figure, _, statistic = name.removeprefix(section).rpartition("/")
            known = figure in SHOWN or figure.startswith(("reward/", "metric/"))
            if name.startswith(section) and known and statistic.startswith("mean@"):
                found[figure] = float(value)
    return dict(sorted(found.items()))
