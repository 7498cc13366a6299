"""Hashes of Python source that change with the code, and not with its comments or docstrings."""

from __future__ import annotations

import ast
import hashlib

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
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                node.body = node.body[1:]
    return hashlib.sha256(ast.dump(tree).encode(errors="backslashreplace")).hexdigest()[:DIGITS]
