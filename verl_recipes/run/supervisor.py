"""A training run in a process of its own: its steps as lines, and an end when it hangs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from omegaconf import OmegaConf

from gym_clinic import ConfigError
from gym_clinic.viewer import read_run
from verl_recipes.run.training import FAILURE

LOG = "log.txt"
"""Everything that a run prints, in its folder."""

STAGE = "STAGE "
"""Before what the trainer prints when a stage begins or ends."""

GRACE_S = 120.0
"""Seconds that a run has to report a stall by itself before it is ended."""


def supervise(path: Path, steps: int, stall_s: float, *, keep: Sequence[int] = ()) -> int:
    """Start verl on a config, show its steps, and end it when it hangs.

    Args:
        path: The config; everything goes into its folder.
        steps: How many the run is to take.
        stall_s: Seconds without any output after which it is ended.
        keep: Descriptors that the process inherits: locks that it must hold as well.

    Returns:
        0, or 1 with the reason printed.
    """
    log, config = path.parent / LOG, OmegaConf.load(path)
    own = config.ray_kwargs.ray_init.runtime_env.env_vars.items()
    variables = {**os.environ, **{name: str(value) for name, value in own}}
    metrics = Path(variables.get("VERL_FILE_LOGGER_PATH", path.parent / "metrics-0.jsonl"))
    start = size = read = log.stat().st_size if log.is_file() else 0  # skip earlier attempts
    shown: set[int] = set()
    began = moved = time.monotonic()
    with log.open("ab") as sink, exiting_on(signal.SIGTERM):
        child = subprocess.Popen(
            command(path),
            stdout=sink,
            stderr=subprocess.STDOUT,
            env=variables,
            start_new_session=True,
            pass_fds=keep,
        )
        try:
            while True:
                status = child.poll()
                lines, read = new_lines(log, read)
                for said in lines:
                    if STAGE in said:
                        print(said[said.index(STAGE) :], flush=True)
                for step, row in sorted(read_steps(metrics).items()):
                    if step not in shown:
                        shown.add(step)
                        print(line(step, steps, row, time.monotonic() - began), flush=True)
                        for alarm in marked(log, f"ALARM step {step}: ", start):
                            print(f"         {alarm}", flush=True)
                if status is not None:
                    break
                if log.stat().st_size != size:
                    size, moved = log.stat().st_size, time.monotonic()
                elif time.monotonic() - moved > stall_s + GRACE_S:
                    break
                time.sleep(0.5)
        finally:
            stop(child)
    if status == 0:
        return 0
    if status is None:
        silent = f"no output for {stall_s + GRACE_S:.0f} s; a rollout server or a worker hangs"
        print(f"train: stopped: {silent}. Log: {log}", file=sys.stderr)
        return 1
    why = marked(log, FAILURE, start) or [f"{FAILURE}exit status {status}"]
    print(f"train: {'; '.join(why)}\n       log: {log}", file=sys.stderr)
    return 1


@contextmanager
def exiting_on(number: signal.Signals) -> Iterator[None]:
    """Turn a signal into an exit, so that a launcher that is ended ends its run as well."""
    before = signal.signal(number, lambda *_: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(number, before)


def command(path: Path) -> list[str]:
    """Return what runs a config."""
    return [sys.executable, "-m", "verl_recipes.run.training", str(path)]


def stop(child: subprocess.Popen[bytes]) -> None:
    """End a child that still runs, and all it started."""
    for how in (signal.SIGTERM, signal.SIGKILL) if child.poll() is None else ():
        try:
            os.killpg(child.pid, how)  # the group, though its leader may be gone already
        except ProcessLookupError:
            return
        with suppress(subprocess.TimeoutExpired):
            child.wait(timeout=20)


def read_steps(metrics: Path) -> Mapping[int, Mapping[str, float]]:
    """Return what a file of metrics holds so far, by step."""
    if not metrics.is_file():
        return {}
    try:
        return read_run(metrics).steps
    except ConfigError:
        return {}  # the file is there, its first line is not yet


def line(step: int, steps: int, row: Mapping[str, float], seconds: float) -> str:
    """Return the progress line of a step."""
    if not step or "clinic/score/mean" not in row:
        return f"step {step:>4}/{steps}  evaluated  ({seconds:.0f} s)"
    parts = [
        f"score {row['clinic/score/mean']:+.3f}",
        f"success {row['clinic/success']:.2f}",
        f"mixed {row['clinic/mixed_fraction']:.2f}",
        f"turns {row['clinic/turns/mean']:.1f}",
        f"tokens {row['clinic/response_tokens/mean']:.0f}",
    ]
    if "ttopd/kl" in row:
        parts.append(f"KL {row['ttopd/kl']:.4f}")
    if row.get("clinic/kl_alone"):
        parts.append("KL alone")
    if row.get("clinic/skipped_update"):
        parts.append("no mixed group, no update")
    parts.append(f"grad {row.get('actor/grad_norm', 0.0):.2f}")
    return f"step {step:>4}/{steps}  {'  '.join(parts)}  {row['timing_s/step']:.1f} s"


def new_lines(log: Path, start: int) -> tuple[list[str], int]:
    """Return the whole lines after byte ``start``, and the byte after them."""
    with log.open("rb") as source:
        source.seek(start)
        text = source.read()
    whole = text[: text.rfind(b"\n") + 1]
    return whole.decode("utf-8", errors="replace").splitlines(), start + len(whole)


def marked(log: Path, marker: str, start: int = 0) -> list[str]:
    """Return the distinct lines that hold a marker, from it on; those after byte ``start``."""
    with log.open("rb") as source:
        source.seek(start)
        text = source.read().decode("utf-8", errors="replace")
    found = [line[line.index(marker) :] for line in text.splitlines() if marker in line]
    return list(dict.fromkeys(found))
