"""What verl offers and no recipe here supports: refused with a sentence before a run starts."""

from __future__ import annotations

from typing import Any

from omegaconf import DictConfig, OmegaConf

from gym_clinic import ConfigError
from gym_clinic.names import suggest
from verl_recipes.registry import TRAINERS
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
    mode = str(config.trainer.v1.trainer_mode)
    TRAINERS.check(mode)
    if clinic.teacher.enabled != (mode == "ttopd"):
        wanted = "ttopd" if clinic.teacher.enabled else "clinic"
        raise ConfigError(
            f"clinic.teacher.enabled={clinic.teacher.enabled} goes with trainer.v1.trainer_mode="
            f"{wanted}, not {mode}"
        )
    if (clinic.critic.model is not None) != (mode == "ppo"):
        raise ConfigError(
            f"clinic.critic.model={clinic.critic.model} and trainer.v1.trainer_mode={mode}: a "
            "critic of one's own goes with --method ppo"
        )
    for name, (value, why) in FIXED.items():
        if (found := OmegaConf.select(config, name)) != value:
            raise ConfigError(f"{name}={found} is not supported: {why}; leave it at {value}")
    estimator, samples = str(config.algorithm.adv_estimator), config.actor_rollout_ref.rollout.n
    if estimator not in ESTIMATORS:
        near = suggest(estimator, ESTIMATORS)
        raise ConfigError(f"algorithm.adv_estimator: no recipe for {estimator!r}; {near}")
    if estimator == "grpo":
        if samples < 2:
            raise ConfigError(
                f"algorithm.adv_estimator=grpo compares the samples of a prompt: "
                f"actor_rollout_ref.rollout.n is 2 or more, not {samples}"
            )
        if config.critic.enable:
            raise ConfigError("critic.enable=true goes with algorithm.adv_estimator=gae, not grpo")
        return
    if bool(config.critic.enable) == bool(config.clinic.critic.model):
        raise ConfigError(
            "algorithm.adv_estimator=gae needs one critic: clinic.critic.model, as --method ppo "
            "has it, or verl's own, configured, with critic.enable=true"
        )
    if config.algorithm.filter_groups.enable:
        raise ConfigError(
            "algorithm.filter_groups compares the samples of a prompt, which gae does not: set "
            "algorithm.filter_groups.enable=false"
        )
