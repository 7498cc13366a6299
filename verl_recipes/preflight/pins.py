"""Installed packages against the pins of ``setup.cfg``, read from the installed metadata."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import metadata
from typing import TYPE_CHECKING

from verl_recipes.preflight.result import MISSING, OK, WARNING, CheckResult

if TYPE_CHECKING:
    from packaging.requirements import Requirement

OURS = "gym_clinic"

INSTALL = {
    "cpu": 'pip install -e ".[train-cpu]"',
    # flash-attn comes as source, and its build imports the torch it is built for.
    "gpu": 'pip install -e ".[train-gpu-build]" && pip install -e ".[train-gpu]" '
    "--no-build-isolation",
}
"""The line that installs what a stack needs."""

VITAL = ("verl", "transferqueue", "vllm")
"""Packages of which another version stops a run: we subclass verl, and verl extends vLLM."""


def installed_stack() -> str | None:
    """Return the stack that this interpreter was set up for; None where verl is not installed."""
    if version("verl") is None:
        return None
    return "cpu" if version("vllm") is None else "gpu"


def requirements(stack: str) -> Iterator[Requirement]:
    """Yield the pins of a stack: those of our extra, then the exact ones of verl's extras."""
    for pin in _of_extra(OURS, f"train-{stack}"):
        yield pin
        for extra in sorted(pin.extras) if version(pin.name) else ():
            yield from (one for one in _of_extra(pin.name, extra) if "==" in str(one.specifier))


def missing(stack: str) -> list[str]:
    """Return the packages of a stack that are not installed."""
    return [pin.name for pin in requirements(stack) if version(pin.name) is None]


def check(stack: str) -> Iterator[CheckResult]:
    """Check every pin of a stack; all pins that hold give one result."""
    install = f"install with: {INSTALL[stack]}"
    held = {}
    for pin in requirements(stack):
        found = version(pin.name)
        if found is None:
            yield CheckResult(
                pin.name, MISSING, f"not installed; expected {pin.specifier}", install
            )
        elif pin.specifier.contains(found, prereleases=True):
            held[pin.name] = found
        else:
            status = MISSING if pin.name.lower() in VITAL else WARNING
            yield CheckResult(pin.name, status, f"{found}; expected {pin.specifier}", install)
    if held:
        yield CheckResult("packages", OK, ", ".join(f"{name} {has}" for name, has in held.items()))


def version(name: str) -> str | None:
    """Return the installed version of a distribution; None if there is none."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _of_extra(distribution: str, extra: str) -> Iterator[Requirement]:
    from packaging.requirements import Requirement

    for line in metadata.requires(distribution) or []:
        found = Requirement(line)
        if found.marker is None or "extra" not in str(found.marker):
            continue
        if not found.marker.evaluate({"extra": extra}):
            continue
        if found.name.replace("-", "_") != distribution:
            yield found
        elif distribution == OURS:  # what the stacks share is an extra of its own
            for shared in sorted(found.extras):
                yield from _of_extra(distribution, shared)
