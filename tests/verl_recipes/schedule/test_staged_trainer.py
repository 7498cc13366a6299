"""The trainer in stages: its rows, weights, KL and reference, without Ray."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scripted_rollout import INTERACTIONS, play, record, right, row

from gym_clinic import ConfigError
from verl_recipes.request import RunRequest

torch = pytest.importorskip("torch")
pytest.importorskip("verl")
OmegaConf = pytest.importorskip("omegaconf").OmegaConf
compose = importlib.import_module("verl_recipes.config.compose").compose
staging = importlib.import_module("verl_recipes.schedule.trainer")
worker = importlib.import_module("verl_recipes.trainer.worker")

STAGES = [
    {"name": "answers", "steps": 2, "weights": {"accuracy": 0.9, "process": 0.1}, "kl": 0.001},
    {"name": "calls", "steps": 2, "weights": {"accuracy": 0.1, "process": 0.9}, "kl": 0.01,
     "reference": "stage_start"},
    {"name": "rest", "steps": 2, "split": "test", "target": "clinic/score/mean"},
]  # fmt: skip


class Workers:
    """Stands in for the worker group: keeps what it was told."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *values: self.told.append((name, *values))


def configured(stages: list[dict[str, Any]], **settings: Any) -> Any:
    run = RunRequest(
        method="grpo", model="tiny", overrides=("actor_rollout_ref.actor.use_kl_loss=true",)
    )
    config = compose(run).copy()
    OmegaConf.set_struct(config, False)
    values = {
        "clinic.env": INTERACTIONS,
        "clinic.stages": stages,
        "data.train_batch_size": 4,
        "data.val_files": "test",
        "data.model_type": "qwen3",
        "actor_rollout_ref.actor.kl_loss_coef": 0.5,
        **settings,
    }
    for name, value in values.items():
        OmegaConf.update(config, name, value, force_add=True)
    return config


def trainer(tokenizer: Any, config: Any) -> Any:
    """Return a trainer as it is after verl has set it up, but for its workers."""

    class Trainer(staging.StagedTrainer):
        def _build_replay_buffer(self) -> None:
            return None

    config.trainer.v1.trainer_mode = "sync"
    made = Trainer(config)
    made.tokenizer, made.processor, made.actor_rollout_wg = tokenizer, None, Workers()
    made._init_dataloader()
    made.global_steps = 0
    return made


def step(made: Any, **figures: float) -> tuple[list[str], dict[str, float]]:
    """Take a step as the trainer's loop does; return the tasks drawn, and the figures."""
    made.global_steps += 1
    made.on_step_begin()
    drawn = [made._fetch_one_gen_batch() for _ in range(4)]
    assert {one["stage"][0] for one in drawn} == {made.schedule.number}
    figures = {
        "clinic/reward/accuracy/mean": 0.5,
        "clinic/reward/process/mean": 0.25,
        "clinic/score/mean": 0.4,
        **figures,
    }
    made.observe_stage(figures)
    return [one["task_id"][0] for one in drawn], figures


