"""Runs the Python blocks of the page on knowledge bases."""

from __future__ import annotations

import json
import re

import pytest
from places import ROOT

from gym_clinic.cli import main
from gym_clinic.retrieval.passages.knowledge import KnowledgeBase
from gym_clinic.retrieval.serving.server import KnowledgeServer

PAGE = ROOT / "docs" / "knowledge.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
ADDRESS = "http://127.0.0.1:8377"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    row = {"id": "a", "title": "Infarction", "content": "Chest pain with raised troponin."}
    (tmp_path / "pubmed.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert main(["kb", "build", "pubmed.jsonl", "--out", "clinic.db"]) == 0
    return tmp_path


def run(block, capsys):
    exec(block, {"__name__": "page"})
    expected = "{'feaver': 'fever'}" if "read_query" in block else "<b>troponin</b>"
    assert expected in capsys.readouterr().out


@pytest.mark.parametrize("block", [block for block in BLOCKS if "KnowledgeClient" not in block])
def test_python_blocks_find_the_passage(folder, block, capsys):
    if "dense" in block:
        pytest.importorskip("faiss")
        assert main(["kb", "embed", "clinic.db", "--no-progress"]) == 0
    run(block, capsys)


def test_the_client_finds_it_too(folder, capsys):
    pytest.importorskip("uvicorn")
    (block,) = [block for block in BLOCKS if "KnowledgeClient" in block]
    with KnowledgeServer(KnowledgeBase("clinic.db"), port=0) as server:
        run(block.replace(ADDRESS, server.url), capsys)
