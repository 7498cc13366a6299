"""The command line as a whole: help, exit statuses, errors, options, and the process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import eval_domain
import pytest
from command_runs import ID, Run
from places import ROOT, SUPPORT

import gym_clinic
from gym_clinic.catalog import find
from gym_clinic.commands.options import read_options
from gym_clinic.errors import ConfigError, ServiceError
from gym_clinic.policies import POLICIES


def dead(env: Any) -> Any:
    """A policy whose server cannot be reached, before any episode."""
    raise ServiceError("no server there")


HELP = {
    (): "Commands: list info play eval tasks kb export plot doctor",
    ("list",): "MODULE",
    ("info",): "--prompt --split --set",
    ("play",): "--policy --split --task-id --seed --set --option --url --model --api-key-env",
    ("eval",): "--policy --out --split --trials --seed --concurrency --limit --set --option --url "
    "--model --api-key-env --json --no-progress",
    ("tasks",): "validate build import",
    ("tasks", "validate"): "--set",
    ("tasks", "build"): "DOMAIN",
    ("tasks", "import"): "--out --split --share --groups --set clingen medqa",
    ("kb",): "build search info embed serve validate import patients graph",
    ("kb", "build"): "--out --format --engine --strict --category --licence",
    ("kb", "search"): "--limit --source --operator",
    ("kb", "embed"): "--embedder --kind --breadth --no-progress",
    ("kb", "serve"): "--port --threads --waiting --dense",
    ("kb", "validate"): "FOLDER",
    ("kb", "import"): "--out --names orphanet-prevalence",
    ("kb", "patients"): "import simulate match",
    ("kb", "patients", "import"): "phenopackets rarebench pmc-patients",
    ("kb", "patients", "simulate"): "--count --seed --facts --keep-out --out",
    ("kb", "patients", "match"): "--cases --limit --embedder --json",
    ("kb", "graph"): "build neighbours link",
    ("kb", "graph", "build"): "facts csv umls",
    ("kb", "graph", "neighbours"): "--relation --kind --limit --graph --json",
    ("kb", "graph", "link"): "--graph --json",
    ("export", "sft"): "--out --split --only-success --module --set",
    ("plot",): "--out --title",
    ("doctor",): "Check this installation.",
}
"""Command -> what its help names."""


@pytest.mark.parametrize("command", HELP, ids=" ".join)
def test_help_names_every_option(run: Run, command: tuple[str, ...]) -> None:
    status, out, err = run(*command, "--help")
    assert (status, err) == (0, "")
    assert out.startswith(" ".join(["Usage: gym-clinic", *command]))
    words = out.split()
    assert not [name for name in HELP[command].split() if name not in words]


def test_help_names_every_policy(run: Run) -> None:
    out = run("eval", "--help").out.replace(",", " ").split()
    assert not [name for name in POLICIES if name not in out]


def test_help_has_a_short_flag(run: Run) -> None:
    assert run("kb", "graph", "-h").out == run("kb", "graph", "--help").out


def test_version(run: Run) -> None:
    assert run("--version") == (0, f"gym-clinic {gym_clinic.__version__}\n", "")


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["evl"], "No such command 'evl'. Did you mean 'eval'?"),
        (["kb", "graf"], "No such command 'graf'. Did you mean 'graph'?"),
        (["play", ID, "--splt", "dev"], "--split"),
        (["eval", ID, "--policy", "oracle", "--trails", "1"], "--trials"),
        (["eval", ID, "--policy", "oracle"], "--out"),
        (["eval", ID, "--out", "x", "--policy", "oracle", "--trials", "two"], "--trials"),
        ([], "Missing command"),
    ],
)
def test_a_wrong_command_line_is_exit_2(run: Run, argv: list[str], said: str) -> None:
    status, out, err = run(*argv)
    assert (status, out) == (2, "")
    assert err.startswith("Usage: gym-clinic")
    assert said in err.splitlines()[-1]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["info", "Fever-v0"], "no id 'Fever-v0'; did you mean 'evaluation/Fever-v0'?"),
        (["info", "evaluation/fever"], "did you mean 'evaluation/Fever-v0'?"),
        (["info", "CartPole-v1"], "'CartPole-v1' is no clinic environment"),
        (["info", "no_such_module:x/Y-v0"], "no module 'no_such_module'"),
        (["list", "no_such_module"], "no module 'no_such_module'"),
        (["play", ID, "--policy", "oracel"], "did you mean 'oracle'?"),
        (["play", ID, "--policy", "oracle", "--task-id", "f0"], "no task 'f0' among the 8"),
        (["play", ID, "--policy", "oracle", "--split", "exam"], "no split 'exam'"),
        (["play", ID, "--policy", "oracle", "--set", "max_turn=3"], "max_turn"),
        (["play", ID, "--policy", "oracle", "--set", "max_turns=0.5"], "whole number from 1"),
        (["play", ID, "--policy", "oracle", "--option", "x"], "written key=value, not 'x'"),
        (["play", ID, "--policy", "oracle", "--url", "x"], "add --policy chat"),
        (["eval", ID, "--policy", "oracle", "--trials", "0", "--out", "x"], "trials is a whole"),
        (
            ["eval", ID, "--policy", "oracle", "--set", "split=train", "--out", "x"],
            "is not set this way",
        ),
        (["tasks", "validate", "no_such_domain"], "no domain 'no_such_domain'"),
        (["tasks", "import", "clingen", "no.jsonl", "--out", "x"], "is not a folder"),
    ],
)
def test_mistakes_are_named_without_a_traceback(
    argv: list[str],
    said: str,
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    status, _, err = run(*argv)
    assert status == 2
    assert err.startswith("gym-clinic: ")
    assert said in err
    assert "Traceback" not in err
    assert not list(tmp_path.iterdir())


def test_a_failing_service_is_exit_3(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(eval_domain.DOMAIN.baselines, "dead", dead)
    status, _, err = run("play", ID, "--policy", "dead")
    assert (status, err) == (3, "gym-clinic: no server there\n")


def command(*argv: str) -> list[str]:
    """Return a command as the installed script runs it: sys.path lacks the working folder."""
    script = (
        "import sys; sys.path = [one for one in sys.path if one]; "
        "from gym_clinic.cli import main; sys.exit(main())"
    )
    return [sys.executable, "-c", script, *argv]


@pytest.fixture
def environ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, (SUPPORT, ROOT))))


@pytest.mark.usefixtures("environ")
def test_policies_of_the_working_folder_are_found(tmp_path: Path) -> None:
    (tmp_path / "my_policy.py").write_text(
        "class Mine:\n    def act(self, observation, info):\n        return 'FEVER: yes'\n"
    )
    argv = command("play", ID, "--policy", "my_policy:Mine")
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert b"FEVER: yes" in done.stdout


@pytest.mark.usefixtures("environ")
@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX pipes and signals")
def test_a_closed_pipe_and_ctrl_c_end_a_process_without_a_traceback() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    argv = command("info", ID, "--prompt")
    done = subprocess.run(argv, stdout=writing, stderr=subprocess.PIPE, timeout=300)
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")
    pipe = subprocess.PIPE
    with subprocess.Popen(command("play", ID), stdin=pipe, stdout=pipe, stderr=pipe) as player:
        assert player.stdout is not None
        assert player.stdout.readline()  # it has begun
        player.send_signal(signal.SIGINT)
        _, err = player.communicate(timeout=300)
    assert (player.returncode, err) == (130, b"gym-clinic: stopped\n")


@pytest.mark.usefixtures("environ")
def test_help_and_list_load_nothing_heavy() -> None:
    code = """
import sys
from gym_clinic.cli import main
assert main(["eval", "--help"]) == 0
light = {"gym_clinic.env", "gym_clinic.policies", "gym_clinic.retrieval", "rich", "orjson"}
assert not light & set(sys.modules), light & set(sys.modules)
assert main(["list"]) == 0
heavy = {"torch", "faiss", "tantivy", "httpx", "lxml", "matplotlib", "sklearn", "fastapi", "numba",
         "pandas", "PIL", "opensearchpy", "transformers", "verl_recipes"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_options_are_json_or_text() -> None:
    assert read_options(["a=1", "b=true", "c=x=y", "d=[1]", "e="]) == {
        "a": 1, "b": True, "c": "x=y", "d": [1], "e": "",
    }  # fmt: skip
    with pytest.raises(ConfigError, match="key=value, not '=1'"):
        read_options(["=1"])


def test_find_takes_ids_with_and_without_module() -> None:
    assert find(ID) == find(eval_domain.ID) == eval_domain.ID
    with pytest.raises(ConfigError, match="did you mean 'clinic/ClinGen-v0'"):
        find("clingen")
