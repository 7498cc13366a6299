"""Source files as what they do: the syntax tree without docstrings, and the modules imported.

What was read is kept in the cache folder by the content of the file, since reading the trees of
some hundred files takes seconds.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import orjson

from gym_clinic.files import replace_file
from gym_clinic.paths import cache_dir

FORMAT = 1
"""Raised when what is kept of a file changes."""

MAX_KEPT = 4096
"""Files of code that the cache keeps; beyond it, those of the last reading alone stay."""

_NOT_HASHED = frozenset(("ctx", "kind", "type_comment"))
"""Fields of a tree that follow from the others, or say nothing."""

_INSTALLED = frozenset(("site-packages", "dist-packages"))
"""Folders of installed packages."""

_FILE_NAME = re.compile(r"[\w./-]{1,200}\.\w{1,8}")


class SourceFile(NamedTuple):
    """What is read of a file of code.

    Attributes:
        tree: Hash of its syntax tree without docstrings.
        imported: What it imports: leading dots, module and name.
        file_names: Its texts that could name a file.
    """

    tree: str
    imported: tuple[tuple[int, str, str], ...]
    file_names: tuple[str, ...]

    def imports(self, name: str, *, package: bool) -> set[str]:
        """Return the modules that it may import, by absolute names.

        Args:
            name: Its own name.
            package: Whether it is the ``__init__.py`` of a package.
        """
        found = set()
        for dots, module, imported in self.imported:
            base = name.split(".")
            base = base[: len(base) - dots + package] if dots else []
            home = ".".join([*base, *([module] if module else [])])
            found |= {home, f"{home}.{imported}"} if imported else {home}
        return found


class SourceReader:
    """Reads files of code; leaving the block keeps what was read for other processes."""

    def __init__(self) -> None:
        self._file = cache_dir() / f"source-files-{FORMAT}.json"
        self._used: dict[str, SourceFile] = {}
        self._new = False
        self._kept: dict[str, SourceFile] = {}
        with suppress(OSError, ValueError):  # absent or unreadable: all is read anew
            for key, (tree, imported, names) in orjson.loads(self._file.read_bytes()).items():
                origin = tuple((dots, module, name) for dots, module, name in imported)
                self._kept[key] = SourceFile(tree, origin, tuple(names))

    def __enter__(self) -> SourceReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        """Write the cache if anything was new; a cache that cannot be written costs time only."""
        if self._new:
            whole = {**self._kept, **self._used}
            kept = whole if len(whole) <= MAX_KEPT else self._used
            with suppress(OSError):
                plain = {key: tuple(value) for key, value in kept.items()}
                replace_file(self._file, [orjson.dumps(plain)])

    def read(self, file: Path) -> SourceFile:
        """Return what a file of code does and imports.

        Raises:
            OSError: If it cannot be read.
        """
        content = file.read_bytes()
        key = hashlib.sha256(content).hexdigest()
        if key not in self._used:
            known = self._kept.get(key)
            self._new |= known is None
            self._used[key] = read_source(content) if known is None else known
        return self._used[key]


def read_source(content: bytes) -> SourceFile:
    """Return what a text of code does and imports.

    A text that is no Python of this version is hashed as it is.
    """
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):
        return SourceFile(hashlib.sha256(content).hexdigest(), (), ())
    whole = hashlib.sha256("\n".join(_written(tree)).encode()).hexdigest()
    imported: dict[tuple[int, str, str], None] = {}
    names: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {(0, alias.name, ""): None for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported |= {(node.level, node.module or "", alias.name): None for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names |= {node.value: None} if _FILE_NAME.fullmatch(node.value) else {}
    return SourceFile(whole, tuple(imported), tuple(names))


def _written(tree: ast.AST) -> Iterator[str]:
    """Yield the parts of a syntax tree, the same in every version of Python.

    Empty fields are left out, since versions differ in them; docstrings too.
    """
    waiting: list[Any] = [tree]
    while waiting:
        item = waiting.pop()
        if isinstance(item, tuple):  # text that is ready
            yield item[0]
        elif isinstance(item, list):
            yield "["
            waiting += [("]",), *reversed([child for child in item if not _is_docstring(child)])]
        elif isinstance(item, ast.AST):
            yield type(item).__name__
            waiting.append((")",))
            for field in reversed(item._fields):
                value = getattr(item, field, None)
                constant = field == "value" and isinstance(item, ast.Constant)
                if field not in _NOT_HASHED and (constant or (value is not None and value != [])):
                    waiting += [value, (f"{field}:",)]
        else:
            yield f"{type(item).__name__} {item!a}"


def _is_docstring(node: Any) -> bool:
    """Whether a statement is a text alone: a docstring, of an attribute too."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Constant):
        return False
    return isinstance(node.value.value, str)


@lru_cache(maxsize=4096)
def find_module(name: str, own: frozenset[str] = frozenset()) -> Path | None:
    """Return the file of a module that is no part of Python and no installed library.

    Args:
        name: Its absolute name.
        own: Top-level packages that count though they are installed.

    Returns:
        None for another module, for one without a file, and for a name that is no module.
    """
    top, *inner = name.split(".")
    if top in sys.stdlib_module_names or not all(part.isidentifier() for part in (top, *inner)):
        return None
    file, folders = _top_level(top)
    for place in (*folders, *([file] if file else [])):
        if top not in own and _INSTALLED & set(place.parts):
            return None
    if not inner:
        return file
    for folder in folders:
        place = folder.joinpath(*inner)
        for candidate in (place / "__init__.py", place.with_suffix(".py")):
            if candidate.is_file():
                return candidate
    return None


def _top_level(name: str) -> tuple[Path | None, list[Path]]:
    """The file of a top-level module, and the folders that its submodules lie in."""
    module = sys.modules.get(name)
    if module is not None:
        origin, folders = getattr(module, "__file__", None), getattr(module, "__path__", ())
    else:
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError):
            spec = None
        origin = spec.origin if spec else None
        folders = (spec.submodule_search_locations or ()) if spec else ()
    file = Path(origin) if origin and origin.endswith(".py") else None
    return (file if file and file.is_file() else None), [Path(folder) for folder in folders]
