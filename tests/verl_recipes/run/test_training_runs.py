"""Whole runs through verl on this machine: Ray, FSDP2, the transfer queue, rollouts.

The short form of ``make prove-learning``, and a run that is killed and resumed.
"""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import time

import pytest
from places import ROOT, SUPPORT

pytest.importorskip("verl")

import prove_learning

from gym_clinic.viewer.runs import read_run

pytestmark = pytest.mark.slow


LIMIT = 420
"""Seconds that a run may take; a run that hangs is a failure, not a wait."""


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def model(room):
    return prove_learning.model(room, 0)


def start(arm, model, out, steps, *more, overrides=()):
    method, own = prove_learning.ARMS[arm]
    settings = (*prove_learning.SHARED, *own, *overrides)
    arguments = ["--method", method, "--env", prove_learning.ENV, "--model", str(model)]
    arguments += ["--steps", str(steps), "--out", str(out), *more, *settings]
    environment = {**os.environ, "PYTHONPATH": f"{SUPPORT}{os.pathsep}{ROOT}"}
    return subprocess.Popen(
        [sys.executable, "-m", "verl_recipes", "train", *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def finish(run):
    try:
        printed, _ = run.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGTERM)
        raise
    return printed


def train(arm, model, out, steps, *more, overrides=()):
    run = start(arm, model, out, steps, *more, overrides=overrides)
    printed = finish(run)
    assert run.returncode == 0, printed + log_of(out)
    return printed


def log_of(out):
    log = out / "log.txt"
    return log.read_text(encoding="utf-8", errors="replace")[-4000:] if log.is_file() else ""


STATEFUL = ("trainer.save_freq=1", "clinic.teacher.every=1", "clinic.teacher.diagnose_every=2")
SAME = ("actor/loss", "actor/grad_norm", "ttopd/kl", "clinic/score/mean", "ttopd/teacher_distance")


def test_a_killed_run_goes_on_as_if_nothing_had_been(model, room):
    whole, broken = room / "whole", room / "broken"
    told = train(
        "ttopd",
        model,
        whole,
        3,
        overrides=(*STATEFUL, "trainer.val_before_train=true", "trainer.test_freq=3"),
    )
    assert "step 0" in told
    assert "step    3/3" in told
    for line in ("metrics", "plot", "model", "log"):
        assert f"\n{line} " in told
    assert (whole / "curves.png").stat().st_size > 10_000

    run = start("ttopd", model, broken, 3, overrides=STATEFUL)
    latest = broken / "checkpoints" / "latest_checkpointed_iteration.txt"
    until = time.monotonic() + LIMIT
    while not (latest.is_file() and latest.read_text() == "2"):
        assert run.poll() is None, finish(run) + log_of(broken)
        assert time.monotonic() < until
        time.sleep(0.05)
    os.killpg(run.pid, signal.SIGINT)  # the launcher ends what it started
    assert "RESUME=1" in finish(run)

    train("ttopd", model, broken, 3, "--resume", overrides=STATEFUL)
    one, other = read_run(whole).steps[3], read_run(broken).steps[3]
    for name in SAME:
        assert other[name] == pytest.approx(one[name], abs=1e-6), name
    assert (broken / "checkpoints" / "global_step_3" / "teacher").is_dir()


def test_the_stack_learns_and_unlearns_with_the_sign_flipped(model, room):
    gains = {}
    for arm, scale in (("grpo", 1.0), ("flipped", -1.0)):
        train(arm, model, room / arm, 10, overrides=(f"clinic.advantage_scale={scale}",))
        _, rewards = read_run(room / arm).series("clinic/total/mean")
        assert len(rewards) == 10
        gains[arm] = statistics.fmean(rewards[-3:]) - statistics.fmean(rewards[:3])
    assert gains["grpo"] > 0.15
    assert gains["flipped"] < 0.0


def test_a_dead_rollout_server_ends_the_run(model, room):
    out = room / "dead"
    run = start("grpo", model, out, 50, overrides=("clinic.stall_s=60",))
    until = time.monotonic() + LIMIT
    while not trained(out):
        assert run.poll() is None, finish(run) + log_of(out)
        assert time.monotonic() < until
        time.sleep(0.2)
    assert kill_server(run.pid)
    told = finish(run)
    assert run.returncode == 1, told
    assert "the run failed" in told
    assert "server" in told


def trained(out):
    """Whether the run has trained a step."""
    return any('"step":1,' in one.read_text() for one in out.glob("metrics-*.jsonl"))


def kill_server(leader):
    """Kill the rollout server of the run that a process leads; Ray names its workers."""
    import psutil

    family = {one.pid for one in psutil.Process(leader).children(recursive=True)}
    for one in psutil.process_iter(["pid", "cmdline"]):
        if one.pid in family and "HFServer" in " ".join(one.info["cmdline"] or []):
            one.kill()
            return True
    return False
