"""Files for importers: published ones, if they are beside the checkout, and made-up ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from places import DATA


def real(name: str) -> Path:
    """Return a published file; the test skips if it is not beside the checkout."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"no such file beside this checkout: {path}")
    return path


def damaged(path: Path, folder: Path, data: bytes) -> Path:
    """Write a damaged copy of a file."""
    copy = folder / path.name
    copy.write_bytes(data)
    return copy


def put(folder: Path, name: str, content: object) -> Path:
    """Write a text, or an object as JSON."""
    file = folder / name
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return file
