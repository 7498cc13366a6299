"""The results of ``check``, and what keeps a run from starting."""

from __future__ import annotations

import importlib
import json
import shutil
import sys
from types import SimpleNamespace

import pytest

from gym_clinic import ClinicEnv, ConfigError
from verl_recipes.preflight import checks, command, machine, pins
from verl_recipes.preflight.result import MISSING, OK, WARNING, CheckResult
from verl_recipes.request import RunRequest

pytest.importorskip("verl")
hub = pytest.importorskip("huggingface_hub.constants")

LARGE = {
    "model_type": "qwen3",
    "vocab_size": 248320,
    "hidden_size": 4096,
    "intermediate_size": 12288,
    "num_hidden_layers": 36,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "max_position_embeddings": 40960,
}


ENV = "tiny_domain:INTERACTIONS"
FEW = ("clinic.shortest=3", "data.max_prompt_length=900", "data.val_files=test")


@pytest.fixture
def ready(monkeypatch, tmp_path):
    """A machine that lacks nothing but what a test takes away."""
    monkeypatch.setattr(pins, "check", lambda stack: iter([CheckResult("packages", OK, "all")]))
    monkeypatch.setattr(machine, "gpu_sizes", lambda: [79.3] * 8)
    monkeypatch.setattr(machine, "memory", lambda: CheckResult("memory", OK, "enough"))
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(total=2**50, free=2**50))
    return monkeypatch


def request(model, **changes):
    return RunRequest(**{"env": ENV, "model": str(model), "overrides": FEW, **changes})


def results(model, **changes):
    return list(command.results(request(model, **changes)))


def of(found, name):
    return [result for result in found if result.name == name]


