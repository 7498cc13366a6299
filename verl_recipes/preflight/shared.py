"""Several nodes: whether each of a Ray cluster sees the folder of a run, and the model.

verl writes checkpoints, figures and evaluations from whichever node a process happens to be on,
and a run resumes only where all of that is at one path on all nodes. So a file is written there,
and every node reads it: ``python -m verl_recipes.preflight.shared ADDRESS FILE …``, in a process
of its own, which joins the cluster and leaves it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from verl_recipes.preflight.result import MISSING, OK, CheckResult

NAME = "shared folder"

PROBE_S = 120.0
"""Seconds that a cluster is given to answer from every node."""

SEEN_S = 10.0
"""Seconds after which a file that was just written is there on every node of a shared disk."""


def check(address: str, folder: Path, model: str | None) -> Iterator[CheckResult]:
    """Yield whether every node of a cluster sees the folder of a run, and a model's folder.

    Args:
        address: Of the cluster.
        folder: Of the run; made if it is missing.
        model: Folder or name of the model; a name is downloaded by every node itself.
    """
    files = {}
    with probe_in(folder) as probe:
        files[probe] = ("the run's folder", folder, "name one on a disk that all nodes share: OUT=")
        if model is not None and (Path(model).expanduser() / "config.json").is_file():
            where = Path(model).expanduser().absolute()
            files[where / "config.json"] = ("the model", where, "put it where all nodes see it")
        try:
            seen = ask(address, list(files))
        except OSError as error:
            yield CheckResult(NAME, MISSING, f"not checked: {error}", "see that the cluster runs")
            return
    yield from verdicts(seen, {str(path): said for path, said in files.items()})


def verdicts(
    seen: Mapping[str, Mapping[str, str | None]], files: Mapping[str, tuple[str, Path, str]]
) -> Iterator[CheckResult]:
    """Yield what the nodes' answers say of each file.

    Args:
        seen: Node -> file -> why it cannot be read, None if it can.
        files: File -> what it stands for, where that is, and what to do if a node lacks it.
    """
    for file, (what, where, remedy) in files.items():
        blind = {node: why for node, answers in seen.items() if (why := answers[file])}
        if blind:
            node, why = next(iter(blind.items()))
            detail = f"{len(blind)} of {len(seen)} nodes do not see {what}, {where}: {node}: {why}"
            yield CheckResult(NAME, MISSING, detail, remedy)
        else:
            yield CheckResult(NAME, OK, f"{len(seen)} node(s) see {what}, {where}")


@contextmanager
def probe_in(folder: Path) -> Iterator[Path]:
    """Write a file into a folder that is there for as long as this context."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder.absolute() / f"probe-{uuid4().hex}"
    path.write_text("seen", encoding="ascii")
    try:
        yield path
    finally:
        path.unlink()


def ask(address: str, files: Sequence[Path]) -> Mapping[str, Mapping[str, str | None]]:
    """Return for every node of a cluster and every file why it cannot be read, None if it can.

    Raises:
        OSError: If the cluster does not answer; the error has its last line.
    """
    command = [sys.executable, "-m", __name__, address, *map(str, files)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PROBE_S, check=False)
    except subprocess.TimeoutExpired:
        raise OSError(f"{address} does not answer within {PROBE_S:.0f} s") from None
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise OSError(f"{address}: {lines[-1]}")
    found: Mapping[str, Mapping[str, str | None]] = json.loads(done.stdout.splitlines()[-1])
    return found


def read_on_every_node(address: str, files: Sequence[str]) -> dict[str, dict[str, str | None]]:
    """Join a cluster, let each of its nodes read files, and leave it; returns as :func:`ask`."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    def read(names: Sequence[str], patience_s: float) -> dict[str, str | None]:
        """Return why each file cannot be read; sent to the nodes, which may lack this package."""
        import time
        from pathlib import Path

        found: dict[str, str | None] = {}
        until = time.monotonic() + patience_s
        for name in names:
            while True:
                try:
                    Path(name).read_bytes()
                    found[name] = None
                except OSError as error:
                    found[name] = str(error)
                if found[name] is None or time.monotonic() > until:
                    break
                time.sleep(0.5)
        return found

    ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    try:
        task = ray.remote(num_cpus=0, max_retries=0)(read)
        asked: dict[str, Any] = {}
        for node in ray.nodes():
            if node["Alive"]:
                there = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
                name = f"{node['NodeManagerAddress']} ({node['NodeID'][:8]})"
                asked[name] = task.options(scheduling_strategy=there).remote(list(files), SEEN_S)
        return {name: ray.get(answer) for name, answer in asked.items()}
    finally:
        ray.shutdown()


if __name__ == "__main__":
    print(json.dumps(read_on_every_node(sys.argv[1], sys.argv[2:])))
