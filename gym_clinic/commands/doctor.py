"""``gym-clinic doctor``: whether everything that is needed is here and works."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib import metadata
from typing import Any

from gym_clinic import paths, policies
from gym_clinic._version import __version__
from gym_clinic.catalog import ids
from gym_clinic.commands.show import open_any
from gym_clinic.commands.terminal import console
from gym_clinic.errors import ClinicError
from gym_clinic.policies.playing import play

NEEDED = (
    "gymnasium", "numpy", "orjson", "platformdirs", "pydantic", "rich", "snowballstemmer",
    "sqlite_utils",
)  # fmt: skip
EXTRAS = {
    "chat": ("httpx", "tenacity"),
    "dense": ("faiss",),
    "embed": ("sentence_transformers",),
    "import": ("lxml",),
    "numba": ("numba",),
    "plot": ("matplotlib",),
    "serve": ("fastapi", "httpx", "tenacity", "uvicorn"),
    "tantivy": ("tantivy",),
}

Finding = tuple[str, str, str]
"""Verdict (ok, none, broken), what was looked at, what was found."""


def add(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "doctor",
        help="check this installation",
        description="Check Python, packages, data and every environment; exit status 1 if "
        "something that is needed is broken.",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print every finding."""
    screen = console()
    broken = False
    for check in (_python, _packages, _extras, _data, _gpu, _episodes):
        for verdict, what, found in check():
            broken = broken or verdict == "broken"
            style = {"ok": "green", "none": "yellow"}.get(verdict, "bold red")
            screen.print(f"{verdict:7}", style=style, end="", markup=False)
            screen.print(f"{what}: {found}", markup=False, soft_wrap=True)
    return int(broken)


def _python() -> Iterator[Finding]:
    verdict = "ok" if sys.version_info >= (3, 10) else "broken"
    yield verdict, "python", f"{platform.python_version()} at {sys.executable}"
    yield "ok", "gym_clinic", f"{__version__} at {paths.__file__}"


def _packages() -> Iterator[Finding]:
    for name in NEEDED:
        if importlib.util.find_spec(name) is None:
            yield "broken", name, "missing; pip install --force-reinstall gym_clinic"
        else:
            yield "ok", name, metadata.version(name)


def _extras() -> Iterator[Finding]:
    for extra, names in EXTRAS.items():
        missing = [name for name in names if importlib.util.find_spec(name) is None]
        if missing:
            line = f'pip install "gym_clinic[{extra}]"'
            yield "none", f"extra {extra}", f"{', '.join(missing)} missing; if wanted: {line}"
        else:
            found = ", ".join(f"{name} {_version(name)}" for name in names)
            yield "ok", f"extra {extra}", found


def _version(module: str) -> str:
    """The version of the package that brought a module: faiss comes with one of several names."""
    packages = metadata.packages_distributions().get(module)
    return metadata.version(packages[0]) if packages else "of no package"


def _data() -> Iterator[Finding]:
    for room in ("tasks", "kb"):
        yield _tried(f"data {room}", partial(paths.data_dir, room))


def _gpu() -> Iterator[Finding]:
    if importlib.util.find_spec("torch") is None:
        yield "none", "torch", "not installed; only training needs it"
    else:
        torch: Any = importlib.import_module("torch")
        cuda = torch.cuda.is_available()
        found = torch.cuda.get_device_name() if cuda else "sees no GPU"
        yield ("ok" if cuda else "none"), f"torch {torch.__version__}", found
    tool = shutil.which("nvidia-smi")
    if tool is None:
        yield "none", "GPU", "no nvidia-smi; only training needs one"
        return
    try:
        asked = subprocess.run([tool, "-L"], capture_output=True, text=True, timeout=20)
    except subprocess.TimeoutExpired:
        yield "none", "GPU", "nvidia-smi does not answer"
        return
    good = asked.returncode == 0
    text = (asked.stdout if good else asked.stderr).strip()
    yield ("ok" if good else "none"), "GPU", " / ".join(text.splitlines()) or "none"


def _episodes() -> Iterator[Finding]:
    for name in ids():
        yield _tried(name, partial(_oracle, name))


def _oracle(env_id: str) -> str:
    """Play the oracle on the first task.

    Raises:
        ClinicError: If it does not earn the highest reward.
    """
    clinic = open_any(env_id)
    total = play(clinic, clinic.tasks[0], policies.load("oracle", clinic)(0)).info["total"]
    best = clinic.rubric.reward_range[1]
    if abs(total - best) > 1e-9:
        raise ClinicError(f"the oracle earns {total:g} instead of {best:g}")
    return f"the oracle earns {total:g}, the highest reward"


def _tried(what: str, look: Callable[[], object]) -> Finding:
    try:
        return "ok", what, str(look())
    except (ClinicError, ImportError, OSError) as error:
        return "broken", what, f"{type(error).__name__}: {error}"
