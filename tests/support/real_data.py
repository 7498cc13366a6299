"""Real files in their published formats, beside the checkout where they are at hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from places import DATA


def real(name: str) -> Path:
    """Return a file; the test skips where it is not at hand."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"no such file beside this checkout: {path}")
    return path


def damaged(path: Path, folder: Path, data: bytes) -> Path:
    """Write a damaged copy of a file."""
    copy = folder / path.name
    copy.write_bytes(data)
    return copy
