"""What is written into a trace: plain JSON, without secrets, by one run at a time."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from eval_runs import play

from gym_clinic import ConfigError
from gym_clinic.evaluate.trace import Journal, encode, plain, redact


def test_one_run_at_a_time_in_a_folder(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("needs file locks")
    with Journal(tmp_path, {}), pytest.raises(ConfigError, match="another process"):
        Journal(tmp_path, {})


def test_secrets_are_not_written(tmp_path: Path) -> None:
    options = {"path": "http://me:hunter2@host/v1", "every": 10**9}
    play("Flaky", tmp_path, policy_options=options)
    assert b"http://***@host/v1" in (tmp_path / "run.json").read_bytes()
    for path in tmp_path.iterdir():
        assert b"hunter2" not in path.read_bytes()
    assert redact({"api_key": "s", "api_key_env": "NAME", "max_tokens": 5, "key": None}) == {
        "api_key": "***", "api_key_env": "NAME", "max_tokens": 5, "key": None,
    }  # fmt: skip
    assert redact({"extra": [{"Authorization": "Bearer s"}]}) == {
        "extra": [{"Authorization": "***"}]
    }


def test_secrets_are_known_by_name_and_in_addresses() -> None:
    assert redact({"extra": {"apiKey": "s", "maxTokens": 5, "monkey": "m"}}) == {
        "extra": {"apiKey": "***", "maxTokens": 5, "monkey": "m"}
    }
    assert redact("http://host/v1?api_key=s&version=2") == "http://host/v1?api_key=***&version=***"
    assert redact("is a=b & c?d=e") == "is a=b & c?d=e"


def test_plain_converts_values_of_agents_and_domains() -> None:
    import datetime
    import enum

    import numpy as np
    from pydantic import BaseModel

    class Grade(enum.Enum):
        BAD = "bad"

    class Word(str, enum.Enum):
        ONE = "one"

    class Model(BaseModel):
        day: datetime.date

    deep: Any = 1
    for _ in range(3000):
        deep = [deep]
    assert b'"\xe2\x80\xa6"' in encode({"deep": deep})
    assert plain(
        {
            1: (float("nan"), float("inf"), 0.5),
            "grade": [Grade.BAD, Word.ONE, True],
            "set": {"b", "a"},
            "model": Model(day=datetime.date(2020, 1, 2)),
            "day": datetime.date(2020, 1, 2),
            "numpy": [np.float32(0.5), np.int64(3)],
        }
    ) == {
        "1": [None, None, 0.5],
        "grade": ["bad", "one", True],
        "set": ["a", "b"],
        "model": {"day": "2020-01-02"},
        "day": "2020-01-02",
        "numpy": [0.5, 3],
    }
    with pytest.raises(TypeError, match="object has no JSON form"):
        plain({"x": object()})
