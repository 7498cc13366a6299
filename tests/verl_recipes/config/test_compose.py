"""Every method on every stack, read by verl's own dataclasses; what sets the methods apart."""

from __future__ import annotations

import dataclasses
import importlib
import itertools
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gym_clinic import ConfigError
from verl_recipes import settings
from verl_recipes.agent_loop.environment import make_env
from verl_recipes.request import RunRequest

pytest.importorskip("verl")
OmegaConf = pytest.importorskip("omegaconf").OmegaConf
hydra = pytest.importorskip("hydra")
composing = importlib.import_module("verl_recipes.config.compose")
names = composing.choices


def compose(stack: str, method: str, overrides: Any = ()) -> Any:
    gpus = 8 if stack == "gpu" else 0
    request = RunRequest(method=method, gpus=gpus, model="tiny", overrides=tuple(overrides))
    return composing.compose(request)


verl_config = importlib.import_module("verl.utils.config")

# The arms of dxsearch differ from it in our section alone; test_dxsearch_recipe.py has them.
RUNS = list(
    itertools.product(
        ("cpu", "gpu"), [name for name in names("method") if not name.startswith("dxsearch_")]
    )
)
_MADE: dict[tuple[str, str], Any] = {}


def composed(stack: str, method: str) -> Any:
    if (stack, method) not in _MADE:
        _MADE[stack, method] = compose(stack, method)
    return _MADE[stack, method]


def leaves(node: Any, at: str = "") -> dict[str, Any]:
    if not isinstance(node, dict):
        return {at: node}
    return {
        name: value
        for key, child in node.items()
        for name, value in leaves(child, f"{at}.{key}" if at else str(key)).items()
    }


def differences(one: str, other: str, stack: str) -> dict[str, tuple[Any, Any]]:
    """Return what two methods disagree on, our section with the defaults filled in."""
    found = []
    for name in (one, other):
        config = composed(stack, name)
        plain = OmegaConf.to_container(config, resolve=True)
        for holder in (plain, plain["data"], plain["actor_rollout_ref"]):
            del holder["clinic"]
        del plain["ray_kwargs"]["ray_init"]["runtime_env"]  # has the time in it
        plain["clinic"] = dataclasses.asdict(settings.from_config(config))
        found.append(leaves(plain))
    first, second = found
    return {
        name: (first.get(name), second.get(name))
        for name in first | second
        if first.get(name) != second.get(name)
    }


OURS = (
    "kacr_text_critic",
    "kacr_untrained",
    "ttopd_by_token",
    "ttopd_hints_none",
    "ttopd_hints_outcome",
    "ttopd_hints_shuffled",
    "ttopd_no_thoughts",
)
"""Ablations that are ours; the others are the papers'."""


def test_the_stacks_and_methods() -> None:
    assert names("stack") == ["cpu", "gpu"]
    papers = ["dxsearch", "grpo", "kacr", "mmedagent", "ppo",
              "ttopd", "ttopd_ema", "ttopd_ema_hints", "ttopd_reset"]  # fmt: skip
    found = [name for name in names("method") if not name.startswith("dxsearch_")]
    assert found == sorted([*papers, *OURS])


PPO = ("kacr", "kacr_text_critic", "kacr_untrained", "ppo")
NOT_COSINE = ("dxsearch", "grpo", "mmedagent", *PPO)
"""Methods that pay for no length."""

SECTIONS = (
    "actor_rollout_ref.actor",
    "actor_rollout_ref.actor.checkpoint",
    "actor_rollout_ref.actor.optim",
    "actor_rollout_ref.actor.fsdp_config",
    "actor_rollout_ref.rollout",
    "actor_rollout_ref.rollout.agent",
    "actor_rollout_ref.rollout.checkpoint_engine",
    "actor_rollout_ref.rollout.val_kwargs",
    "actor_rollout_ref.model",
    "algorithm",
    "algorithm.filter_groups",
)


def as_the_worker_reads_it(config: Any) -> Any:
    """Return the reference model's section with the names that verl's worker gives it."""
    actor, ref = config.actor_rollout_ref.actor, config.actor_rollout_ref.ref.copy()
    OmegaConf.set_struct(ref, False)
    ref._set_parent(config.actor_rollout_ref)
    ref.ppo_mini_batch_size = actor.ppo_mini_batch_size
    ref.ppo_micro_batch_size = ref.pop("log_prob_micro_batch_size")
    ref.ppo_micro_batch_size_per_gpu = ref.pop("log_prob_micro_batch_size_per_gpu")
    ref.use_dynamic_bsz = ref.pop("log_prob_use_dynamic_bsz")
    ref.ppo_max_token_len_per_gpu = ref.pop("log_prob_max_token_len_per_gpu")
    return ref


