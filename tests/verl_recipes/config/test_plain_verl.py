"""The documented command of verl: settled and checked as the launcher's, before Ray starts."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from plain_command import arguments

from verl_recipes.registry import TRAINERS
from verl_recipes.request import RunRequest

pytest.importorskip("verl")
OmegaConf = pytest.importorskip("omegaconf").OmegaConf
main_ppo = importlib.import_module("verl.trainer.main_ppo")
compose = importlib.import_module("verl_recipes.config.compose").compose
agent_loop = importlib.import_module("verl.experimental.agent_loop.agent_loop")
METRICS = "VERL_FILE_LOGGER_PATH"


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """Call verl's command as the guide does, from an empty folder, and return its config."""
    given: list[Any] = []

    def run_ppo(config: Any, task_runner_class: Any) -> None:
        given.append(config)

    def start(**more: str) -> Any:
        monkeypatch.setattr(sys, "argv", ["main_ppo", *arguments(**more)])
        main_ppo.main()
        return given[-1]

    monkeypatch.setattr(main_ppo, "run_ppo", run_ppo)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with mock.patch.dict(os.environ):  # the command sets what its processes need
        for name in list(os.environ):
            if name.startswith("VERL_"):
                del os.environ[name]
        yield start


SMALL = {"clinic__env": "tiny_domain:INTERACTIONS", "data__val_files": "test"}


def test_verl_takes_the_documented_command(started: Any, tokenizer: Any) -> None:
    config = started(**SMALL)
    assert config.clinic.env == config.data.clinic.env == "tiny_domain:INTERACTIONS"
    assert config.trainer.total_training_steps == 60
    trainers = importlib.import_module("verl.trainer.ppo.v1")
    assert trainers.get_trainer_cls(config.trainer.v1.trainer_mode) is TRAINERS["clinic"]
    rows = importlib.import_module("verl.trainer.ppo.utils").create_rl_dataset(
        config.data.train_files, config.data, tokenizer, None, is_train=True
    )
    assert type(rows).__name__ == "ClinicRows"
    assert len(rows) >= config.data.train_batch_size
    name = config.actor_rollout_ref.rollout.agent.default_agent_loop
    assert rows[0]["agent_name"] == name
    entry = agent_loop._agent_loop_registry[name]["_target_"]
    module, _, attribute = entry.rpartition(".")
    assert hasattr(importlib.import_module(module), attribute)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["ttopd", "ppo"])
def test_any_method_goes_with_it(started: Any, method: str) -> None:
    assert started(method=method, **SMALL).trainer.v1.trainer_mode == method


def test_all_that_it_writes_lies_in_the_folder_of_the_run(started: Any) -> None:
    config = started(**SMALL)
    out = Path.cwd() / "runs" / "plain"
    assert config.trainer.default_local_dir == str(out / "checkpoints")
    assert config.trainer.validation_data_dir == str(out / "evaluations")
    variables = config.ray_kwargs.ray_init.runtime_env.env_vars
    assert Path(variables[METRICS]).parent == out
    assert os.environ[METRICS] == variables[METRICS]
    assert [path.relative_to(out) for path in Path.cwd().rglob("*") if path.is_file()] == [
        Path("config.yaml")
    ]
    assert OmegaConf.load(out / "config.yaml").trainer.total_training_steps == 60


def test_a_file_of_figures_that_is_named_is_taken(started: Any, tmp_path: Path) -> None:
    os.environ[METRICS] = str(tmp_path / "mine.jsonl")
    variables = started(**SMALL).ray_kwargs.ray_init.runtime_env.env_vars
    assert variables[METRICS] == str(tmp_path / "mine.jsonl")


def leaves(node: Any, at: str = "") -> dict[str, Any]:
    if not isinstance(node, dict):
        return {at: node}
    named = ((f"{at}.{key}" if at else str(key), child) for key, child in node.items())
    return {name: value for key, child in named for name, value in leaves(child, key).items()}


@pytest.mark.slow
@pytest.mark.parametrize("method", ["grpo", "ttopd", "ppo"])
@pytest.mark.parametrize("lora", [0, 8])
def test_it_trains_with_the_settings_of_the_launcher(
    started: Any, monkeypatch: pytest.MonkeyPatch, method: str, lora: int, tiny_model: Path
) -> None:
    model, rank = "actor_rollout_ref.model", str(lora)
    merged = {f"{model}.lora.merge".replace(".", "__"): "true"}  # else verl asks vLLM, not here
    named = {f"{model}.path".replace(".", "__"): str(tiny_model), **merged}
    named[f"{model}.lora_rank".replace(".", "__")] = rank
    plain = started(method=method, **named, **SMALL)
    launched = compose(
        RunRequest(
            method=method, env=SMALL["clinic__env"], model=str(tiny_model), gpus=8, lora=lora,
            steps=60, out=Path.cwd() / "runs" / "plain",
            overrides=("data.val_files=test", "data.model_type=qwen3", f"{model}.lora.merge=true"),
        )
    )  # fmt: skip
    one, other = (leaves(OmegaConf.to_container(c, resolve=True)) for c in (plain, launched))
    differing = {name for name in one | other if one.get(name) != other.get(name)}
    # verl's own default goes on with what it finds; a launcher is told to. The device is found.
    apart = {"trainer.resume_mode", "trainer.device", "trainer.experiment_name"}
    apart |= {"actor_rollout_ref.rollout.trace.experiment_name"}
    assert {name for name in differing if not name.endswith(METRICS)} <= apart


def test_an_adapter_learns_and_is_saved_as_one(started: Any) -> None:
    config = started(
        actor_rollout_ref__model__lora_rank="64", actor_rollout_ref__model__lora__merge="true",
        **SMALL,
    )  # fmt: skip
    actor = config.actor_rollout_ref.actor
    assert "hf_model" not in actor.checkpoint.save_contents
    assert actor.optim.lr >= 1e-5
    assert config.actor_rollout_ref.model.lora_alpha == 64


STAGES = "[{name: easy, steps: 2}, {name: hard, steps: 2, %s}]"


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"clinic__env": "clinic/ClinGn-v0"}, "did you mean 'clinic/ClinGen-v0'"),
        ({"clinic__reward__mode": "cosin"}, "did you mean 'cosine'"),
        ({"actor_rollout_ref__rollout__n": "1"}, "rollout.n is 2 or more"),
        ({"clinic__stages": STAGES % "split: tran"}, "stages: hard: tiny_domain:INTERACTIONS: "),
        ({"clinic__stages": STAGES % "target: clinic/sucess"}, "did you mean 'clinic/success'"),
        ({"data__val_files": "dev"}, "no split 'dev'"),
    ],
)
def test_a_mistake_ends_it_before_ray_starts(
    started: Any, settings: dict[str, str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        started(**{**SMALL, **settings})
    assert ended.value.code == 2
    assert says in capsys.readouterr().err


def test_an_error_of_ours_is_no_warning(started: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hydra would warn of what a callback raises, and train."""
    plain = importlib.import_module("verl_recipes.run.plain")
    monkeypatch.setattr(plain, "settle", lambda config: 1 // 0)
    with pytest.raises(SystemExit) as ended:
        started(**SMALL)
    assert ended.value.code == 1
