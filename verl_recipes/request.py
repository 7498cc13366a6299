"""What a caller asks of `train` and `check`, and how the command line says it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gym_clinic import ConfigError


@dataclass(frozen=True)
class RunRequest:
    """A training run as its caller describes it; the options of the command line say the rest.

    Attributes:
        method: The file in ``config/method`` that says how to learn, or ``module:NAME`` of a
            mapping that says it.
        env: The environment's id, or ``module:NAME`` of a domain; several with commas between,
            each with ``=WEIGHT`` behind it if they are not to weigh the same; None for the
            config's.
        model: Folder or name of a model; None for a tiny one made on the CPU.
        lora: Rank of the adapter; 0 for full fine-tuning.
        seed: Seed of the data order, the tiny model and, on the CPU, the sampling.
        overrides: Further settings, ``key=value`` as hydra writes them.
    """

    method: str = "ttopd"
    env: str | None = None
    steps: int = 5
    model: str | None = None
    gpus: int = 0
    nodes: int = 1
    address: str | None = None
    out: Path = Path("runs")
    resume: bool = False
    lora: int = 0
    seed: int = 0
    overrides: tuple[str, ...] = ()

    @property
    def stack(self) -> str:
        """The file in ``config/stack``: ``gpu`` or ``cpu``."""
        return "gpu" if self.gpus else "cpu"

    @property
    def environments(self) -> list[dict[str, object]]:
        """The environments that it names, as ``clinic.envs`` lists them; settings check them."""
        found: list[dict[str, object]] = []
        for one in self.env.split(",") if self.env is not None else ():
            name, _, weight = (part.strip() for part in one.partition("="))
            try:
                found.append({"id": name, "weight": float(weight or 1)})
            except ValueError:
                found.append({"id": name, "weight": weight})
        return found


def train_request(argv: Sequence[str] | None) -> RunRequest:
    """Read the command line of ``train``; errors as for :func:`run_folder`."""
    parser = _parser("train", "Train a model on an environment.")
    parser.add_argument("--steps", type=int, default=RunRequest.steps)
    parser.add_argument("--resume", action="store_true", help="continue from the last checkpoint")
    parser.add_argument("--seed", type=int, default=RunRequest.seed)
    request = _read(parser, argv)
    return replace(request, out=run_folder(request.out, request.method, resume=request.resume))


def check_request(argv: Sequence[str] | None) -> RunRequest:
    """Read the command line of ``check``."""
    request = _read(_parser("check", "Check everything that a run needs before it starts."), argv)
    return replace(request, out=request.out or RunRequest.out)


def run_folder(given: Path | None, method: str, *, resume: bool) -> Path:
    """Return the folder of a run: the one given, or ``runs/METHOD``, numbered if that is used.

    Raises:
        ConfigError: If the folder given holds a run that is not to be resumed, or the reverse.
    """
    method = method.rpartition(":")[2]  # of module:NAME the name
    out = given or Path("runs") / method
    used = any(out.glob("metrics-*.jsonl"))
    if resume and not (out / "checkpoints" / "latest_checkpointed_iteration.txt").is_file():
        raise ConfigError(f"{out} holds no checkpoint to resume from")
    if used and not resume:
        if given is not None:
            raise ConfigError(f"{out} holds a run: RESUME=1 continues it, or name another OUT")
        number = 2
        while any((out := Path("runs") / f"{method}-{number}").glob("metrics-*.jsonl")):
            number += 1
    return out


def _parser(command: str, description: str) -> argparse.ArgumentParser:
    prog = f"python -m verl_recipes {command}"
    parser = argparse.ArgumentParser(prog=prog, description=description)
    default = RunRequest()
    parser.add_argument(
        "--method", default=default.method, help="a file of config/method; module:NAME"
    )
    parser.add_argument("--env", help="id, or module:NAME of a domain; ID=2,ID=1")
    parser.add_argument("--model", help="folder or name; without GPUs a tiny one is made if none")
    parser.add_argument("--gpus", type=int, default=default.gpus, help="GPUs a node; 0: the CPU")
    parser.add_argument("--nodes", type=int, default=default.nodes)
    parser.add_argument("--address", help="address of a Ray cluster; default: start a local one")
    parser.add_argument("--lora", type=int, default=default.lora, help="rank; 0: full fine-tuning")
    parser.add_argument("--out", type=Path, help="folder of the run; runs/METHOD by default")
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="further settings")
    return parser


def _read(parser: argparse.ArgumentParser, argv: Sequence[str] | None) -> RunRequest:
    values = vars(parser.parse_args(argv))
    return RunRequest(**{**values, "overrides": tuple(values["overrides"])})
