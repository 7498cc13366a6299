"""Checks of the machine: GPUs, memory, Ray's address, disk."""

from __future__ import annotations

import shutil
import socket
from collections import namedtuple
from pathlib import Path

import pytest

from verl_recipes.preflight import machine
from verl_recipes.preflight.machine import GIB
from verl_recipes.preflight.result import MISSING, OK, WARNING

TORCH = """
from collections import namedtuple
Found = namedtuple("Found", "total_memory")
class cuda:
    device_count = staticmethod(lambda: 2)
    get_device_properties = staticmethod(lambda i: Found((16 + i) * 2**30))
"""


@pytest.fixture
def torch_here(tmp_path, monkeypatch):
    """A file that child processes import as torch."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path / "torch.py"


def test_gpus_are_those_that_torch_sees(torch_here):
    torch_here.write_text(TORCH)
    assert machine.gpu_sizes() == [16.0, 17.0]
    torch_here.write_text("raise ImportError('no driver')")
    with pytest.raises(OSError, match="torch does not start: ImportError: no driver"):
        machine.gpu_sizes()


def test_a_failing_gpu_driver_is_reported(torch_here, monkeypatch):
    torch_here.write_text("import time; time.sleep(60)")
    monkeypatch.setattr(machine, "GPU_S", 0.2)
    with pytest.raises(OSError, match="does not answer"):
        machine.gpu_sizes()


@pytest.mark.parametrize(
    ("sizes", "status", "said"),
    [([80.0] * 8, OK, "8 of 80"), ([80.0] * 4, MISSING, "GPUS=4"), ([], MISSING, "GPUS=0")],
)
def test_gpus_against_the_number_wanted(sizes, status, said):
    found = machine.gpus(sizes, 8)
    assert (found.status, said in str(found)) == (status, True)


def system(folder, kib=30 * 2**20, group="", files=None):
    """A folder like /proc and one like /sys/fs/cgroup, as arguments of ``machine.memory``."""
    proc, cgroups = folder / "proc", folder / "cgroup"
    (proc / "self").mkdir(parents=True)
    (proc / "meminfo").write_text(
        f"MemTotal:  25000000 kB\nMemAvailable:   {kib} kB\nHugePages_Total: 0\n"
    )
    (proc / "self" / "cgroup").write_text(group)
    for name, text in (files or {}).items():
        (cgroups / name).parent.mkdir(parents=True, exist_ok=True)
        (cgroups / name).write_text(text)
    return proc, cgroups


@pytest.mark.parametrize(("kib", "status"), [(8 * 2**20, OK), (5 * 2**20, WARNING)])
def test_memory_that_a_run_needs(tmp_path, kib, status):
    found = machine.memory(*system(tmp_path, kib))
    assert found.status == status
    assert f"{kib / 2**20:.1f} GiB available" in found.detail
    assert machine.memory(tmp_path / "none").status == OK


V2 = {"memory.max": str(5 * 2**30), "memory.current": str(2**31), "memory.stat": "inactive_file 0"}
V1 = {
    "memory/job/memory.limit_in_bytes": str(5 * 2**30),
    "memory/job/memory.usage_in_bytes": str(2**31),
    "memory/job/memory.stat": f"cache 1\ninactive_file {2**30}",
}


@pytest.mark.parametrize(
    ("group", "files", "left"),
    [
        ("0::/", V2, 3.0),
        ("0::/job/step", V2, 3.0),  # the limit of a group above
        ("0::/", V2 | {"memory.max": "max\n"}, 30.0),
        ("7:cpu:/other\n4:memory:/job\n0::/", V1, 4.0),  # a cache that can be dropped
    ],
)
def test_the_limit_of_a_container_counts(tmp_path, group, files, left):
    found = machine.memory(*system(tmp_path, group=group, files=files))
    assert f"{left:.1f} GiB available" in found.detail


def test_kills_for_lack_of_memory_are_counted(tmp_path):
    (tmp_path / "vmstat").write_text("nr_free_pages 5\noom_kill 3\n")
    assert machine.killed_for_memory(tmp_path) == 3
    assert machine.killed_for_memory(tmp_path / "none") == 0


@pytest.fixture
def alone(monkeypatch):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)


def test_without_an_address_a_local_ray_is_started(alone):
    assert machine.ray(None, 0, 1).status == OK
    assert machine.ray(None, 8, 1).status == OK
    assert machine.ray(None, 8, 2).status == MISSING
    assert machine.ray("127.0.0.1:6379", 0, 1).status == MISSING


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "nonsense"])
def test_an_address_where_nothing_answers(alone, address):
    assert machine.ray(address, 8, 1).status == MISSING


def test_an_address_that_answers(alone, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        assert machine.ray(address, 8, 1).status == OK
        monkeypatch.setenv("RAY_ADDRESS", address)
        assert address in machine.ray(None, 8, 1).detail
    assert machine.ray("auto", 8, 1).status == OK


Usage = namedtuple("Usage", "total used free")


@pytest.mark.parametrize(
    ("gib", "status"), [(None, OK), (1.0, OK), (6.0, WARNING), (20.0, MISSING)]
)
def test_room_for_checkpoints(tmp_path, monkeypatch, gib, status):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(0, 0, int(10 * GIB)))
    size = None if gib is None else int(gib * GIB)
    found = machine.disk(tmp_path / "runs" / "new", size)
    assert found.status == status
    assert f"10.0 GiB free at {tmp_path}" in found.detail


def test_a_folder_that_cannot_be_written_to(monkeypatch):
    monkeypatch.setattr(machine.os, "access", lambda path, mode: False)
    assert machine.disk(Path("/"), None).status == MISSING
