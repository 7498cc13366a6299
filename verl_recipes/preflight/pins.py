"""Installed packages against the pins of ``setup.cfg`` and of the extras that it names.

Both are read from the installed metadata.
"""

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
    # flash-attn comes as source, and its build imports the torch it is built for; see toolkit.
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


def requirements(stack: str) -> list[Requirement]:
    """Return what a stack asks for: our extra, and every extra that it names, to the last.

    ``verl[vllm,fsdp]`` names extras of verl, which name others (flash-attention's, cupy's). A
    package that several of them ask for is there once, with the bounds of all.
    """
    found: dict[str, Requirement] = {}
    for pin in _of_extra(OURS, f"train-{stack}", set()):
        name = canonical(pin.name)
        if name in found:
            found[name].specifier &= pin.specifier
        else:
            found[name] = pin
    return list(found.values())


def required(pin: Requirement) -> bool:
    """Return whether a run cannot do without a package: somebody bounds its version.

    What comes by name alone, such as the tools that verl tests itself with, may be missing.
    """
    return bool(pin.specifier)


def missing(stack: str) -> list[str]:
    """Return the packages that a stack cannot do without and that are not installed."""
    return [pin.name for pin in requirements(stack) if required(pin) and version(pin.name) is None]


def check(stack: str) -> Iterator[CheckResult]:
    """Check every package of a stack; all that are as they should be give one result."""
    install = f"install with: {INSTALL[stack]}"
    held, loose = {}, []
    for pin in requirements(stack):
        found, wanted = version(pin.name), str(pin.specifier)
        if found is None and required(pin):
            yield CheckResult(pin.name, MISSING, f"not installed; expected {wanted}", install)
        elif found is None:
            loose.append(pin.name)
        elif pin.specifier.contains(found, prereleases=True):
            held[pin.name] = found
        else:
            status = MISSING if canonical(pin.name) in VITAL else WARNING
            yield CheckResult(pin.name, status, f"{found}; expected {wanted}", install)
    if loose:
        detail = f"not installed, and verl's extras name them: {', '.join(loose)}"
        yield CheckResult("packages", WARNING, detail, install)
    if held:
        yield CheckResult("packages", OK, ", ".join(f"{name} {has}" for name, has in held.items()))


def canonical(name: str) -> str:
    """Return the name of a distribution as the index spells it."""
    from packaging.utils import canonicalize_name

    return str(canonicalize_name(name))


def version(name: str) -> str | None:
    """Return the installed version of a distribution; None if there is none."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _of_extra(distribution: str, extra: str, seen: set[tuple[str, str]]) -> Iterator[Requirement]:
    """Yield what an extra asks for, and what the extras that it names ask for."""
    from packaging.requirements import Requirement

    seen.add((canonical(distribution), canonical(extra)))
    for line in metadata.requires(distribution) or []:
        found = Requirement(line)
        if found.marker is None or "extra" not in str(found.marker):
            continue
        if not found.marker.evaluate({"extra": extra}):
            continue
        name = canonical(found.name)
        if name != canonical(distribution):  # else it names further extras of its own
            yield found
        for further in sorted(found.extras):
            if version(name) is not None and (name, canonical(further)) not in seen:
                yield from _of_extra(name, further, seen)
