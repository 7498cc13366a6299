"""Installed packages against the pins of setup.cfg and of verl's own extras."""

from __future__ import annotations

import configparser
import re
from importlib import metadata

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from places import ROOT

from verl_recipes import __main__ as program
from verl_recipes.preflight import pins
from verl_recipes.preflight.result import MISSING, OK, WARNING

pytestmark = pytest.mark.skipif(pins.version("verl") is None, reason="verl is not installed")


def extra(name):
    read = configparser.ConfigParser()
    read.read(ROOT / "setup.cfg")
    lines = read["options.extras_require"][name].split("\n")
    found = [Requirement(line) for line in lines if line]
    own = [one for one in found if one.name == "gym_clinic"]
    shared = [pin for one in own for part in sorted(one.extras) for pin in extra(part)]
    return [*shared, *(one for one in found if one not in own)]


@pytest.mark.parametrize("stack", ["cpu", "gpu"])
def test_the_pins_are_those_of_setup_cfg(stack):
    found = {str(one.name): one.specifier for one in pins.requirements(stack)}
    for pin in extra(f"train-{stack}"):
        assert set(pin.specifier) <= set(found[pin.name])
    assert {"torch", "verl", "TransferQueue", "transformers", "ray"} <= set(found)
    assert f'".[train-{stack}]"' in pins.INSTALL[stack]


def test_the_gpu_stack_has_the_exact_pins_of_verls_extras():
    found = {one.name: str(one.specifier) for one in pins.requirements("gpu")}
    assert "==" in found["vllm"]
    (torch,) = (str(one.specifier) for one in extra("train-gpu-build") if one.name == "torch")
    assert found["torch"] == torch
    assert '".[train-gpu-build]"' in pins.INSTALL["gpu"]


def of_verl(name):
    """What verl's metadata say of a package, whatever extra names it."""
    lines = [Requirement(line) for line in metadata.requires("verl")]
    return {str(one.specifier) for one in lines if one.name == name and one.specifier}


def test_extras_are_followed_to_the_last():
    """verl[fsdp] names extras of verl, and these name what is compiled and what is of CUDA."""
    found = {one.name: str(one.specifier) for one in pins.requirements("gpu")}
    for name in ("flash-attn", "cupy-cuda13x", "trl", "vllm"):
        assert {found[name]} == of_verl(name)
    assert "mathruler" in found  # of verl[verl-core], which both extras name
    assert "prometheus_client" in found  # of ray[default], which that one names
    assert "sglang" not in found
    assert len(found) == len({pins.canonical(name) for name in found})


def test_a_package_that_two_extras_name_has_the_bounds_of_both():
    (found,) = (one for one in pins.requirements("gpu") if one.name == "tensordict")
    (own,) = (one for one in extra("train-gpu") if one.name == "tensordict")
    assert set(found.specifier) > set(own.specifier)


@pytest.mark.parametrize("name", ["flash-attn", "cupy-cuda13x", "vllm"])
def test_what_is_missing_of_the_gpu_stack_is_named(monkeypatch, name):
    asked = pins.requirements("gpu")
    here = {one.name: pinned(one) for one in asked if one.name != name}
    monkeypatch.setattr(pins, "version", here.get)
    monkeypatch.setattr(pins, "requirements", lambda stack: asked)
    assert pins.missing("gpu") == [name]
    (lacking,) = (one for one in pins.check("gpu") if one.status == MISSING)
    assert str(lacking).startswith(f"{name}: not installed; expected ==")


def pinned(pin):
    """A version within the bounds of a requirement."""
    exact = [one.version for one in pin.specifier if one.operator in ("==", ">=")]
    return sorted(exact)[-1] if exact else "1.0"


def test_what_comes_by_name_alone_may_be_missing(monkeypatch):
    asked = [Requirement("a==2.0"), Requirement("b"), Requirement("c")]
    monkeypatch.setattr(pins, "version", {"a": "2.0"}.get)
    monkeypatch.setattr(pins, "requirements", lambda stack: asked)
    assert pins.missing("gpu") == []
    loose, held = pins.check("gpu")
    assert (loose.status, held.status) == (WARNING, OK)
    assert "not installed, and verl's extras name them: b, c" in str(loose)


