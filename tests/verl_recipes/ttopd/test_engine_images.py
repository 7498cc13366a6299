"""The engine with a teacher over images, against the same models without verl."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from places import ROOT, SUPPORT

torch = pytest.importorskip("torch")
pytest.importorskip("verl")

pytestmark = pytest.mark.slow

FAMILIES = ("qwen2_5_vl", "qwen3_vl")
ATOL = 2e-6
"""Of gradients whose largest entries are .3 to 2."""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What the engine and the plain models computed, by family."""
    folder = tmp_path_factory.mktemp("images")
    paths = [str(ROOT), str(SUPPORT), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, str(SUPPORT / "engine_images.py"), str(folder)],
        env=os.environ
        | {
            "RANK": "0",
            "WORLD_SIZE": "1",
            "LOCAL_RANK": "0",
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "VERL_PLATFORM": "cpu",
            "VERL_ENGINE_VENDOR": "gym_clinic",
            "VERL_USE_EXTERNAL_MODULES": "verl_recipes.cpu.platform,verl_recipes.ttopd.engine",
            "OMP_NUM_THREADS": "1",
            "GLOO_SOCKET_IFNAME": "lo",
            "HF_HUB_OFFLINE": "1",
        },
        capture_output=True,
        text=True,
        timeout=330.0,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return torch.load(folder / "images.pt", weights_only=True)


@pytest.mark.parametrize("family", FAMILIES)
def test_an_equal_teacher_without_hints_has_a_kl_of_exactly_zero(found, family):
    equal = found[family]["equal"]
    assert equal["loss"] == 0.0
    assert equal["gradients"]
    assert all(not values.any() for values in equal["gradients"].values())


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    ("way", "wanted"), [("hinted", "hinted"), ("other", "other"), ("micro 1", "other")]
)
def test_loss_and_gradients_are_those_of_the_plain_models(found, family, way, wanted):
    one, other = found[family][way], found[family][f"{wanted}, reference"]
    assert other["loss"] > 0.5
    assert one["loss"] == pytest.approx(other["loss"], abs=5e-6)
    assert one["gradients"].keys() == other["gradients"].keys()
    assert any("visual" in name and values.any() for name, values in one["gradients"].items())
    for name, values in one["gradients"].items():
        torch.testing.assert_close(
            values,
            other["gradients"][name],
            atol=ATOL,
            rtol=0,
            msg=lambda told, name=name: f"{name}: {told}",
        )
