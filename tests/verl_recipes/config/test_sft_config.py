"""The fine-tuning of sub-agents: its config as verl reads it, its data as verl tokenises it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from places import ROOT

from gym_clinic.cli import main

torch = pytest.importorskip("torch")
hydra = pytest.importorskip("hydra")
omegaconf = pytest.importorskip("omegaconf")
transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")
sft_trainer = pytest.importorskip("verl.trainer.sft_trainer")

CHATML = """\
{%- for message in messages -%}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}
{%- if enable_thinking is defined and enable_thinking is false -%}
{{- '<think>\\n\\n</think>\\n\\n' -}}
{%- endif -%}{%- endif -%}
"""
# As Qwen3's: the answer to the last question of a whole conversation gets a block of thoughts.
THINKING = """\
{%- set last = namespace(query=messages|length - 1, open=true) -%}
{%- for message in messages[::-1] -%}
{%- if last.open and message.role == 'user' -%}
{%- set last.query = messages|length - 1 - loop.index0 -%}{%- set last.open = false -%}
{%- endif -%}{%- endfor -%}
{%- for message in messages -%}
{{- '<|im_start|>' + message.role + '\\n' -}}
{%- if message.role == 'assistant' and loop.index0 > last.query -%}
{{- '<think>\\n\\n</think>\\n\\n' -}}
{%- endif -%}
{{- message.content + '<|im_end|>\\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}
"""
# verl's own entry names the one device twice where there is no accelerator.
TRAIN = """
import sys
import hydra, torch
from verl.trainer.sft_trainer import SFTTrainer
torch.distributed.init_process_group("gloo")
with hydra.initialize_config_module("verl_recipes.config", version_base=None):
    config = hydra.compose("sft_subagent", overrides=sys.argv[1:])
SFTTrainer(config=config).fit()
torch.distributed.destroy_process_group()
"""
OVERRIDES = ("engine.dtype=float32", "+model.override_config.attn_implementation=sdpa")


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Conversations of every sub-agent on every article of a few tasks, as verl reads them."""
    folder = tmp_path_factory.mktemp("sft")
    played = ["eval", "clinic/ClinGen-v0", "--policy", "rules", "--split", "dev", "--limit", "3"]
    assert main([*played, "--trials", "1", "--no-progress", "--out", str(folder / "run")]) == 0
    for name in ("sft.parquet", "sft.jsonl"):
        assert main(["export", "sft", str(folder / "run"), "--out", str(folder / name)]) == 0
    return folder


@pytest.fixture(scope="module")
def conversations(exported: Path) -> list[list[dict[str, str]]]:
    lines = (exported / "sft.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["messages"] for line in lines]


@pytest.fixture(scope="module")
def model(exported: Path, conversations: list[list[dict[str, str]]]) -> Path:
    """A tiny Qwen3 with a byte-level tokenizer of its own, built here."""
    bytes_of = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trained = tokenizers.Tokenizer(tokenizers.models.BPE())
    trained.pre_tokenizer, trained.decoder = bytes_of, tokenizers.decoders.ByteLevel()
    marks = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=1000, special_tokens=marks, initial_alphabet=bytes_of.alphabet()
    )
    texts = [message["content"] for one in conversations for message in one]
    trained.train_from_iterator(texts, trainer)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=trained, eos_token="<|im_end|>", pad_token="<|endoftext|>"
    )
    tokenizer.chat_template = CHATML
    config = transformers.Qwen3Config(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=1,
        num_attention_heads=2, num_key_value_heads=1, head_dim=16,
        architectures=["Qwen3ForCausalLM"],
    )  # fmt: skip
    tokenizer.save_pretrained(exported / "model")
    torch.manual_seed(0)
    transformers.Qwen3ForCausalLM(config).save_pretrained(exported / "model")
    return exported / "model"


def compose(*overrides: str) -> Any:
    with hydra.initialize_config_module("verl_recipes.config", version_base=None):
        return hydra.compose("sft_subagent", overrides=list(overrides))


@pytest.fixture(scope="module")
def trainer(exported: Path, model: Path) -> Any:
    """verl's trainer, with its configs and data and nothing that needs a process group."""
    files = f"data.train_files={exported / 'sft.parquet'}"
    made = object.__new__(sft_trainer.SFTTrainer)
    made.config = compose(files, f"model.path={model}", *OVERRIDES)
    made._build_config()
    made._build_dataset()
    return made


def test_the_settings_are_the_papers() -> None:
    config = compose()
    assert config.data.train_batch_size == 4
    assert config.data.micro_batch_size_per_gpu == 1
    assert config.data.max_length == config.data.max_token_len_per_gpu == 32_600
    assert config.trainer.total_epochs == 4
    assert config.trainer.n_gpus_per_node * config.trainer.nnodes == 4
    assert config.optim.lr == pytest.approx(1e-5)
    assert config.model.path.startswith("Qwen/Qwen3-")


def test_nothing_is_set_that_verl_does_not_know() -> None:
    with hydra.initialize_config_module("verl.trainer.config", version_base=None):
        base = hydra.compose("sft_trainer_engine")
    ours = compose()

    def names(node: Any, at: str = "") -> set[str]:
        if not isinstance(node, dict) or not node:
            return {at}
        return {name for key, one in node.items() for name in names(one, f"{at}/{key}")}

    plain = [omegaconf.OmegaConf.to_container(one) for one in (ours, base)]
    assert names(plain[0]) == names(plain[1])


def test_verl_builds_its_configs_from_ours(trainer: Any) -> None:
    from verl.trainer.config import CheckpointConfig
    from verl.workers.config import FSDPEngineConfig, FSDPOptimizerConfig, HFModelConfig
    from verl.workers.engine_workers import TrainingWorkerConfig

    assert isinstance(trainer.model_config, HFModelConfig)
    assert isinstance(trainer.engine_config, FSDPEngineConfig)
    assert isinstance(trainer.optimizer_config, FSDPOptimizerConfig)
    assert isinstance(trainer.checkpoint_config, CheckpointConfig)
    assert trainer.engine_config.strategy == "fsdp2"
    assert trainer.optimizer_config.lr == pytest.approx(1e-5)
    assert "hf_model" in trainer.checkpoint_config.save_contents
    TrainingWorkerConfig(
        model_type="language_model", model_config=trainer.model_config,
        engine_config=trainer.engine_config, optimizer_config=trainer.optimizer_config,
        checkpoint_config=trainer.checkpoint_config, profiler_config=trainer.profiler_config,
    )  # fmt: skip


def rendered(conversation: list[dict[str, str]]) -> str:
    return "".join(
        f"<|im_start|>{one['role']}\n{one['content']}<|im_end|>\n" for one in conversation
    )


def dataset(exported: Path, trainer: Any, template: str, *overrides: str) -> Any:
    """verl's dataset, by the config with overrides, under a chat template."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(exported / "model")
    tokenizer.chat_template = template
    data = compose(*overrides).data
    return sft_trainer.create_sft_dataset(str(exported / "sft.parquet"), data, tokenizer, None)


def learnt(tokenizer: Any, item: dict[str, Any]) -> str:
    """The text that the loss is taken of."""
    return tokenizer.decode(item["input_ids"][item["loss_mask"] == 1])


def test_the_loss_is_taken_of_the_answer_alone(
    trainer: Any, conversations: list[list[dict[str, str]]]
) -> None:
    read = trainer.train_dataset
    assert type(read).__name__ == "MultiTurnSFTDataset"
    assert len(read) == len(conversations) > 5
    assert trainer.val_dataset is None
    for place in range(0, len(read), 7):
        item, conversation = read[place], conversations[place]
        tokenizer = trainer.model_config.tokenizer
        assert tokenizer.decode(item["input_ids"]) == rendered(conversation)
        assert learnt(tokenizer, item) == f"{conversation[-1]['content']}<|im_end|>\n"
        taken = item["loss_mask"].tolist()
        assert taken == sorted(taken)  # one stretch, at the end
        assert item["position_ids"].tolist() == list(range(len(taken)))


def test_a_template_with_thoughts_is_trained_to_answer_at_once(
    exported: Path, trainer: Any, conversations: list[list[dict[str, str]]]
) -> None:
    read = dataset(exported, trainer, THINKING)
    item = read[0]
    assert read.tokenizer.decode(item["input_ids"]) == rendered(conversations[0])
    assert learnt(read.tokenizer, item) == f"{conversations[0][-1]['content']}<|im_end|>\n"
    strict = dataset(exported, trainer, THINKING, "data.ignore_input_ids_mismatch=false")
    with pytest.raises(AssertionError, match="ignore_input_ids_mismatch"):
        strict[0]


def test_without_thoughts_the_template_cuts_the_beginning_of_the_answer(
    exported: Path, trainer: Any, conversations: list[list[dict[str, str]]]
) -> None:
    assert compose().data.enable_thinking_default is None
    off = "+data.apply_chat_template_kwargs.enable_thinking=false"
    read = dataset(exported, trainer, CHATML, off)
    assert not learnt(read.tokenizer, read[0]).startswith(conversations[0][-1]["content"][:3])


def test_a_too_long_conversation_is_an_error(exported: Path, trainer: Any) -> None:
    read = dataset(exported, trainer, CHATML, "data.max_length=64")
    with pytest.raises(ValueError, match=r"is larger than self\.max_length=64"):
        read[0]


@pytest.mark.slow
def test_verl_trains_on_the_conversations(exported: Path, model: Path, tmp_path: Path) -> None:
    out = tmp_path / "checkpoints"
    overrides = [
        *OVERRIDES, f"model.path={model}", f"data.train_files={exported / 'sft.parquet'}",
        "model.use_remove_padding=false", "trainer.device=cpu", "trainer.n_gpus_per_node=1",
        "trainer.total_training_steps=3", "trainer.save_freq=3", "optim.lr=1e-2",
        f"trainer.default_local_dir={out}",
    ]  # fmt: skip
    variables = {
        "VERL_PLATFORM": "cpu",
        "VERL_USE_EXTERNAL_MODULES": "verl_recipes.cpu.platform,verl_recipes.ttopd.engine",
        "VERL_USE_EXTERNAL_PLUGINS": "none",
        "VERL_ENGINE_VENDOR": "gym_clinic",
        "VERL_FILE_LOGGER_PATH": str(tmp_path / "metrics.jsonl"),
        "PYTHONPATH": str(ROOT),
        "OMP_NUM_THREADS": "1",
        "RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1",
        "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", TRAIN, *overrides],
        env={**os.environ, **variables},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    rows = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    losses = [row["data"]["train/loss"] for row in rows if "train/loss" in row["data"]]
    assert len(losses) == 3
    assert losses[2] < losses[0] - 0.1
    saved = transformers.AutoModelForCausalLM.from_pretrained(out / "global_step_3" / "huggingface")
    first = transformers.AutoModelForCausalLM.from_pretrained(model)
    assert not torch.equal(saved.lm_head.weight, first.lm_head.weight)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
