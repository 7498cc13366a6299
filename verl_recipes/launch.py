"""``make train-grpo`` and ``make train-ttopd``: one training run from request to report."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack

from omegaconf import DictConfig, OmegaConf

from gym_clinic import ConfigError
from gym_clinic.files import replace_file
from verl_recipes.config.compose import compose
from verl_recipes.preflight import prompts
from verl_recipes.preflight.checks import attempt, quick, require
from verl_recipes.preflight.model import type_of
from verl_recipes.request import RunRequest, train_request
from verl_recipes.run.lock import only_run, only_writer
from verl_recipes.run.report import report
from verl_recipes.run.supervisor import supervise
from verl_recipes.settings import from_config


def main(argv: Sequence[str]) -> int:
    """Run ``train`` from the command line."""
    return train(train_request(argv))


def train(request: RunRequest) -> int:
    """Check, prepare the model, train and report; 0, or 1 for a run that failed.

    Raises:
        ConfigError: If the run cannot start; the error names all that is missing.
    """
    began = time.monotonic()
    if request.model is None and request.gpus:
        raise ConfigError("on GPUs name a model: MODEL=Qwen/Qwen3-1.7B, say, or a folder")
    config = compose(request)
    require(quick(request, config))
    with ExitStack() as held:
        locks = [held.enter_context(only_writer(request.out))]
        if not request.gpus:  # a run takes the whole machine; GPUs are shared out by Ray
            locks.append(held.enter_context(only_run(str(request.out.absolute()))))
        status = _run(request, config, locks)
    if status:
        return status
    report(request.out, [one.id for one in from_config(config).environments])
    print(f"took     {time.monotonic() - began:.0f} s in all")
    return 0


def _run(request: RunRequest, config: DictConfig, locks: Sequence[int]) -> int:
    # Heavy, and not needed to report a mistake.
    from transformers import AutoTokenizer
    from transformers.utils.logging import disable_progress_bar
    from verl.utils.tokenizer import hf_processor

    from verl_recipes.cpu.model import tiny_model

    disable_progress_bar()
    if request.model is None:
        tiny_model(config, resume=request.resume)
    else:
        config.data.model_type = type_of(request.model)
    name = str(config.actor_rollout_ref.model.path)
    reads = AutoTokenizer.from_pretrained(name), hf_processor(name)
    require(attempt("prompts", lambda: prompts.check(config, *reads)))
    path = request.out / "config.yaml"
    replace_file(path, [OmegaConf.to_yaml(config, resolve=True).encode()])
    names = ", ".join(one.id for one in from_config(config).environments)
    print(f"run      {request.out}  ({request.method}, {names}, {request.stack})", flush=True)
    steps = int(config.trainer.total_training_steps)
    return supervise(path, steps, float(config.clinic.stall_s), keep=locks)
