"""The model of a run: the one named, or a tiny one that is made and fitted here."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any

import torch
import transformers
from omegaconf import DictConfig
from transformers import AutoConfig, AutoTokenizer
from verl.utils.tokenizer import hf_processor

from gym_clinic import ClinicEnv, ConfigError
from gym_clinic.files import replace_file
from gym_clinic.paths import cache_dir
from gym_clinic.taskset import first
from verl_recipes import settings
from verl_recipes.agent_loop.environment import open_all
from verl_recipes.agent_loop.prompts import prompt, shortest
from verl_recipes.agent_loop.rows import ClinicRows
from verl_recipes.agent_loop.trajectory import Budgets
from verl_recipes.cpu import tiny
from verl_recipes.cpu.fit import FitReport, first_fit, read_report
from verl_recipes.cpu.tiny import build, corpus, replacing
from verl_recipes.preflight.model import template_fault
from verl_recipes.ttopd import hints
from verl_recipes.ttopd.placement import HintPlacement

REPORT = "fit.json"
"""File in the folder of a tiny model that says how its fit went."""

SAMPLED_TASKS = 100
"""Tasks whose answers no hint may name, and whose prompts may hold no hint."""


def named_model(config: DictConfig) -> None:
    """Look the named model up and note its type, which chooses how text becomes tokens.

    Raises:
        ConfigError: If there is no such model.
    """
    path = str(config.actor_rollout_ref.model.path)
    try:
        found = AutoConfig.from_pretrained(path)
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"no model {path!r}: {str(error).splitlines()[0]}; give a folder that holds a "
            f"config.json, or a name that transformers can load"
        ) from error
    config.data.model_type = str(found.model_type)


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
        cache: Folder of the models that were made before; a fit with the same texts, settings and
            code is not done again.
        fit: Further arguments of :func:`verl_recipes.cpu.fit.first_fit`.
    """
    texts = texts or hints.load()
    played = chain.from_iterable(corpus(one, native=native) for one in (env, *also))
    read = [*played, *texts.correct, *texts.incorrect]
    sizes: dict[str, Any] = {"seed": seed, "vocab": vocab, "hidden": hidden, "positions": positions}
    fit |= {"budgets": budgets, "seed": seed, "native": native}
    kept = cache and cache / _digest([*read, *task_ids, repr(sizes), repr(sorted(fit.items()))])
    if kept and (kept / REPORT).is_file():
        with replacing(folder) as beside:
            shutil.copytree(kept, beside, dirs_exist_ok=True)
        return read_report((folder / REPORT).read_bytes())
    build(folder, read, **sizes)
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


def check_prompts(config: DictConfig) -> None:
    """Check that the model can play, and that hints have a place and are in no prompt.

    Raises:
        ConfigError: If its template shows no tools; if a prompt is too long (the error names the
            task and its length), or has no place for a hint; if a hint names an answer, or a
            prompt holds one.
    """
    clinic = settings.from_config(config)
    path = config.actor_rollout_ref.model.path
    tokenizer, processor = AutoTokenizer.from_pretrained(path), hf_processor(path)
    envs = open_all(config.data, config.data.train_files).values()
    for env in envs:
        if clinic.tools == "native" and (fault := template_fault(tokenizer, env.toolbox.schemas())):
            raise ConfigError(f"{fault}; clinic.tools=text shows the tools in the prompt instead")
    encoded: list[list[int]] = []
    if clinic.hints.mode != "none":
        texts = hints.load(clinic.hints.path)
        if leaks := [one for env in envs for one in hints.static_checks(texts, answers(env))]:
            raise ConfigError("; ".join(leaks))
        encoded = [
            tokenizer.encode(text, add_special_tokens=False)
            for text in (*texts.correct, *texts.incorrect)
        ]
    for split, most in (
        (config.data.train_files, config.data.train_max_samples),
        (config.data.val_files, config.data.val_max_samples),
    ):
        rows = ClinicRows(split, tokenizer, config.data, processor, max_samples=most)
        for pool in rows.pools if encoded else ():
            placement = HintPlacement(pool.tokens)
            for task in pool.sample(SAMPLED_TASKS):
                ids = prompt(pool.env, task, pool.tokens)
                placement.index(ids)
                if any(hints.shares_ngram(ids, hint) for hint in encoded):
                    raise ConfigError(f"the prompt of task {task.id!r} holds the words of a hint")


def answers(env: ClinicEnv) -> list[str]:
    """Return the labels and texts that may be answers of an environment."""
    found: dict[str, None] = {}
    for task in first(env.tasks, SAMPLED_TASKS):
        labels = env.domain.menu(task).answers if env.domain.menu else {}
        found |= dict.fromkeys(str(label) for label in labels)
        gold = task.gold.get("answer")
        values = gold.values() if isinstance(gold, Mapping) else [gold]
        found |= dict.fromkeys(value for value in values if isinstance(value, str))
    return list(found)
