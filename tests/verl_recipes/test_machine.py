"""What is said of a machine: interpreter, packages, GPUs, Ray, disks."""

from __future__ import annotations

import shutil
import socket
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from verl_recipes import machine, pins
from verl_recipes.findings import MISSING, OK, WARNING, Finding, required
from verl_recipes.machine import Gpu
from verl_recipes.memory import GIB

A100 = Gpu("NVIDIA A100-SXM4-80GB", 79.3, (8, 0))


def test_findings_are_lines_and_the_missing_ones_are_required():
    found = [Finding("a", OK, "there"), Finding("b", MISSING, "gone", "get it"),
             Finding("c", WARNING, "old", "renew it")]  # fmt: skip
    assert list(map(str, found)) == ["a: there", "b: gone; get it", "c: old; renew it"]
    assert required(found) == found[1:2]


def test_python_is_one_that_verl_supports(monkeypatch):
    here = sys.version_info[:2]
    monkeypatch.setattr(machine, "PYTHON", (here, (here[0], here[1] + 1)))
    assert machine.python().status == OK
    monkeypatch.setattr(machine, "PYTHON", ((3, 0), here))
    assert machine.python().status == MISSING


def test_packages_name_the_line_that_installs_them(monkeypatch):
    fine, vital, other, gone = (
        pins.State(pins.Pin(name, "==1", "why", vital=name == "vital"), found, verdict)
        for name, found, verdict in [
            ("fine", "1", "ok"), ("vital", "2", "other"),
            ("other", "3", "other"), ("gone", None, "missing"),
        ]
    )  # fmt: skip
    monkeypatch.setattr(pins, "survey", lambda world: [fine, vital, other, gone])
    found = list(machine.packages("gpu"))
    assert [(one.name, one.status) for one in found] == [
        ("vital", MISSING), ("other", WARNING), ("packages", MISSING), ("packages", OK),
    ]  # fmt: skip
    assert all(pins.INSTALL["gpu"] in one.remedy for one in found[:3])
    assert "gone ==1" in found[2].detail


TORCH = """
from collections import namedtuple
Found = namedtuple("Found", "name total_memory major minor")
class cuda:
    device_count = staticmethod(lambda: {count})
    get_device_properties = staticmethod(lambda i: Found("Tesla", 16 * 2**30, 7, 5))
"""


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """A folder whose modules child processes import before those installed."""
    folder = tmp_path / "modules"
    folder.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return folder


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """A folder of programs, the only ones to be found."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def nvidia_smi(folder, text, code=0):
    tool = folder / "nvidia-smi"
    tool.write_text(f"#!{sys.executable}\nprint({text!r})\nraise SystemExit({code})\n")
    tool.chmod(0o755)


def test_gpus_as_torch_sees_them(modules, programs):
    (modules / "torch.py").write_text(TORCH.format(count=2))
    found, told = machine.gpus()
    assert (found, told) == ([Gpu("Tesla", 16.0, (7, 5))] * 2, "torch")


def test_gpus_without_torch(modules, programs):
    (modules / "torch.py").write_text("raise ImportError('no torch')")
    nvidia_smi(programs, "NVIDIA A100-SXM4-80GB, 81920, 8.0")
    found, told = machine.gpus()
    assert found == [Gpu("NVIDIA A100-SXM4-80GB", 80.0, (8, 0))]
    assert "no torch" in told


def test_a_torch_that_sees_no_gpu_is_told_from_a_machine_without(modules, programs):
    (modules / "torch.py").write_text(TORCH.format(count=0))
    assert machine.gpus()[0] == []
    nvidia_smi(programs, "NVIDIA A100-SXM4-80GB, 81920, 8.0")
    found, told = machine.gpus()
    assert found == []
    assert "built for the CPU" in told
    nvidia_smi(programs, "driver mismatch", code=9)
    assert machine.gpus() == ([], "nvidia-smi fails: driver mismatch")


@pytest.mark.parametrize(
    ("found", "wanted", "expected"),
    [
        ([A100] * 8, 8, OK),
        ([A100] * 4, 8, MISSING),
        ([], 1, MISSING),
        ([A100, Gpu("Tesla V100", 32.0, (7, 0))], 2, MISSING),
    ],
)
def test_gpus_against_those_wanted(found, wanted, expected):
    assert machine.accelerators(found, "torch", wanted).status == expected


@pytest.fixture
def alone(tmp_path, monkeypatch):
    """No Ray is known on this machine."""
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def listening():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def test_without_an_address_a_local_ray_is_started(alone):
    assert machine.cluster(None, 8, 1).status == OK
    assert machine.cluster(None, 8, 2).status == MISSING


def test_a_ray_left_running_here_would_be_joined(alone, listening, modules):
    (alone / "ray").mkdir()
    (alone / "ray" / "ray_current_cluster").write_text(listening)
    found = machine.cluster(None, 0, 1)
    assert (found.status, "ray stop" in found.remedy) == (MISSING, True)
    assert listening in found.detail


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "nonsense"])
def test_an_address_that_nothing_answers_at(alone, address):
    assert machine.cluster(address, 8, 1).status == MISSING


RAY = """
def init(address, **options):
    assert address.startswith("127.0.0.1:"), address
