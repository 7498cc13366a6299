"""Shows that the whole stack learns: verl's trainer, our loop, the loss, the teacher.

Run: ``python bench/prove_learning.py [--seeds 3] [--steps 64] [--arms grpo,ttopd] [--out DIR]``,
or ``make prove-learning``. The domain is the least that can be learnt: eight starts, one call,
then the right one of two answers (tests/support/learning_domain.py). Each seed has a tiny model
of its own, fitted on as many right runs as wrong ones, half of them behind a hint that is true of
them: it starts near even odds, and as a teacher plays the more right runs where it reads that the
run was right. Arms, those of TT-OPD at the paper's weight (4.0) and decay (.995 every 5 steps):

- ``grpo``: must reach .9;
- ``ttopd``: must rise;
- ``shuffled``: TT-OPD, hints unrelated to the outcome, with the seeds of ``ttopd``;
- ``flipped``: GRPO with the advantages' sign reversed; must fall;
- ``kl_alone``: the distillation term with hints, advantages 0; reported.

Prints a table of the mean reward of the first and the last steps, and the difference of ``ttopd``
and ``shuffled`` seed by seed: the hints help if it is above 0 with every seed. Draws all curves.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SUPPORT = Path(__file__).resolve().parent.parent / "tests" / "support"
ENV = "learning_domain:RHYTHM"
WINDOW = 5
"""Steps over which a mean reward is taken."""

CHANCE = 0.5
GOAL = 0.9

SHARED = (
    "data.max_prompt_length=256",
    "data.max_response_length=96",
    "data.train_batch_size=8",
    "clinic.turn_tokens=40",
    "actor_rollout_ref.rollout.n=8",
    "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=16",
    "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=16",
    "actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu=16",
    "actor_rollout_ref.actor.optim.lr=3e-5",
    # Without it a policy may settle on one answer for all, which pays half, and sample no other.
    "actor_rollout_ref.actor.entropy_coeff=0.005",
    "actor_rollout_ref.actor.ppo_mini_batch_size=2",
    "actor_rollout_ref.actor.ppo_epochs=2",
    "algorithm.filter_groups.enable=false",
    "trainer.val_before_train=false",
    "trainer.test_freq=-1",
    "trainer.save_freq=-1",
)

DISTIL = ("clinic.reward.mode=env", "clinic.teacher.diagnose_every=20")
"""Weight and decay are the method's own, the paper's."""

ARMS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "grpo": ("grpo", ()),
    "ttopd": ("ttopd", DISTIL),
    "flipped": ("grpo", ("clinic.advantage_scale=-1.0",)),
    "kl_alone": ("ttopd", (*DISTIL, "clinic.advantage_scale=0.0")),
    "shuffled": ("ttopd", (*DISTIL, "clinic.hints.mode=shuffled")),
}


SEEDED = ("grpo", "ttopd", "shuffled")
"""Arms that are run with every seed; the others with one."""


@dataclass(frozen=True)
class TrainingResult:
    """One run.

    Attributes:
        arm: Which.
        seed: Its seed.
        first: Mean reward of the first steps.
        last: Of the last.
        seconds: All of it.
    """

    arm: str
    seed: int
    first: float
    last: float
    seconds: float

    @property
    def held(self) -> bool | None:
        """Whether it did what it must; None for an arm that is only reported."""
        must = {
            "grpo": self.last >= GOAL,
            "ttopd": self.last > self.first,
            "flipped": self.last < self.first,
        }
        return must.get(self.arm)


def model(out: Path, seed: int) -> Path:
    """Make the model of a seed, or find it: it knows the form of a run, and what hints mean."""
    from verl_recipes.agent_loop.environment import make_env
    from verl_recipes.agent_loop.trajectory import Budgets
    from verl_recipes.cpu.fit import Goals
    from verl_recipes.cpu.model import make_tiny

    folder = out / f"model-{seed}"
    if not folder.is_dir():
        env = make_env(ENV, {"split": "train"})
        names = [task.id for task in env.tasks]
        sizes = {"vocab": 512, "hidden": 64, "positions": 512}
        # The least domain has a call and an answer, and steps of a twentieth of a second.
        goals = Goals(calls=1.0, informed=0.9)
        found = make_tiny(
            folder,
            env,
            names,
            Budgets(256, 96, 40),
            seed=seed,
            goals=goals,
            steps=600,
            look_every=100,
            **sizes,
        )
        print(f"seed {seed}: {found}", flush=True)
    return folder


def run(arm: str, seed: int, steps: int, out: Path) -> TrainingResult:
    """Train one arm with one seed."""
    from gym_clinic.viewer import read_run
    from verl_recipes import launch
    from verl_recipes.request import RunRequest

    method, overrides = ARMS[arm]
    began = time.monotonic()
    request = RunRequest(
        method=method,
        env=ENV,
        steps=steps,
        model=str(model(out, seed).absolute()),
        out=out / f"{arm}-{seed}",
        seed=seed,
        overrides=(*SHARED, *overrides),
    )
    if launch.train(request):
        raise SystemExit(f"{arm}, seed {seed}: the run failed")
    _, rewards = read_run(request.out).series("clinic/total/mean")
    return TrainingResult(
        arm,
        seed,
        statistics.fmean(rewards[:WINDOW]),
        statistics.fmean(rewards[-WINDOW:]),
        time.monotonic() - began,
    )


def report(results: Sequence[TrainingResult]) -> bool:
    """Print the table; return whether every arm did what it must."""
    print(f"\nmean reward of the first and last {WINDOW} steps; chance is {CHANCE}, goal {GOAL}")
    print("arm        seed   first    last   seconds")
    for one in results:
        verdict = {True: "holds", False: "DOES NOT HOLD", None: "reported"}[one.held]
        print(
            f"{one.arm:10s} {one.seed:4d}  {one.first:6.3f}  {one.last:6.3f}  {one.seconds:8.0f}"
            f"   {verdict}"
        )
    last = {(one.arm, one.seed): one.last for one in results}
    gains = [
        value - last["shuffled", seed]
        for (arm, seed), value in last.items()
        if arm == "ttopd" and ("shuffled", seed) in last
    ]
    if gains:
        verdict = "shown" if min(gains) > 0 else "NOT shown"
        print(
            f"true hints against shuffled ones, last {WINDOW} steps, seed by seed: "
            f"{', '.join(f'{gain:+.3f}' for gain in gains)}; that hints help is {verdict}"
        )
    return all(one.held is not False for one in results)


def main() -> int:
    """Run the arms; 1 if one did not do what it must."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=64)
    parser.add_argument("--arms", default=",".join(ARMS), help="some of the arms, by comma")
    parser.add_argument("--out", type=Path, default=Path("runs/prove-learning"))
    args = parser.parse_args()
    sys.path.insert(0, str(SUPPORT))
    paths = [str(SUPPORT), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    arms = args.arms.split(",")
    if unknown := sorted(set(arms) - set(ARMS)):
        parser.error(f"no arms {unknown}; choose from {list(ARMS)}")
    results = [
        run(arm, seed, args.steps, args.out)
        for arm in arms
        for seed in range(args.seeds if arm in SEEDED else 1)
    ]
    held = report(results)
    from gym_clinic.viewer import draw, read_run

    picture = args.out / "curves.png"
    draw([read_run(args.out / f"{one.arm}-{one.seed}") for one in results], picture)
    print(f"curves: {picture}")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
