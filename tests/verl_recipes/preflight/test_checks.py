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
FEW = (
    "clinic.shortest=3",
    "data.max_prompt_length=900",
    "data.val_files=test",
    "data.train_batch_size=2",
)


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


@pytest.mark.parametrize(("gpus", "nodes", "status"), [(2, 1, MISSING), (4, 2, OK), (8, 1, OK)])
def test_a_run_is_resumed_with_as_many_gpus(ready, tmp_path, gpus, nodes, status):
    actor = tmp_path / "checkpoints" / "global_step_7" / "actor"
    actor.mkdir(parents=True)
    (actor / "model_world_size_8_rank_0.pt").write_text("")
    (tmp_path / "checkpoints" / "latest_checkpointed_iteration.txt").write_text("7")
    ready.setenv("RAY_ADDRESS", "local")
    found = of(results("m", gpus=gpus, nodes=nodes, out=tmp_path, resume=True), "checkpoint")
    assert [one.status for one in found] == ([] if status == OK else [MISSING])
    assert all("shards of 8 ranks, the run 2; resume with" in str(one) for one in found)


def test_fewer_rows_than_a_batch_are_refused(ready, tiny_model):
    (found,) = of(results(tiny_model, overrides=(*FEW, "data.train_batch_size=4")), "batch")
    assert str(found) == "batch: 3 rows to train on; data.train_batch_size is 4; lower it"


@pytest.mark.parametrize(
    ("second", "name", "said"),
    [
        ("env_kwargs: {text_budget: 99999}", "prompts of train", "has"),
        ("split: test", "prompts of test", "has"),
        ("weights: {}", None, None),
    ],
)
def test_the_prompts_of_a_stage_with_rows_of_its_own_are_read(
    ready, tiny_model, second, name, said
):
    before = [str(one) for one in results(tiny_model) if one.name.startswith("prompts of")]
    listed = f"clinic.stages=[{{name: a, steps: 1}}, {{name: b, steps: 1, {second}}}]"
    after = list(results(tiny_model, overrides=(*FEW, listed)))
    assert [one for one in after if one.status == MISSING] == []
    read = [one for one in after if one.name.startswith("prompts of")]
    assert [one.name for one in read[len(before) :]] == ([name] if name else [])


def test_a_prompt_that_is_too_long_names_its_stage(ready, tiny_model):
    from verl_recipes.agent_loop import rows
    from verl_recipes.agent_loop.environment import PromptLengthError

    real = rows.ClinicRows

    def made(split, tokenizer, data, *rest, **more):
        if "text_budget" in str(data.clinic.envs):
            raise PromptLengthError("task 'x' is too long")
        return real(split, tokenizer, data, *rest, **more)

    ready.setattr(rows, "ClinicRows", made)
    second = "{name: b, steps: 1, env_kwargs: {text_budget: 99999}}"
    found = results(
        tiny_model, overrides=(*FEW, f"clinic.stages=[{{name: a, steps: 1}}, {second}]")
    )
    (said,) = (str(one) for one in found if one.status == MISSING)
    assert said == "prompts: clinic.stages: b: task 'x' is too long"


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


def test_a_teacher_needs_a_tail_of_the_vocabulary(ready, tiny_model):
    vocabulary = json.loads((tiny_model / "config.json").read_text())["vocab_size"]
    tail = (*FEW, "clinic.teacher.estimator=topk_tail")
    for k, status in ((vocabulary - 1, []), (vocabulary, [MISSING])):
        overrides = (*tail, f"clinic.teacher.k={k}")
        found = of(results(tiny_model, method="ttopd", overrides=overrides), "teacher")
        assert [one.status for one in found] == status


def test_a_model_that_the_cpu_cannot_sample_from(ready, tiny_model, tmp_path):
    own = json.loads((tiny_model / "config.json").read_text())
    sliding = {"use_sliding_window": True, "sliding_window": 64, "max_window_layers": 0}
    own.pop("layer_types", None)
    folder = with_config(tiny_model, tmp_path / "sliding", **{**own, **sliding})
    (said,) = (str(one) for one in of(results(folder), "model") if one.status == MISSING)
    assert "rollouts on the CPU need full attention; name a model like Qwen3" in said
    assert of(results(tiny_model), "model")[-1].status == OK


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
