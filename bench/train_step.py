"""What a TT-OPD step costs beside a GRPO step, on the CPU stack, in one run.

Run: ``python bench/train_step.py [--steps 6] [--rounds 2] [--env ID] [--json FILE]``. Both train
the same tiny model on the same tasks with the same seeds, without dynamic sampling and with a
learning rate of next to nothing, so that both train on the same trajectories; rounds alternate
between them. The first step of a run warms up and is left out. Target: at most 1.3 times.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

ARMS = ("grpo", "ttopd")
TARGET = 1.3
PHASES = ("step", "gen", "old_log_prob", "update_actor", "update_weights")

SHARED = (
    "algorithm.filter_groups.enable=false",
    "clinic.reward.mode=env",
    "clinic.teacher.diagnose_every=0",
    "actor_rollout_ref.actor.optim.lr=1e-12",
    "trainer.val_before_train=false",
    "trainer.test_freq=-1",
    "trainer.save_freq=-1",
)


def measure(arm: str, model: Path, out: Path, env: str, steps: int) -> dict[str, list[float]]:
    """Train one arm; return the seconds of each phase, by step, the first left out."""
    from gym_clinic.viewer import read_run
    from verl_recipes import launch
    from verl_recipes.config.compose import TINY
    from verl_recipes.request import RunRequest

    sizes = tuple(f"{name}={value}" for name, value in TINY.items())
    request = RunRequest(arm, env, steps, model=str(model), out=out, overrides=(*sizes, *SHARED))
    if launch.train(request):
        raise SystemExit(f"the {arm} run failed")
    run = read_run(out)
    return {phase: run.series(f"timing_s/{phase}")[1][1:] for phase in PHASES}


def table(seconds: dict[str, dict[str, list[float]]]) -> dict[str, dict[str, float]]:
    """Print the medians of both arms and their ratio; return them."""
    rows = {}
    print(f"\n{'phase':16s}  {'GRPO':>8s}  {'TT-OPD':>8s}  ratio")
    for phase in PHASES:
        grpo, ttopd = (statistics.median(seconds[arm][phase]) for arm in ARMS)
        rows[phase] = {"grpo": grpo, "ttopd": ttopd, "ratio": ttopd / grpo}
        print(f"{phase:16s}  {grpo:6.2f} s  {ttopd:6.2f} s  {ttopd / grpo:.2f}")
    verdict = "met" if rows["step"]["ratio"] <= TARGET else "NOT MET"
    print(f"TT-OPD step: {rows['step']['ratio']:.2f} x GRPO's (target {TARGET}: {verdict})")
    return rows


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--env", default="clinic/ClinGen-v0")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args(argv)
    if args.steps < 2:
        parser.error("--steps is 2 or more: the first one warms up")
    from verl_recipes.config.compose import compose
    from verl_recipes.cpu.model import tiny_model
    from verl_recipes.request import RunRequest

    seconds: dict[str, dict[str, list[float]]] = {arm: {p: [] for p in PHASES} for arm in ARMS}
    with tempfile.TemporaryDirectory() as folder:
        tiny_model(compose(RunRequest(env=args.env, out=Path(folder))))
        model = Path(folder) / "model"
        for number in range(args.rounds):
            for arm in ARMS if number % 2 == 0 else reversed(ARMS):
                found = measure(arm, model, Path(folder) / f"{arm}-{number}", args.env, args.steps)
                for phase in PHASES:
                    seconds[arm][phase] += found[phase]
    rows = table(seconds)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
