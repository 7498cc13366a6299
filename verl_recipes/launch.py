"""What ``make train-grpo`` and ``make train-ttopd`` run: set-up, the run, its tables."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from omegaconf import DictConfig, OmegaConf
from transformers import AutoTokenizer

from gym_clinic import ConfigError
from gym_clinic.errors import ClinicError
from gym_clinic.files import replace_file
from gym_clinic.viewer.runs import Run, read_run
from verl_recipes import check, prepare, settings
from verl_recipes.compose import CONFIGS, compose, names
from verl_recipes.prepare import Model
from verl_recipes.pretrained import template_fault
from verl_recipes.rows import ClinicRows
from verl_recipes.run import FAILURE
from verl_recipes.trajectory import make_env

LOG = "log.txt"
LOOP = "actor_rollout_ref.rollout.agent.agent_loop_config_path"
EVALUATE_EVERY = 50
"""Steps between two evaluations; the supervisor paper's, for checkpoints as well."""

SAVE_EVERY = {"cpu": 1, "gpu": 50}
"""Steps between two checkpoints: a tiny model's cost nothing, so that any step can be resumed."""

FOREVER = 1_000_000
"""Epochs: a run ends by its steps."""


@dataclass(frozen=True)
class Wanted:
    """What a caller asked for.

    Attributes:
        method: How to learn.
        env: The environment's id, or ``module:NAME`` of a domain.
        steps: Optimiser rounds.
        model: Folder or name of a model; None for a tiny one made here.
        gpus: GPUs a node; 0 for the CPU.
        nodes: Nodes.
        address: Of a Ray cluster; None starts one here.
        out: Folder of the run.
        resume: Whether to go on with what is there.
        lora: Rank of the adapter; 0 for full fine-tuning.
        seed: Of the data order, the tiny model and, on the CPU, the sampling.
        overrides: Further settings.
    """

    method: str
    env: str
    steps: int
    model: str | None
    gpus: int
    nodes: int
    address: str | None
    out: Path
    resume: bool
    lora: int = 0
    seed: int = 0
    overrides: tuple[str, ...] = ()

    @property
    def stack(self) -> str:
        """``gpu`` or ``cpu``."""
        return "gpu" if self.gpus else "cpu"