def read_by_verl(config: Any, tiny_model: Path) -> dict[str, Any]:
    """Build verl's dataclasses of every section, and run verl's own checks."""
    config = config.copy()
    config.actor_rollout_ref.model.path = str(tiny_model)
    made = {}
    for name in SECTIONS:
        node = OmegaConf.select(config, name)
        made[name] = verl_config.omega_conf_to_dataclass(node)
        assert dataclasses.is_dataclass(made[name]), name
    made["ref"] = verl_config.omega_conf_to_dataclass(as_the_worker_reads_it(config))
    verl_config.validate_config(
        config,
        use_reference_policy=bool(config.actor_rollout_ref.actor.use_kl_loss),
        use_critic=False,
    )
    return made


# The ablations differ from ttopd in our section alone; a test below says so.
@pytest.mark.parametrize(
    ("stack", "method"), itertools.product(("cpu", "gpu"), ("dxsearch", "grpo", "ttopd"))
)
def test_verl_reads_every_section(stack: str, method: str, tiny_model: Path) -> None:
    made = read_by_verl(composed(stack, method), tiny_model)
    assert made["ref"].strategy == made["actor_rollout_ref.actor"].strategy == "fsdp2"
    assert made["actor_rollout_ref.rollout"].name == {"cpu": "hf", "gpu": "vllm"}[stack]
    assert made["actor_rollout_ref.model"].hf_config.model_type == "qwen3"
    assert "hf_model" in made["actor_rollout_ref.actor.checkpoint"].save_contents


PAPERS = [
    ("grpo", "clingen_outcome"),
    ("grpo", "clingen_hybrid"),
    ("ttopd", "ttopd_9b"),
    ("grpo", "ttopd_9b"),
    ("dxsearch", "dxsearch_qwen25_7b"),
    ("kacr", "kacr_70b"),
    ("kacr", "kacr_7b"),
    ("mmedagent", "mmedagent_3b"),
    ("mmedagent", "mmedagent_7b"),
]
LIKE_ANOTHER = ("dxsearch_qwen25_14b", "dxsearch_llama31_8b", "dxsearch_baichuan_m2_32b")
"""Settings that differ from those of ``dxsearch_qwen25_7b`` in sizes."""


