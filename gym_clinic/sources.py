"""Hashes of Python source that change with the code, and not with its comments or docstrings."""

from __future__ import annotations

import ast
import hashlib
from typing import Any

DIGITS = 16
"""Hexadecimal digits of a hash."""


def source_hash(source: str | bytes) -> str:
    """Return a hash of Python source without comments, docstrings and layout.

    Raises:
        SyntaxError: If it is not Python.

    >>> source_hash("x = 1  # one") == source_hash("x = 1")
    True
    >>> source_hash("x = 1") == source_hash("x = 2")
    False
    """
    digest = hashlib.sha256(repr(_plain(ast.parse(source))).encode(errors="backslashreplace"))
    return digest.hexdigest()[:DIGITS]


_IGNORED = frozenset({"ctx", "kind", "type_comment", "type_ignores"})
"""Fields of a syntax tree that follow from the rest, or say nothing of what the code does."""


def _plain(value: Any) -> Any:
    """Return a syntax tree as tuples, which are the same in every version of Python.

    `ast.dump` is not: versions differ in the empty fields that they write.
    """
    if isinstance(value, ast.Constant):
        return "Constant", repr(value.value)
    if isinstance(value, ast.AST):
        fields = {name: _plain(item) for name, item in ast.iter_fields(value)}
        if isinstance(value, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            fields["body"] = fields["body"][ast.get_docstring(value, clean=False) is not None :]
        kept = [(name, item) for name, item in sorted(fields.items())
                if name not in _IGNORED and item is not None and item != ()]  # fmt: skip
        return type(value).__name__, *kept
    return tuple(map(_plain, value)) if isinstance(value, list) else value
