"""The papers' settings against the papers' tables, and which numbers are ours."""

from __future__ import annotations

import importlib
import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from verl_recipes.agent_loop.environment import make_env
from verl_recipes.request import RunRequest
from verl_recipes.settings import from_config

pytestmark = pytest.mark.slow  # an epoch of rows is drawn
pytest.importorskip("verl")
OmegaConf = pytest.importorskip("omegaconf").OmegaConf
composing = importlib.import_module("verl_recipes.config.compose")

# The supervisor paper, appendix D, table 9, and section 5 (GPUs, KL).
SUPERVISOR = {
    "trainer.n_gpus_per_node": 4,
    "data.train_batch_size": 16,
    "actor_rollout_ref.rollout.val_kwargs.n": 4,
    "data.max_prompt_length": 8192,
    "data.max_response_length": 4096,
    "clinic.overlong": "skip",  # "Overlong Prompt Filter: True"
    "data.truncation": "error",
    "algorithm.adv_estimator": "grpo",
    "actor_rollout_ref.actor.ppo_mini_batch_size": 8,
    "actor_rollout_ref.actor.clip_ratio_low": 0.2,
    "actor_rollout_ref.actor.clip_ratio_high": 0.35,
    "algorithm.use_kl_in_reward": False,
    "actor_rollout_ref.actor.use_kl_loss": False,
    "actor_rollout_ref.rollout.name": "vllm",
    "actor_rollout_ref.rollout.n": 8,
    "actor_rollout_ref.rollout.temperature": 0.8,
    "actor_rollout_ref.rollout.top_p": 0.95,
    "actor_rollout_ref.rollout.top_k": 20,
    "actor_rollout_ref.rollout.gpu_memory_utilization": 0.4,
    "actor_rollout_ref.rollout.multi_turn.use_inference_chat_template": False,
    "clinic.env_kwargs.max_turns": 2,
    "clinic.env_kwargs.response_limit": 1024,
    "clinic.draws": "natural",  # "5 epochs"
    "trainer.save_freq": 50,
    "trainer.test_freq": 50,
    "trainer.val_before_train": True,
}

# The TT-OPD paper: sections 4.2 and 5.1, algorithm 1, appendix D.1; table 4 is lost.
TTOPD = {
    "trainer.n_gpus_per_node": 8,
    "trainer.total_training_steps": 60,
    "clinic.teacher.lam": 4.0,
    "clinic.teacher.decay": 0.995,
    "clinic.teacher.every": 5,
    "clinic.teacher.hard_copy": 30,
    "clinic.teacher.reduce": "sum_turns",
    "clinic.teacher.l_max_turn": 12_288,
    "clinic.reward.mode": "cosine",
    "clinic.reward.l_max": 12_288,
    "clinic.hints.mode": "outcome",
    "clinic.envs.0.weight": 25,  # section 5.1: of the 307 held-out tasks
    "clinic.envs.1.weight": 20,
    "clinic.envs.2.weight": 25,
    "algorithm.filter_groups.enable": True,
    "actor_rollout_ref.model.lora_rank": 64,
    "actor_rollout_ref.actor.kl_loss_coef": 0.01,
}

# The same table for the control: "identical hyperparameters but without distillation or cosine
# reward" (section 5.1).
CONTROL = {
    **{name: value for name, value in TTOPD.items() if not name.startswith("clinic.")},
    **{name: value for name, value in TTOPD.items() if name.startswith("clinic.envs.")},
    "clinic.teacher.enabled": False,
    "clinic.reward.mode": "env",
    "clinic.hints.mode": "none",
}

