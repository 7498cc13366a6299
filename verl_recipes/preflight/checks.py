"""Everything that is checked before a run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from gym_clinic import ConfigError
from gym_clinic.errors import ClinicError
from verl_recipes.preflight import (
    episodes,
    machine,
    memory,
    model,
    pins,
    prompts,
    recipe,
    shared,
    toolkit,
)
from verl_recipes.preflight.result import MISSING, OK, WARNING, CheckResult
from verl_recipes.request import RunRequest
from verl_recipes.trainer import checkpoints

if TYPE_CHECKING:
    from omegaconf import DictConfig

GIB = machine.GIB

ADAPTER_RATE = 5e-6
"""Learning rate of Adam below which an adapter hardly moves in the steps of a run."""


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
    if request.gpus and pins.version(toolkit.COMPILED) is None:
        yield toolkit.check()
    if request.gpus and not request.address:
        yield from attempt("GPUs", lambda: _gpus(request))
    if not request.gpus:
        yield machine.memory()
    cluster = machine.ray(request.address, request.gpus, request.nodes)
    yield cluster
    if cluster.status == OK and request.gpus:
        yield from _shared(request)
    yield from settled(config)
    yield from attempt("checkpoint", lambda: _resumed(request, config))
    yield from attempt("model", lambda: _model(request, config))


def _resumed(request: RunRequest, config: DictConfig) -> Iterator[CheckResult]:
    """Check that a run goes on with as many ranks as its checkpoint has shards."""
    latest = request.out / "checkpoints" / "latest_checkpointed_iteration.txt"
    if not request.resume or not latest.is_file():
        return
    actor = checkpoints.folder_of(latest.parent, int(latest.read_text())) / "actor"
    shards = {path.name.split("_")[3] for path in actor.glob("model_world_size_*_rank_0.pt")}
    ranks = int(config.trainer.n_gpus_per_node * config.trainer.nnodes)
    if shards and str(ranks) not in shards:
        detail = f"{actor.parent} has the shards of {' or '.join(sorted(shards))} ranks, the run "
        yield CheckResult("checkpoint", MISSING, f"{detail}{ranks}", "resume with as many GPUs")


def settled(config: DictConfig) -> Iterator[CheckResult]:
    """Yield the checks of settings alone: they need neither the machine nor the model."""
    yield from _budgets(config)
    yield from _adapter(config)
    yield from attempt("environment", lambda: episodes.check(config))
    yield from attempt("recipe", lambda: recipe.check(config))


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


def _shared(request: RunRequest) -> Iterator[CheckResult]:
    """Check that the nodes of a cluster share what a run reads and writes."""
    address = machine.cluster(request.address)
    if address and (request.address or request.nodes > 1):
        yield from attempt(shared.NAME, lambda: shared.check(address, request.out, request.model))


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


def _adapter(config: DictConfig) -> Iterator[CheckResult]:
    """Warn of settings under which an adapter hardly learns."""
    model, rate = config.actor_rollout_ref.model, float(config.actor_rollout_ref.actor.optim.lr)
    if not model.lora_rank:
        return
    if 0.0 < rate < ADAPTER_RATE:
        detail = f"actor_rollout_ref.actor.optim.lr={rate:g} trains an adapter almost not at all"
        yield CheckResult("adapter", WARNING, detail, "set ten times what full fine-tuning takes")
    if model.lora_alpha * 2 < model.lora_rank:
        detail = f"lora_alpha={model.lora_alpha} with lora_rank={model.lora_rank} scales it by "
        detail += f"{model.lora_alpha / model.lora_rank:.2g}"
        yield CheckResult("adapter", WARNING, detail, "set actor_rollout_ref.model.lora_alpha")


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
    yield machine.disk(request.out, memory.checkpoint_size(count, config))
    yield model.family(read["model_type"])
    yield from _positions(read, longest(config))
    yield from _support(read, config)
    if not request.gpus and (fault := model.attention_fault(folder)):
        yield CheckResult("model", MISSING, fault, "name a model like Qwen3, or use GPUs")
    if request.gpus and not request.address:
        size = min(machine.gpu_sizes(), default=0.0)
        yield memory.check(count, read, config, request.gpus * request.nodes, size)


def _positions(read: Mapping[str, Any], tokens: int) -> Iterator[CheckResult]:
    """Check that a model reads as many tokens as a trajectory may have."""
    known = (read.get("text_config") or read).get("max_position_embeddings")
    if isinstance(known, int) and known < tokens:
        detail = f"the model reads {known:,} tokens, a trajectory may have {tokens:,}"
        remedy = "lower data.max_response_length or data.max_prompt_length"
        yield CheckResult("positions", MISSING, detail, remedy)


def _support(read: Mapping[str, Any], config: DictConfig) -> Iterator[CheckResult]:
    """Check that the teacher's divergence leaves a tail of the vocabulary."""
    how, known = config.clinic.teacher, (read.get("text_config") or read).get("vocab_size")
    topk = how.enabled and how.estimator == "topk_tail"
    if topk and isinstance(known, int) and how.k >= known:
        detail = f"clinic.teacher.k={how.k}, the model has {known:,} tokens"
        yield CheckResult(
            "teacher", MISSING, detail, "lower it, or set clinic.teacher.estimator=full"
        )


def _prompts(request: RunRequest, config: DictConfig) -> Iterator[CheckResult]:
    from verl.utils.tokenizer import hf_processor

    try:
        folder = model.locate(str(request.model))
    except model.NotDownloadedError:
        return  # said above
    config.data.model_type = model.config_of(folder)["model_type"]
    yield from prompts.check(config, model.tokenizer_of(folder), hf_processor(str(folder)))
