"""What ``make train-grpo`` and ``make train-ttopd`` run: set-up, the run, its tables."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from omegaconf import DictConfig, OmegaConf
from transformers.utils.logging import disable_progress_bar

from gym_clinic import ConfigError
from gym_clinic.errors import ClinicError
from gym_clinic.files import replace_file
from verl_recipes import check, prepare, settings
from verl_recipes.compose import CONFIGS, compose, names
from verl_recipes.prepare import Model
from verl_recipes.tell import tell
from verl_recipes.watch import watch

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
    disable_progress_bar()
    if wanted.model is None and wanted.gpus:
        raise ConfigError("on GPUs name a model: MODEL=Qwen/Qwen3-1.7B, say, or a folder")
    check.before_run(wanted)
    if wanted.model is None:
        named = [f"clinic.env={_quote(wanted.env)}", f"clinic.seed={wanted.seed}"]
        config = compose(wanted.stack, wanted.method, [*named, *wanted.overrides])
        model = prepare.tiny(
            wanted.out,
            settings.from_config(config),
            split=str(config.data.train_files),
            resume=wanted.resume,
        )
    else:
        model = prepare.named(wanted.model)
    config = configure(wanted, model)
    prepare.check(config)
    path = wanted.out / "config.yaml"
    replace_file(path, [OmegaConf.to_yaml(config, resolve=True).encode()])
    print(f"run      {wanted.out}  ({wanted.method}, {wanted.env}, {wanted.stack})", flush=True)
    status = watch(path, wanted.steps, float(config.clinic.stall_s))
    if status:
        return status
    tell(wanted.out, wanted.env)
    print(f"took     {time.monotonic() - began:.0f} s in all")
    return 0


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
    if wanted.lora:
        overrides.append(f"actor_rollout_ref.model.lora_rank={wanted.lora}")
    if wanted.address:
        overrides.append(f"+ray_kwargs.ray_init.address={_quote(wanted.address)}")
    config = compose(wanted.stack, wanted.method, [*overrides, *wanted.overrides])
    OmegaConf.set_struct(config, False)
    config.ray_kwargs.ray_init.runtime_env.env_vars = dict(environment(wanted, config))
    actor, adapted = config.actor_rollout_ref.actor, config.actor_rollout_ref.model.lora_rank
    if config.clinic.teacher.enabled and actor.kl_loss_coef and not adapted:
        raise ConfigError(
            f"actor_rollout_ref.actor.kl_loss_coef={actor.kl_loss_coef} needs LORA: without it the "
            "teacher takes the reference model's place"
        )
    if adapted:  # it would hold the wrapped model; the adapter is saved by itself
        kept = [one for one in actor.checkpoint.save_contents if one != "hf_model"]
        actor.checkpoint.save_contents = kept
    if config.clinic.teacher.enabled and adapted:
        # The teacher is an adapter here: the reference model is free to be what it is called.
        actor.use_kl_loss = actor.kl_loss_coef > 0
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