def with_config(model, folder, **config):
    shutil.copytree(model, folder)
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def test_a_sufficient_machine_passes_every_check(ready, tiny_model, capsys):
    assert command.main(["--model", str(tiny_model), "--env", ENV, *FEW]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "nothing is missing"
    assert {line.split()[0] for line in lines[:-1]} == {"ok"}
    assert {line[9:].split(":")[0] for line in lines[:-1]} == {
        "config", "packages", "memory", "Ray", "environment", "model", "disk", "family",
        "chat template", "prompts of train", "prompts of test",
    }  # fmt: skip


def test_without_a_model_one_is_made_on_the_cpu_and_required_on_gpus(ready):
    cpu = RunRequest(env=ENV, overrides=FEW[2:])
    assert of(command.results(cpu), "model")[0].status == OK
    gpus = RunRequest(env=ENV, gpus=8, overrides=FEW[2:])
    assert of(command.results(gpus), "model")[0].status == MISSING


@pytest.mark.parametrize(("offline", "status"), [(False, WARNING), (True, MISSING)])
def test_a_model_that_is_not_downloaded(ready, tmp_path, offline, status):
    ready.setattr(hub, "HF_HUB_CACHE", str(tmp_path))
    ready.setattr(hub, "HF_HUB_OFFLINE", offline)
    (found,) = of(results("Some/Other", gpus=8), "model")
    assert (found.status, "hf download Some/Other" in found.detail) == (status, True)


@pytest.mark.parametrize(
    ("changes", "name", "said"),
    [
        ({"env": "clinic/ClinGn-v0"}, "environment", "did you mean 'clinic/ClinGen-v0'"),
        ({"env": "nowhere:DOMAIN"}, "environment", "no module 'nowhere'"),
        ({"method": "grop"}, "config", "did you mean 'grpo'"),
        ({"overrides": ("clinic.lambda=1",)}, "config", "lambda"),
        ({"overrides": FEW[:2]}, "environment", "no split 'dev'"),
        (
            {"overrides": (*FEW, "data.max_prompt_length=10")},
            "prompts",
            "exceed data.max_prompt_length=10",
        ),
        ({"overrides": (*FEW, "data.max_response_length=9000")}, "positions", "9,900"),
    ],
)
def test_each_mistake_is_reported_once(ready, tiny_model, changes, name, said):
    missing = [one for one in results(tiny_model, **changes) if one.status == MISSING]
    assert {result.name for result in missing} == {name}
    assert said in str(missing[0])


def test_long_prompts_may_be_left_out(ready, tiny_model):
    overrides = (*FEW, "clinic.shortest=8", "clinic.overlong=skip")
    (found,) = of(results(tiny_model, overrides=overrides), "prompts of train")
    length = int(found.detail.split(" has ")[1].split(" of ")[0].replace(",", ""))
    overrides = (*overrides, f"data.max_prompt_length={length - 1}")
    (found,) = of(results(tiny_model, overrides=overrides), "prompts of train")
    assert found.status == WARNING
    assert "left out of the run" in found.detail


@pytest.mark.parametrize(
    ("changes", "gib", "status"),
    [
        ({}, 79.3, OK),
        ({}, 16.0, MISSING),
        ({"lora": 64}, 16.0, OK),
        ({"overrides": (*FEW, "actor_rollout_ref.model.lora_rank=64")}, 16.0, OK),
        ({"method": "ttopd"}, 20.0, MISSING),
        ({"method": "ttopd", "gpus": 4, "nodes": 4}, 20.0, OK),
    ],
)
def test_the_least_memory_of_a_gpu(ready, tiny_model, tmp_path, changes, gib, status):
    large = with_config(tiny_model, tmp_path / "large", **LARGE)
    ready.setattr(machine, "gpu_sizes", lambda: [gib] * 8)
    ready.setenv("RAY_ADDRESS", "auto")
    found = results(large, **{"gpus": 8, "method": "grpo", **changes})
    (memory,) = of(found, "GPU memory")
    assert memory.status == status, memory
    (disk,) = of(found, "disk")
    assert "GiB a checkpoint" in disk.detail


def test_a_micro_batch_smaller_than_a_trajectory(ready, tiny_model, tmp_path):
    large = with_config(tiny_model, tmp_path / "large", **LARGE)
    overrides = (*FEW, "actor_rollout_ref.actor.ppo_max_token_len_per_gpu=9000")
    found = of(results(large, gpus=8, overrides=overrides), "micro-batch")
    assert [one.status for one in found] == [MISSING, MISSING]
    assert "set it to 9092" in found[0].remedy


def test_a_run_that_cannot_start_names_all_that_is_missing(ready, tiny_model, tmp_path, capsys):
    from verl_recipes.config.compose import compose

    good = request(tiny_model)
    checks.require(checks.quick(good, compose(good)))
    (tmp_path / "bad").mkdir()
    bad = request(tmp_path / "bad", env="clinic/ClinGn-v0")
    with pytest.raises(ConfigError) as stopped:
        checks.require(checks.quick(bad, compose(bad)))
    assert "environment: " in str(stopped.value)
    assert "model: " in str(stopped.value)
    ready.setattr(
        pins, "check", lambda stack: iter([CheckResult("peft", WARNING, "1; expected 2")])
    )
    checks.require(checks.quick(good, compose(good)))
    assert "warning: peft: 1; expected 2" in capsys.readouterr().err


def test_without_hydra_the_check_still_reports(ready, tiny_model):
    ready.setitem(sys.modules, "hydra", None)
    ready.delitem(sys.modules, "verl_recipes.config.compose", raising=False)
    found = results(tiny_model)
    (config,) = of(found, "config")
    assert (config.status, "not checked" in config.detail) == (MISSING, True)
    assert of(found, "packages")


def test_an_inline_dialect_asks_nothing_of_the_templates_tools() -> None:
    prompts = importlib.import_module("verl_recipes.preflight.prompts")
    domain = importlib.import_module("rollout_domains")
    clinic = importlib.import_module("verl_recipes.settings").ClinicSettings()
    speaks = SimpleNamespace(chat_template="{{ messages }}")
    env = ClinicEnv("rollout_domains:INLINE")
    assert domain.INLINE.dialects["tags"].inline
    found = prompts._template(speaks, "inline", env, clinic)
    assert (found.status, found.remedy) == ("ok", "")
    mute = prompts._template(SimpleNamespace(chat_template=None), "inline", env, clinic)
    assert mute.status == "missing"
    assert "clinic.tools" not in mute.remedy + found.detail
