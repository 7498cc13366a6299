"""Downloaded files: plain, .gz or .bz2."""

from __future__ import annotations

import bz2
import gzip
import zlib
from pathlib import Path
from typing import Any, BinaryIO, cast

from gym_clinic.errors import ConfigError

PACKED: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open}
"""Suffix -> function that opens the file."""

UNREADABLE = (EOFError, gzip.BadGzipFile, zlib.error, OSError)
"""Exceptions of reading a packed file that is cut off or damaged."""


def open_packed(path: Path) -> BinaryIO:
    """Open a file for reading, unpacking ``.gz`` and ``.bz2``.

    Raises:
        ConfigError: If it cannot be opened.
    """
    try:
        file = PACKED.get(path.suffix.lower(), open)(path, "rb")
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from None
    return cast(BinaryIO, file)
