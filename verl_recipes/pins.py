"""The versions that training runs with: both worlds, once, with the reason for each."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import metadata

VERL = "0.9.1"
"""The release of verl that everything here is written against."""

_COMPARED: Mapping[str, Callable[[list[int], list[int]], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    "<": operator.lt,
}
_CLAUSE = re.compile(r"\s*(==|!=|>=|<=|<)\s*(\d+(?:\.\d+)*)\s*")
_VERSION = re.compile(r"(\d+(?:\.\d+)*)([^+]*)(?:\+.*)?")


@dataclass(frozen=True)
class Pin:
    """One distribution and the versions of it that will do.

    Attributes:
        name: Of the distribution, as pip knows it.
        bound: Version clauses joined by commas, such as ``==2.13.0`` or ``>=27,<28``.
        why: The reason, for who wants to move it.
        extras: Of the distribution, such as ``vllm,fsdp``.
        through: The extra of verl that pins it; setup.cfg does not repeat it then.
        vital: Whether another version stops the run rather than earns a warning.
    """

    name: str
    bound: str
    why: str
    extras: str = ""
    through: str = ""
    vital: bool = False

    @property
    def requirement(self) -> str:
        """The line that setup.cfg holds."""
        return f"{self.name}{f'[{self.extras}]' if self.extras else ''}{self.bound}"


_QUEUE = Pin(
    "TransferQueue", "==0.1.11", "verl's default trainer imports it without naming it", vital=True
)
_BOTH = (
    Pin("ray", "==2.60.0", "every node of a cluster must run the same release"),
    Pin("tensordict", "==0.10.0", "the last that verl admits; batches travel in it"),
    Pin("peft", "==0.21.2", "the teacher is a second adapter inside its wrappers"),
    Pin("hydra-core", ">=1.3,<1.4", "composes the configs"),
    Pin("pyzmq", ">=27,<28", "of TransferQueue"),
    Pin("msgspec", ">=0.22,<0.23", "of TransferQueue"),
    Pin("fastapi", ">=0.115,<1", "verl's rollout servers import it without naming it"),
    Pin("uvicorn", ">=0.30,<1", "verl's rollout servers import it without naming it"),
    Pin("cachetools", ">=5,<9", "verl's rollout servers import it without naming it"),
    Pin("pyyaml", ">=6,<7", "reads the hint templates and the agent loop's entry"),
    Pin("matplotlib", ">=3.8,<4", "draws the training curves"),
)

WORLDS: Mapping[str, tuple[Pin, ...]] = {
    "cpu": (
        Pin("torch", "==2.13.0", "the release whose CPU build the stack ran on"),
        Pin("verl", f"=={VERL}", "its engine, trainer and replicas are subclassed", vital=True),
        _QUEUE,
        Pin("transformers", "==5.10.4", "the newest below verl's bound of 5.11"),
        *_BOTH,
    ),
    "gpu": (
        Pin(
            "verl",
            f"=={VERL}",
            "its engine, trainer and replicas are subclassed; the extras bring the rollouts of "
            "vLLM and the kernels of the FSDP engine",
            extras="vllm,fsdp",
            vital=True,
        ),
        _QUEUE,
        Pin("torch", "==2.11.0", "vLLM is compiled against it", through="vllm", vital=True),
        Pin("torchvision", "==0.26.0", "belongs to torch 2.11", through="vllm"),
        Pin("torchaudio", "==2.11.0", "belongs to torch 2.11", through="vllm"),
        Pin("vllm", "==0.24.0", "verl reaches into its workers", through="vllm", vital=True),
        Pin("transformers", "==5.9.0", "what this vLLM and verl agree on", through="vllm"),
        Pin("flash-attn", "==2.8.3", "packed attention and cross-entropy", through="fsdp"),
        Pin("cupy-cuda13x", "==14.0.1", "CUDA 13, as torch 2.11", through="fsdp"),
        Pin("liger-kernel", ">=0.8.2", "fused kernels of the engine", through="fsdp"),
        Pin("trl", "==0.27.0", "value heads of the engine", through="fsdp"),
        Pin("flash-linear-attention", "==0.5.2", "Qwen3.5's linear layers", through="fsdp"),
        *_BOTH,
    ),
}
"""What each world needs: ``cpu`` for a machine without a GPU, ``gpu`` for one with."""

INSTALL: Mapping[str, str] = {
    "cpu": 'pip install -e ".[train-cpu]"',
    # flash-attn comes as source, and its build imports the torch it is built for.
    "gpu": 'pip install torch==2.11.0 setuptools wheel ninja && pip install -e ".[train-gpu]" '
    "--no-build-isolation",
}
"""The line that installs a world."""


@dataclass(frozen=True)
class State:
    """A pin against what is installed.

    Attributes:
        pin: The pin.
        found: The version installed, None for none.
        verdict: ``ok``, ``missing`` or ``other``.
    """

    pin: Pin
    found: str | None
    verdict: str


def requirements(world: str) -> list[str]:
    """Return the lines of ``train-cpu`` or ``train-gpu`` in setup.cfg, in order.

    Args:
        world: ``cpu`` or ``gpu``.
    """
    return [pin.requirement for pin in WORLDS[world] if not pin.through]


def survey(world: str) -> list[State]:
    """Return every pin of a world against what is installed, in order."""
    return [state(pin) for pin in WORLDS[world]]


def state(pin: Pin) -> State:
    """Return a pin against what is installed."""
    found = _version(pin.name)
    if found is None:
        return State(pin, None, "missing")
    return State(pin, found, "ok" if fits(found, pin.bound) else "other")


def installed_world() -> str | None:
    """Return the world that this interpreter was set up for, None where verl is not installed."""
    if _version("verl") is None:
        return None
    return "cpu" if _version("vllm") is None else "gpu"


def fits(version: str, bound: str) -> bool:
    """Return whether a version satisfies every clause of a bound.

    What follows a ``+`` says how a release was built and does not count: ``2.13.0+cpu`` is
    2.13.0. A release candidate, development or post release equals no release.

    Raises:
        ValueError: If the bound is not written as a :class:`Pin` writes it.
    """
    clauses = [_CLAUSE.fullmatch(clause) for clause in bound.split(",")]
    read = _VERSION.fullmatch(version)
    if not all(clauses):
        raise ValueError(f"{bound!r} is no bound; expected clauses such as '>=27,<28'")
    if read is None:
        return False
    for clause in clauses:
        if clause is not None and not _holds(read[1], read[2], clause[1], clause[2]):
            return False
    return True


def _holds(release: str, suffix: str, relation: str, wanted: str) -> bool:
    if suffix and relation in ("==", "!="):
        return relation == "!="
    found, asked = ([int(part) for part in text.split(".")] for text in (release, wanted))
    longest = max(len(found), len(asked))
    found += [0] * (longest - len(found))
    asked += [0] * (longest - len(asked))
    return _COMPARED[relation](found, asked)


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