def test_the_pins_stand_in_setup_cfg_alone():
    pinned = {
        f"{pin.name}{pin.specifier}"
        for stack in ("cpu", "gpu", "gpu-build")
        for pin in extra(f"train-{stack}")
        if "==" in str(pin.specifier)
    }
    places = [ROOT / "Makefile", ROOT / "README.md", *ROOT.glob("docs/*.md")]
    places += ROOT.glob("verl_recipes/**/*.py")
    for path in places:
        text = path.read_text(encoding="utf-8")
        assert [one for one in pinned if one in text] == [], path


def test_the_guide_states_the_versions_of_both_stacks():
    text = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    _, table = text.split("| package | tests, without GPUs | with GPUs |\n| --- | --- | --- |\n")
    rows = [line.strip("| ").split(" | ") for line in table.partition("\n\n")[0].splitlines()]
    assert {name: tuple(versions) for name, *versions in rows} == {
        name: (exact("cpu").get(name, "none"), exact("gpu").get(name, "none"))
        for name in exact("cpu") | exact("gpu")
    }


def exact(stack):
    """The packages of a stack that are pinned, and their versions."""
    return {
        pin.name: bound.version
        for pin in pins.requirements(stack)
        for bound in pin.specifier
        if bound.operator == "=="
    }


def test_the_guide_names_the_toolkit_that_verl_s_flash_attention_is_built_for():
    (extra_of,) = {
        str(line.marker) for line in map(Requirement, metadata.requires("verl"))
        if line.name == "flash-attn"
    }  # fmt: skip
    major, minor = re.search(r"cu(\d+)(\d)torch", extra_of).groups()
    text = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    assert f"of the CUDA that torch is built for ({major}.{minor})" in text
    for said in ("nvcc", "psutil", "MAX_JOBS", "CUDA_HOME"):
        assert said in text


def test_both_stacks_pin_the_same_verl_and_queue():
    for name in ("verl", "TransferQueue"):
        exact = {
            bound.version for stack in ("cpu", "gpu") for one in pins.requirements(stack)
            if one.name == name for bound in one.specifier if bound.operator == "=="
        }  # fmt: skip
        assert len(exact) == 1


def test_the_pins_satisfy_what_verl_asks_of_everyone():
    asked = {}
    for line in metadata.requires("verl"):
        one = Requirement(line)
        if one.marker is None:
            asked[one.name.lower()] = one.specifier
    assert asked["transformers"] == SpecifierSet("!=5.6.0,<5.11,>=5.5.3")
    for stack in ("cpu", "gpu"):
        for pin in pins.requirements(stack):
            exact = [one.version for one in pin.specifier if one.operator == "=="]
            if exact and pin.name.lower() in asked:
                assert asked[pin.name.lower()].contains(exact[0]), pin


def test_the_installed_packages_are_the_pinned_ones():
    stack = pins.installed_stack()
    assert [str(one) for one in pins.check(stack) if one.status != OK] == []
    assert pins.missing(stack) == []


def test_each_kind_of_finding(monkeypatch):
    here = {"a": "2.0+cpu", "b": "1.9", "verl": "0.8.0"}
    wanted = [Requirement("a==2.0"), Requirement("b==2.0"), Requirement("c==2.0")]
    wanted.append(Requirement("verl==0.9.1"))
    monkeypatch.setattr(pins, "version", here.get)
    monkeypatch.setattr(pins, "requirements", lambda stack: wanted)
    found = list(pins.check("cpu"))
    assert [(one.name, one.status) for one in found] == [
        ("b", WARNING), ("c", MISSING), ("verl", MISSING), ("packages", OK),
    ]  # fmt: skip
    assert str(found[0]) == 'b: 1.9; expected ==2.0; install with: pip install -e ".[train-cpu]"'
    assert found[-1].detail == "a 2.0+cpu"


def test_the_installed_stack(monkeypatch):
    here = {}
    monkeypatch.setattr(pins, "version", here.get)
    assert pins.installed_stack() is None
    here["verl"] = "0.9.1"
    assert pins.installed_stack() == "cpu"
    here["vllm"] = "0.24.0"
    assert pins.installed_stack() == "gpu"


def test_a_missing_extra_is_reported_with_the_line_that_installs_it(monkeypatch, capsys):
    monkeypatch.setattr(pins, "version", lambda name: None)
    assert program.main(["train"]) == 2
    error = capsys.readouterr().err
    assert "training needs verl" in error
    assert 'pip install -e ".[train-cpu]"' in error
    monkeypatch.undo()
    real = pins.version
    monkeypatch.setattr(pins, "version", lambda name: None if name == "peft" else real(name))
    assert program.main(["check"]) == 2
    assert "training needs peft: " in capsys.readouterr().err
