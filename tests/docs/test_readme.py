"""The README is run, block by block and command by command."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

import pytest
from places import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.M | re.S)
PYTHON = [body for kind, body in BLOCKS if kind == "python"]
SHELL = [
    line.split("#")[0].strip()
    for kind, body in BLOCKS
    if kind == "bash"
    for line in body.splitlines()
    if line.strip()
]
FILES = {name[1]: body for body in PYTHON if (name := re.match(r"# (\w+\.py)\n", body))}


@pytest.fixture
def folder(tmp_path):
    for name, body in FILES.items():
        (tmp_path / name).write_text(body, encoding="utf-8")
    return tmp_path


def run(arguments, folder):
    done = subprocess.run(
        arguments,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("body", [body for body in PYTHON if body not in FILES.values()])
def test_python_blocks_run(body, folder):
    run([sys.executable, "-W", "error::DeprecationWarning", "-c", body], folder)


def test_the_policy_is_ten_lines_and_the_domain_under_sixty():
    assert len(FILES["my_agent.py"].splitlines()) <= 10
    assert len(FILES["my_derm.py"].splitlines()) < 60


def make_what_is_read(arguments, folder):
    """Make runs by the README's own commands, and the metrics of a training run by hand."""
    read = {"export": arguments[2:3], "compare": arguments[1:3]}.get(arguments[0], [])
    for name in read:
        (made,) = [line for line in SHELL if line.endswith(f"--out {name}")]
        run([sys.executable, "-m", "gym_clinic.cli", *shlex.split(made)[1:]], folder)
    if arguments[0] == "plot":
        for name in arguments[1 : arguments.index("--out")]:
            (folder / name).mkdir(parents=True)
            line = '{"step": 1, "data": {"critic/score/mean": 0.5}}\n'
            (folder / name / "metrics-1.jsonl").write_text(line, encoding="utf-8")


# It plays every task, and so `make tasks` runs it.
BY_MAKE = "gym-clinic tasks validate"
COMMANDS = [line for line in SHELL if line.startswith("gym-clinic") and line != BY_MAKE]


def test_make_tasks_validates():
    assert BY_MAKE in SHELL
    assert f"$(BIN)/{BY_MAKE}\n" in (ROOT / "Makefile").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_commands_run(command, folder, chat_server):
    chat_server.script = [chat_server.answer("CLASSIFICATION: Definitive")]
    command = command.replace("http://127.0.0.1:8000/v1", chat_server.url)
    program, *arguments = shlex.split(command)
    assert program == "gym-clinic"
    make_what_is_read(arguments, folder)
    printed = run([sys.executable, "-m", "gym_clinic.cli", *arguments], folder)
    assert printed.strip()
    if "--out" in arguments:
        out = folder / arguments[arguments.index("--out") + 1]
        assert out.is_file() or (out / "summary.json").is_file()
        assert out.is_file() or (out / "trace.jsonl").is_file()


def test_other_commands_are_make_targets():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    named = {line.split()[1] for line in SHELL if line.startswith("make")}
    named |= set(re.findall(r"`make ([a-z-]+)`", README))
    assert named
    assert named <= targets
    assert all(line.startswith(("make", "gym-clinic", "pip")) for line in SHELL)