def main(argv: Sequence[str] | None = None) -> int:
    """Run from the command line; 0, 1 for a run that failed, 2 for a mistake of the caller."""
    try:
        wanted = read(argv)
        return train(wanted)
    except ClinicError as error:
        print(f"train: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("train: stopped; RESUME=1 goes on from the last checkpoint", file=sys.stderr)
        return 130


def train(wanted: Wanted) -> int:
    """Check, set up, run, and tell."""
    began = time.monotonic()
    if wanted.model is None and wanted.gpus:
        raise ConfigError("on GPUs name a model: MODEL=Qwen/Qwen3-1.7B, say, or a folder")
    check.before_run(wanted)
    if wanted.model is None:
        model = prepare.tiny(wanted.out, wanted.env, seed=wanted.seed, resume=wanted.resume)
    else:
        model = prepare.named(wanted.model)
    config = configure(wanted, model)
    check_model(config)
    path = wanted.out / "config.yaml"
    replace_file(path, [OmegaConf.to_yaml(config, resolve=True).encode()])
    print(f"run      {wanted.out}  ({wanted.method}, {wanted.env}, {wanted.stack})", flush=True)
    status = watch(path, wanted, float(config.clinic.stall_s))
    if status:
        return status
    tell(wanted.out, wanted.env)
    print(f"took     {time.monotonic() - began:.0f} s in all")
    return 0


def check_model(config: DictConfig) -> None:
    """Check that the model can play: its template shows tools, and the prompts fit.

    Raises:
        ConfigError: If it cannot; the error names the task and its length, or what to change.
    """
    clinic = settings.from_config(config)
    tokenizer = AutoTokenizer.from_pretrained(config.actor_rollout_ref.model.path)
    env = make_env(clinic.env, clinic.env_kwargs, clinic.modules)
    if clinic.tools == "native" and (fault := template_fault(tokenizer, env.toolbox.schemas())):
        raise ConfigError(f"{fault}; clinic.tools=text shows the tools in the prompt instead")
    for split, most in (
        (config.data.train_files, config.data.train_max_samples),
        (config.data.val_files, config.data.val_max_samples),
    ):
        ClinicRows(split, tokenizer, config.data, max_samples=most)


def configure(wanted: Wanted, model: Model) -> DictConfig:
    """Compose the config of a run.

    Args:
        wanted: What was asked for.
        model: Where the model is, and the settings that go with it.
    """
    out = wanted.out.absolute()
    overrides = [
        f"clinic.env={_quote(wanted.env)}",
        f"data.model_type={model.model_type}",
        f"actor_rollout_ref.model.path={_quote(model.path)}",
        f"actor_rollout_ref.model.lora_rank={wanted.lora}",
        f"{LOOP}={_quote(str(CONFIGS / 'agent_loop.yaml'))}",
        f"trainer.total_training_steps={wanted.steps}",
        f"trainer.total_epochs={FOREVER}",
        f"trainer.test_freq={min(wanted.steps, EVALUATE_EVERY)}",
        f"trainer.save_freq={SAVE_EVERY[wanted.stack]}",
        f"clinic.seed={wanted.seed}",
        f"trainer.nnodes={wanted.nodes}",
        f"trainer.n_gpus_per_node={max(wanted.gpus, 1)}",
        f"trainer.experiment_name={_quote(out.name)}",
        f"trainer.default_local_dir={_quote(str(out / 'checkpoints'))}",
        f"trainer.validation_data_dir={_quote(str(out / 'evaluations'))}",
        f"trainer.resume_mode={'auto' if wanted.resume else 'disable'}",
        *model.overrides,
    ]
    if wanted.address:
        overrides.append(f"+ray_kwargs.ray_init.address={_quote(wanted.address)}")
    config = compose(wanted.stack, wanted.method, [*overrides, *wanted.overrides])
    OmegaConf.set_struct(config, False)
    config.ray_kwargs.ray_init.runtime_env.env_vars = dict(environment(wanted, config))
    if wanted.lora and wanted.method != "grpo":
        # The teacher is an adapter here, so the reference model's place is free again.
        config.actor_rollout_ref.actor.use_kl_loss = config.actor_rollout_ref.actor.kl_loss_coef > 0
    return config


def environment(wanted: Wanted, config: DictConfig) -> Mapping[str, str]:
    """Return the variables that every process of a run needs."""
    first = int(time.time())
    variables = {
        "VERL_USE_EXTERNAL_MODULES": "verl_recipes.plugin",
        "VERL_USE_EXTERNAL_PLUGINS": "none",
        "VERL_ENGINE_VENDOR": "gym_clinic",
        "VERL_FILE_LOGGER_PATH": str(wanted.out.absolute() / f"metrics-{first}.jsonl"),
        "PYTHONPATH": os.pathsep.join(
            dict.fromkeys([str(Path.cwd()), *filter(None, [os.environ.get("PYTHONPATH")])])
        ),
        "TOKENIZERS_PARALLELISM": "false",
    }
    if config.trainer.device == "cpu":
        variables |= {
            "VERL_PLATFORM": "cpu",
            "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1"),
            "RAY_memory_monitor_refresh_ms": "0",
        }
    return variables


def watch(path: Path, wanted: Wanted, stall_s: float) -> int:
    """Run the child, show its steps, and end it when it no longer moves.

    Args:
        path: The config.
        wanted: What was asked for.
        stall_s: Seconds without a sign of life.

    Returns:
        0, or 1 with the reason printed.
    """
    out = wanted.out
    config = OmegaConf.load(path)
    variables = {**os.environ, **config.ray_kwargs.ray_init.runtime_env.env_vars}
    variables = {name: str(value) for name, value in variables.items()}
    log = out / LOG
    shown: set[int] = set(read_steps(out))
    began = moved = time.monotonic()
    size = 0
    with log.open("ab") as sink:
        child = subprocess.Popen(
            [sys.executable, "-m", "verl_recipes.run", str(path)],
            stdout=sink,
            stderr=subprocess.STDOUT,
            env=variables,
            start_new_session=True,
        )
        try:
            while True:
                status = child.poll()
                for step, row in sorted(read_steps(out).items()):
                    if step not in shown:
                        shown.add(step)
                        print(line(step, wanted.steps, row, time.monotonic() - began), flush=True)
                        for alarm in alarms(log, step):
                            print(f"         {alarm}", flush=True)
                if status is not None:
                    break
                if log.stat().st_size != size:
                    size, moved = log.stat().st_size, time.monotonic()
                elif time.monotonic() - moved > stall_s + GRACE_S:
                    stop(child)
                    print(
                        f"train: no sign of life for {stall_s + GRACE_S:.0f} s, stopped; a rollout "
                        f"server or a worker hangs. Log: {log}",
                        file=sys.stderr,
                    )
                    return 1
                time.sleep(0.5)
        finally:
            if child.poll() is None:
                stop(child)
    if status:
        failure = out / FAILURE
        why = (
            failure.read_text(encoding="utf-8") if failure.is_file() else f"exit status {status}\n"
        )
        print(f"train: the run failed: {why}       log: {log}", file=sys.stderr)
        return 1
    return 0


GRACE_S = 120.0
"""Seconds that a run has to report a stall by itself before it is ended."""


