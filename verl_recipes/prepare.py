"""The model of a run: the one named, or a tiny one made and first fitted here."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from transformers import AutoConfig

from gym_clinic import ConfigError
from gym_clinic.files import replace_file
from verl_recipes.trajectory import Budgets, make_env

PROMPT, RESPONSE = 3_000, 1_500
"""Tokens of the longest prompt, and of all that follows it, with the tiny model."""

TASKS = 48
"""Tasks that the tiny model trains on: those with the shortest tickets."""

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


def tiny(out: Path, env_name: str, *, seed: int, resume: bool) -> Model:
    """Make the tiny model of a run and fit it, or find the one that is there.

    Args:
        out: Folder of the run; the model goes to ``model`` in it.
        env_name: What it will play.
        seed: Of weights and fit.
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
        from verl_recipes.cpu import fit
        from verl_recipes.cpu import tiny as maker
        from verl_recipes.rows import shortest

        env = make_env(env_name, {"split": "train"})
        print(
            f"model    a tiny Qwen3 and its tokenizer, from the prompts of {env_name}", flush=True
        )
        maker.build(folder, maker.corpus(env), seed=seed)
        found = fit.first_fit(
            folder,
            env,
            [task.id for task in shortest(env, TASKS)],
            budgets=Budgets(PROMPT, RESPONSE),
            seed=seed,
        )
        print(f"         {found}", flush=True)
        if not found.reached:
            print("         too few: steps without contrast train on the KL alone", flush=True)
        replace_file(report, [json.dumps(vars(found)).encode()])
    return Model(str(folder.absolute()), "qwen3", sizes)
