"""Method kacr, its ablations, and its settings at the paper's scale, which no test runs."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from gym_clinic.domains.kacr.state import FEATURES
from gym_clinic.policies import oracle, play
from gym_clinic.taskset import spread
from verl_recipes.agent_loop.environment import make_env
from verl_recipes.request import RunRequest

pytest.importorskip("verl")
torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
compose = importlib.import_module("verl_recipes.config.compose").compose
checks = importlib.import_module("verl_recipes.preflight.checks")
memory = importlib.import_module("verl_recipes.preflight.memory")

GPU_GIB = 80.0

# Of the models' own config.json.
SHAPES: dict[str, tuple[str, dict[str, int]]] = {
    "meta-llama/Meta-Llama-3-70B-Instruct": (
        "Llama",
        {"vocab_size": 128_256, "hidden_size": 8_192, "intermediate_size": 28_672,
         "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8},
    ),
    "Qwen/Qwen2.5-72B-Instruct": (
        "Qwen2",
        {"vocab_size": 152_064, "hidden_size": 8_192, "intermediate_size": 29_568,
         "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8},
    ),
    "Qwen/Qwen2.5-7B-Instruct": (
        "Qwen2",
        {"vocab_size": 152_064, "hidden_size": 3_584, "intermediate_size": 18_944,
         "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4},
    ),
}  # fmt: skip

# Model -> GiB of each of 8 GPUs: frozen weights, logits; docs/training.md has them.
TAKEN = {
    "meta-llama/Meta-Llama-3-70B-Instruct": (32.9, 3.9),
    "Qwen/Qwen2.5-72B-Instruct": (33.9, 4.6),
    "Qwen/Qwen2.5-7B-Instruct": (3.5, 9.3),
}


def composed(method: str = "kacr", *overrides: str, **more: Any) -> Any:
    return compose(RunRequest(method=method, model="tiny", overrides=overrides, **more))


def at_scale(model: str) -> Any:
    paper = "kacr_7b" if "-7B" in model else "kacr_70b"
    request = RunRequest(
        method="kacr", gpus=8, model=model, steps=1550, overrides=(f"+paper={paper}",)
    )
    return compose(request)


def parameters(kind: str, shape: dict[str, int]) -> int:
    """Count the parameters of a model by two of its layers, which are all alike."""

    def counted(layers: int) -> int:
        size = {**shape, "num_hidden_layers": layers}
        config = getattr(transformers, f"{kind}Config")(**size, tie_word_embeddings=False)
        with torch.device("meta"):
            model = getattr(transformers, f"{kind}ForCausalLM")(config)
        return sum(parameter.numel() for parameter in model.parameters())

    one = counted(1)
    return one + (shape["num_hidden_layers"] - 1) * (counted(2) - one)


@pytest.mark.parametrize("model", SHAPES)
def test_the_papers_models_fit_its_gpus_by_estimate(model: str) -> None:
    kind, shape = SHAPES[model]
    config = at_scale(model)
    found = memory.check(parameters(kind, shape), shape, config, 8, GPU_GIB)
    assert found.status == "ok", found
    weights, logits = TAKEN[model]
    # Two copies of the logits, as the temperature is not 1.
    assert f"take {weights}, logits {logits} (two copies) of 80 GiB" in found.detail


@pytest.mark.parametrize("model", SHAPES)
def test_settings_at_scale_pass_the_checks_that_need_no_gpu(model: str) -> None:
    config = at_scale(model)
    found = list(checks.settled(config))
    assert [str(result) for result in found if result.status != "ok"] == []
    assert "clinic/DisciplineGraph-v0" in str(found[0])
    batch = config.data.train_batch_size
    assert config.trainer.total_training_steps == 50 * (2_000 // batch)
    assert config.trainer.test_freq == 2_000 // batch


@pytest.mark.parametrize("model", SHAPES)
def test_a_whole_walk_fits_a_trajectory(model: str) -> None:
    """At four characters a token, as English has; the oracle's names are as long as any."""
    config = at_scale(model)
    room = config.data.max_prompt_length + config.data.max_response_length
    assert room == (16_384 if "-7B" in model else 8_192)
    options = dict(config.clinic.env_kwargs)
    env = make_env("clinic/DisciplineGraph-v0", {**options, "split": "dev"})
    for task in spread(env.tasks, 8):
        turns = play(env, task, oracle(env)(0)).episode.turns
        said = sum(len(turn.action) + len(turn.observation) for turn in turns)
        assert said / 4 < config.data.max_response_length
        opened = len(env.domain.ticket(task)) + len(env.domain.policy)
        assert opened / 4 < config.data.max_prompt_length


def test_the_method_is_ppo_with_the_graph_critic_and_an_adapter() -> None:
    config = composed(steps=7)
    assert config.trainer.v1.trainer_mode == "ppo"
    assert config.actor_rollout_ref.model.lora_rank == 16
    assert config.clinic.critic.options.features == FEATURES
    assert config.clinic.critic.options.gamma == config.algorithm.gamma == 0.9
    assert config.clinic.stages[0].steps == 7  # the early stop is of the run's own steps
    assert composed("kacr", "algorithm.gamma=0.5").clinic.critic.options.gamma == 0.5


def test_the_flags_that_the_paper_leaves_off_can_be_set() -> None:
    more = (
        "actor_rollout_ref.actor.use_kl_loss=true", "actor_rollout_ref.actor.kl_loss_coef=0.01",
        "actor_rollout_ref.actor.entropy_coeff=0.001", "clinic.critic.options.activation=relu",
        "trainer.critic_warmup=5", "actor_rollout_ref.model.lora_rank=0", "clinic.stages=[]",
    )  # fmt: skip
    config = composed("kacr", *more)
    assert config.actor_rollout_ref.actor.kl_loss_coef == 0.01
    assert config.clinic.critic.options.activation == "relu"


@pytest.mark.parametrize(
    ("method", "changed"),
    [
        ("kacr_text_critic", {"clinic.critic.options.graph": False}),
        ("kacr_untrained", {"trainer.val_only": True, "trainer.val_before_train": True}),
    ],
)
def test_an_ablation_changes_what_it_names(method: str, changed: dict[str, Any]) -> None:
    omegaconf = pytest.importorskip("omegaconf").OmegaConf
    base, ablation = composed(), composed(method)
    for name, value in changed.items():
        assert omegaconf.select(ablation, name) == value
        omegaconf.update(base, name, value, force_add=True)
    for config in (base, ablation):  # the time of composing is in it
        config.ray_kwargs = {}
    assert base == ablation