def test_each_stage_has_its_weights_kl_reference_and_rows(
    tokenizer: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    made = trainer(tokenizer, configured(STAGES))
    assert made.config.trainer.total_training_steps == made.total_training_steps == 6
    weights, told, tasks, figures = [], [], [], []
    for _ in range(6):
        made.actor_rollout_wg.told.clear()
        drawn, found = step(made)
        weights.append(made.weights[INTERACTIONS])
        told.append(list(made.actor_rollout_wg.told))
        tasks.append(drawn)
        figures.append(found)
    assert weights[0] == weights[1] == {"accuracy": 0.9, "process": 0.1}
    assert weights[2] == {"accuracy": 0.1, "process": 0.9}
    assert weights[4] == trainer(tokenizer, configured([])).weights[INTERACTIONS]
    assert told == [
        [("set_kl", 0.001), ("reference_from_base",)], [],
        [("set_kl", 0.01), ("reference_from_student",)], [],
        [("set_kl", 0.5), ("reference_from_base",)], [],
    ]  # fmt: skip
    assert [found["stage/kl_coef"] for found in figures] == [0.001, 0.001, 0.01, 0.01, 0.5, 0.5]
    assert [found["stage/target"] for found in figures] == [0.5, 0.5, 0.25, 0.25, 0.4, 0.4]
    train = {task.id for task in staging.open_all(made.config.data, "train")[INTERACTIONS].tasks}
    assert {task for drawn in tasks[:4] for task in drawn} <= train
    assert not {task for drawn in tasks[4:] for task in drawn} & train
    # The rows of the first two stages are the same, so the second goes on where the first ended.
    assert not set(tasks[0] + tasks[1]) & set(tasks[2] + tasks[3])
    assert "STAGE 2 of 3 'calls' begins at step 3" in capsys.readouterr().out


def test_a_run_without_stages_is_verls_own(tokenizer: Any) -> None:
    made = trainer(tokenizer, configured([]))
    drawn, figures = step(made)
    assert (made.actor_rollout_wg.told, len(drawn)) == ([], 4)
    assert not [name for name in figures if name.startswith("stage/")]
    assert made.config.trainer.total_training_steps == RunRequest().steps


@pytest.mark.parametrize("cut", [1, 2, 3, 5])
def test_a_run_resumes_within_a_stage(tokenizer: Any, cut: int) -> None:
    whole = trainer(tokenizer, configured(STAGES))
    expected = [step(whole) for _ in range(6)]
    first = trainer(tokenizer, configured(STAGES))
    for _ in range(cut):
        step(first)
    state, position = (
        first.schedule.state_dict(),
        copy.deepcopy(first.train_dataloader.state_dict()),
    )
    resumed = trainer(tokenizer, configured(STAGES))
    resumed.global_steps = cut
    resumed.schedule.load_state_dict(state)
    resumed.resume_stage()
    kl = first._kl
    assert resumed.actor_rollout_wg.told == [("set_kl", kl)]  # the reference is in the checkpoint
    resumed.train_dataloader.load_state_dict(position)
    assert [step(resumed) for _ in range(6 - cut)] == expected[cut:]


def test_a_stage_that_ends_early_shortens_the_run(tokenizer: Any) -> None:
    stages = [{**STAGES[0], "stop_at": 0.4}, STAGES[2]]
    made = trainer(tokenizer, configured(stages))
    step(made)
    assert made.total_training_steps == 3
    assert step(made)[1]["stage/number"] == 2


def test_too_few_rows_for_a_stage_stop_the_run_before_it_begins(tokenizer: Any) -> None:
    with pytest.raises(ConfigError, match=r"rest: \d+ rows; data.train_batch_size is 999"):
        trainer(tokenizer, configured([STAGES[2]], **{"data.train_batch_size": 999}))


def test_a_config_with_stages_takes_their_steps() -> None:
    stages = "[{name: a, steps: 3}, {name: b, steps: 4, kl: 0.1}]"
    on = "actor_rollout_ref.actor.use_kl_loss=true"
    config = compose(RunRequest("grpo", model="tiny", overrides=(f"clinic.stages={stages}", on)))
    assert config.trainer.total_training_steps == 7
    with pytest.raises(ConfigError, match="b: the KL needs a reference model"):
        compose(RunRequest("grpo", model="tiny", overrides=(f"clinic.stages={stages}",)))


def test_a_trajectory_is_paid_by_the_weights_of_its_stage(tokenizer: Any) -> None:
    stages = [{"name": "double", "steps": 1, "weights": {"accuracy": 0.0, "process": 0.25}}]
    paid = [
        record(play(tokenizer, right, task=row(stage=number), **{"clinic.stages": stages}))["total"]
        for number in (0, 1)
    ]
    assert paid == [1.0, 0.25]


# --- the workers ---


class Worker(worker.ClinicWorker):
    """A worker of one rank, with models of plain torch."""

    rank = 0
    world_size = 1

    def __init__(self, seed: int) -> None:
        torch.manual_seed(seed)
        modules = [torch.nn.Linear(2, 2) for _ in range(2)]
        self.actor, self.ref = (
            SimpleNamespace(engine=SimpleNamespace(module=module)) for module in modules
        )
        actor = importlib.import_module("verl.workers.config").FSDPActorConfig
        config = actor(
            strategy="fsdp2", rollout_n=1, ppo_micro_batch_size_per_gpu=1, kl_loss_coef=0.5
        )
        self.actor.loss_fn = partial(weigh, config=config)
        self.actor.set_loss_fn = lambda loss_fn: setattr(self.actor, "loss_fn", loss_fn)

    def weights(self, name: str) -> list[float]:
        module = getattr(self, name).engine.module
        return [float(v) for p in module.parameters() for v in p.detach().flatten()]


def weigh(*, config: Any) -> float:
    return float(config.kl_loss_coef)


def test_a_stage_sets_the_coefficient_of_the_loss() -> None:
    worker = Worker(0)
    assert worker.actor.loss_fn() == 0.5
    worker.set_kl(0.01)
    assert worker.actor.loss_fn() == 0.01


def test_the_reference_is_the_student_of_the_stages_start_or_the_base(tmp_path: Path) -> None:
    worker = Worker(1)
    base, student = worker.weights("ref"), worker.weights("actor")
    assert base != student
    worker.reference_from_base()
    assert worker.weights("ref") == base
    worker.reference_from_student()
    assert worker.weights("ref") == student
    with torch.no_grad():
        for parameter in worker.actor.engine.module.parameters():
            parameter.add_(1.0)
    assert worker.weights("ref") == student  # a copy, which does not move with the student
    worker.save_shards(str(tmp_path), "reference")
    worker.reference_from_base()
    assert worker.weights("ref") == base
    resumed = Worker(1)
    resumed.load_shards(str(tmp_path), "reference")
    assert resumed.weights("ref") == student
    resumed.reference_from_base()
    assert resumed.weights("ref") == base


def test_a_reference_of_another_number_of_ranks_is_refused(tmp_path: Path) -> None:
    worker = Worker(2)
    worker.save_shards(str(tmp_path), "reference")
    worker.world_size = 2
    with pytest.raises(
        ConfigError, match=r"no reference_0_of_2.pt .* only \['reference_0_of_1.pt'"
    ):
        worker.load_shards(str(tmp_path), "reference")