def stop(child: subprocess.Popen[bytes]) -> None:
    """End a child and all it started."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(child.pid, how)
            child.wait(timeout=20)
            return
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def read_steps(out: Path) -> Mapping[int, Mapping[str, float]]:
    """Return what the run has logged so far, by step."""
    if not any(out.glob("metrics-*.jsonl")):
        return {}
    try:
        return read_run(out).steps
    except ConfigError:
        return {}  # the file is there, its first line is not yet


def line(step: int, steps: int, row: Mapping[str, float], seconds: float) -> str:
    """Return the progress line of a step."""
    if not step or "clinic/score/mean" not in row:
        return f"step {step:>4}/{steps}  evaluated  ({seconds:.0f} s)"
    parts = [
        f"score {row['clinic/score/mean']:+.3f}",
        f"success {row['clinic/success']:.2f}",
        f"mixed {row['clinic/mixed_fraction']:.2f}",
        f"turns {row['clinic/turns/mean']:.1f}",
        f"tokens {row['clinic/response_tokens/mean']:.0f}",
    ]
    if "ttopd/kl" in row:
        parts.append(f"KL {row['ttopd/kl']:.4f}")
    if row.get("clinic/kl_alone"):
        parts.append("KL alone")
    if row.get("clinic/skipped_update"):
        parts.append("no contrast, no update")
    parts.append(f"grad {row.get('actor/grad_norm', 0.0):.2f}")
    return f"step {step:>4}/{steps}  {'  '.join(parts)}  {row['timing_s/step']:.1f} s"


def alarms(log: Path, step: int) -> list[str]:
    """Return the alarms that the log holds of a step."""
    marker = f"ALARM step {step}: "
    text = log.read_text(encoding="utf-8", errors="replace")
    found = [line[line.index(marker) :] for line in text.splitlines() if marker in line]
    return list(dict.fromkeys(found))


def tell(out: Path, env: str) -> None:
    """Print the evaluations before and after, and where everything lies."""
    run = read_run(out)
    print_evaluations(run, env)
    picture = draw(out)
    print(f"metrics  {out}/metrics-*.jsonl")
    print(f"plot     {picture}" if picture else "plot     needs matplotlib: pip install matplotlib")
    latest = out / "checkpoints" / "latest_checkpointed_iteration.txt"
    if latest.is_file():
        print(f"model    {latest.parent}/global_step_{latest.read_text().strip()}/actor/huggingface")
    print(f"log      {out / LOG}")


def draw(out: Path) -> Path | None:
    """Draw the curves of a run; None without matplotlib."""
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        return None
    from gym_clinic.viewer import curves

    picture = out / "curves.png"
    curves.draw([read_run(out)], picture)
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


HIDDEN = ("acc", "reward", "score", "hint_echo", "dropped_turns", "prompt_tokens", "fault")
"""Figures of an evaluation that repeat another or say nothing there."""


def read(argv: Sequence[str] | None) -> Wanted:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m verl_recipes train", description=__doc__)
    parser.add_argument("--method", default="ttopd", help=f"one of {', '.join(names('method'))}")
    parser.add_argument("--env", default="clinic/ClinGen-v0", help="id, or module:NAME of a domain")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--model", help="folder or name; a tiny one is made if it is left out")
    parser.add_argument("--gpus", type=int, default=0, help="GPUs a node; 0 for the CPU")
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--address", help="of a Ray cluster; one is started here otherwise")
    parser.add_argument("--out", type=Path, help="folder of the run; runs/METHOD by default")
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint")
    parser.add_argument("--lora", type=int, default=0, help="rank; 0 for full fine-tuning")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="further settings")
    args = parser.parse_args(argv)
    return Wanted(
        method=args.method,
        env=args.env,
        steps=args.steps,
        model=args.model,
        gpus=args.gpus,
        nodes=args.nodes,
        address=args.address,
        out=folder(args.out, args.method, resume=args.resume),
        resume=args.resume,
        lora=args.lora,
        seed=args.seed,
        overrides=tuple(args.overrides),
    )


def folder(given: Path | None, method: str, *, resume: bool) -> Path:
    """Return the folder of a run; without a name, one that no run has used.

    Raises:
        ConfigError: If the one named holds a run and none is to be resumed, or the reverse.
    """
    out = given or Path("runs") / method
    used = any(out.glob("metrics-*.jsonl"))
    if resume and not (out / "checkpoints").is_dir():
        raise ConfigError(f"{out} holds no checkpoint to resume from")
    if used and not resume:
        if given is not None:
            raise ConfigError(f"{out} holds a run: RESUME=1 goes on with it, or name another OUT")
        number = 2
        while any((out := Path("runs") / f"{method}-{number}").glob("metrics-*.jsonl")):
            number += 1
    return out


def _quote(value: str) -> str:
    return "'" + value.replace("'", "\\'") + "'"


if __name__ == "__main__":
    sys.exit(main())