def nodes():
    return {nodes!r}
"""
NODE = {"Alive": True, "Resources": {"GPU": 8.0, "CPU": 64.0}}


@pytest.mark.parametrize(
    ("nodes", "gpus", "wanted", "expected"),
    [
        ([NODE, NODE], 8, 2, OK),
        ([NODE, {**NODE, "Alive": False}], 8, 2, MISSING),
        ([NODE, {"Alive": True, "Resources": {"CPU": 64.0}}], 8, 2, MISSING),
        ([NODE, NODE], 16, 1, MISSING),
        ([{"Alive": True, "Resources": {"GPU": 8.0, "CPU": 8.0}}], 8, 1, MISSING),
    ],
)
def test_the_nodes_of_a_cluster(alone, listening, modules, nodes, gpus, wanted, expected):
    (modules / "ray.py").write_text(RAY.format(nodes=nodes))
    assert machine.cluster(listening, gpus, wanted).status == expected


REFUSING = """
class AuthenticationError(Exception):
    pass
def init(**options):
    try:
        raise {kind}("Version mismatch: Ray 2.60 and 2.9")
    except Exception as error:
        raise ConnectionError("Failed to connect") from error
"""


@pytest.mark.parametrize(
    ("kind", "detail", "remedy"),
    [
        ("RuntimeError", "Version mismatch", "the same Ray"),
        ("AuthenticationError", "asks for a token", "RAY_AUTH_MODE"),
    ],
)
def test_a_cluster_that_refuses_says_what_led_to_it(
    alone, listening, modules, kind, detail, remedy
):
    (modules / "ray.py").write_text(REFUSING.format(kind=kind))
    found = machine.cluster(listening, 1, 1)
    assert found.status == MISSING
    assert detail in found.detail
    assert remedy in found.remedy


HANGING = """
import pathlib, subprocess, sys, time
def init(**options):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    pathlib.Path({pid!r}).write_text(str(child.pid))
    time.sleep(600)
"""


def test_a_cluster_that_hangs_is_left_within_the_limit(
    alone, listening, modules, tmp_path, monkeypatch
):
    pid = tmp_path / "pid"
    (modules / "ray.py").write_text(HANGING.format(pid=str(pid)))
    monkeypatch.setattr(machine, "RAY_S", 3.0)
    found = machine.cluster(listening, 1, 1)
    assert (found.status, "does not answer" in found.detail) == (MISSING, True)
    state = Path(f"/proc/{pid.read_text()}/stat")
    assert not state.exists() or state.read_text().split()[2] == "Z"


Usage = namedtuple("Usage", "total used free")


@pytest.mark.parametrize(
    ("free", "size", "expected"),
    [(10, 2, OK), (5, 2, WARNING), (1, 2, MISSING), (1, None, OK)],
)
def test_room_for_checkpoints(tmp_path, monkeypatch, free, size, expected):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(0, 0, free * GIB))
    found = machine.disk(tmp_path / "runs" / "new", None if size is None else size * GIB)
    assert found.status == expected
    assert str(tmp_path) in found.detail
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("total", "gpus", "expected"),
    [(0.06, 0, WARNING), (2, 0, OK), (2, 8, WARNING), (64, 8, OK)],
)
def test_shared_memory(tmp_path, monkeypatch, total, gpus, expected):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(total * GIB, 0, 0))
    found = machine.shared_memory(gpus, tmp_path)
    assert found.status == expected
    assert ("--shm-size" in found.remedy) is (expected == WARNING)
    assert machine.shared_memory(gpus, tmp_path / "none").status == OK


def test_memory_of_the_host(monkeypatch):
    monkeypatch.setattr(machine, "HOST", 1e6)
    assert (machine.host(0).status, machine.host(8).status) == (WARNING, OK)
    monkeypatch.setattr(machine, "HOST", 0.0)
    assert machine.host(0).status == OK