# The Deep-DxSearch paper, section 4.4, and "from the released code" of its authors.
DXSEARCH = {
    "data.train_batch_size": 64,
    "data.max_response_length": 6144,
    "algorithm.adv_estimator": "grpo",
    "algorithm.use_kl_in_reward": False,
    "algorithm.filter_groups.enable": False,
    "actor_rollout_ref.actor.ppo_mini_batch_size": 16,
    "actor_rollout_ref.actor.use_kl_loss": True,
    "actor_rollout_ref.actor.kl_loss_coef": 0.001,
    "actor_rollout_ref.actor.kl_loss_type": "low_var_kl",
    "actor_rollout_ref.actor.loss_agg_mode": "seq-mean-token-mean",
    "actor_rollout_ref.actor.optim.lr": 1e-6,
    "clinic.stages.0.weights.search": 0.9,
    "clinic.stages.1.weights.matching": 0.9,
    "clinic.stages.2.weights.diagnosis": 0.9,
    "clinic.stages.3.weights.diagnosis": 0.4,
    "clinic.draws": "natural",
}
BACKBONES = ("qwen25_7b", "qwen25_14b", "llama31_8b", "baichuan_m2_32b")
# The KACR paper, sections 4.1 and 3.1.2 (the activation); it names no KL and no entropy bonus.
KACR = {
    "trainer.n_gpus_per_node": 8,
    "trainer.total_epochs": 50,
    "algorithm.adv_estimator": "gae",
    "algorithm.gamma": 0.9,
    "algorithm.lam": 0.95,
    "actor_rollout_ref.actor.clip_ratio": 0.2,
    "actor_rollout_ref.actor.optim.lr": 5e-5,
    "actor_rollout_ref.actor.ppo_mini_batch_size": 8,
    "actor_rollout_ref.actor.use_kl_loss": False,
    "actor_rollout_ref.actor.entropy_coeff": 0.0,
    "actor_rollout_ref.rollout.temperature": 0.9,
    "actor_rollout_ref.rollout.val_kwargs.temperature": 0.0,
    "clinic.critic.lr": 5e-5,
    "clinic.critic.batch": 8,
    "clinic.critic.options.activation": "sigmoid",
    "clinic.env_kwargs.disciplines": 5,
    "clinic.env_kwargs.nodes": 10,
    "clinic.env_kwargs.iterations": 3,
}

# What differs from a table on purpose, and where that is said.
CHOSEN = {
    "data.max_response_length": (8192, "config/paper/clingen_hybrid.yaml"),
    "clinic.teacher.hard_copy": (None, "settings.py"),
    "clinic.teacher.reduce": ("mean_turns", "settings.py"),
}

PAPERS: dict[tuple[str, str], Mapping[str, Any]] = {
    ("grpo", "clingen_outcome"): SUPERVISOR,
    ("grpo", "clingen_hybrid"): SUPERVISOR,
    ("ttopd", "ttopd_9b"): TTOPD,
    ("grpo", "ttopd_9b"): CONTROL,
    **{("dxsearch", f"dxsearch_{name}"): DXSEARCH for name in BACKBONES},
    ("kacr", "kacr_70b"): KACR,
    ("kacr", "kacr_7b"): KACR,
}


def composed(method: str, paper: str) -> Any:
    """Compose a paper's settings as the command at the head of its file asks for them."""
    head = (composing.CONFIGS / "paper" / f"{paper}.yaml").read_text().split("\nclinic:")[0]
    asked = re.search(r"--gpus (\d+)(?: --nodes (\d+))? --model (\S+) --steps (\d+)", head)
    assert asked is not None
    gpus, nodes, model, steps = asked.groups()
    request = RunRequest(
        method=method,
        gpus=int(gpus),
        nodes=int(nodes or 1),
        model=model,
        steps=int(steps),
        overrides=(f"+paper={paper}",),
    )
    return composing.compose(request)


def select(config: Any, name: str) -> Any:
    """Return a setting; a number in its name counts in a list."""
    for part in name.split("."):
        config = config[int(part)] if part.isdecimal() else config[part]
    return config


