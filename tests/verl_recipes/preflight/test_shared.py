"""The folder that the nodes of a cluster must share."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from verl_recipes.preflight import checks, machine, shared
from verl_recipes.preflight.result import MISSING, OK
from verl_recipes.request import RunRequest

NODES = ("10.0.0.1 (aaaa)", "10.0.0.2 (bbbb)")


@pytest.fixture
def cluster(monkeypatch):
    """A cluster of two nodes; what the second one does not see is given by a test."""
    blind = []

    def ask(address, files):
        assert address == "10.0.0.1:6379"
        assert all(path.is_file() for path in files)  # the probe is there while it is asked
        missing = {str(path): f"no {path.name}" for path in files if path.parent in blind}
        first = dict.fromkeys(map(str, files))
        return {NODES[0]: first, NODES[1]: first | missing}

    monkeypatch.setattr(shared, "ask", ask)
    return blind


def test_nodes_that_share_a_folder(cluster, tmp_path):
    (found,) = shared.check("10.0.0.1:6379", tmp_path / "run", "Qwen/Qwen3-1.7B")
    assert str(found) == f"shared folder: 2 node(s) see the run's folder, {tmp_path / 'run'}"
    assert list((tmp_path / "run").iterdir()) == []  # no probe is left


def test_a_node_that_does_not_see_the_folder_is_named(cluster, tmp_path):
    cluster.append(tmp_path)
    (found,) = shared.check("10.0.0.1:6379", tmp_path, None)
    assert found.status == MISSING
    assert f"1 of 2 nodes do not see the run's folder, {tmp_path}: {NODES[1]}: no pro" in str(found)
    assert "name one on a disk that all nodes share: OUT=" in found.remedy


def test_a_model_in_a_folder_must_be_seen_too(cluster, tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text("{}")
    cluster.append(tmp_path / "model")
    folder, model = shared.check("10.0.0.1:6379", tmp_path / "run", str(tmp_path / "model"))
    assert (folder.status, model.status) == (OK, MISSING)
    assert f"nodes do not see the model, {tmp_path / 'model'}" in str(model)


def test_a_cluster_that_does_not_answer_is_no_ok(monkeypatch, tmp_path):
    done = subprocess.CompletedProcess([], 1, "", "Traceback\nConnectionError: no cluster")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    (found,) = shared.check("10.0.0.1:6379", tmp_path, None)
    assert found.status == MISSING
    assert "10.0.0.1:6379: ConnectionError: no cluster" in str(found)


@pytest.mark.parametrize(
    ("changes", "asked"),
    [
        ({"gpus": 8, "nodes": 2, "address": "10.0.0.1:6379"}, True),
        ({"gpus": 8, "address": "10.0.0.1:6379"}, True),  # its node may be another machine
        ({"gpus": 8}, False),
        ({"gpus": 8, "address": "local"}, False),
        ({}, False),
    ],
)
def test_it_is_asked_where_a_cluster_is_joined(monkeypatch, tmp_path, changes, asked):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr(machine, "ray", lambda *_: machine.CheckResult("Ray", OK, "answers"))
    looked = []
    monkeypatch.setattr(shared, "check", lambda *given: iter(looked.append(given) or ()))
    request = RunRequest(model="m", out=tmp_path, **changes)
    list(checks._shared(request))
    assert looked == ([("10.0.0.1:6379", tmp_path, "m")] if asked else [])


@pytest.mark.slow
def test_every_node_of_a_real_cluster_reads_the_probe(tmp_path):
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    nodes = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    try:
        nodes.add_node(num_cpus=1)
        nodes.wait_for_nodes()
        (found,) = shared.check(nodes.address, tmp_path, None)
        assert str(found) == f"shared folder: 2 node(s) see the run's folder, {tmp_path}"
        absent = Path(tmp_path / "nowhere")
        answers = shared.ask(nodes.address, [absent])
    finally:
        nodes.shutdown()
    assert len(answers) == 2
    assert all("No such file" in one[str(absent)] for one in answers.values())
    assert json.loads(json.dumps(answers)) == answers
