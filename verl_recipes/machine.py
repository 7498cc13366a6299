"""Checks of the machine or cluster: interpreter, packages, GPUs, Ray, disks."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verl_recipes import pins
from verl_recipes.findings import MISSING, OK, WARNING, Finding
from verl_recipes.memory import GIB

PYTHON = ((3, 10), (3, 13))
"""First Python that verl supports, and the first that it does not."""

CAPABILITY = (8, 0)
"""Least compute capability: bf16 and flash-attn start with Ampere."""

REACH_S, RAY_S, GPU_S = 5.0, 40.0, 60.0
"""Seconds that an address, a Ray cluster and the driver are given to answer."""

BUNDLE_CPUS = 3
"""CPUs that verl reserves for each GPU."""

HOST = 8.0
"""GiB that a run on the CPU may take."""

SHARED_CPU, SHARED_GPU = 1.0, 8.0
"""GiB of shared memory below which Ray's store or NCCL may run short."""

_TOKEN = (
    "its token goes into ~/.ray/auth_token of every node, with RAY_AUTH_MODE=token set here; or "
    "start it with RAY_AUTH_MODE=disabled where the network is yours"
)

_RAISED = re.compile(r"^[\w.]*(?:Error|Exception)\b.*", re.MULTILINE)

_ASK_GPUS = """
import json, torch
found = [torch.cuda.get_device_properties(i) for i in range(torch.cuda.device_count())]
print(json.dumps([[p.name, p.total_memory, [p.major, p.minor]] for p in found]))
"""

_ASK_RAY = """
import json, logging, sys, ray
ray.init(address=sys.argv[1], log_to_driver=False, logging_level=logging.ERROR)
print(json.dumps([node["Resources"] for node in ray.nodes() if node["Alive"]]))
"""


@dataclass(frozen=True)
class Gpu:
    """One GPU.

    Attributes:
        name: Its model.
        gib: Its memory.
        capability: Its compute capability.
    """

    name: str
    gib: float
    capability: tuple[int, int]


def python() -> Finding:
    """Check the interpreter."""
    version = sys.version_info[:2]
    detail = f"{version[0]}.{version[1]} at {sys.executable}"
    if PYTHON[0] <= version < PYTHON[1]:
        return Finding("python", OK, detail)
    bounds = " and below ".join(".".join(map(str, bound)) for bound in PYTHON)
    return Finding("python", MISSING, detail, f"verl {pins.VERL} needs {bounds}")


def packages(world: str) -> Iterator[Finding]:
    """Check every pin of a world; those that fit are told in one line, as are those not there."""
    install = f"install with: {pins.INSTALL[world]}"
    told: dict[str, list[str]] = {"ok": [], "missing": []}
    for state in pins.survey(world):
        pin = state.pin
        if state.verdict == "other":
            status = MISSING if pin.vital else WARNING
            yield Finding(pin.name, status, f"{state.found}, not {pin.bound}: {pin.why}", install)
        else:
            told[state.verdict].append(f"{pin.name} {state.found or pin.bound}")
    if told["missing"]:
        yield Finding("packages", MISSING, f"not installed: {', '.join(told['missing'])}", install)
    if told["ok"]:
        yield Finding("packages", OK, ", ".join(told["ok"]))


def gpus() -> tuple[list[Gpu], str]:
    """Return the GPUs that this machine sees, and who said so or why none did.

    PyTorch is asked in a process of its own, so that none of them is taken into use here.
    """
    code, out, error = _run([sys.executable, "-c", _ASK_GPUS], GPU_S)
    if code == 0:
        found = [Gpu(name, size / GIB, (one, two)) for name, size, (one, two) in _last_json(out)]
        if found:
            return found, "torch"
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return [], "no GPU: torch sees none, and there is no nvidia-smi"
    fields = "--query-gpu=name,memory.total,compute_cap"
    status, table, complaint = _run([tool, fields, "--format=csv,noheader,nounits"], GPU_S)
    if status != 0:
        return [], f"nvidia-smi fails: {_last_line(complaint or table)}"
    seen = [_gpu(row) for row in table.splitlines() if row.count(",") == 2]
    if code == 0 and seen:
        return [], (
            f"nvidia-smi sees {len(seen)} GPUs and torch none: this torch is built for the CPU, or "
            "the driver is too old for it"
        )
    return seen, f"nvidia-smi; torch does not start: {_last_line(error)}"