@pytest.mark.parametrize(("method", "paper"), PAPERS)
def test_a_papers_settings_are_those_of_its_tables(method: str, paper: str) -> None:
    config = composed(method, paper)
    table = PAPERS[method, paper]
    found = {name: select(config, name) for name in table}
    differing = {name: found[name] for name in table if found[name] != table[name]}
    chosen = {} if table is DXSEARCH else CHOSEN
    assert differing == {name: chosen[name][0] for name in table if name in chosen}
    env = make_env(*next((one.id, one.env_kwargs) for one in from_config(config).environments))
    if paper.startswith("clingen"):
        assert env.max_turns == 2
        assert 285 == config.trainer.total_training_steps == 5 * (len(env.tasks) // 16)
        assert env.rubric.weights.get("process", 0.0) == (0.5 if paper.endswith("hybrid") else 0.0)


def test_every_paper_has_a_table() -> None:
    assert {paper for _, paper in PAPERS} == set(composing.choices("paper"))


NUMBER = re.compile(r"-?\d[\d.e+-]*")

SAID = {  # numbers that a paper gives in words or in a formula, or that follow from its table
    "clingen": {"process_weight": 0.5, "clip_ratio": 0.2},
    "ttopd": {"max_response_length": 12_288},
    "dxsearch": {},
    "kacr": {},
}


def numbers(paper: str) -> list[tuple[str, float, str]]:
    """Return key, value and the comment right above, of each number in a file."""
    lines = (composing.CONFIGS / "paper" / f"{paper}.yaml").read_text().splitlines()
    found, comment = [], ""
    first = next(number for number, line in enumerate(lines) if line and line[0] != "#")
    for line in lines[first:]:
        if line.strip().startswith("#"):
            comment += line
            continue
        for key, value in re.findall(r"(\w+): ([^\s,}]+)", line):
            if NUMBER.fullmatch(value):
                found.append((key, float(value), comment))
        comment = ""
    return found


@pytest.mark.parametrize("paper", sorted({paper for _, paper in PAPERS}))
def test_every_number_is_the_papers_or_marked_as_chosen(paper: str) -> None:
    kind = paper.split("_")[0]
    tables = {"clingen": SUPERVISOR, "ttopd": TTOPD, "dxsearch": DXSEARCH, "kacr": KACR}
    table = tables[kind]
    known = {(name.rsplit(".", 1)[1], value) for name, value in table.items()}
    known |= set(SAID[kind].items())
    found = numbers(paper)
    assert len(found) > (0 if paper == "kacr_7b" else 10)  # which changes little of kacr_70b
    for key, value, comment in found:
        chosen = "chosen" in comment.lower()
        assert chosen or (key, value) in known, (key, value, comment)


class CountedCharacters:
    """Stands in for a tokenizer that is not at hand: four characters of a prompt are a token."""

    native = True

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def prompt(self, messages: Any, tools: Any) -> bytes:
        text = "".join(str(one["content"]) for one in messages)
        return bytes((len(text) + len(json.dumps(tools))) // 4)


def drawn(paper: str, method: str, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Return environment and task of each row of an epoch."""
    rows = importlib.import_module("verl_recipes.agent_loop.rows")
    monkeypatch.setattr(rows, "Tokens", CountedCharacters)
    found = rows.ClinicRows("train", None, composed(method, paper).data)
    assert not any(pool.skipped for pool in found.pools)
    listed = [found[index] for index in range(len(found))]
    return [(row["environment"], row["task_id"]) for row in listed]


@pytest.mark.parametrize("paper", ["clingen_outcome", "clingen_hybrid"])
def test_an_epoch_of_clingen_has_every_task_once(
    paper: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = drawn(paper, "grpo", monkeypatch)
    assert len(found) == len(set(found)) == 915
    assert len(found) // 16 * 5 == 285  # the steps of five epochs


def test_an_epoch_of_ttopd_mixes_its_environments_as_the_paper_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = drawn("ttopd_9b", "ttopd", monkeypatch)
    counts = Counter(name for name, _ in found)
    names = ("ClinicalDiagnosis", "TriageEmergency", "DrugInteraction")
    rows = [counts.pop(f"clinic/{name}-v0") for name in names]
    assert not counts
    assert [row / sum(rows) for row in rows] == pytest.approx([25 / 70, 20 / 70, 25 / 70], abs=0.01)
    times = Counter(found)
    assert max(times.values()) <= 2  # no task is drawn often
    for name in names:
        tasks = {task.id for task in make_env(f"clinic/{name}-v0", {"split": "train"}).tasks}
        assert {task for where, task in times if name in where} == tasks


def test_the_adapter_is_on_attention_and_mlp_of_the_text_model_alone() -> None:
    torch = pytest.importorskip("torch")
    peft = pytest.importorskip("peft")
    transformers = pytest.importorskip("transformers")
    config = transformers.Qwen3_5Config(
        text_config={
            "vocab_size": 64, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 4,
            "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 16,
            "linear_num_key_heads": 2, "linear_num_value_heads": 2,
            "linear_key_head_dim": 16, "linear_value_head_dim": 16,
        },
        vision_config={
            "depth": 1, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2,
            "out_hidden_size": 32,
        },
    )  # fmt: skip
    with torch.device("meta"):
        model = transformers.Qwen3_5ForConditionalGeneration(config)
    section = composed("ttopd", "ttopd_9b").actor_rollout_ref.model
    adapted = peft.get_peft_model(
        model,
        peft.LoraConfig(
            r=section.lora_rank,
            target_modules=OmegaConf.to_container(section.target_modules),
            exclude_modules=section.exclude_modules,
        ),
    )
    names = {
        name.split(".lora_A")[0].removeprefix("base_model.model.")
        for name, _ in adapted.named_parameters()
        if ".lora_A." in name
    }
    kinds = {name.rsplit(".", 1)[1] for name in names}
    assert kinds == set(section.target_modules)  # none of them is written in vain
    assert not [name for name in names if "visual" in name or "lm_head" in name]
    assert {name.split(".layers.")[1].split(".")[0] for name in names} == {"0", "1", "2", "3"}
