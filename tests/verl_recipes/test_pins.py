"""The pins of both worlds: setup.cfg, pins.py, verl's own metadata and what is installed agree."""

from __future__ import annotations

import configparser
import re
from importlib import metadata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT

from verl_recipes import pins


def extra(name: str) -> list[str]:
    read = configparser.ConfigParser()
    read.read(ROOT / "setup.cfg")
    return read["options.extras_require"][name].split()


@pytest.mark.parametrize("world", ["cpu", "gpu"])
def test_setup_writes_the_pins_out(world):
    assert extra(f"train-{world}") == pins.requirements(world)
    assert f'".[train-{world}]"' in pins.INSTALL[world]


@pytest.mark.parametrize("world", ["cpu", "gpu"])
def test_every_pin_stands_once_and_says_why(world):
    names = [pin.name.lower() for pin in pins.WORLDS[world]]
    assert len(set(names)) == len(names)
    for pin in pins.WORLDS[world]:
        assert pin.why
        pins.fits("1", pin.bound)  # raises if the bound cannot be read
    assert {"torch", "verl", "transferqueue", "transformers", "ray"} <= set(names)


def test_both_worlds_share_verl_and_its_queue():
    for name in ("verl", "TransferQueue"):
        bounds = {pin.bound for world in pins.WORLDS.values() for pin in world if pin.name == name}
        assert len(bounds) == 1


def asked_by_verl(*extras: str) -> dict[str, str]:
    """What extras of verl ask for, without what they ask of verl itself: name -> bound."""
    asked: dict[str, str] = {}
    for line in metadata.requires("verl") or []:
        wanted, _, marker = line.partition(";")
        found = re.search(r'extra == "([^"]+)"', marker)
        if found and found[1] in extras:
            read = re.match(r"([\w.-]+)(?:\[([^]]*)\])?(.*)", wanted.strip())
            assert read is not None
            if read[1] == "verl":
                asked |= asked_by_verl(read[2])
            else:
                asked[read[1].lower()] = read[3].strip()
    return asked


def installed(name: str) -> bool:
    return bool(list(metadata.distributions(name=name)))


needs_verl = pytest.mark.skipif(not installed("verl"), reason="verl is not installed")


@needs_verl
def test_verl_itself_is_the_release():
    assert metadata.version("verl") == pins.VERL


@needs_verl
@pytest.mark.parametrize("name", ["vllm", "fsdp"])
def test_pins_that_come_through_verl_are_verls_own(name):
    asked = asked_by_verl(name)
    ours = {pin.name.lower(): pin.bound for pin in pins.WORLDS["gpu"] if pin.through == name}
    assert ours
    assert ours.items() <= asked.items()


@needs_verl
def test_no_exact_pin_of_verls_extras_is_left_out():
    exact = {
        name for name, bound in asked_by_verl("vllm", "fsdp").items() if bound.startswith("==")
    }
    assert exact <= {pin.name.lower() for pin in pins.WORLDS["gpu"]}


@needs_verl
def test_the_pins_satisfy_what_verl_asks_of_everyone():
    bounds = {}
    for line in metadata.requires("verl") or []:
        read = re.fullmatch(r"([\w.-]+)(?:\[[^]]*\])?([^;]*)", line)
        if read and read[2]:
            bounds[read[1].lower()] = read[2]
    assert bounds["transformers"] == "!=5.6.0,<5.11,>=5.5.3"
    for world in pins.WORLDS.values():
        for pin in world:
            asked = bounds.get(pin.name.lower())
            if asked and pin.bound.startswith("=="):
                assert pins.fits(pin.bound[2:], asked), pin


def test_what_is_installed_is_what_is_pinned():
    world = pins.installed_world()
    if world is None:
        pytest.skip("verl is not installed: this is no training environment")
    wrong = [
        f"{state.pin.requirement}: {state.found}"
        for state in pins.survey(world)
        if state.verdict != "ok"
    ]
    assert not wrong, f"{wrong}; install with: {pins.INSTALL[world]}"


def test_states(monkeypatch):
    here = {"a": "2.0+cpu", "b": "1.9"}

    def version(name):
        if name not in here:
            raise metadata.PackageNotFoundError(name)
        return here[name]

    monkeypatch.setattr(metadata, "version", version)
    for name, expected in {"a": "ok", "b": "other", "c": "missing"}.items():
        state = pins.state(pins.Pin(name, "==2.0", "a test"))
        assert (state.verdict, state.found) == (expected, here.get(name))
    assert pins.installed_world() is None
    here["verl"] = "0.9.1"
    assert pins.installed_world() == "cpu"
    here["vllm"] = "0.24.0"
    assert pins.installed_world() == "gpu"


@pytest.mark.parametrize(
    ("version", "bound", "expected"),
    [
        ("2.13.0+cpu", "==2.13.0", True),
        ("2.13", "==2.13.0", True),
        ("2.13.1", "==2.13.0", False),
        ("2.13.0rc1", "==2.13.0", False),
        ("2.8.3.post1", "==2.8.3", False),
        ("27.10.0", ">=27,<28", True),
        ("28.0", ">=27,<28", False),
        ("5.6.0", "!=5.6.0,<5.11,>=5.5.3", False),
        ("5.10.4", "!=5.6.0,<5.11,>=5.5.3", True),
        ("0.10.0", ">=0.8,<=0.10.0", True),
        ("unknown", ">=0", False),
    ],
)
def test_bounds(version, bound, expected):
    assert pins.fits(version, bound) is expected


@given(st.lists(st.integers(0, 300), min_size=1, max_size=4))
def test_a_release_fits_itself_and_what_encloses_it(parts):
    version = ".".join(map(str, parts))
    later = ".".join(map(str, [*parts[:-1], parts[-1] + 1]))
    assert pins.fits(version, f"=={version}")
    assert pins.fits(version, f">={version},<{later}")
    assert not pins.fits(later, f"<={version}")


@pytest.mark.parametrize("bound", ["", "2.0", "~=2.0", ">=2 <3", "==2.*"])
def test_a_bound_that_is_none_is_refused(bound):
    with pytest.raises(ValueError, match="is no bound"):
        pins.fits("2.0", bound)
