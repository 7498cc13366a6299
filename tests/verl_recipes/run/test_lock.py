"""One training run at a time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from places import ROOT

from gym_clinic import ConfigError
from verl_recipes.run.lock import lock_file, only_run, only_writer

HOLDER = """
import pathlib, subprocess, sys, time
from verl_recipes.run.lock import only_run
here = pathlib.Path(sys.argv[1])
with only_run("the first run", here / "lock") as descriptor:
    sleeper = [sys.executable, "-c", "import time; time.sleep(600)"]
    child = subprocess.Popen(sleeper, pass_fds=(descriptor,))
    (here / "new").write_text(str(child.pid))
    (here / "new").rename(here / "child")
    time.sleep(600)
"""


def until(true):
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_second_run_waits_until_every_process_of_the_first_has_ended(tmp_path, capfd):
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path)], cwd=ROOT)
    until((tmp_path / "child").exists)
    child = int((tmp_path / "child").read_text())
    order = []

    def second():
        with only_run("the second run", tmp_path / "lock"):
            order.append("second")

    waiting = threading.Thread(target=second)
    waiting.start()
    until(lambda: "waiting  for another run on this machine: the first run" in said(capfd))
    holder.kill()
    holder.wait()
    time.sleep(0.3)
    assert order == []  # its child still runs, and holds the lock as well
    order.append("first ended")
    os.kill(child, signal.SIGKILL)
    waiting.join(timeout=300)
    assert order == ["first ended", "second"]
    assert (tmp_path / "lock").read_text().startswith("the second run (process ")


_SAID = []


def said(capfd):
    _SAID.append(capfd.readouterr().out)
    return "".join(_SAID)


def test_one_lock_serves_the_whole_machine(tmp_path, monkeypatch):
    before = lock_file()
    monkeypatch.chdir(tmp_path)
    assert lock_file() == before
    assert before.is_absolute()


LAUNCHER = """
import pathlib, subprocess, sys, time
from verl_recipes.run.lock import only_writer
here = pathlib.Path(sys.argv[1])
with only_writer(here / "run") as descriptor:
    sleeper = [sys.executable, "-c", "import time; time.sleep(600)"]
    child = subprocess.Popen(sleeper, pass_fds=(descriptor,))
    (here / "new").write_text(str(child.pid))
    (here / "new").rename(here / "child")
    time.sleep(600)
"""


def test_a_second_writer_of_a_folder_is_refused_while_anything_of_the_first_lives(tmp_path):
    """Also after ``kill -9`` of the launcher, while its child goes on writing."""
    launcher = subprocess.Popen([sys.executable, "-c", LAUNCHER, str(tmp_path)], cwd=ROOT)
    until((tmp_path / "child").exists)
    child, out = int((tmp_path / "child").read_text()), tmp_path / "run"
    says = rf"run is being written by a run \(process {launcher.pid}\): wait"
    with pytest.raises(ConfigError, match=says), only_writer(out):
        pytest.fail("two writers")
    with only_writer(tmp_path / "another"):
        pass
    launcher.kill()
    launcher.wait()
    with pytest.raises(ConfigError, match="another OUT"), only_writer(out, patience_s=0.3):
        pytest.fail("two writers")
    threading.Timer(0.3, os.kill, (child, signal.SIGKILL)).start()
    with only_writer(out, patience_s=60.0):
        assert (out / "writer.lock").read_text() == f"a run (process {os.getpid()})"
