"""What the results of a domain depend on beside its tasks, as one short hash.

The code is found by following imports, from the environment and from the functions of the domain:
all that decides what an episode is and what it is worth. Of code the syntax tree is hashed without
docstrings, so that comments, docstrings and formatting change nothing; data files beside it are
hashed as they are. Results of different fingerprints are not put into one table.
"""

from __future__ import annotations

import hashlib
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from gym_clinic.facts.tables import default_folder, table_files
from gym_clinic.paths import data_dir
from gym_clinic.source_files import SourceFile, SourceReader, find_module

LENGTH = 12
"""Characters of a fingerprint."""

ENGINE = "gym_clinic.env"
"""The module by which the code that all domains share is entered."""

_TABLES, _PATHS = "gym_clinic.facts.tables", "gym_clinic.paths"
_LEFT_OUT = frozenset(("gym_clinic", "gym_clinic._version", "gym_clinic.source_files", __name__))
"""Forwarded names, the version (it is part of a run by itself), and the hashing."""

_DATA = frozenset((".csv", ".json", ".jsonl", ".md", ".toml", ".tsv", ".txt", ".yaml", ".yml"))
"""Endings of data files."""

_PLAIN = (str, bytes, int, float, complex, type(None), types.ModuleType)
"""What holds no code of a domain."""

_CONSTANTS = (str, bytes, int, float, complex, bool, type(None))


class Inputs(NamedTuple):
    """What a fingerprint is made of.

    Attributes:
        code: Module -> its file, of which the syntax tree counts.
        data: Label -> a file of data, of which the bytes count.
        texts: What counts beside files: the policy, the schemas of tools.
    """

    code: Mapping[str, Path]
    data: Mapping[str, Path]
    texts: tuple[str, ...] = ()


def fingerprint(
    parts: Iterable[Any], *, module: str = "", tasks: str = "", texts: Iterable[str] = ()
) -> str:
    """Return the fingerprint of the code and data that functions and objects draw on.

    Args:
        parts: Functions, classes and objects, such as rewards, tools and what they hold.
        module: The module that makes them; its top-level package counts even if it is installed.
        tasks: Name of the folder of tasks; data in the folders within it counts too.
        texts: Texts that count beside the files.
    """
    return digest(find_inputs(parts, module=module, tasks=tasks, texts=texts))


def find_inputs(
    parts: Iterable[Any], *, module: str = "", tasks: str = "", texts: Iterable[str] = ()
) -> Inputs:
    """Return what :func:`fingerprint` hashes; arguments as there."""
    own = frozenset(("gym_clinic", module.partition(".")[0]))
    walk = _Walk(own)
    for part in parts:
        walk.visit(part)
    code, data = _files(frozenset((ENGINE, module, *walk.modules)), own)
    room = data_dir("tasks") / tasks if tasks and _PATHS in code else None
    for folder in [] if room is None else room.glob("*/"):
        files = _data_files(folder) if folder.is_dir() else ()
        data = {**data, **{f"tasks {file.relative_to(folder.parent)}": file for file in files}}
    return Inputs(code, data, (*texts, *walk.typed))


def digest(found: Inputs) -> str:
    """Return the hash of what :func:`find_inputs` found."""
    whole = hashlib.sha256()
    with SourceReader() as reader:
        lines = [(f"code {label}", reader.read(file).tree) for label, file in found.code.items()]
    for label, file in found.data.items():
        lines.append((f"data {label}", hashlib.sha256(file.read_bytes()).hexdigest()))
    for label, text in (*sorted(lines), *(("text", text) for text in found.texts)):
        whole.update(label.encode() + b"\0" + text.encode(errors="surrogatepass") + b"\0")
    return whole.hexdigest()[:LENGTH]


