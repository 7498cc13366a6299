"""What a run takes of GPUs and disks, by sums over the model; docs/training.md has the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verl_recipes.preflight.machine import GIB
from verl_recipes.preflight.result import MISSING, OK, CheckResult

HALF, FULL = 2, 4
"""Bytes of a number in bf16 and in fp32."""


def checkpoint_size(parameters: int, config: Any) -> int:
    """Return the bytes of one checkpoint over all GPUs: everything in fp32.

    With an adapter only the frozen weights count; full fine-tuning adds Adam's two moments, the
    weights in Hugging Face's format and the teacher.
    """
    if config.actor_rollout_ref.model.lora_rank:
        return FULL * parameters
    return (4 * FULL + FULL * bool(config.clinic.teacher.enabled)) * parameters


def logits_size(vocabulary: int, tokens: int, temperature: float) -> int:
    """Return the bytes of the logits of a micro-batch in bf16.

    At a temperature other than 1 verl divides them by it into a second tensor, while the model's
    output keeps the first.

    Args:
        vocabulary: Size of the model's.
        tokens: Of the micro-batch.
        temperature: Of the rollouts, at which the trainer takes probabilities too.
    """
    return HALF * tokens * vocabulary * (1 if temperature == 1.0 else 2)


def check(
    parameters: int, model: Mapping[str, Any], config: Any, gpus: int, size_gib: float
) -> CheckResult:
    """Compare the least that a GPU must hold with what it has.

    Args:
        parameters: Of the model.
        model: Its config.
        config: Of the run.
        gpus: Of all nodes; weights, gradients, optimiser and the reference model, or the teacher in
            its place, are sharded over them.
        size_gib: Memory of the smallest.
    """
    actor, rollout = config.actor_rollout_ref.actor, config.actor_rollout_ref.rollout
    adapted = bool(config.actor_rollout_ref.model.lora_rank)
    offloaded = bool(config.actor_rollout_ref.ref.fsdp_config.param_offload)
    referred = bool(actor.use_kl_loss) and not adapted and not offloaded
    sharded = (FULL if adapted else 4 * FULL) + FULL * referred
    least = sharded * parameters / gpus / GIB
    detail = f"weights, gradients, optimiser and reference take {least:.1f}"
    vocabulary = (model.get("text_config") or model).get("vocab_size")
    if isinstance(vocabulary, int) and actor.use_dynamic_bsz:
        tokens, warmth = int(actor.ppo_max_token_len_per_gpu), float(rollout.temperature)
        logits = logits_size(vocabulary, tokens, warmth) / GIB
        detail += f", logits {logits:.1f}" + (" (two copies)" if warmth != 1.0 else "")
        least += logits
    detail += f" of {size_gib:.0f} GiB a GPU; docs/training.md has the rest"
    if least < size_gib:
        return CheckResult("GPU memory", OK, detail)
    return CheckResult(
        "GPU memory", MISSING, detail, "use more GPUs, LORA or smaller micro-batches"
    )