def accelerators(found: Sequence[Gpu], told: str, wanted: int) -> Finding:
    """Check the GPUs of this machine against those wanted of it."""
    name = "GPUs"
    if not found:
        return Finding(name, MISSING, told, "run where there are GPUs, or with GPUS=0 on the CPU")
    least = min(found, key=lambda gpu: gpu.gib)
    detail = (
        f"{len(found)} x {least.name}, {least.gib:.0f} GiB, compute capability "
        f"{'.'.join(map(str, least.capability))} ({told})"
    )
    if len(found) < wanted:
        return Finding(name, MISSING, f"{wanted} wanted; {detail}", f"set GPUS={len(found)}")
    if any(gpu.capability < CAPABILITY for gpu in found):
        need = ".".join(map(str, CAPABILITY))
        return Finding(name, MISSING, detail, f"bf16 and flash-attn need capability {need}")
    return Finding(name, OK, detail)


def cluster(address: str | None, gpus: int, nodes: int) -> Finding:
    """Check that a Ray cluster answers and has the GPUs.

    Args:
        address: As ``ray.init`` takes it; None where a local Ray will be started.
        gpus: GPUs wanted of each node.
        nodes: Nodes wanted.
    """
    name = "Ray"
    address = address or os.environ.get("RAY_ADDRESS") or _started_here()
    if address is None:
        if nodes > 1:
            return Finding(
                name, MISSING, f"{nodes} nodes wanted, no address", "give ADDRESS=HOST:PORT"
            )
        return Finding(name, OK, "a local one will be started")
    if not gpus:
        own = "the CPU stack starts its own: leave ADDRESS and RAY_ADDRESS out, or run: ray stop"
        return Finding(name, MISSING, f"{address} would be joined", own)
    if fault := _unreachable(address):
        begin = "start it with: ray start --head --port=6379; end what is left with: ray stop"
        return Finding(name, MISSING, fault, begin)
    code, out, error = _run([sys.executable, "-c", _ASK_RAY, address], RAY_S)
    if code is None:
        return Finding(name, MISSING, f"{address} does not answer within {RAY_S:.0f} s",
                       "look at: ray status")  # fmt: skip
    if code != 0:
        if "AuthenticationError" in error:
            return Finding(name, MISSING, f"{address} asks for a token", _TOKEN)
        same = "every node must run the same Ray and Python"
        return Finding(name, MISSING, f"{address}: {_cause(error)}", same)
    return _judge(address, _last_json(out), gpus, nodes)


def host(gpus: int) -> Finding:
    """Check the memory of this machine, where the models run when there is no GPU."""
    size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIB
    detail = f"{size:.1f} GiB, {os.cpu_count()} CPUs"
    if gpus or size >= HOST:
        return Finding("host", OK, detail)
    return Finding("host", WARNING, detail, f"a run on the CPU takes up to {HOST:.0f} GiB")


def disk(out: Path, size: int | None) -> Finding:
    """Check the room for checkpoints.

    Args:
        out: Folder of the run, which need not exist yet.
        size: Bytes of one checkpoint; None if that is not known.
    """
    there = next(folder for folder in (out.absolute(), *out.absolute().parents) if folder.exists())
    free = shutil.disk_usage(there).free
    name, detail = "disk", f"{free / GIB:.1f} GiB free at {there}"
    if not os.access(there, os.W_OK):
        return Finding(name, MISSING, f"{there} cannot be written to", "name another folder: OUT=")
    if size is None:
        return Finding(name, OK, detail)
    detail += f", {size / GIB:,.2f} GiB a checkpoint"
    if free < size:
        return Finding(name, MISSING, detail, "name a folder on a larger disk: OUT=")
    if free < 3 * size:
        keep = "keep fewer with trainer.max_actor_ckpt_to_keep=1, or save more seldom"
        return Finding(name, WARNING, f"{detail}: room for {free // size}", keep)
    return Finding(name, OK, detail)


