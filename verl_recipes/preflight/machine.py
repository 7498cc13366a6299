"""Checks of the machine: GPUs, memory, Ray's address, disk."""

from __future__ import annotations

import json
import math
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

from verl_recipes.preflight.result import MISSING, OK, WARNING, CheckResult

GIB = float(2**30)

RUN_GIB = 6.0
"""Memory that a run on the CPU takes with the tiny model; 5.5 GiB were measured."""

REACH_S, GPU_S = 5.0, 60.0
"""Seconds that an address and the GPU driver are given to answer."""

_LIST_GPUS = """
import json, torch
count = torch.cuda.device_count()
print(json.dumps([torch.cuda.get_device_properties(i).total_memory for i in range(count)]))
"""


def gpu_sizes() -> list[float]:
    """Return the memory in GiB of every GPU that PyTorch sees here.

    It is asked in a process of its own, so that no GPU is taken into use.

    Raises:
        OSError: If it cannot be asked; the error has its last line.
    """
    command = [sys.executable, "-c", _LIST_GPUS]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=GPU_S, check=False)
    except subprocess.TimeoutExpired:
        raise OSError(f"the GPU driver does not answer within {GPU_S:.0f} s") from None
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise OSError(f"torch does not start: {lines[-1]}")
    return [size / GIB for size in json.loads(done.stdout.strip().splitlines()[-1])]


def gpus(sizes: list[float], wanted: int) -> CheckResult:
    """Check that there are as many GPUs, each of some GiB, as the run asks for."""
    if len(sizes) >= wanted:
        return CheckResult("GPUs", OK, f"{len(sizes)} of {min(sizes):.0f} GiB or more")
    remedy = f"set GPUS={len(sizes)}" if sizes else "run where there are GPUs, or with GPUS=0"
    return CheckResult("GPUs", MISSING, f"{wanted} wanted, torch sees {len(sizes)}", remedy)


def memory(proc: Path = Path("/proc"), cgroups: Path = Path("/sys/fs/cgroup")) -> CheckResult:
    """Check the memory that is available here, where the models run without GPUs.

    Where it runs out, the system kills a process of Ray before any other, and all that Ray can
    report is that a worker has died. The limits of control groups hold in containers.
    """
    name, meminfo = "memory", proc / "meminfo"
    if not meminfo.is_file():
        return CheckResult(name, OK, f"not known: no {meminfo} on this system")
    sizes = _figures(meminfo)
    available = min(sizes["MemAvailable:"] * 1024, _left_in_group(proc, cgroups)) / GIB
    detail = f"{available:.1f} GiB available, a run takes up to {RUN_GIB:.0f}"
    if available >= RUN_GIB:
        return CheckResult(name, OK, detail)
    return CheckResult(name, WARNING, detail, "end other programs, or the system may kill a worker")


def killed_for_memory(proc: Path = Path("/proc")) -> int:
    """Return how many processes the system has killed for lack of memory; 0 if it is not known."""
    counters = proc / "vmstat"
    return _figures(counters).get("oom_kill", 0) if counters.is_file() else 0


def _figures(path: Path) -> dict[str, int]:
    """Read a table of the kernel: a name and a number a line."""
    lines = (line.split() for line in path.read_text(encoding="ascii").splitlines())
    return {fields[0]: int(fields[1]) for fields in lines}


def _left_in_group(proc: Path, cgroups: Path) -> float:
    """Bytes left to the control group of this process, version 2 or 1; infinite without limit."""
    listed = proc / "self" / "cgroup"
    groups = listed.read_text(encoding="utf-8").splitlines() if listed.is_file() else []
    left = math.inf
    for _, controllers, path in (line.split(":", 2) for line in groups):
        if controllers == "":
            folder, files = cgroups, ("memory.max", "memory.current")
        elif "memory" in controllers.split(","):
            folder, files = cgroups / "memory", ("memory.limit_in_bytes", "memory.usage_in_bytes")
        else:
            continue
        own = folder / path.lstrip("/")
        for group in (own, *own.parents):  # a group above may set the limit
            limit, used = (group / file for file in files)
            if limit.is_file() and (size := limit.read_text().strip()) != "max":
                cached = _figures(group / "memory.stat").get("inactive_file", 0)
                left = min(left, int(size) - int(used.read_text()) + cached)
            if group == folder:
                break
    return left


def cluster(address: str | None) -> str | None:
    """Return the address of the Ray cluster that a run joins; None where it starts its own."""
    found = address or os.environ.get("RAY_ADDRESS")
    return None if found == "local" else found


def ray(address: str | None, gpus: int, nodes: int) -> CheckResult:
    """Check the address of a Ray cluster; Ray and verl check its nodes and GPUs themselves."""
    name = "Ray"
    if not gpus:
        if address:
            return CheckResult(name, MISSING, f"{address} given", "without GPUS leave ADDRESS out")
        return CheckResult(name, OK, "a local one is started")
    address = address or os.environ.get("RAY_ADDRESS")
    if address is None:
        if nodes > 1:
            detail = f"{nodes} nodes wanted, no address"
            return CheckResult(name, MISSING, detail, "give ADDRESS=HOST:PORT")
        return CheckResult(name, OK, "a local one is started, or the one running here is joined")
    host, colon, port = address.rpartition("://")[2].partition("/")[0].rpartition(":")
    if address in ("auto", "local"):
        return CheckResult(name, OK, f"address {address}")
    if not colon or not port.isdigit():
        return CheckResult(name, MISSING, f"{address!r} is no address", "write HOST:PORT")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=REACH_S).close()
    except (OSError, OverflowError) as error:
        remedy = "start it with: ray start --head --port=6379"
        return CheckResult(name, MISSING, f"nothing answers at {address} ({error})", remedy)
    return CheckResult(name, OK, f"{address} answers")


def disk(out: Path, size: int | None) -> CheckResult:
    """Check the room for checkpoints of ``size`` bytes, None where that is not known."""
    there = next(folder for folder in (out.absolute(), *out.absolute().parents) if folder.exists())
    free = shutil.disk_usage(there).free
    name, detail = "disk", f"{free / GIB:.1f} GiB free at {there}"
    if not os.access(there, os.W_OK):
        return CheckResult(
            name, MISSING, f"{there} cannot be written to", "name another folder: OUT="
        )
    if size is None:
        return CheckResult(name, OK, detail)
    detail += f", {size / GIB:,.2f} GiB a checkpoint"
    if free < size:
        return CheckResult(name, MISSING, detail, "name a folder on a larger disk: OUT=")
    # The last two, the best, and the next one before an old one is removed.
    if free < 4 * size:
        keep = "four are there at a time: name a folder on a larger disk: OUT="
        return CheckResult(name, WARNING, f"{detail}: room for {free // size}", keep)
    return CheckResult(name, OK, detail)
