"""What ``make cluster-check`` says of a model, an environment, a config and a GPU's memory."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import sys

import pytest

from gym_clinic import ConfigError
from verl_recipes import check, machine, memory, pins, pretrained
from verl_recipes.check import Asked, Check, longest_prompt, template_fault
from verl_recipes.findings import MISSING, OK, WARNING
from verl_recipes.machine import Gpu
from verl_recipes.trajectory import make_env

torch = pytest.importorskip("torch")
pytest.importorskip("verl")
hub = pytest.importorskip("huggingface_hub.constants")
transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")
tiny = importlib.import_module("verl_recipes.cpu.tiny")

NINE = {
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


@pytest.fixture(scope="module")
def env():
    return make_env("clinic/ClinGen-v0", {"split": "dev"})


@pytest.fixture(scope="module")
def schemas(env):
    return env.toolbox.schemas()


@pytest.fixture(scope="module")
def model(env, tmp_path_factory):
    """A whole, tiny model whose tokenizer knows little."""
    folder = tmp_path_factory.mktemp("models") / "tiny"
    texts = list(tiny.corpus(env, most=5))
    return tiny.build(folder, texts, seed=0, vocab=600, hidden=64, layers=1, positions=9000)


def saying(template):
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizers.Tokenizer(tokenizers.models.BPE()), chat_template=template
    )


def of(findings, name):
    return [finding for finding in findings if finding.name == name]


def test_a_folder_with_a_config_is_a_model(model):
    assert pretrained.locate(str(model)) == model
    assert pretrained.config_of(model)["model_type"] == "qwen3"


def test_a_name_is_looked_up_in_the_cache_and_never_downloaded(tmp_path, monkeypatch):
    monkeypatch.setattr(hub, "HF_HUB_CACHE", str(tmp_path))
    snapshot = tmp_path / "models--Some--Model" / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text("{}")
    (tmp_path / "models--Some--Model" / "refs").mkdir()
    (tmp_path / "models--Some--Model" / "refs" / "main").write_text("abc")
    assert pretrained.locate("Some/Model") == snapshot
    with pytest.raises(pretrained.NotDownloadedError, match="hf download Some/Other"):
        pretrained.locate("Some/Other")
    monkeypatch.setattr(hub, "HF_HUB_OFFLINE", True)
    with pytest.raises(ConfigError, match="hf download") as raised:
        pretrained.locate("Some/Other")
    assert not isinstance(raised.value, pretrained.NotDownloadedError)


@pytest.mark.parametrize(
    ("name", "said"),
    [("{}", "holds no config.json"), ("{}/none", "no model's folder"), ("a b", "neither a folder")],
)
def test_what_names_no_model(tmp_path, name, said):
    with pytest.raises(ConfigError, match=said):
        pretrained.locate(name.format(tmp_path))


@pytest.mark.parametrize("text", ["{", "[]", "{}"])
def test_a_config_that_cannot_be_read(tmp_path, text):
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(ConfigError, match=r"config\.json"):
        pretrained.config_of(tmp_path)


def test_a_folder_without_a_tokenizer(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "qwen3"}')
    with pytest.raises(ConfigError, match="has no tokenizer; expected"):
        pretrained.tokenizer_of(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{")
    with pytest.raises(ConfigError, match="no tokenizer that can be read"):
        pretrained.tokenizer_of(tmp_path)


def test_weights_are_whole(model, tmp_path):
    assert pretrained.weights(model).status == OK
    assert pretrained.weights(tmp_path).status == MISSING
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"a": "one", "b": "two", "c": "two"}}))
    (tmp_path / "one").touch()
    assert "1 of 2 files" in pretrained.weights(tmp_path).detail
    (tmp_path / "two").touch()
    assert pretrained.weights(tmp_path).status == OK
    index.write_text("{")
    assert pretrained.weights(tmp_path).status == MISSING


def test_families_that_verl_knows():
    assert pretrained.family("qwen3_5").status == OK
    assert pretrained.family("unheard_of").status == WARNING


SILENT = "{% for m in messages %}{{ m.content }}{% endfor %}"
TOOLS = "{% for t in tools %}{{ t.function.name }} {% endfor %}"
DEAF = TOOLS + "{% for m in messages if m.role != 'tool' %}{{ m.content }}{% endfor %}"
STRICT = TOOLS + "{% for m in messages %}{% if m.role == 'tool' %}{{ raise_exception('no tools') }}"
STRICT += "{% endif %}{% endfor %}"


@pytest.mark.parametrize(
    ("template", "said"),
    [
        (tiny.TEMPLATE, None),
        (TOOLS + SILENT, None),
        (None, "has no chat template"),
        (SILENT, "does not show the tools"),
        ("{{ tools[0].function.name }}" + SILENT, "does not show the tools"),
        (DEAF, "drops the answers"),
        (STRICT, "fails on tools .*no tools"),
        ("{% for", "fails on tools"),
    ],
)
def test_templates_that_cannot_call_tools(schemas, template, said):
    fault = template_fault(saying(template), schemas)
    if said is None:
        assert fault is None
    else:
        assert re.search(said, fault)


def test_without_tools_any_template_will_do():
    assert template_fault(saying(SILENT), []) is None
    assert template_fault(saying(None), []) is not None


# As Qwen3.5 writes a call: tags where the environment reads JSON.
TAGS = (
    TOOLS
    + """{% for m in messages %}{{ m.content }}{% for c in m.tool_calls or [] -%}