class _Walk:
    """Finds the modules of functions and objects, and of all that they hold.

    Attributes:
        modules: The modules.
        typed: The compiled code of functions that no file holds, as of an interpreter's prompt.
    """

    def __init__(self, own: frozenset[str]) -> None:
        self.modules: set[str] = set()
        self.typed: list[str] = []
        self._own = own
        self._seen: dict[int, Any] = {}  # keeps the objects alive, so that no id comes twice

    def visit(self, part: Any) -> None:
        """Visit a part and what it holds."""
        waiting = [part]
        while waiting:
            item = waiting.pop()
            if not isinstance(item, _PLAIN) and id(item) not in self._seen:
                self._seen[id(item)] = item
                waiting += self._held(item)

    def _held(self, item: Any) -> Iterable[Any]:
        """Note the home of an object, and return what it holds."""
        if isinstance(item, Mapping):
            return item.values()
        if isinstance(item, list | tuple | set | frozenset):
            return item
        if isinstance(item, partial):
            return (item.func, *item.args, *item.keywords.values())
        if isinstance(item, types.MethodType):
            return (item.__func__, item.__self__)
        if isinstance(item, type):
            self.modules.add(item.__module__)
            return item.__bases__
        if isinstance(item, types.FunctionType):
            self._note(item)
            return (*_cells(item), *(item.__defaults__ or ()))
        declared = (
            [getattr(item, field.name) for field in fields(item)] if is_dataclass(item) else []
        )
        wrapped = getattr(item, "__wrapped__", None)  # the function behind a cache
        return (type(item), wrapped, *declared, *getattr(item, "__dict__", {}).values())

    def _note(self, function: types.FunctionType) -> None:
        self.modules.add(function.__module__)
        if find_module(function.__module__, self._own) is None and not _installed(function):
            code = function.__code__
            constants = [constant for constant in code.co_consts if type(constant) in _CONSTANTS]
            self.typed.append(f"{function.__qualname__} {code.co_code.hex()} {constants!r}")


def _installed(function: types.FunctionType) -> bool:
    """Whether the code of a function lies in a file."""
    return Path(function.__code__.co_filename).is_file()


def _cells(function: types.FunctionType) -> Iterator[Any]:
    """Yield what a function holds of the function around it."""
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # a name that was never bound
            continue


@lru_cache(maxsize=32)
def _files(
    modules: frozenset[str], own: frozenset[str]
) -> tuple[Mapping[str, Path], Mapping[str, Path]]:
    """Module -> its file, for modules and all that they import; and the data files beside them."""
    code: dict[str, Path] = {}
    data: dict[str, Path] = {}
    known = set(modules)
    waiting = sorted(modules)
    with SourceReader() as reader:
        while waiting:
            name = waiting.pop()
            file = find_module(name, own) if name and name not in _LEFT_OUT else None
            if file is None:
                continue
            code[name] = file
            package = file.name == "__init__.py"
            source = reader.read(file)
            data |= _beside(name, file, source, package=package)
            further = {name.rpartition(".")[0], *source.imports(name, package=package)} - known
            waiting += further
            known |= further
    if _TABLES in code:
        tables = table_files(default_folder())
        data |= {f"table {file.parent.name}/{file.name}": file for file in tables}
    return code, data


def _beside(name: str, file: Path, source: SourceFile, *, package: bool) -> dict[str, Path]:
    """The data files of a module: all of its package, or those that a single file names."""
    home = name if package else name.rpartition(".")[0]
    if home:
        beside: Iterable[Path] = _data_files(file.parent)
    else:
        named = (file.parent / text for text in source.file_names)
        beside = (path for path in named if path.suffix in _DATA and path.is_file())
    return {f"{home} {path.relative_to(file.parent).as_posix()}": path for path in beside}


@lru_cache(maxsize=1024)
def _data_files(folder: Path) -> tuple[Path, ...]:
    """The data files of a folder, and of the folders within it that hold no code."""
    found: list[Path] = []
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith((".", "_")):
            continue
        if entry.is_dir():
            found += () if any(entry.glob("*.py")) else _data_files(entry)
        elif entry.suffix in _DATA:
            found.append(entry)
    return tuple(found)
