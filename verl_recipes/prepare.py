"""The model of a run: the one named, or a tiny one made and first fitted here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from omegaconf import DictConfig
from transformers import AutoConfig, AutoTokenizer

from gym_clinic import ClinicEnv, ConfigError
from gym_clinic.files import replace_file
from gym_clinic.taskset import first
from verl_recipes import hints, settings
from verl_recipes.cpu.fit import FitReport, first_fit
from verl_recipes.cpu.tiny import build, corpus
from verl_recipes.pretrained import template_fault
from verl_recipes.rows import ClinicRows, prompt, shortest
from verl_recipes.settings import Clinic
from verl_recipes.trajectory import Budgets, make_env

PROMPT, RESPONSE = 3_000, 1_500
"""Tokens of the longest prompt, and of all that follows it, with the tiny model."""

TASKS = 48
"""Tasks that the tiny model trains on: those with the shortest tickets."""

ANSWERED = 100
"""Tasks whose answers no hint may name; a label of many comes up among them."""

EVALUATED = 16
"""Tasks of an evaluation with the tiny model."""


@dataclass(frozen=True)
class Model:
    """What a run trains.

    Attributes:
        path: Its folder, or its name on a hub.
        model_type: Of its config; chooses how its family is tokenised.
        overrides: Settings that go with it.
    """

    path: str
    model_type: str
    overrides: tuple[str, ...] = ()


def named(path: str) -> Model:
    """Return a model that is there.

    Raises:
        ConfigError: If there is no such model.
    """
    try:
        found = AutoConfig.from_pretrained(path)
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"no model {path!r}: {str(error).splitlines()[0]}; give a folder that holds a "
            f"config.json, or a name that transformers can load"
        ) from error
    return Model(path, str(found.model_type))


def tiny(out: Path, clinic: Clinic, *, split: str = "train", resume: bool = False) -> Model:
    """Make the tiny model of a run and fit it, or find the one that is there.

    Args:
        out: Folder of the run; the model goes to ``model`` in it.
        clinic: What it will play, and how; its seed is that of weights and fit.
        split: The tasks it will train on.
        resume: Whether the run goes on, so that the model must be there.

    Raises:
        ConfigError: If the environment is unknown, or the model of a run to resume is gone.
    """
    folder = out / "model"
    report = folder / "fit.json"
    sizes = (
        f"data.max_prompt_length={PROMPT}",
        f"data.max_response_length={RESPONSE}",
        f"data.val_max_samples={EVALUATED}",
        f"clinic.shortest={TASKS}",
    )
    if resume and not report.is_file():
        raise ConfigError(f"{out} has no model to go on with")
    if not report.is_file():
        print(
            f"model    a tiny Qwen3 and its tokenizer, from the prompts of {clinic.env}", flush=True
        )
        env = make_env(clinic.env, {**clinic.env_kwargs, "split": split}, clinic.modules)
        names = [task.id for task in shortest(env, TASKS)]
        budgets = Budgets(PROMPT, RESPONSE, clinic.turn_tokens, clinic.min_reply_tokens)
        found = make_tiny(
            folder,
            env,
            names,
            budgets,
            seed=clinic.seed,
            native=clinic.tools == "native",
            texts=hints.load(clinic.hints.path),
        )
        print(f"         {found}", flush=True)
        if not found.reached:
            print("         too few: steps without contrast train on the KL alone", flush=True)
        replace_file(report, [json.dumps(vars(found)).encode()])
    return Model(str(folder.absolute()), "qwen3", sizes)


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
) -> FitReport:
    """Make a tiny model, fit it, and show it the hints, so that to a teacher they are no noise.

    Args:
        folder: Where to.
        env: What it will play.
        task_ids: The tasks of the training to come.
        budgets: Of the rollouts.
        seed: Of weights and fit.
        native: Whether tools are shown by the chat template.
        texts: The hints; ours by default.
        vocab: Entries of the tokenizer.
        hidden: Width of the model.
        positions: Longest sequence.
    """
    texts = texts or hints.load()
    asides = (*texts.correct, *texts.incorrect)
    read = chain(corpus(env, native=native), asides)
    build(folder, read, seed=seed, vocab=vocab, hidden=hidden, positions=positions)
    return first_fit(
        folder, env, task_ids, budgets=budgets, seed=seed, native=native, asides=asides
    )


def check(config: DictConfig) -> None:
    """Check that the model can play and that nothing of the hints is in what it reads.

    Raises:
        ConfigError: If its template shows no tools; if a prompt is too long (the error names the
            task and its length); if a hint names an answer, or stands in a prompt.
    """
    clinic = settings.from_config(config)
    tokenizer = AutoTokenizer.from_pretrained(config.actor_rollout_ref.model.path)
    played = {**clinic.env_kwargs, "split": str(config.data.train_files)}
    env = make_env(clinic.env, played, clinic.modules)
    if clinic.tools == "native" and (fault := template_fault(tokenizer, env.toolbox.schemas())):
        raise ConfigError(f"{fault}; clinic.tools=text shows the tools in the prompt instead")
    told: list[list[int]] = []
    if clinic.hints.mode != "none":
        texts = hints.load(clinic.hints.path)
        if leaks := hints.static_checks(texts, answers(env)):
            raise ConfigError("; ".join(leaks))
        told = [
            tokenizer.encode(text, add_special_tokens=False)
            for text in (*texts.correct, *texts.incorrect)
        ]
    for split, most in (
        (config.data.train_files, config.data.train_max_samples),
        (config.data.val_files, config.data.val_max_samples),
    ):
        rows = ClinicRows(split, tokenizer, config.data, max_samples=most)
        for task in rows.tasks if told else ():
            ids = prompt(rows.env, task, rows.tokens)
            if any(hints.shares_ngram(ids, hint) for hint in told):
                raise ConfigError(f"the prompt of task {task.id!r} holds the words of a hint")


def answers(env: ClinicEnv) -> list[str]:
    """Return the labels and texts that may be answers of an environment."""
    found: dict[str, None] = {}
    for task in first(env.tasks, ANSWERED):
        labels = env.domain.menu(task).answers if env.domain.menu else {}
        found |= dict.fromkeys(str(label) for label in labels)
        gold = task.gold.get("answer")
        values = gold.values() if isinstance(gold, Mapping) else [gold]
        found |= dict.fromkeys(value for value in values if isinstance(value, str))
    return list(found)
