"""Everything that is checked before a run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from gym_clinic import ConfigError
from gym_clinic.errors import ClinicError
from verl_recipes.agent_loop.environment import open_splits
from verl_recipes.preflight import machine, model, pins, prompts, recipe
from verl_recipes.preflight.result import MISSING, OK, WARNING, CheckResult
from verl_recipes.request import RunRequest

if TYPE_CHECKING:
    from omegaconf import DictConfig

GIB = machine.GIB


def require(checks: Iterable[CheckResult]) -> None:
    """Let a run start; warnings go to standard error.

    Raises:
        ConfigError: If something is missing; the error names all of it.
    """
    results = list(checks)
    for result in results:
        if result.status == WARNING:
            print(f"warning: {result}", file=sys.stderr)
    if missing := [result for result in results if result.status == MISSING]:
        lines = "\n".join(f"  {result}" for result in missing)
        raise ConfigError(f"the run cannot start:\n{lines}")


def quick(request: RunRequest, config: DictConfig) -> Iterator[CheckResult]:
    """Yield the checks that take seconds; every run begins with them."""
    yield from pins.check(request.stack)
    if request.gpus and not request.address:
        yield from attempt("GPUs", lambda: _gpus(request))
    if not request.gpus:
        yield machine.memory()
    yield machine.ray(request.address, request.gpus, request.nodes)
    yield from _budgets(config)
    yield from attempt("environment", lambda: _environments(config))
    yield from attempt("recipe", lambda: recipe.check(config))
    yield from attempt("model", lambda: _model(request, config))


def thorough(request: RunRequest, config: DictConfig) -> Iterator[CheckResult]:
    """Yield all checks, those that read every prompt included."""
    playable = True
    for result in quick(request, config):
        playable = playable and result.status != MISSING
        yield result
    if playable and request.model is not None:
        yield from attempt("prompts", lambda: _prompts(request, config))


def attempt(name: str, look: Callable[[], Iterator[CheckResult]]) -> Iterator[CheckResult]:
    """Yield the results of a check; an error that stops it is a result too."""
    try:
        yield from look()
    except ImportError as error:
        yield CheckResult(
            name, MISSING, f"not checked: {error}", "install the packages named above"
        )
    except (ClinicError, OSError) as error:
        yield CheckResult(name, MISSING, str(error))


def _gpus(request: RunRequest) -> Iterator[CheckResult]:
    yield machine.gpus(machine.gpu_sizes(), request.gpus)


def longest(config: DictConfig) -> int:
    """Return the tokens that a trajectory may have."""
    return int(config.data.max_prompt_length + config.data.max_response_length)


def _budgets(config: DictConfig) -> Iterator[CheckResult]:
    """Check that a micro-batch holds the longest trajectory; verl ends a run at the first longer.

    verl itself checks this only when such a trajectory comes.
    """
    actor, rollout = (config.actor_rollout_ref[one] for one in ("actor", "rollout"))
    budgets = {}
    if actor.use_dynamic_bsz:
        budgets["actor.ppo_max_token_len_per_gpu"] = actor.ppo_max_token_len_per_gpu
    if rollout.log_prob_use_dynamic_bsz:
        name = "log_prob_max_token_len_per_gpu"
        budgets[f"rollout.{name}"] = rollout[name]
    for name, tokens in budgets.items():
        if tokens < longest(config):
            detail = f"actor_rollout_ref.{name} is {tokens:,}; a trajectory may have "
            detail += f"{longest(config):,} tokens, and verl ends the run at the first such"
            yield CheckResult("micro-batch", MISSING, detail, f"set it to {longest(config)}")


def _environments(config: DictConfig) -> Iterator[CheckResult]:
    data, counts = config.data, dict[str, list[str]]()
    for files in (data.train_files, data.val_files):
        for name, split, _, env in open_splits(data, files):
            said = f"{len(env.tasks):,} tasks of split {split}"
            counts.setdefault(name, []).append(said)
    for name, found in counts.items():
        yield CheckResult("environment", OK, f"{name}: {', '.join(found)}")


def _model(request: RunRequest, config: DictConfig) -> Iterator[CheckResult]:
    if request.model is None:
        if request.gpus:
            yield CheckResult("model", MISSING, "none named", "on GPUs name one: MODEL=")
        else:
            yield CheckResult("model", OK, "none named: a tiny one is made at set-up")
        yield machine.disk(request.out, None)
        return
    try:
        folder = model.locate(request.model)
    except model.NotDownloadedError as error:
        unseen = "until then it is not checked, and every node downloads it by itself"
        yield CheckResult("model", WARNING, str(error), unseen)
        return
    read = model.config_of(folder)
    count = model.parameters(folder)
    yield CheckResult("model", OK, f"{folder}: {count:,} parameters")
    yield machine.disk(request.out, checkpoint_size(count, config))
    yield model.family(read["model_type"])
    yield from _positions(read, longest(config))
    if request.gpus and not request.address:
        yield _memory(count, request, config)


def _positions(read: Mapping[str, Any], tokens: int) -> Iterator[CheckResult]:
    """Check that a model reads as many tokens as a trajectory may have."""
    known = (read.get("text_config") or read).get("max_position_embeddings")
    if isinstance(known, int) and known < tokens:
        detail = f"the model reads {known:,} tokens, a trajectory may have {tokens:,}"
        remedy = "lower data.max_response_length or data.max_prompt_length"
        yield CheckResult("positions", MISSING, detail, remedy)


def checkpoint_size(parameters: int, config: DictConfig) -> int:
    """Return the bytes of one checkpoint over all GPUs: everything in fp32.

    With an adapter only the frozen weights count; full fine-tuning adds Adam's two moments, the
    weights in Hugging Face's format and the teacher.
    """
    if config.actor_rollout_ref.model.lora_rank:
        return 4 * parameters
    return (16 + 4 * bool(config.clinic.teacher.enabled)) * parameters


def _memory(parameters: int, request: RunRequest, config: DictConfig) -> CheckResult:
    """Compare the least that a GPU must hold with what it has: weights and optimiser, sharded."""
    offloaded = bool(config.actor_rollout_ref.ref.fsdp_config.param_offload)
    each = 4 if config.actor_rollout_ref.model.lora_rank else 16
    each += 4 * (each == 16 and bool(config.clinic.teacher.enabled) and not offloaded)
    least = each * parameters / (request.gpus * request.nodes) / GIB
    size = min(machine.gpu_sizes(), default=0.0)
    detail = f"weights, gradients, optimiser and teacher take {least:.1f} of {size:.0f} GiB a GPU"
    detail += "; docs/training.md has the rest"
    if least < size:
        return CheckResult("GPU memory", OK, detail)
    return CheckResult("GPU memory", MISSING, detail, "use more GPUs or LORA")


def _prompts(request: RunRequest, config: DictConfig) -> Iterator[CheckResult]:
    from verl.utils.tokenizer import hf_processor

    try:
        folder = model.locate(str(request.model))
    except model.NotDownloadedError:
        return  # said above
    config.data.model_type = model.config_of(folder)["model_type"]
    yield from prompts.check(config, model.tokenizer_of(folder), hf_processor(str(folder)))
