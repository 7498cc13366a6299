"""The commands of docs/dxsearch.md that train, fine-tune and evaluate a checkpoint."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer
from places import ROOT

from gym_clinic.cli import main

PAGE = (ROOT / "docs" / "dxsearch.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## Training")[2].partition("\n## ")[0]
CONFIGS = ROOT / "verl_recipes" / "config"


def server_of(model: Any) -> Any:
    """Return what a server with a model does: stop at a stop string, and leave it out."""

    def reply(asked: dict[str, Any]) -> str:
        last = asked["messages"][-1]
        said = last["content"] if asked.get("continue_final_message") else ""
        written = str(model(said))
        ends = [written.find(stop) for stop in asked["stop"] if stop in written]
        return written[: min(ends)] if ends else written

    return reply


def model(said: str) -> str:
    """Continue a message: match, then answer the first reference; it writes on after a call."""
    found = re.search(r"Confirmed disease: \[(.*)\]", said)
    if found is None:
        return "<reason>a</reason><match>Fever, Cough</match><refer>made up</refer> and so on"
    return rf"<reason>b</reason><diagnose>\textbf{{{found[1]}}}</diagnose> the end"


def test_a_served_checkpoint_is_evaluated_by_the_command_of_the_page(
    chat_server: ChatServer, tmp_path: Path
) -> None:
    (command,) = re.findall(r"^gym-clinic eval clinic/DxSearch-v0 --policy chat .*$", SECTION, re.M)
    chat_server.script = [chat_server.answer_with(server_of(model))]
    words = shlex.split(command.replace("http://127.0.0.1:8000/v1", chat_server.url))[1:]
    words[words.index("--out") + 1] = str(tmp_path / "run")
    assert main([*words, "--limit", "3", "--no-progress"]) == 0
    rows = [json.loads(line) for line in (tmp_path / "run" / "trace.jsonl").open()]
    assert len(rows) == 3
    for row in rows:
        assert row["metrics"]["broken_rules"] == 0  # what it wrote after a call never came back
        assert row["metrics"]["match_steps"] == 1
        assert [call["name"] for call in row["calls"]] == ["match_patients", "submit_diagnoses"]
    opened = [asked for asked in chat_server.requests if "continue_final_message" not in asked]
    continued = [asked for asked in chat_server.requests if asked.get("continue_final_message")]
    assert len(opened) == len(continued) == 3
    for asked in continued:
        content = asked["messages"][-1]["content"]
        assert content.startswith("<reason>a</reason><match>Fever, Cough</match>")
        assert content.count("<refer>") == 1
        assert content.endswith("</refer>")
        assert asked["add_generation_prompt"] is False


def test_the_page_names_methods_and_settings_that_exist() -> None:
    methods = {path.stem for path in (CONFIGS / "method").glob("dxsearch*.yaml")}
    papers = {path.stem for path in (CONFIGS / "paper").glob("dxsearch_*.yaml")}
    assert set(re.findall(r"`(dxsearch(?:_no)?_[a-z_]+)`", SECTION)) == methods - {"dxsearch"}
    assert set(re.findall(r"`(dxsearch_[a-z]+\d+_\w+|dxsearch_baichuan\w+)`", SECTION)) == papers


@pytest.mark.parametrize("paper", sorted((CONFIGS / "paper").glob("dxsearch_*.yaml")))
def test_the_page_has_the_memory_of_each_backbone(paper: Path) -> None:
    said = " ".join(paper.read_text(encoding="utf-8").replace("\n#", " ").split())
    gpus, memory = re.findall(r"GPUs: (\d+) of 80 GB .*? together ([\d.]+) GiB", said)[0]
    (row,) = re.findall(rf"^\|.*`{paper.stem}`.*$", SECTION, re.M)
    assert f"| {gpus} x 80 GB | {memory} GiB |" in row
