"""Whole runs through verl on this machine: Ray, FSDP2, the transfer queue, rollouts.

Four starts of Ray: a run that is killed and the same run resumed; a run that learns until its
rollout server dies; a run with the sign of the advantages flipped. The launcher's lock keeps
them apart, and apart from any other run on the machine.
"""

from __future__ import annotations

import os
import shutil
import signal
import statistics
import subprocess
import sys
import time

import pytest
from places import ROOT, SUPPORT

pytest.importorskip("verl")

import prove_learning

from gym_clinic.viewer import read_run

pytestmark = pytest.mark.slow

LIMIT = 1200
"""Seconds that a run may take on a busy machine; a run that hangs is a failure, not a wait."""

STEPS = 10
"""Steps after which learning shows."""


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def model(room):
    return prove_learning.model(room, 0)


@pytest.fixture
def start(room, model):
    """Start runs; those that still run at the end of the test are ended."""
    started = []

    def begin(arm, out, steps, *more, overrides=()):
        method, own = prove_learning.ARMS[arm]
        settings = (*prove_learning.SHARED, *own, *overrides)
        arguments = ["--method", method, "--env", prove_learning.ENV, "--model", str(model)]
        arguments += ["--steps", str(steps), "--out", str(out), *more, *settings]
        run = subprocess.Popen(
            # If the tests themselves are killed, the run still ends.
            ["timeout", str(LIMIT), sys.executable, "-m", "verl_recipes", "train", *arguments],
            env={**os.environ, "PYTHONPATH": f"{SUPPORT}{os.pathsep}{ROOT}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        started.append(run)
        return run

    yield begin
    for run in started:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGTERM)
            run.communicate()


def wait(run, out, reached):
    """Wait until a run has reached a point; it must not end before."""
    while not reached():
        assert run.poll() is None, run.communicate()[0] + log_of(out)
        time.sleep(0.05)


def log_of(out):
    log = out / "log.txt"
    return log.read_text(encoding="utf-8", errors="replace")[-4000:] if log.is_file() else ""


def logged(out, step):
    """Whether a run has logged a step."""
    return any(f'"step":{step},' in one.read_text() for one in out.glob("metrics-*.jsonl"))


SAME = ("actor/loss", "actor/grad_norm", "ttopd/kl", "clinic/score/mean", "ttopd/teacher_distance")


def test_a_killed_run_continues_as_if_it_had_not_been_killed(start, room):
    out = room / "killed"
    every = ("trainer.save_freq=1", "clinic.teacher.every=1", "clinic.teacher.diagnose_every=2")
    latest = out / "checkpoints" / "latest_checkpointed_iteration.txt"
    run = start("ttopd", out, 5, overrides=(*every, "trainer.val_before_train=true"))
    wait(run, out, lambda: logged(out, 3))  # a step is saved before it is logged
    os.killpg(run.pid, signal.SIGINT)  # the launcher ends what it started
    printed, _ = run.communicate(timeout=LIMIT)
    assert "step 0" in printed.replace("   ", "")
    assert "RESUME=1" in printed
    (first,) = out.glob("metrics-*.jsonl")
    # Back to the checkpoint of step 2, as if the run had been killed in step 3.
    shutil.rmtree(out / "checkpoints" / "global_step_3")
    latest.write_text("2")

    run = start("ttopd", out, 3, "--resume", overrides=(*every, "trainer.test_freq=3"))
    printed, _ = run.communicate(timeout=LIMIT)
    assert run.returncode == 0, printed + log_of(out)
    assert "step    3/3" in printed
    for line in ("metrics", "plot", "model", "log"):
        assert f"\n{line} " in printed
    assert (out / "curves.png").stat().st_size > 10_000
    (second,) = set(out.glob("metrics-*.jsonl")) - {first}
    before, after = read_run(first).steps[3], read_run(second).steps[3]
    for name in SAME:
        assert after[name] == pytest.approx(before[name], abs=1e-6), name
    assert (out / "checkpoints" / "global_step_3" / "teacher").is_dir()


def gain(out):
    """Return how much the mean reward rose from the first three steps to the last three."""
    _, rewards = read_run(out).series("clinic/total/mean")
    return statistics.fmean(rewards[STEPS - 3 : STEPS]) - statistics.fmean(rewards[:3])


def test_a_run_learns_and_ends_when_its_rollout_server_dies(start, room):
    out = room / "grpo"
    run = start("grpo", out, 500, overrides=("clinic.stall_s=60",))
    wait(run, out, lambda: logged(out, STEPS))
    assert kill_server(run.pid)
    printed, _ = run.communicate(timeout=LIMIT)
    assert run.returncode == 1, printed
    assert "the run failed" in printed
    assert "server" in printed
    assert gain(out) > 0.15


def test_a_run_unlearns_with_the_sign_flipped(start, room):
    out = room / "flipped"
    run = start("flipped", out, STEPS)
    printed, _ = run.communicate(timeout=LIMIT)
    assert run.returncode == 0, printed + log_of(out)
    assert gain(out) < 0.0


def kill_server(leader):
    """Kill the rollout server of the run that a process leads; Ray names its workers."""
    import psutil

    family = {one.pid for one in psutil.Process(leader).children(recursive=True)}
    for one in psutil.process_iter(["pid", "cmdline"]):
        if one.pid in family and "HFServer" in " ".join(one.info["cmdline"] or []):
            one.kill()
            return True
    return False
