"""``gym-clinic doctor``: a check of this installation."""

from __future__ import annotations

import importlib
import importlib.util
import platform
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

import typer

from gym_clinic import paths
from gym_clinic._version import __version__
from gym_clinic.errors import ClinicError

NEEDED = (
    "gymnasium", "numpy", "orjson", "platformdirs", "pydantic", "rapidfuzz", "rich",
    "snowballstemmer", "sqlite_utils", "typer", "typing_extensions",
)  # fmt: skip
EXTRAS = {
    "adversaries": ("sklearn",),
    "chat": ("httpx", "tenacity"),
    "dense": ("faiss",),
    "embed": ("sentence_transformers",),
    "images": ("PIL",),
    "import": ("lxml",),
    "numba": ("numba",),
    "opensearch": ("opensearchpy",),
    "plot": ("matplotlib",),
    "serve": ("fastapi", "httpx", "tenacity", "uvicorn"),
    "tantivy": ("tantivy",),
}

Line = tuple[str, str, str]
"""Verdict (ok, none, broken), what was checked, what was found."""

app = typer.Typer()


@app.command()
def doctor() -> int:
    """Check this installation.

    Check Python, packages, data and every environment. Exit status 1 if something that is needed
    is broken.
    """
    from gym_clinic.commands.terminal import console

    screen = console()
    broken = False
    for check in (_python, _packages, _extras, _data, _gpu, _episodes):
        for verdict, what, found in check():
            broken = broken or verdict == "broken"
            style = {"ok": "green", "none": "yellow"}.get(verdict, "bold red")
            screen.print(f"{verdict:7}", style=style, end="", markup=False)
            screen.print(f"{what}: {found}", markup=False, soft_wrap=True)
    return int(broken)


def _python() -> Iterator[Line]:
    verdict = "ok" if sys.version_info >= (3, 10) else "broken"
    yield verdict, "python", f"{platform.python_version()} at {sys.executable}"
    yield "ok", "gym_clinic", f"{__version__} at {paths.__file__}"


def _packages() -> Iterator[Line]:
    from importlib import metadata

    for name in NEEDED:
        if importlib.util.find_spec(name) is None:
            yield "broken", name, "missing; pip install --force-reinstall gym_clinic"
        else:
            yield "ok", name, metadata.version(name)


def _extras() -> Iterator[Line]:
    for extra, names in EXTRAS.items():
        missing = [name for name in names if importlib.util.find_spec(name) is None]
        if missing:
            line = f'pip install "gym_clinic[{extra}]"'
            yield "none", f"extra {extra}", f"{', '.join(missing)} missing; if wanted: {line}"
        else:
            found = ", ".join(f"{name} {_version(name)}" for name in names)
            yield "ok", f"extra {extra}", found


def _version(module: str) -> str:
    """Return the version of the package that brought a module; faiss has several packages."""
    from importlib import metadata

    packages = _packages_by_module().get(module)
    return metadata.version(packages[0]) if packages else "of no package"


@cache
def _packages_by_module() -> Mapping[str, Sequence[str]]:
    from importlib import metadata

    return metadata.packages_distributions()


def _data() -> Iterator[Line]:
    for room in ("tasks", "kb"):
        yield _tried(f"data {room}", partial(paths.data_dir, room))


def _gpu() -> Iterator[Line]:
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
    import subprocess

    try:
        asked = subprocess.run([tool, "-L"], capture_output=True, text=True, timeout=20)
    except subprocess.TimeoutExpired:
        yield "none", "GPU", "nvidia-smi does not answer"
        return
    good = asked.returncode == 0
    text = (asked.stdout if good else asked.stderr).strip()
    yield ("ok" if good else "none"), "GPU", " / ".join(text.splitlines()) or "none"


def _episodes() -> Iterator[Line]:
    from gym_clinic.catalog import ids

    for name in ids():
        yield _tried(name, partial(_oracle, name))


def _oracle(env_id: str) -> str:
    """Play the oracle on the first task.

    Raises:
        ClinicError: If it does not earn the highest reward.
    """
    from gym_clinic.catalog import open_env
    from gym_clinic.policies import load
    from gym_clinic.policies.playing import play

    clinic = open_env(env_id)
    outcome = play(clinic, clinic.tasks[0], load("oracle", clinic)(0))
    total, best = outcome.info["total"], clinic.rubric.reward_range[1]
    if clinic.domain.paid_turns is not None:
        total, best = outcome.reward, clinic.reward_range[1]
    if abs(total - best) > 1e-9:
        raise ClinicError(f"the oracle earns {total:g} instead of {best:g}")
    return f"the oracle earns {total:g}, the highest reward"


def _tried(what: str, look: Callable[[], object]) -> Line:
    try:
        return "ok", what, str(look())
    except (ClinicError, ImportError, OSError) as error:
        return "broken", what, f"{type(error).__name__}: {error}"