def shared_memory(gpus: int, folder: Path = Path("/dev/shm")) -> Finding:
    """Check the shared memory that Ray's store and NCCL use."""
    name = "shared memory"
    if not folder.is_dir():
        return Finding(name, OK, f"no {folder} on this system")
    size = shutil.disk_usage(folder).total / GIB
    need = SHARED_GPU if gpus else SHARED_CPU
    if size >= need:
        return Finding(name, OK, f"{size:.1f} GiB at {folder}")
    remedy = f"mount more, in Docker with --shm-size={need:.0f}g"
    return Finding(name, WARNING, f"{size:.2f} GiB at {folder}, {need:.0f} are safe", remedy)


def _judge(address: str, nodes: Sequence[Mapping[str, float]], gpus: int, wanted: int) -> Finding:
    enough = [node for node in nodes if node.get("GPU", 0) >= gpus]
    total = sum(node.get("GPU", 0) for node in nodes)
    cpus = sum(node.get("CPU", 0) for node in nodes)
    detail = f"{address}: nodes {len(nodes)}, GPUs {total:.0f}, CPUs {cpus:.0f}"
    if len(enough) < wanted:
        most = max((node.get("GPU", 0) for node in nodes), default=0)
        return Finding(
            "Ray",
            MISSING,
            f"{detail}; of the {wanted} nodes of {gpus} GPUs that are wanted it has {len(enough)}",
            f"wait for the others to join, or set GPUS (at most {most:.0f}) and NODES",
        )
    need = BUNDLE_CPUS * gpus * wanted
    if cpus < need:
        return Finding(
            "Ray", MISSING, f"{detail}; verl reserves {need}", "start Ray with more CPUs"
        )
    return Finding("Ray", OK, detail)


def _started_here() -> str | None:
    """Return the address that ``ray start`` left on this machine, which ``ray.init`` joins."""
    root = Path(os.environ.get("RAY_TMPDIR") or tempfile.gettempdir())
    try:
        return (root / "ray" / "ray_current_cluster").read_text(encoding="utf-8").strip() or None
    except OSError:
        return None


def _unreachable(address: str) -> str | None:
    """Return why nothing listens at an address; None if something does or it names no port."""
    host, colon, port = address.rpartition("://")[2].partition("/")[0].rpartition(":")
    if not colon or not port.isdigit():
        return None if address in ("auto", "local") else f"{address!r} is not written HOST:PORT"
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=REACH_S).close()
    except (OSError, OverflowError) as error:
        return f"nothing answers at {address} ({error})"
    return None


def _run(command: Sequence[str], limit: float) -> tuple[int | None, str, str]:
    """Run a command and all it starts for at most ``limit`` seconds; None if it ran longer."""
    child = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        out, error = child.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        return None, "", ""
    return child.returncode, out, error


def _gpu(row: str) -> Gpu:
    name, size, capability = (part.strip() for part in row.split(","))
    major, _, minor = capability.partition(".")
    return Gpu(name, float(size) / 1024, (int(major), int(minor)))


def _last_json(text: str) -> Any:
    return json.loads(text.strip().splitlines()[-1])


def _cause(text: str) -> str:
    """Return the first error of a chain of tracebacks, which is what led to the others."""
    found = [line for line in _RAISED.findall(text) if "Traceback (most" not in line]
    return str(found[0])[:200] if found else _last_line(text)


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "it says nothing"
