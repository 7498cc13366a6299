"""What verl offers and no recipe supports is refused when a config is composed."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from gym_clinic import ConfigError
from verl_recipes.request import RunRequest

pytest.importorskip("verl")
composing = importlib.import_module("verl_recipes.config.compose")


def compose(stack: str, method: str, overrides: list[str]) -> Any:
    gpus = 8 if stack == "gpu" else 0
    request = RunRequest(method=method, gpus=gpus, model="tiny", overrides=tuple(overrides))
    return composing.compose(request)


MODEL = "actor_rollout_ref.model"
ALONE = "actor_rollout_ref.rollout.n=1"
GAE = "algorithm.adv_estimator=gae"


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        ([ALONE], "grpo compares the samples of a prompt: actor_rollout_ref.rollout.n is 2 or"),
        ([GAE, ALONE], "gae needs one critic: clinic.critic.model, as --method ppo has"),
        ([GAE, "critic.enable=true"], "set algorithm.filter_groups.enable=false"),
        (["critic.enable=true"], "goes with algorithm.adv_estimator=gae, not grpo"),
        (["algorithm.adv_estimator=rloo"], "no recipe for 'rloo'; choose from ['grpo', 'gae']"),
        (["algorithm.adv_estimator=reinforce_plus_plus"], "no recipe for 'reinforce_plus_plus'"),
        (["trainer.use_v1=false"], "trainer.use_v1=False is not supported"),
        (["actor_rollout_ref.actor.strategy=fsdp"], "fsdp is not supported: the engine is"),
        (["reward.reward_model.enable=true"], "rewards come from the environment"),
        (["distillation.enabled=true"], "the teacher is set by clinic.teacher"),
        ([f"{MODEL}.lora.rank=8"], "the rank of an adapter from actor_rollout_ref.model.lora_rank"),
        ([f"{MODEL}.lora_adapter_path=x"], "needs actor_rollout_ref.model.lora_rank"),
    ],
)
def test_what_no_recipe_supports_is_refused(overrides: list[str], says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        compose("cpu", "grpo", overrides)
    assert says in str(caught.value)


SP = "ulysses_sequence_parallel_size"
LORA = f"{MODEL}.lora_rank=8"
DTYPE = "fsdp_config.model_dtype"


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        ([f"actor_rollout_ref.actor.{SP}=2"], f"actor.{SP}=2: a teacher is compared on whole"),
        ([f"actor_rollout_ref.actor.fsdp_config.{SP}=2"], f"actor.fsdp_config.{SP}=2: a teacher"),
        ([f"actor_rollout_ref.ref.fsdp_config.{SP}=4"], f"ref.fsdp_config.{SP}=4: a teacher is"),
        ([f"{MODEL}.use_fused_kernels=true"], "model.use_fused_kernels=true: a teacher needs the"),
        (["actor_rollout_ref.actor.use_fused_kernels=true"], "actor.use_fused_kernels=true: a"),
        ([f"actor_rollout_ref.ref.{DTYPE}=bf16"], f"ref.{DTYPE}=bf16: an average of so few bits"),
        ([LORA, f"actor_rollout_ref.actor.{DTYPE}=bfloat16"], f"actor.{DTYPE}=bfloat16: an"),
        ([LORA, f"{MODEL}.target_modules=[q_proj,lm_head]"], "target_modules='lm_head': a teacher"),
        ([LORA, f"{MODEL}.target_modules='.*(proj|lm_head)'"], "output head without adapter"),
        ([LORA, f"{MODEL}.target_modules='*proj'"], "target_modules='*proj' is no pattern"),
    ],
)
def test_what_a_teacher_excludes_is_refused_before_a_model_is_loaded(
    overrides: list[str], says: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        compose("gpu", "ttopd", overrides)
    assert says in str(caught.value)
    if "pattern" not in says:
        compose("gpu", "grpo", overrides)  # without a teacher verl takes it


@pytest.mark.parametrize(
    "overrides",
    [
        [LORA, f"actor_rollout_ref.ref.{DTYPE}=bf16"],  # which has no teacher then
        [f"actor_rollout_ref.actor.{DTYPE}=bf16"],  # the student's
        [LORA, f"{MODEL}.target_modules='.*proj'"],
        [LORA, f"{MODEL}.target_modules=[q_proj,v_proj]"],
    ],
)
def test_what_goes_with_a_teacher_is_not_refused(overrides: list[str]) -> None:
    assert compose("gpu", "ttopd", overrides).clinic.teacher.enabled


def test_gae_is_accepted_where_a_critic_is_configured() -> None:
    more = ["critic.enable=true", "algorithm.filter_groups.enable=false"]
    assert compose("cpu", "grpo", [GAE, ALONE, *more]).algorithm.adv_estimator == "gae"
