"""A run in a process of its own: its steps, its end, and who ends with it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from places import ROOT

pytest.importorskip("verl")

from omegaconf import OmegaConf

from gym_clinic import ConfigError
from verl_recipes.config.compose import compose
from verl_recipes.request import RunRequest
from verl_recipes.run import lock, supervisor, training


def config_in(folder):
    folder.mkdir(exist_ok=True)
    path = folder / "config.yaml"
    OmegaConf.save({"ray_kwargs": {"ray_init": {"runtime_env": {"env_vars": {"A": "1"}}}}}, path)
    return path


def instead(monkeypatch, code):
    monkeypatch.setattr(supervisor, "command", lambda path: [sys.executable, "-c", code, str(path)])


def test_steps_are_shown_once_with_their_alarms(tmp_path, monkeypatch, capsys):
    row = {
        "clinic/score/mean": 0.5,
        "clinic/success": 0.25,
        "clinic/mixed_fraction": 1.0,
        "clinic/turns/mean": 2.0,
        "clinic/response_tokens/mean": 10.0,
        "ttopd/kl": 0.125,
        "timing_s/step": 1.5,
    }
    path = config_in(tmp_path / "run")
    lines = [{"step": 0, "data": {"val/turns": 2.0}}, {"step": 1, "data": row}]
    (tmp_path / "run" / "later").write_text("".join(json.dumps(one) + "\n" for one in lines))
    instead(
        monkeypatch,
        "import pathlib, sys; out = pathlib.Path(sys.argv[1]).parent;"
        "print('(worker) ALARM step 1: too few turns', flush=True);"
        "(out / 'later').rename(out / 'metrics-0.jsonl')",
    )
    assert supervisor.supervise(path, 3, 60.0) == 0
    shown = capsys.readouterr().out
    assert shown.count("step    1/3  score +0.500  success 0.25") == 1
    assert "KL 0.1250" in shown
    assert "ALARM step 1: too few turns" in shown


def test_a_failed_run_says_why(tmp_path, monkeypatch, capsys):
    instead(
        monkeypatch,
        "import sys; print('the run failed: RolloutStalledError: the server is dead', flush=True);"
        "sys.exit(1)",
    )
    assert supervisor.supervise(config_in(tmp_path / "run"), 3, 60.0) == 1
    assert (
        "train: the run failed: RolloutStalledError: the server is dead\n"
        in capsys.readouterr().err
    )


def composed(folder, **changes):
    """Write the config of a run as the launcher does."""
    config = compose(RunRequest(method="grpo", model="tiny", out=folder))
    for name, value in changes.items():
        OmegaConf.update(config, name.replace("__", "."), value)
    path = folder / "config.yaml"
    OmegaConf.save(config, path, resolve=True)
    return path


@pytest.mark.parametrize("device", ["cpu", "npu"])
def test_a_run_is_started_by_verl_s_entry_point(tmp_path, monkeypatch, device):
    """The device of the platform is taken, as with verl's own command."""
    given = []
    platform = SimpleNamespace(device_name=device)
    monkeypatch.setattr("verl.utils.device.get_platform", lambda: platform)
    monkeypatch.setattr(
        "verl.trainer.main_ppo.run_ppo", lambda config, task_runner_class: given.append(config)
    )
    assert training.main(composed(tmp_path)) == 0
    (config,) = given
    assert config.trainer.device == device
    assert config.trainer.total_training_steps == RunRequest.steps


