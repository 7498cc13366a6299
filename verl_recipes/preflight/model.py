"""Checks of a model: whether it is here, how large it is, whether its template can call tools.

Checks download nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gym_clinic import ConfigError
from gym_clinic.action import Dialect
from verl_recipes.preflight.result import OK, WARNING, CheckResult

CONFIG = "config.json"

VOCABULARIES = ("tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt")
"""Files of which a tokenizer has one; without any, transformers makes an empty one."""

_ANSWER = "answer-8c41"
_OPENING = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello."}]


class NotDownloadedError(ConfigError):
    """A model that is not in the cache; a run would download it first."""


def locate(name: str) -> Path:
    """Return the folder of a model: the one named, or the one in Hugging Face's cache.

    Raises:
        ConfigError: If the name cannot be a model's.
        NotDownloadedError: If it is not in the cache; the error says how to download it.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        if (folder / CONFIG).is_file():
            return folder
        raise ConfigError(f"the folder {folder} holds no {CONFIG}; name a model's folder")
    if folder.exists() or folder.is_absolute() or name.startswith((".", "~")):
        raise ConfigError(f"no model's folder at {folder}")
    try:
        from huggingface_hub import constants, try_to_load_from_cache
        from huggingface_hub.errors import HFValidationError
    except ImportError as error:
        raise ConfigError(f"{name!r} is no folder, and huggingface_hub is not installed") from error
    try:
        found = try_to_load_from_cache(name, CONFIG)
    except HFValidationError as error:
        raise ConfigError(f"{name!r} is neither a folder nor a model's name: {error}") from error
    if not isinstance(found, str):
        kind = ConfigError if constants.HF_HUB_OFFLINE else NotDownloadedError
        raise kind(
            f"no folder {name!r} here, and no such model in {constants.HF_HUB_CACHE}; "
            f"download it with: hf download {name}"
        )
    return Path(found).parent


def config_of(folder: Path) -> dict[str, Any]:
    """Return a model's config as plain data; a ConfigError if it cannot be read."""
    path = folder / CONFIG
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error
    if not isinstance(read, dict) or not isinstance(read.get("model_type"), str):
        raise ConfigError(f"{path} names no model_type")
    return read


def type_of(name: str) -> str:
    """Return the type of a named model, which chooses how text becomes tokens.

    Its config is downloaded if it is not here; a ConfigError if there is no such model.
    """
    from transformers import AutoConfig

    try:
        return str(AutoConfig.from_pretrained(name).model_type)
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"no model {name!r}: {str(error).splitlines()[0]}; give a folder that holds a "
            f"config.json, or a name that transformers can load"
        ) from error


def tokenizer_of(folder: Path) -> Any:
    """Return a model's tokenizer; a ConfigError if it cannot be read."""
    from transformers import AutoTokenizer

    if not any((folder / name).is_file() for name in VOCABULARIES):
        raise ConfigError(f"{folder} has no tokenizer; expected one of {', '.join(VOCABULARIES)}")
    try:
        return AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise ConfigError(f"{folder} has no tokenizer that can be read: {error}") from error


def parameters(folder: Path) -> int:
    """Return the parameters of a model, counted without memory for its weights.

    Raises:
        ConfigError: If transformers has no model of this config.
    """
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForImageTextToText

    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True)
        images = getattr(config, "vision_config", None) is not None
        kind = AutoModelForImageTextToText if images else AutoModelForCausalLM
        with torch.device("meta"):
            return sum(one.numel() for one in kind.from_config(config).parameters())
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise ConfigError(f"{folder}: transformers makes no model of it: {error}") from error


def attention_fault(folder: Path) -> str | None:
    """Return why the sampler of the CPU cannot read with a model, None if it can.

    Raises:
        ConfigError: If transformers knows no model of this config.
    """
    from transformers import AutoConfig
    from transformers.cache_utils import DynamicCache, DynamicLayer

    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        raise ConfigError(f"{folder}: transformers makes no model of it: {error}") from error
    kinds = {type(layer) for layer in DynamicCache(config=config).layers} - {DynamicLayer}
    if not kinds:
        return None
    names = ", ".join(sorted(kind.__name__ for kind in kinds))
    return (
        f"model type {config.model_type!r} keeps {names}; rollouts on the CPU need full attention"
    )


def family(model_type: str) -> CheckResult:
    """Check that verl knows how a family of models closes a message."""
    from verl.utils.tokenizer.continuous_token_wiring import (
        ContinuousTokenModelFamily,
        infer_continuous_token_model_family,
    )

    found = infer_continuous_token_model_family(hf_model_type=model_type)
    if found == ContinuousTokenModelFamily.DEFAULT:
        detail = f"verl has no token builder of its own for model_type {model_type!r}"
        return CheckResult(
            "family", WARNING, detail, "compare a rollout's text with the template's"
        )
    return CheckResult("family", OK, f"model_type {model_type}, tokens as {found}")


def template_fault(tokenizer: Any, schemas: Sequence[Mapping[str, Any]]) -> str | None:
    """Return why a model's chat template cannot carry a conversation with tools, None if it can.

    Without schemas of tools, having a template is enough.
    """
    if not getattr(tokenizer, "chat_template", None):
        return "it has no chat template"
    if not schemas:
        return None
    from jinja2 import TemplateError

    names = [str(schema["function"]["name"]) for schema in schemas]
    try:
        shown = _render(tokenizer, _OPENING, schemas)
        hidden = [name for name in names if name not in shown]
        if hidden:
            return f"its chat template does not show the tools it is given ({', '.join(hidden)})"
        answered = [*_OPENING, _call(schemas[0]), _answer(schemas[0])]
        if _ANSWER not in _render(tokenizer, answered, schemas):
            return "its chat template drops the answers of tools"
    except (TemplateError, ValueError, TypeError, KeyError) as error:
        return f"its chat template fails on tools ({type(error).__name__}: {error})"
    return None


def dialect_fault(
    tokenizer: Any, schemas: Sequence[Mapping[str, Any]], dialect: Dialect
) -> str | None:
    """Return how the template's way to write a call differs from the environment's, None if not.

    Of a tokenizer in whose template :func:`template_fault` finds no fault.
    """
    if not schemas:
        return None
    before = _render(tokenizer, _OPENING, schemas)
    written = _render(tokenizer, [*_OPENING, _call(schemas[0])], schemas, generate=False)
    text = written[len(before) :] if written.startswith(before) else written
    wanted = _call(schemas[0])["tool_calls"][0]["function"]
    read = [(one.name, one.arguments) for one in dialect.parse(text).requests if not one.fault]
    if (wanted["name"], wanted["arguments"]) in read:
        return None
    return f"its chat template writes calls that the dialect {dialect.name!r} does not read"


def _call(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message that calls a tool with one argument."""
    function = schema["function"]
    properties = function.get("parameters", {}).get("properties", {})
    arguments = {next(iter(properties), "text"): "value-31d7"}
    made = {"name": function["name"], "arguments": arguments}
    return {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "call00001", "type": "function", "function": made}],
    }


def _answer(schema: Mapping[str, Any]) -> dict[str, Any]:
    name = schema["function"]["name"]
    return {"role": "tool", "tool_call_id": "call00001", "name": name, "content": _ANSWER}


def _render(
    tokenizer: Any,
    messages: Sequence[Mapping[str, Any]],
    schemas: Sequence[Mapping[str, Any]],
    *,
    generate: bool = True,
) -> str:
    return str(
        tokenizer.apply_chat_template(
            [dict(message) for message in messages],
            tools=[dict(schema) for schema in schemas],
            tokenize=False,
            add_generation_prompt=generate,
        )
    )
