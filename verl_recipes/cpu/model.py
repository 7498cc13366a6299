"""The tiny model of a run without GPUs: made and fitted here, or taken from the cache."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any

import torch
import transformers
from omegaconf import DictConfig

from gym_clinic import ClinicEnv, ConfigError
from gym_clinic.files import replace_file
from gym_clinic.paths import cache_dir
from verl_recipes import settings
from verl_recipes.agent_loop.environment import open_all
from verl_recipes.agent_loop.prompts import shortest
from verl_recipes.agent_loop.trajectory import Budgets
from verl_recipes.cpu import tiny
from verl_recipes.cpu.fit import FitReport, first_fit, read_report
from verl_recipes.cpu.tiny import build, corpus, replacing, standing_lines
from verl_recipes.cpu.values import LabelledValues
from verl_recipes.ttopd import hints

REPORT = "fit.json"
"""File in the folder of a tiny model that says how its fit went."""

LEARNED, EVALUATED = 180, 48
"""Tasks of an environment, the shortest, whose values are tokens: of training and evaluation."""


def tiny_model(config: DictConfig, *, resume: bool = False) -> None:
    """Make the tiny model of a run and fit it, or find the one that is there.

    Args:
        config: Of the run; the model goes to the folder that it names.
        resume: Whether the run continues, so that the model must be there.

    Raises:
        ConfigError: If the environment is unknown, or the model of a run to resume is gone.
    """
    folder = Path(config.actor_rollout_ref.model.path)
    if (folder / REPORT).is_file():
        return
    if resume:
        raise ConfigError(f"{folder} holds no model to continue with")
    clinic, data = settings.from_config(config), config.data
    envs = open_all(data, data.train_files)
    names = ", ".join(envs)
    print(f"model    a tiny Qwen3 and its tokenizer, from the prompts of {names}", flush=True)
    env, *also = envs.values()
    found = make_tiny(
        folder,
        env,
        [task.id for task in shortest(env, clinic.shortest, clinic.seed)],
        Budgets(
            data.max_prompt_length,
            data.max_response_length,
            clinic.turn_tokens,
            clinic.min_reply_tokens,
        ),
        seed=clinic.seed,
        native=clinic.tools == "native",
        texts=hints.load(clinic.hints.path),
        also=also,
        evaluated=tuple(open_all(data, data.val_files).values()),
        cache=cache_dir() / "tiny",
        temperature=float(config.actor_rollout_ref.rollout.temperature),
    )
    print(f"         {found}", flush=True)
    if not found.reached:
        print("         a goal was not reached: the run starts from what was", flush=True)


def make_tiny(
    folder: Path,
    env: ClinicEnv,
    task_ids: Sequence[str],
    budgets: Budgets,
    *,
    seed: int,
    native: bool = True,
    texts: hints.Hints | None = None,
    vocab: int = 4_096,
    hidden: int = 128,
    positions: int = 8_192,
    also: Sequence[ClinicEnv] = (),
    evaluated: Sequence[ClinicEnv] = (),
    cache: Path | None = None,
    **fit: Any,
) -> FitReport:
    """Make a tiny model and fit it, also on what the hints of a teacher mean.

    Args:
        folder: Where to.
        env: What it will play.
        task_ids: The tasks of the training to come.
        budgets: Of the rollouts.
        seed: Of weights and fit.
        native: Whether tools are shown by the chat template.
        texts: The hints; ours by default.
        vocab: And the next two: see :func:`verl_recipes.cpu.tiny.build`.
        also: What else it will play.
        evaluated: What evaluations play: values of their tickets are tokens too.
        cache: Folder of the models that were made before; a fit with the same texts, settings and
            code is not done again.
        fit: Further arguments of :func:`verl_recipes.cpu.fit.first_fit`.
    """
    texts = texts or hints.load()
    played = chain.from_iterable(corpus(one, native=native) for one in (env, *also))
    read = [*played, *texts.correct, *texts.incorrect]
    sizes: dict[str, Any] = {"seed": seed, "vocab": vocab, "hidden": hidden, "positions": positions}
    fit |= {"budgets": budgets, "seed": seed, "native": native}
    named, standing = LabelledValues(), dict[str, None]()
    for one in (env, *also):
        standing |= dict.fromkeys(standing_lines(one, native=native))
        named.read(one, shortest(one, LEARNED, seed))
    for one in evaluated:
        named.read(one, shortest(one, EVALUATED, seed))
    chosen = map(repr, (sizes, named, list(standing), sorted(fit.items())))
    kept = cache and cache / _digest([*read, *task_ids, *chosen])
    if kept and (kept / REPORT).is_file():
        with replacing(folder) as beside:
            shutil.copytree(kept, beside, dirs_exist_ok=True)
        return read_report((folder / REPORT).read_bytes())
    build(folder, read, named=named, standing=tuple(standing), **sizes)
    report = first_fit(folder, env, task_ids, texts, also=also, **fit)
    replace_file(folder / REPORT, [json.dumps(asdict(report)).encode()])
    if kept:
        with replacing(kept) as beside:
            shutil.copytree(folder, beside, dirs_exist_ok=True)
    return report


def _digest(texts: Iterable[str]) -> str:
    """Return a name for what is made of texts by the code and libraries of now."""
    code = sorted(Path(tiny.__file__).parent.glob("*.py"))
    digest = hashlib.blake2b(f"{torch.__version__} {transformers.__version__}".encode())
    for part in (*(path.read_bytes() for path in code), *(text.encode() for text in texts)):
        digest.update(hashlib.blake2b(part).digest())
    return digest.hexdigest()[:32]