<tool_call><function={{ c.function.name }}>
{%- for k, v in c.function.arguments.items() %}<parameter={{ k }}>{{ v }}</parameter>{% endfor -%}
</function></tool_call>{% endfor %}{% endfor %}"""
)


def test_a_template_that_writes_calls_in_another_way(env, schemas):
    assert pretrained.dialect_fault(saying(tiny.TEMPLATE), schemas, env.dialect) is None
    assert template_fault(saying(TAGS), schemas) is None
    assert "does not read" in pretrained.dialect_fault(saying(TAGS), schemas, env.dialect)
    assert pretrained.dialect_fault(saying(SILENT), [], env.dialect) is None


class Words:
    """Tokens that are words."""

    native = True

    def prompt(self, messages, tools):
        return [word for message in messages for word in message["content"].split()]


def test_the_longest_prompt_is_named(env):
    lengths = {}
    for task in env.tasks[:6]:
        _, info = env.reset(options={"task_id": task.id})
        lengths[task.id] = len(Words().prompt(info["messages"], []))
    found = longest_prompt(env, Words(), env.tasks[:6])
    assert found == (max(lengths, key=lengths.get), max(lengths.values()), 6)
    assert longest_prompt(env, Words()).tasks == len(env.tasks)


@pytest.fixture
def whole(monkeypatch, tmp_path):
    """A machine on which nothing is missing but what a test takes away."""
    fine = pins.State(pins.Pin("everything", "==1", "why"), "1", "ok")
    monkeypatch.setattr(pins, "survey", lambda world: [fine])
    monkeypatch.setattr(machine, "gpus", lambda: ([Gpu("A100", 79.3, (8, 0))] * 8, "torch"))
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(total=2**50, free=2**50))
    return monkeypatch


FEW = ("clinic.shortest=3", "data.max_prompt_length=7000")


def asked(model, **changes):
    return Asked(model=str(model), **{"overrides": FEW, **changes})


def test_a_machine_on_which_nothing_is_missing(whole, model, capsys):
    assert check.main(["--model", str(model), *FEW]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "nothing is missing"
    assert {line.split()[0] for line in lines[:-1]} <= {"ok", "warning"}
    named = {line[9:].split(":")[0] for line in lines[:-1]}
    assert {
        "python", "packages", "GPUs", "Ray", "config", "environment", "model", "weights", "family",
        "chat template", "host", "disk", "shared memory", "prompts of train", "prompts of dev",
    } == named  # fmt: skip


def test_without_a_model_one_is_made_on_the_cpu_and_wanted_on_gpus(whole):
    assert of(Check(Asked()).quick(), "model")[0].status == OK
    assert of(Check(Asked(gpus=8)).quick(), "model")[0].status == MISSING


@pytest.mark.parametrize(("offline", "expected"), [(False, WARNING), (True, MISSING)])
def test_a_model_that_is_not_downloaded(whole, tmp_path, offline, expected):
    whole.setattr(hub, "HF_HUB_CACHE", str(tmp_path))
    whole.setattr(hub, "HF_HUB_OFFLINE", offline)
    found = list(Check(asked("Some/Other", gpus=8)).all())
    (told,) = of(found, "model")
    assert (told.status, "hf download Some/Other" in told.detail) == (expected, True)


@pytest.mark.parametrize(
    ("changes", "name", "said"),
    [
        ({"env": "clinic/ClinGn-v0"}, "environment", "did you mean 'clinic/ClinGen-v0'"),
        ({"env": "nowhere:DOMAIN"}, "environment", "no module 'nowhere'"),
        ({"method": "grop"}, "config", "did you mean 'grpo'"),
        ({"overrides": ("clinic.lambda=1",)}, "config", "lambda"),
        (
            {"overrides": (*FEW, "data.max_prompt_length=100")},
            "prompts of train",
            "of task 'clingen",
        ),
        ({"overrides": (*FEW, "data.max_response_length=9000")}, "positions", "9,000"),
    ],
)
def test_what_is_wrong_is_said_once(whole, model, changes, name, said):
    missing = [f for f in Check(asked(model, **changes)).all() if f.status == MISSING]
    assert {finding.name for finding in missing} - {"prompts of dev"} == {name}
    assert said in str(missing[0])


def test_long_prompts_may_be_skipped(whole, model):
    overrides = (*FEW, "data.max_prompt_length=100", "clinic.overlong=skip")
    found = of(Check(asked(model, overrides=overrides)).all(), "prompts of train")
    assert [one.status for one in found] == [WARNING]


def test_a_third_partys_domain_is_found(whole, model):
    there = (*FEW, "data.val_files=test")
    found = list(Check(asked(model, env="tiny_domain:INTERACTIONS", overrides=there)).all())
    assert not [finding for finding in found if finding.status == MISSING]
    assert "tasks of split test" in of(found, "environment")[0].detail
    (gone,) = of(Check(asked(model, env="tiny_domain:INTERACTIONS")).quick(), "environment")
    assert "no split 'dev'" in gone.detail


def copied(model, folder, **config):
    shutil.copytree(model, folder)
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def test_a_large_model_against_eight_gpus(whole, model, tmp_path, capsys):
    nine = copied(model, tmp_path / "nine", **NINE)
    arguments = ["--model", str(nine), "--gpus", "8", "--lora", "64", "clinic.shortest=3"]
    assert check.main(arguments) == 0
    shown = capsys.readouterr().out
    assert "TT-OPD over GRPO" in shown
    assert "LoRA of rank 64, 20,480 tokens" in shown
    assert "within the target of 3 GiB" in shown


@pytest.mark.parametrize(("gib", "expected"), [(79.3, OK), (39.0, WARNING), (24.0, MISSING)])
def test_whether_it_fits(whole, model, tmp_path, gib, expected):
    nine = copied(model, tmp_path / "nine", **NINE)
    whole.setattr(machine, "gpus", lambda: ([Gpu("some", gib, (8, 0))] * 8, "torch"))
    overrides = (*FEW, "actor_rollout_ref.rollout.gpu_memory_utilization=0.2")
    looked = Check(asked(nine, gpus=8, overrides=overrides, method="grpo"))
    (found,) = of(looked.all(), "GPU memory")
    assert found.status == expected, found
    needed = looked.estimate.demands(looked.estimate.grpo, gib)
    assert f"{max(needed.values()):.1f}" in found.detail


def test_a_micro_batch_smaller_than_a_trajectory(whole, model, tmp_path):
    nine = copied(model, tmp_path / "nine", **NINE)
    overrides = (*FEW, "actor_rollout_ref.actor.ppo_max_token_len_per_gpu=10000")
    found = of(Check(asked(nine, gpus=8, overrides=overrides)).quick(), "micro-batch")
    assert [one.status for one in found] == [MISSING, MISSING]
    assert "set it to 15192" in found[0].remedy


def test_a_model_with_experts_gets_a_warning_and_no_estimate(whole, model, tmp_path, capsys):
    moe = copied(model, tmp_path / "moe", **NINE, num_experts=128)
    looked = Check(asked(moe, gpus=8))
    assert of(looked.quick(), "model")[0].status == WARNING
    check.main(["--model", str(moe), "--gpus", "8", *FEW])
    assert "GRPO" not in capsys.readouterr().out


def test_a_run_that_cannot_start_names_all_that_is_missing(whole, model, tmp_path, capsys):
    check.before_run(asked(model))
    (tmp_path / "bad").mkdir()
    with pytest.raises(ConfigError) as stopped:
        check.before_run(asked(tmp_path / "bad", env="clinic/ClinGn-v0"))
    assert "environment: " in str(stopped.value)
    assert "model: " in str(stopped.value)
    whole.setattr(machine, "HOST", 1e6)
    check.before_run(asked(model))
    assert "warning: host: " in capsys.readouterr().err


def test_without_the_packages_the_check_still_speaks(whole, model, monkeypatch):
    monkeypatch.setitem(sys.modules, "hydra", None)
    monkeypatch.delitem(sys.modules, "verl_recipes.compose", raising=False)
    found = list(Check(asked(model)).all())
    (config,) = of(found, "config")
    assert (config.status, "not checked" in config.detail) == (MISSING, True)
    assert not of(found, "prompts of train")


def test_the_estimate_follows_the_config(whole, model, tmp_path):
    nine = copied(model, tmp_path / "nine", **NINE)
    overrides = (
        "actor_rollout_ref.actor.use_dynamic_bsz=false",
        "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2",
        "actor_rollout_ref.rollout.temperature=0.8",
        "actor_rollout_ref.ref.fsdp_config.param_offload=true",
        "clinic.teacher.chunk=256",
    )
    setting = Check(asked(nine, gpus=8, nodes=2, lora=8, overrides=overrides)).estimate.setting
    assert setting == memory.Setting(
        gpus=16, tokens=2 * 16384, lora=8, temperature=0.8, chunk=256, offload=True, rollout=0.5
    )
