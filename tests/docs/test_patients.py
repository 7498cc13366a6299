"""Runs the Python blocks of the page on patients and graphs, and reads its examples."""

from __future__ import annotations

import json
import re

import pytest
from places import ROOT

from gym_clinic.importers.graphs.csv import read_graph
from gym_clinic.importers.patients.cases import read_cases

PAGE = (ROOT / "docs" / "patients.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("body", re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S))
def test_python_blocks_run_and_print(body, capsys):
    exec(body, {"__name__": "page"})
    assert len(capsys.readouterr().out.splitlines()) >= 3


def test_the_case_shown_is_a_case(tmp_path):
    (shown,) = re.findall(r"^```json\n(.*?)^```$", PAGE, re.M | re.S)
    (tmp_path / "cases.jsonl").write_text(json.dumps(json.loads(shown)) + "\n")
    (case,) = read_cases(tmp_path / "cases.jsonl")
    assert case.sex == "female"


def test_the_tables_shown_are_a_graph(tmp_path):
    (shown,) = re.findall(r"^```\n(id,kind.*?)^```$", PAGE, re.M | re.S)
    columns = zip(*(re.split(r" {2,}", line) for line in shown.splitlines()), strict=True)
    nodes, relations = (list(column) for column in columns)
    nodes.append("pulmonology,discipline,Pulmonology,")
    for name, lines in (("nodes", nodes), ("relations", relations)):
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    graph = read_graph(tmp_path / "nodes.csv", tmp_path / "relations.csv")
    assert graph.degree("pneumonia") == 2
