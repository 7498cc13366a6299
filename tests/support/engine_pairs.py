"""Engines with a teacher as verl builds them, without Ray, and the same models without verl."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
import torch.distributed as dist
from engine_rows import (
    TEMPERATURE,
    VOCABULARY,
    Fields,
    Row,
    batch,
    mean_kl,
    padding,
    token_kl,
    token_mean,
    without_turn,
)
from peft import LoraConfig, TaskType, get_peft_model
from torch.distributed.tensor import DTensor, distribute_tensor
from transformers import AutoModelForCausalLM, Qwen3Config, Qwen3ForCausalLM
from verl.trainer.config import CheckpointConfig
from verl.utils.metric import Metric
from verl.utils.torch_functional import allgather_dict_into_dict
from verl.workers.config import (
    FSDPActorConfig,
    FSDPEngineConfig,
    FSDPOptimizerConfig,
    HFModelConfig,
)
from verl.workers.engine import EngineRegistry
from verl.workers.utils.losses import ppo_loss

from verl_recipes.settings import TeacherSettings
from verl_recipes.ttopd.engine import ClinicEngine
from verl_recipes.ttopd.worker import TeacherWorker

RANK = 8
FP32 = {"param_dtype": "fp32", "reduce_dtype": "fp32", "buffer_dtype": "fp32"}
SETTINGS = TeacherSettings(enabled=True, chunk=5)


class Seat(TeacherWorker):
    """The worker's own methods on an engine, without Ray around it."""

    rank = property(lambda self: dist.get_rank())
    world_size = property(lambda self: self.ranks)

    def __init__(self, engine: ClinicEngine, ranks: int | None = None) -> None:
        self.actor = SimpleNamespace(engine=engine)
        self.ranks = ranks or dist.get_world_size()


def write_models(folder: Path) -> None:
    """Write a student and a different teacher, with tied and untied heads."""
    for tied in (True, False):
        for seed, role in enumerate(("student", "teacher")):
            config = Qwen3Config(
                vocab_size=VOCABULARY,
                hidden_size=64,
                intermediate_size=96,
                num_hidden_layers=2,
                num_attention_heads=4,
                num_key_value_heads=2,
                head_dim=16,
                max_position_embeddings=256,
                tie_word_embeddings=tied,
                initializer_range=0.1,
            )
            with torch.random.fork_rng():
                torch.manual_seed(seed)
                model = Qwen3ForCausalLM(config)
            model.save_pretrained(folder / name_of(role, tied))


def name_of(role: str, tied: bool) -> str:
    return f"{role}_{'tied' if tied else 'untied'}"


def engine_of(path: Path, *, adapted: bool = False, packs: bool = True, **settings: Any) -> Any:
    """Return verl's engine as the registry makes it; ``packs``: whether it may remove padding."""
    engine = EngineRegistry.new(
        model_type="language_model",
        backend="fsdp2",
        model_config=HFModelConfig(
            path=str(path),
            load_tokenizer=False,
            override_config={"attn_implementation": "sdpa"},
            lora_rank=RANK if adapted else 0,
            use_remove_padding=packs,
        ),
        engine_config=FSDPEngineConfig(
            strategy="fsdp2", mixed_precision=FP32, use_torch_compile=False, **settings
        ),
        optimizer_config=FSDPOptimizerConfig(lr=1e-2, total_training_steps=10),
        checkpoint_config=CheckpointConfig(),
    )
    engine.teacher_adapter = adapted
    engine.initialize()
    return engine


def full_pair(folder: Path, tied: bool, *, same: bool = False, **settings: Any) -> ClinicEngine:
    """Return a student to be trained whole, with its teacher in an engine of its own."""
    student = engine_of(folder / name_of("student", tied), **settings)
    role = "student" if same else "teacher"
    teacher = engine_of(folder / name_of(role, tied), forward_only=True, **settings)
    student.attach_teacher(SETTINGS, teacher)
    return student


def lora_pair(folder: Path, tied: bool, *, same: bool = False, **settings: Any) -> ClinicEngine:
    """Return a student whose teacher is a second adapter."""
    student = engine_of(folder / name_of("student", tied), adapted=True, **settings)
    student.attach_teacher(SETTINGS, None)
    if not same:
        for name, values in adapters(student).items():
            put(dict(student.module.named_parameters())[name], values)
    return student


def adapters(engine: ClinicEngine) -> dict[str, torch.Tensor]:
    """Return other values for both adapters."""
    chance = torch.Generator().manual_seed(3)
    named = [(n, p) for n, p in engine.module.named_parameters() if "lora_" in n]
    return {n: 0.1 * torch.randn(p.shape, generator=chance) for n, p in named}


def put(parameter: torch.Tensor, values: torch.Tensor) -> None:
    assert isinstance(parameter, DTensor)
    shard = distribute_tensor(values, parameter.device_mesh, parameter.placements)
    with torch.no_grad():
        parameter.to_local().copy_(shard.to_local())


