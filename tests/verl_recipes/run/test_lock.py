"""One training run at a time."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

from places import ROOT

from verl_recipes.run.lock import lock_file, only_run

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
    import os
    import signal

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
    waiting.join(timeout=60)
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