@pytest.mark.parametrize(
    ("method", "paper"),
    [*PAPERS, *(pytest.param("dxsearch", name, marks=pytest.mark.slow) for name in LIKE_ANOTHER)],
)
def test_verl_reads_the_papers_settings(
    method: str, paper: str, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of vLLM, which is not here, verl asks the ranks of adapters that it takes.
    ranks = SimpleNamespace(get_vllm_max_lora_rank=lambda rank: rank)
    monkeypatch.setitem(sys.modules, "verl.workers.rollout.vllm_rollout.utils", ranks)
    config = compose("gpu", method, [f"+paper={paper}"])
    made = read_by_verl(config, tiny_model)
    clinic = settings.from_config(config)
    env = make_env(clinic.env, clinic.env_kwargs, clinic.modules)
    rollout, actor = made["actor_rollout_ref.rollout"], made["actor_rollout_ref.actor"]
    if method == "kacr":
        assert (rollout.temperature, config.algorithm.gamma, config.algorithm.lam) == (
            0.9, 0.9, 0.95,
        )  # fmt: skip
        return
    assert rollout.n == 8
    if method == "mmedagent":
        assert (actor.use_kl_loss, actor.kl_loss_type) == (True, "low_var_kl")
        assert [stage.kl for stage in clinic.stages] == [1e-3, 4e-3, 1e-2]
        return
    if method == "dxsearch":
        assert (actor.use_kl_loss, actor.kl_loss_coef) == (True, 1e-3)
        assert (actor.kl_loss_type, actor.ppo_mini_batch_size) == ("low_var_kl", 16)
        assert actor.loss_agg_mode == "seq-mean-token-mean"
        assert (rollout.prompt_length, rollout.response_length) == (2048, 6144)
        return
    if paper == "ttopd_9b":
        assert (rollout.response_length, rollout.temperature) == (12_288, 1.0)
        assert clinic.tool_parser == "qwen3_coder"
        assert clinic.teacher.enabled == (method == "ttopd")
        assert made["actor_rollout_ref.model"].lora_rank == 64
        return
    assert (config.data.train_batch_size, rollout.temperature) == (16, 0.8)
    assert (actor.clip_ratio_low, actor.clip_ratio_high) == (0.2, 0.35)
    assert (actor.use_kl_loss, env.max_turns) == (False, 2)
    process = {"clingen_outcome": 0.0, "clingen_hybrid": 0.5}[paper]
    assert env.rubric.weights.get("process", 0.0) == process


def test_every_paper_config_is_tested() -> None:
    assert {*LIKE_ANOTHER, *(paper for _, paper in PAPERS)} == set(names("paper"))


@pytest.mark.parametrize("stack", ["cpu", "gpu"])
def test_nothing_is_set_that_verl_does_not_know(stack: str) -> None:
    with hydra.initialize_config_module("verl.trainer.config", version_base=None):
        known = leaves(OmegaConf.to_container(hydra.compose("ppo_trainer")))
    ours = leaves(OmegaConf.to_container(composed(stack, "ttopd")))
    added = [name for name in ours if name not in known]
    allowed = (
        "clinic.",
        "data.clinic",
        "data.model_type",
        "actor_rollout_ref.clinic",
        # Open in verl: its config has null or nothing there, and reads these names.
        "actor_rollout_ref.model.override_config.attn_implementation",
        "actor_rollout_ref.actor.fsdp_config.mixed_precision.",
        "actor_rollout_ref.ref.fsdp_config.mixed_precision.",
        "ray_kwargs.ray_init.",
        "trainer.v1.sampler.sampler_kwargs.",
    )
    assert [name for name in added if not name.startswith(allowed)] == []


@pytest.mark.parametrize(("stack", "method"), RUNS)
def test_our_section_is_the_same_wherever_it_is_read(stack: str, method: str) -> None:
    config = composed(stack, method)
    found = settings.from_config(config)
    assert settings.from_config(config.data) == found
    assert settings.from_config(config.actor_rollout_ref) == found
    assert found.reward.l_max == config.data.max_response_length or method in NOT_COSINE


@pytest.mark.parametrize(("stack", "method"), RUNS)
def test_settings_of_every_run(stack: str, method: str) -> None:
    config = composed(stack, method)
    rewarded = dict.fromkeys(("dxsearch", "grpo", "mmedagent"), "clinic")
    mode = {**rewarded, **dict.fromkeys(PPO, "ppo")}.get(method, "ttopd")
    assert config.trainer.v1.trainer_mode == mode
    assert config.algorithm.adv_estimator == ("gae" if method in PPO else "grpo")
    assert config.algorithm.filter_groups.enable is (method not in ("dxsearch", "mmedagent", *PPO))
    assert config.algorithm.filter_groups.metric == "correct"
    assert config.actor_rollout_ref.actor.strategy == "fsdp2"
    assert config.actor_rollout_ref.rollout.mode == "async"
    assert config.data.seed == config.clinic.seed
    updates = 4 if (stack, method) == ("gpu", "dxsearch") else 1
    batch = config.data.train_batch_size
    assert config.actor_rollout_ref.actor.ppo_mini_batch_size * updates == batch
    assert config.actor_rollout_ref.rollout.prompt_length == config.data.max_prompt_length
    assert config.actor_rollout_ref.rollout.response_length == config.data.max_response_length


# --- what sets the methods apart (TT-OPD paper, section 6.1) ---


@pytest.mark.parametrize("stack", ["cpu", "gpu"])
def test_grpo_differs_from_ttopd_in_the_teacher_and_nothing_else(stack: str) -> None:
    length = composed(stack, "ttopd").data.max_response_length
    assert differences("ttopd", "grpo", stack) == {
        "clinic.reward.mode": ("cosine", "env"),
        "clinic.reward.l_max": (length, 12_288),  # of the cosine, which is not paid
        "clinic.teacher.enabled": (True, False),
        "clinic.hints.mode": ("outcome", "none"),
        "trainer.v1.trainer_mode": ("ttopd", "clinic"),
        # verl builds no reference model, whose place the teacher takes.
        "actor_rollout_ref.actor.use_kl_loss": (True, False),
        "actor_rollout_ref.actor.kl_loss_coef": (0.0, 0.001),
    }


@pytest.mark.parametrize("stack", ["cpu", "gpu"])
@pytest.mark.parametrize(
    ("method", "parts"),
    [
        (
            "ttopd_reset",
            {
                "clinic.reward.mode": ("cosine", "env"),
                "clinic.hints.mode": ("outcome", "none"),
                "clinic.teacher.schedule": ("ema", "copy"),
                "clinic.teacher.hard_copy": (None, 30),
            },
        ),
        (
            "ttopd_ema",
            {"clinic.reward.mode": ("cosine", "env"), "clinic.hints.mode": ("outcome", "none")},
        ),
        ("ttopd_ema_hints", {"clinic.reward.mode": ("cosine", "env")}),
        ("ttopd_by_token", {"clinic.teacher.reduce": ("mean_turns", "mean_tokens")}),
        ("ttopd_hints_none", {"clinic.hints.mode": ("outcome", "none")}),
        ("ttopd_hints_outcome", {"clinic.hints.size": ("sentence", "outcome")}),
        ("ttopd_hints_shuffled", {"clinic.hints.mode": ("outcome", "shuffled")}),
        ("ttopd_no_thoughts", {"clinic.teacher.thoughts": (True, False)}),
    ],
)
def test_each_ablation_differs_in_what_it_says(
    stack: str, method: str, parts: dict[str, Any]
) -> None:
    assert differences("ttopd", method, stack) == parts


# --- evaluations and checkpoints ---


def test_evaluations_are_frequent_by_default_and_a_paper_sets_its_own() -> None:
    for stack, save in (("cpu", 1), ("gpu", 10)):
        trainer = composed(stack, "ttopd").trainer
        assert (trainer.test_freq, trainer.save_freq) == (10, save)
        assert trainer.max_actor_ckpt_to_keep is None  # we remove old ones; verl would the best
    paper = ["+paper=clingen_hybrid"]
    trainer = compose("gpu", "grpo", paper).trainer
    assert (trainer.test_freq, trainer.save_freq) == (50, 50)
    assert compose("gpu", "grpo", [*paper, "trainer.test_freq=5"]).trainer.test_freq == 5


@pytest.mark.parametrize(
    ("env", "overrides", "length"),
    [
        (None, (), 1_500),
        ("clinic/DrugInteraction-v0", (), 2_000),
        ("clinic/ClinGen-v0,clinic/DrugInteraction-v0", (), 2_000),
        ("clinic/DrugInteraction-v0", ("data.max_response_length=900",), 900),
    ],
)
def test_the_tiny_models_response_holds_a_right_run(
    env: str | None, overrides: tuple[str, ...], length: int
) -> None:
    found = composing.compose(RunRequest(env=env, overrides=overrides)).data.max_response_length
    assert found == length if overrides else found >= length


# --- mistakes ---


@pytest.mark.parametrize(
    ("stack", "method", "overrides", "says"),
    [
        ("cpu", "gspo", [], "no method 'gspo'; did you mean 'grpo'?"),
        ("cpu", "xyz", [], "no method 'xyz'; choose from ['dxsearch', "),
        ("cpu", "grpo", ["clinic.sed=1"], "not in struct full_key: clinic.sed"),
        ("cpu", "grpo", ["+clinic.sed=1"], "there is no setting clinic.sed"),
        ("cpu", "grpo", ["dta.seed=1"], "not in struct full_key: dta"),
        ("cpu", "grpo", ["data seed"], "the config cannot be composed"),
        ("cpu", "grpo", ["clinic.teacher.lam=[1"], "the config cannot be composed"),
        ("cpu", "grpo", ["clinic.seed=${nothing}"], "the config cannot be composed"),
        (
            "cpu",
            "ttopd",
            ["clinic.teacher.decay=2"],
            "clinic.teacher.decay: Input should be less than",
        ),
        ("cpu", "grpo", ["clinic.hints.mode=outcome"], "set clinic.teacher.enabled=true"),
        ("cpu", "grpo", ["clinic.tool_parser=hermez"], "no 'hermez'; did you mean 'hermes'?"),
        ("cpu", "grpo", ["clinic.teacher.enabled=true"], "trainer.v1.trainer_mode=ttopd"),
        (
            "cpu",
            "ttopd",
            ["clinic.teacher.enabled=false", "clinic.hints.mode=none"],
            "=clinic, not ttopd",
        ),
        ("cpu", "grpo", ["trainer.v1.trainer_mode=clinc"], "no 'clinc'; did you mean 'clinic'?"),
        ("cpu", "ttopd", ["clinic.hints.path=/no/such.yaml"], "no hints can be read from"),
    ],
)
def test_a_mistake_is_the_callers(stack: str, method: str, overrides: list[str], says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        compose(stack, method, overrides)
    assert says in str(caught.value)


def test_overrides_reach_every_copy_of_our_section() -> None:
    config = compose("cpu", "ttopd", ["clinic.seed=7", "data.max_response_length=64"])
    assert (config.data.seed, config.data.clinic.seed) == (7, 7)
    assert config.actor_rollout_ref.clinic.reward.l_max == 64