def whole(tensor: torch.Tensor) -> torch.Tensor:
    found = tensor.full_tensor() if isinstance(tensor, DTensor) else tensor
    return found.detach().clone()


def plain_models(folder: Path, tied: bool, engine: ClinicEngine) -> tuple[Any, Any]:
    """Return the same student and teacher without verl and without FSDP."""
    student = AutoModelForCausalLM.from_pretrained(folder / name_of("student", tied))
    if not engine.teacher_adapter:
        return student, AutoModelForCausalLM.from_pretrained(folder / name_of("teacher", tied))
    config = LoraConfig(
        task_type=TaskType.CAUSAL_LM, r=RANK, lora_alpha=16, target_modules="all-linear"
    )
    models = []
    for adapter in ("default", "teacher"):
        base = AutoModelForCausalLM.from_pretrained(folder / name_of("student", tied))
        model = get_peft_model(base, config)
        for name, parameter in model.named_parameters():
            if "lora_" in name:
                parameter.data = adapters(engine)[name.replace(".default.", f".{adapter}.")]
        models.append(model)
    return models[0], models[1]


def reference(folder: Path, tied: bool, engine: ClinicEngine, rows: list[Row]) -> dict[str, Any]:
    """Return the KL and its gradients in plain torch, and the KL otherwise reduced."""
    student, teacher = plain_models(folder, tied, engine)

    def logits_of(model: Any) -> Callable[[torch.Tensor], torch.Tensor]:
        return lambda ids: model(input_ids=ids[None]).logits[0]

    pair = logits_of(student), logits_of(teacher)
    kl = mean_kl(*pair, rows)
    per_turn: dict[int, list[float]] = {}
    for row in rows:
        values = token_kl(*pair, row).detach()
        for turn in row.turns.unique().tolist():
            per_turn.setdefault(turn, []).append(float(values[row.turns == turn].mean()))
    trained = {n: p for n, p in student.named_parameters() if p.requires_grad}
    found = torch.autograd.grad(kl * SETTINGS.lam, list(trained.values()))
    return {
        "kl": kl.item(),
        "gradients": dict(zip(trained, found, strict=True)),
        "per_turn": {turn: per_turn[turn] for turn in per_turn if turn},
        "sum_turns": mean_kl(*pair, rows, sum_turns=True).item(),
        "mean_tokens": token_mean(*pair, rows).item(),
        "dropped": mean_kl(*pair, without_turn(rows, 2)).item(),
    }


def share(samples: list[Any]) -> list[Any]:
    """Return this rank's part of the global batch."""
    part = len(samples) // dist.get_world_size()
    return samples[dist.get_rank() * part :][:part]


def backward(
    engine: ClinicEngine, data: Any, *, step: bool = False
) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    """Run a mini-batch forward and backward; return what the engine returns, and the gradients."""
    config = FSDPActorConfig(strategy="fsdp2", rollout_n=1, ppo_micro_batch_size_per_gpu=1)
    with engine.train_mode():
        engine.optimizer_zero_grad()
        out = engine.forward_backward_batch(data, partial(ppo_loss, config=config))
        gradients = {
            name: whole(parameter.grad)
            for name, parameter in engine.module.named_parameters()
            if parameter.grad is not None
        }
        if step:
            engine.optimizer_step()
    return out, gradients


def update(
    engine: ClinicEngine, rows: list[Row], *, padded: int = 0, step: bool = False, **settings: Any
) -> dict[str, Any]:
    """Run a mini-batch; return loss, gradients and metrics as verl's worker reduces them."""
    samples: list[Fields] = [row.fields for row in rows] + [padding(rows[0])] * padded
    chosen = {
        "use_remove_padding": False,
        "use_dynamic_bsz": False,
        "micro_batch_size_per_gpu": 4,
        "max_token_len_per_gpu": 256,
        "use_fused_kernels": False,
        "calculate_entropy": False,
        "global_batch_size": 8,
        "temperature": TEMPERATURE,
    }
    data = batch(share(samples), **(chosen | settings))
    out, gradients = backward(engine, data, step=step)
    loss = torch.tensor(out["loss"], dtype=torch.float64).sum()
    dist.all_reduce(loss)
    gathered = allgather_dict_into_dict(out["metrics"])
    metrics = {
        name: float(Metric.aggregate_dp(values))
        for name, values in gathered.items()
        if isinstance(values[0], Metric)
    }
    loss = float(loss) / dist.get_world_size()
    return {"loss": loss, "gradients": gradients, "metrics": metrics}


@contextmanager
def only(engine: ClinicEngine, **changed: Any) -> Iterator[None]:
    """Change attributes of the engine for a while."""
    kept = {name: getattr(engine, name) for name in changed}
    try:
        for name, value in changed.items():
            setattr(engine, name, value)
        yield
    finally:
        for name, value in kept.items():
            setattr(engine, name, value)
