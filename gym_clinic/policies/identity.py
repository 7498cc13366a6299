"""The code of a policy, as far as it is part of the identity of a run.

Hashed are the module that defines the policy and the modules beside it that it imports, and so
on: those of its folder, or of its package where it is installed. Third-party packages are not
hashed, nor what is imported under a computed name, nor data files that a policy reads: a policy
declares an attribute ``version`` and changes it with them. Comments and docstrings do not count.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gym_clinic.source_files import read_source

DIGITS = 16
"""Hexadecimal digits of a hash that a run keeps."""

_INSTALLED = frozenset({"site-packages", "dist-packages"})
_OWN = "gym_clinic"


@dataclass(frozen=True)
class PolicyCode:
    """The code of a policy.

    Attributes:
        files: Path of each file, relative to the folder of the policy -> hash of its source;
            empty where no file holds it, as in an interactive session.
        version: The version that the policy declares, as text; None if it declares none.
    """

    files: dict[str, str] = field(default_factory=dict)
    version: str | None = None


def code_of(builder: Callable[..., Any], module: str | None = None) -> PolicyCode:
    """Return the code of a policy.

    Args:
        builder: The class or function that makes it.
        module: The module that it was named in; by default the one that defines it.
    """
    declared = getattr(builder, "version", None)
    version = None if declared is None or callable(declared) else str(declared)
    function = getattr(builder, "func", builder)  # what a functools.partial calls
    names = [module, getattr(function, "__module__", None)]
    files: dict[str, str] = {}
    for name in dict.fromkeys(name for name in names if name):
        for path, digest in _module_files(name).items():
            files[path] = digest
    return PolicyCode(dict(sorted(files.items())), version)


def _module_files(name: str) -> dict[str, str]:
    """Return the hash of a module and of those beside it that it imports, by relative path."""
    start = _file_of(name)
    if start is None:
        return {}
    depth = name.count(".") + (start.name == "__init__.py")
    root = start.parents[depth]
    package = _package(name, root)
    files: dict[str, str] = {}
    waiting: list[tuple[str, Path]] = [(name, start)]
    seen = {name}
    while waiting:
        module, path = waiting.pop()
        source = read_source(path.read_bytes())
        files[path.relative_to(root).as_posix()] = source.tree[:DIGITS]
        imported = source.imports(module, package=path.name == "__init__.py")
        for name_of_import in sorted(name for found in imported for name in _with_parents(found)):
            if name_of_import in seen or not _counts(name_of_import, package):
                continue
            seen.add(name_of_import)
            if (beside := _beside(name_of_import, root)) is not None:
                waiting.append((name_of_import, beside))
    return files


def _package(name: str, root: Path) -> str:
    """Return the package whose modules count; empty where the whole folder does."""
    parts = name.split(".")
    if parts[0] == _OWN:  # one room of ours, or one domain: the rest has its version
        return ".".join(parts[: 3 if parts[1:2] == ["domains"] else 2])
    return parts[0] if _INSTALLED & set(root.parts) else ""


def _counts(module: str, package: str) -> bool:
    if package.partition(".")[0] == _OWN:  # not the list of all policies, its __init__.py
        return module.startswith(f"{package}.")
    if package:
        return f"{module}.".startswith(f"{package}.")
    return module.partition(".")[0] != _OWN


def _file_of(name: str) -> Path | None:
    """Return the file of a module that is imported or can be."""
    loaded = sys.modules.get(name)
    path = getattr(loaded, "__file__", None)
    if loaded is None:
        found = importlib.util.find_spec(name)
        path = found.origin if found is not None and found.has_location else None
    return None if path is None or not Path(path).is_file() else Path(path).resolve()


def _beside(name: str, root: Path) -> Path | None:
    """Return the file of a module under a folder; None if it is not there."""
    place = root.joinpath(*name.split("."))
    for path in (place.with_suffix(".py"), place / "__init__.py"):
        if path.is_file():
            return path
    if not place.parent.is_dir():
        return None
    return next((path for path in sorted(place.parent.glob(f"{place.name}.*.so"))), None)


def _with_parents(name: str) -> Iterator[str]:
    parts = name.split(".") if name else []
    yield from (".".join(parts[:number]) for number in range(1, len(parts) + 1))
