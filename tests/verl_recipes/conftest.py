"""A tiny tokenizer and a tiny model, made once a run and only where a test asks for them."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from gym_clinic import ClinicEnv
from verl_recipes.agent_loop.tokens import Tokens

DOMAINS = ("tiny_domain:INTERACTIONS", "tiny_domain:TRIAGE")


def _tiny() -> Any:
    for needed in ("torch", "transformers"):
        pytest.importorskip(needed)
    return importlib.import_module("verl_recipes.cpu.tiny")


def _texts() -> Iterator[str]:
    return chain.from_iterable(_tiny().corpus(ClinicEnv(name)) for name in DOMAINS)


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    """Let torch use one thread: two wait for one another where the machine is busy."""
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


@pytest.fixture(scope="session")
def tokenizer() -> Any:
    """A tokenizer with Qwen's special tokens, trained on two small domains."""
    return _tiny().train_tokenizer(_texts(), vocab=700, positions=4096)


@pytest.fixture(scope="session")
def tokens(tokenizer: Any) -> Tokens:
    """That tokenizer with verl's continuous-token builder of its family."""
    pytest.importorskip("verl")
    return Tokens(tokenizer, "qwen3")


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a Qwen3 model with random weights, and that tokenizer."""
    folder = tmp_path_factory.mktemp("model") / "tiny"
    made: Path = _tiny().build(folder, _texts(), seed=0, vocab=700, hidden=64, positions=4096)
    return made
