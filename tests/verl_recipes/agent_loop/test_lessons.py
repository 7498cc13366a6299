"""Recorded episodes as lessons: the tokens of a rollout, and nothing inserted is learned."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from gym_clinic import ConfigError
from gym_clinic.cli import main
from gym_clinic.errors import TaskError

pytest.importorskip("torch")
pytest.importorskip("verl")
hydra = pytest.importorskip("hydra")
sft_trainer = pytest.importorskip("verl.trainer.sft_trainer")
tiny = importlib.import_module("verl_recipes.cpu.tiny")
lessons = importlib.import_module("verl_recipes.agent_loop.lessons")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Episodes of the rules, of which some fail."""
    out = tmp_path_factory.mktemp("lessons") / "run"
    played = ["eval", "clinic/DxSearch-v0", "--policy", "rules", "--split", "dev", "--limit", "4"]
    assert main([*played, "--trials", "1", "--no-progress", "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="module")
def rows(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "trace.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def tokenizer(rows: list[dict[str, Any]]) -> Any:
    texts = [message["content"] for row in rows for message in row["messages"]]
    return tiny.train_tokenizer(texts, vocab=1_500, positions=16_384)


def compose(*overrides: str) -> Any:
    with hydra.initialize_config_module("verl_recipes.config", version_base=None):
        return hydra.compose(
            "sft_dxsearch", overrides=["data.lessons.model_type=qwen3", *overrides]
        )


def dataset(path: Path, tokenizer: Any, *overrides: str) -> Any:
    """Return what verl's trainer makes of the config."""
    data = compose("data.max_length=16000", *overrides).data
    return sft_trainer.create_sft_dataset([str(path)], data, tokenizer, None)


def learned(found: Any, tokenizer: Any, index: int) -> str:
    item = found[index]
    return str(tokenizer.decode(item["input_ids"][item["loss_mask"] == 1]))


def said(row: dict[str, Any]) -> list[str]:
    return [one["content"] for one in row["messages"] if one["role"] == "assistant"]


def test_what_the_agent_wrote_is_learned_and_nothing_else(
    run: Path, rows: list[dict[str, Any]], tokenizer: Any
) -> None:
    found = dataset(run, tokenizer)
    solved = [row for row in rows if row["success"]]
    assert type(found).__name__ == "RecordedLessons"
    assert 0 < len(found) == len(solved)
    assert found.left_out == len(rows) - len(solved)
    for index, row in enumerate(solved):
        assert learned(found, tokenizer, index) == "".join(said(row))
        item = found[index]
        whole = tokenizer.decode(item["input_ids"])
        assert row["messages"][1]["content"] in whole
        assert whole.count("Confirmed disease: [") == 20
        assert item["position_ids"].tolist() == list(range(len(item["input_ids"])))


def test_the_answer_at_once(run: Path, rows: list[dict[str, Any]], tokenizer: Any) -> None:
    found = dataset(run, tokenizer, "data.lessons.messages=last", "data.lessons.only_success=false")
    assert len(found) == len(rows)
    assert learned(found, tokenizer, 0) == said(rows[0])[-1]
    assert "Confirmed disease: [" not in tokenizer.decode(found[0]["input_ids"])


def test_a_changed_trace_is_refused(
    run: Path, rows: list[dict[str, Any]], tokenizer: Any, tmp_path: Path
) -> None:
    row = next(row for row in rows if row["success"])
    spoken = [one for one in row["messages"] if one["role"] == "assistant"]
    spoken[-1] = {**spoken[-1], "content": r"<reason>x</reason><diagnose>\textbf{X}</diagnose>"}
    changed = {**row, "messages": spoken}
    path = tmp_path / "trace.jsonl"
    path.write_text(json.dumps(changed))
    with pytest.raises(TaskError, match="line 1: the episode no longer plays as it was recorded"):
        dataset(path, tokenizer)[0]
    path.write_text(json.dumps({**row, "messages": spoken[:-1]}))
    with pytest.raises(TaskError, match="does not end within 16,000 tokens"):
        dataset(path, tokenizer)[0]
    path.write_text(json.dumps({**row, "success": False}))
    with pytest.raises(ConfigError, match=r"no lesson in .* 1 episodes were left out"):
        dataset(path, tokenizer)


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("data.lessons.messages=first", "data.lessons.messages: .* not 'first'"),
        ("+data.lessons.message=all", "data.lessons.message"),
        ("data.pad_mode=right", "set data.pad_mode=no_padding"),
    ],
)
def test_a_mistake_names_its_setting(run: Path, tokenizer: Any, override: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        dataset(run, tokenizer, override)
