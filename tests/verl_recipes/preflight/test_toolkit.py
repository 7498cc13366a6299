"""The compiler that flash-attention needs, and the two steps of the installation for GPUs."""

from __future__ import annotations

import configparser
import subprocess

import pytest
from packaging.requirements import Requirement
from places import ROOT

from verl_recipes import __main__ as program
from verl_recipes.preflight import pins, toolkit
from verl_recipes.preflight.result import MISSING, OK


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A machine with a torch for CUDA 13.0 and without a toolkit."""
    monkeypatch.setattr(pins, "version", lambda name: None)
    monkeypatch.setattr(toolkit, "cuda_of_torch", lambda: "13.0")
    monkeypatch.setattr(toolkit, "USUAL", tmp_path / "usual")
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    for name in toolkit.PLACES:
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def compiler(folder, said):
    """A stand-in for nvcc that prints its release as nvcc does."""
    folder.mkdir(parents=True)
    path = folder / "nvcc"
    path.write_text(f"#!/bin/sh\necho '{said}'\n")
    path.chmod(0o755)
    return path


SAYS = "Cuda compilation tools, release {}, V{}.48"


def test_without_a_compiler_the_toolkit_is_named(bare, capsys):
    found = toolkit.check()
    assert found.status == MISSING
    assert "no nvcc, and flash-attn is compiled at its installation" in str(found)
    assert "install CUDA toolkit 13.0, and name its folder by CUDA_HOME" in str(found)
    assert toolkit.main() == 1
    assert "cannot go on: CUDA toolkit: no nvcc" in capsys.readouterr().err


@pytest.mark.parametrize("place", ["CUDA_HOME", "CUDA_PATH", "PATH", "usual"])
def test_a_compiler_is_found_where_builds_look(bare, tmp_path, place, capsys):
    path = compiler(tmp_path / place / "bin", SAYS.format("13.0", "13.0"))
    if place == "usual":
        bare.setattr(toolkit, "USUAL", tmp_path / place)
    elif place == "PATH":
        bare.setenv("PATH", str(path.parent))
    else:
        bare.setenv(place, str(tmp_path / place))
    assert str(toolkit.check()) == f"CUDA toolkit: {path}, CUDA 13.0"
    assert toolkit.main() == 0
    assert "MAX_JOBS=4" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("said", "status", "detail"),
    [
        (SAYS.format("13.1", "13.1"), OK, "CUDA 13.1"),
        (SAYS.format("12.8", "12.8"), MISSING, "is of CUDA 12.8, torch is built for CUDA 13.0"),
        ("nothing of use", MISSING, "does not say its release"),
    ],
)
def test_the_release_must_be_that_of_torch(bare, tmp_path, said, status, detail):
    bare.setenv("CUDA_HOME", str(tmp_path / "cuda"))
    compiler(tmp_path / "cuda" / "bin", said)
    found = toolkit.check()
    assert (found.status, detail in found.detail) == (status, True)


def test_a_compiled_package_needs_no_compiler(bare):
    bare.setattr(pins, "version", {"flash-attn": "2.8.3"}.get)
    assert str(toolkit.check()) == "CUDA toolkit: not needed: flash-attn 2.8.3 is installed"


def test_a_missing_package_that_is_compiled_comes_with_what_it_needs(bare, capsys):
    pytest.importorskip("packaging")
    bare.setattr(pins, "installed_stack", lambda: "gpu")
    bare.setattr(pins, "missing", lambda stack: ["flash-attn"])
    assert program.main(["train"]) == 2
    assert "CUDA toolkit: no nvcc" in capsys.readouterr().err


def test_the_build_extra_has_what_the_build_imports():
    read = configparser.ConfigParser()
    read.read(ROOT / "setup.cfg")
    lines = read["options.extras_require"]["train-gpu-build"].split("\n")
    names = {Requirement(line).name for line in lines if line}
    assert {"torch", "ninja", "packaging", "psutil", "setuptools", "wheel"} <= names


def test_make_checks_the_compiler_first_and_shows_the_compile():
    done = subprocess.run(
        ["make", "-n", "GPUS=8", "VENV=nowhere", "nowhere/.train"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if "train-gpu" in line or "toolkit" in line]
    build, check, compile_ = lines
    assert '".[train-gpu-build]"' in build
    assert check.endswith("-m verl_recipes.preflight.toolkit")
    assert '".[train-gpu]"' in compile_
    assert " -q" not in compile_
