"""Checks of a model: where it is, how large it is, whether its template can call tools."""

from __future__ import annotations

import importlib
import re

import pytest

from gym_clinic import ConfigError
from verl_recipes.agent_loop.environment import make_env
from verl_recipes.preflight import model
from verl_recipes.preflight.result import OK, WARNING

pytest.importorskip("torch")
pytest.importorskip("verl")
hub = pytest.importorskip("huggingface_hub.constants")
transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")
tiny = importlib.import_module("verl_recipes.cpu.tiny")


@pytest.fixture(scope="module")
def env():
    return make_env("tiny_domain:INTERACTIONS", {})


@pytest.fixture(scope="module")
def schemas(env):
    return env.toolbox.schemas()


def with_template(template):
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizers.Tokenizer(tokenizers.models.BPE()), chat_template=template
    )


def test_a_folder_with_a_config_is_a_model(tiny_model):
    assert model.locate(str(tiny_model)) == tiny_model
    assert model.config_of(tiny_model)["model_type"] == "qwen3"


def test_the_parameters_are_those_of_the_model(tiny_model):
    loaded = transformers.AutoModelForCausalLM.from_pretrained(tiny_model)
    assert model.parameters(tiny_model) == sum(one.numel() for one in loaded.parameters())


def test_a_name_is_looked_up_in_the_cache_and_never_downloaded(tmp_path, monkeypatch):
    monkeypatch.setattr(hub, "HF_HUB_CACHE", str(tmp_path))
    snapshot = tmp_path / "models--Some--Model" / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text("{}")
    (tmp_path / "models--Some--Model" / "refs").mkdir()
    (tmp_path / "models--Some--Model" / "refs" / "main").write_text("abc")
    assert model.locate("Some/Model") == snapshot
    with pytest.raises(model.NotDownloadedError, match="hf download Some/Other"):
        model.locate("Some/Other")
    monkeypatch.setattr(hub, "HF_HUB_OFFLINE", True)
    with pytest.raises(ConfigError, match="hf download") as raised:
        model.locate("Some/Other")
    assert not isinstance(raised.value, model.NotDownloadedError)


@pytest.mark.parametrize(
    ("name", "said"),
    [("{}", "holds no config.json"), ("{}/none", "no model's folder"), ("a b", "neither a folder")],
)
def test_an_unknown_model_name_is_reported(tmp_path, name, said):
    with pytest.raises(ConfigError, match=said):
        model.locate(name.format(tmp_path))


@pytest.mark.parametrize("text", ["{", "[]", "{}"])
def test_a_config_that_cannot_be_read(tmp_path, text):
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(ConfigError, match=r"config\.json"):
        model.config_of(tmp_path)


def test_a_folder_without_a_tokenizer(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "qwen3"}')
    with pytest.raises(ConfigError, match="has no tokenizer; expected"):
        model.tokenizer_of(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{")
    with pytest.raises(ConfigError, match="no tokenizer that can be read"):
        model.tokenizer_of(tmp_path)


def test_families_that_verl_knows():
    assert model.family("qwen3_5").status == OK
    assert model.family("unheard_of").status == WARNING


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
def test_template_faults_are_reported(schemas, template, said):
    fault = model.template_fault(with_template(template), schemas)
    if said is None:
        assert fault is None
    else:
        assert re.search(said, fault)


def test_without_tools_any_template_will_do():
    assert model.template_fault(with_template(SILENT), []) is None
    assert model.template_fault(with_template(None), []) is not None


# As Qwen3.5 writes a call: tags where the environment reads JSON.
TAGS = (
    TOOLS
    + """{% for m in messages %}{{ m.content }}{% for c in m.tool_calls or [] -%}
<tool_call><function={{ c.function.name }}>
{%- for k, v in c.function.arguments.items() %}<parameter={{ k }}>{{ v }}</parameter>{% endfor -%}
</function></tool_call>{% endfor %}{% endfor %}"""
)


def test_a_template_that_writes_calls_in_another_way(env, schemas):
    assert model.dialect_fault(with_template(tiny.TEMPLATE), schemas, env.dialect) is None
    assert model.template_fault(with_template(TAGS), schemas) is None
    assert "does not read" in model.dialect_fault(with_template(TAGS), schemas, env.dialect)
    assert model.dialect_fault(with_template(SILENT), [], env.dialect) is None