def test_what_verl_refuses_is_refused_before_ray_starts(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("verl.trainer.main_ppo.run_ppo", lambda *_, **__: pytest.fail("Ray"))
    odd = {"actor_rollout_ref__rollout__n": 3, "trainer__n_gpus_per_node": 8}
    assert training.main(composed(tmp_path, **odd)) == 1
    says = "the run failed: verl refuses the config: real_train_batch_size (12) must be divisible"
    assert says in capsys.readouterr().out


def test_a_dead_worker_is_reported_with_the_memory_that_is_left():
    exceptions = pytest.importorskip("ray.exceptions")
    died = training.failure_text(exceptions.ActorDiedError(), kills=1)
    assert died.startswith("ActorDiedError: ")
    assert "the system killed 1 process(es) for lack of memory during the run\nmemory: " in died
    assert "killed" not in training.failure_text(exceptions.ActorDiedError(), kills=0)
    assert "memory: " not in training.failure_text(exceptions.GetTimeoutError("late"), kills=1)


SLEEPER = """
import pathlib, subprocess, sys, time
out = pathlib.Path(sys.argv[1]).parent
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
(out / "new").write_text(str(child.pid))
(out / "new").rename(out / "pid")
time.sleep(600)
"""
"""A run that says nothing and has started a process of its own."""

LAUNCHER = """
import pathlib, sys
from verl_recipes import __main__, launch
from verl_recipes.run import supervisor
supervisor.command = lambda path: [sys.executable, "-c", sys.argv[2], str(path)]
launch.train_request = lambda argv: pathlib.Path(sys.argv[1])
launch.train = lambda path: supervisor.supervise(path, 3, 600.0)
sys.exit(__main__.main(["train"]))
"""


def wait(over):
    until = time.monotonic() + 60
    while not over():
        assert time.monotonic() < until
        time.sleep(0.05)


def gone(pid):
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"


def test_a_silent_run_is_ended_with_all_it_started(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(supervisor, "GRACE_S", 0.5)
    instead(monkeypatch, SLEEPER)
    assert supervisor.supervise(config_in(tmp_path / "run"), 3, 1.0) == 1
    assert "no output for" in capsys.readouterr().err
    pid = (tmp_path / "run" / "pid").read_text()
    wait(lambda: gone(pid))


@pytest.mark.parametrize(("how", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_launcher_that_is_ended_ends_its_run(how, status, tmp_path):
    path = config_in(tmp_path / "run")
    launcher = subprocess.Popen(
        [sys.executable, "-c", LAUNCHER, str(path), SLEEPER], cwd=ROOT, start_new_session=True
    )
    wait(lambda: (tmp_path / "run" / "pid").exists() or launcher.poll() is not None)
    launcher.send_signal(how)
    assert launcher.wait(timeout=300) == status
    pid = (tmp_path / "run" / "pid").read_text()
    wait(lambda: gone(pid))


ORPHAN = """
import pathlib, sys, time
from verl_recipes.run.training import end_with_parent
end_with_parent()
here = pathlib.Path(sys.argv[1])
(here / "new").write_text(str(__import__("os").getpid()))
(here / "new").rename(here / "pid")
time.sleep(600)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="uses a signal of Linux")
def test_a_run_ends_with_a_launcher_that_is_killed(tmp_path):
    start = "import subprocess, sys; subprocess.run([sys.executable, '-c', *sys.argv[1:]])"
    launcher = subprocess.Popen([sys.executable, "-c", start, ORPHAN, str(tmp_path)], cwd=ROOT)
    wait(lambda: (tmp_path / "pid").exists() or launcher.poll() is not None)
    pid = (tmp_path / "pid").read_text()
    assert not gone(pid)
    launcher.kill()
    launcher.wait()
    wait(lambda: gone(pid))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="uses a signal of Linux")
def test_a_killed_launcher_frees_its_folder_with_its_child(tmp_path):
    """``kill -9`` of the launcher; RESUME=1 is refused for as long as the child writes."""
    launcher = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(config_in(tmp_path / "run")), ORPHAN], cwd=ROOT
    )
    out = tmp_path / "run"
    wait(lambda: (out / "pid").exists() or launcher.poll() is not None)
    with pytest.raises(ConfigError, match="is being written"), lock.only_writer(out):
        pytest.fail("two writers")
    launcher.kill()
    launcher.wait()
    with lock.only_writer(out, patience_s=60.0):
        assert gone((out / "pid").read_text())


KILLED = """
import pathlib, sys
from verl_recipes.run import lock, supervisor
path = pathlib.Path(sys.argv[1])
supervisor.command = lambda path: [sys.executable, "-c", sys.argv[2], str(path.parent)]
with lock.only_writer(path.parent) as descriptor:
    supervisor.supervise(path, 3, 600.0, keep=[descriptor])
"""


def test_new_lines_are_whole_and_come_once(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_bytes(b"one\nSTAGE 1 of")
    lines, read = supervisor.new_lines(log, 0)
    assert (lines, read) == (["one"], 4)
    log.write_bytes(b"one\nSTAGE 1 of 2\nthree\n")
    assert supervisor.new_lines(log, read) == (["STAGE 1 of 2", "three"], 23)
