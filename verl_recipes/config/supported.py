"""What verl offers and no recipe here supports: refused with a sentence before a run starts."""

from __future__ import annotations

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
}
"""Settings that may have one value -> that value, and why."""


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
    check_stages(config, clinic.stages)
