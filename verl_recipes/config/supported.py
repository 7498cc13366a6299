"""What verl offers and no recipe here supports: refused with a sentence before a run starts."""

from __future__ import annotations

import re
from typing import Any

from omegaconf import DictConfig, OmegaConf

from gym_clinic import ConfigError
from gym_clinic.names import suggest
from verl_recipes.registry import extended
from verl_recipes.schedule.stages import check_stages
from verl_recipes.settings import ClinicSettings

ESTIMATORS = ("grpo", "gae")

FIXED: dict[str, tuple[Any, str]] = {
    "trainer.use_v1": (True, "the trainers extend verl's trainer of this version"),
    "actor_rollout_ref.actor.strategy": ("fsdp2", "the engine is registered for FSDP 2 alone"),
    "reward.reward_model.enable": (False, "rewards come from the environment"),
    "distillation.enabled": (False, "the teacher is set by clinic.teacher"),
    "actor_rollout_ref.model.lora.rank": (
        0,
        "FSDP 2 takes the rank of an adapter from actor_rollout_ref.model.lora_rank",
    ),
}
"""Settings that may have one value -> that value, and why."""

HEADS = ("lm_head", "embed_out", "output_layer")
"""Names of the output head in the models of transformers."""

PRECISE = ("fp32", "float32")
"""Names of the precision that a teacher is kept in."""


def check_supported(config: DictConfig, clinic: ClinicSettings) -> None:
    """Check that the settings of verl are those that a recipe supports, and go with ours.

    Raises:
        ConfigError: If one is not; the error says what would be right.
    """
    mode, estimator = str(config.trainer.v1.trainer_mode), str(config.algorithm.adv_estimator)
    mode = extended(mode)
    for name, (value, why) in FIXED.items():
        if (found := OmegaConf.select(config, name)) != value:
            raise ConfigError(f"{name}={found} is not supported: {why}; leave it at {value}")
    if estimator not in ESTIMATORS:
        near = suggest(estimator, ESTIMATORS)
        raise ConfigError(f"algorithm.adv_estimator: no recipe for {estimator!r}; {near}")
    actor, rollout = config.actor_rollout_ref.actor, config.actor_rollout_ref.rollout
    taught, own = clinic.teacher.enabled, clinic.critic.model is not None
    replaced = taught and not config.actor_rollout_ref.model.lora_rank
    grouped, verls = estimator == "grpo", bool(config.critic.enable)
    rules = (
        (
            taught != (mode == "ttopd"),
            f"clinic.teacher.enabled={taught} goes with trainer.v1.trainer_mode="
            f"{'ttopd' if taught else 'clinic'}, not {mode}",
        ),
        (
            replaced and not actor.use_kl_loss,
            "a teacher takes the reference model's place: set "
            "actor_rollout_ref.actor.use_kl_loss=true, kl_loss_coef=0",
        ),
        (
            replaced and actor.kl_loss_coef,
            f"actor_rollout_ref.actor.kl_loss_coef={actor.kl_loss_coef} needs LORA: without it "
            "the teacher takes the reference model's place",
        ),
        (
            own != (mode == "ppo"),
            f"clinic.critic.model={clinic.critic.model} and trainer.v1.trainer_mode={mode}: a "
            "critic of one's own goes with --method ppo",
        ),
        (
            config.actor_rollout_ref.model.lora_adapter_path
            and not config.actor_rollout_ref.model.lora_rank,
            "actor_rollout_ref.model.lora_adapter_path needs actor_rollout_ref.model.lora_rank, "
            "the rank of that adapter",
        ),
        (
            grouped and rollout.n < 2,
            "algorithm.adv_estimator=grpo compares the samples of a prompt: "
            f"actor_rollout_ref.rollout.n is 2 or more, not {rollout.n}",
        ),
        (
            grouped and verls,
            "critic.enable=true goes with algorithm.adv_estimator=gae, not grpo",
        ),
        (
            not grouped and verls == own,
            "algorithm.adv_estimator=gae needs one critic: clinic.critic.model, as --method ppo "
            "has it, or verl's own, configured, with critic.enable=true",
        ),
        (
            not grouped and config.algorithm.filter_groups.enable,
            "algorithm.filter_groups compares the samples of a prompt, which gae does not: set "
            "algorithm.filter_groups.enable=false",
        ),
    )
    for wrong, said in rules:
        if wrong:
            raise ConfigError(said)
    if taught:
        _check_taught(config, clinic)
    check_stages(config, clinic.stages)


def _check_taught(config: DictConfig, clinic: ClinicSettings) -> None:
    """Check what the engine of a teacher could only refuse once the model is loaded."""
    model = config.actor_rollout_ref.model
    for section in ("actor", "ref"):
        for place in (section, f"{section}.fsdp_config"):
            name = f"actor_rollout_ref.{place}.ulysses_sequence_parallel_size"
            if (ranks := OmegaConf.select(config, name, default=1)) > 1:
                raise ConfigError(
                    f"{name}={ranks}: a teacher is compared on whole sequences; leave it at 1"
                )
    for name in ("actor_rollout_ref.model", "actor_rollout_ref.actor"):
        if OmegaConf.select(config, f"{name}.use_fused_kernels", default=False):
            raise ConfigError(
                f"{name}.use_fused_kernels=true: a teacher needs the hidden states that fused "
                "kernels do not give; leave it at false"
            )
    holder = "actor" if model.lora_rank else "ref"
    name = f"actor_rollout_ref.{holder}.fsdp_config.model_dtype"
    if (precision := OmegaConf.select(config, name, default=PRECISE[0])) not in PRECISE:
        raise ConfigError(
            f"{name}={precision}: an average of so few bits would not move; a teacher is kept in "
            f"{PRECISE[0]}, and mixed_precision.param_dtype says how it computes"
        )
    if model.lora_rank and (head := _head_in(model.target_modules)):
        raise ConfigError(
            f"actor_rollout_ref.model.target_modules={head!r}: a teacher needs an output head "
            "without adapter; leave it out"
        )


def _head_in(targets: Any) -> str | None:
    """Return what puts an adapter on the output head, None if nothing does; as peft reads it."""
    if targets == "all-linear":  # all but the head
        return None
    if isinstance(targets, str):  # a pattern of whole names
        try:
            return targets if any(re.fullmatch(targets, head) for head in HEADS) else None
        except re.error as error:
            raise ConfigError(
                f"actor_rollout_ref.model.target_modules={targets!r} is no pattern: {error}"
            ) from error
    return next((name for name in targets or () if name.rpartition(".")[2] in HEADS), None)
