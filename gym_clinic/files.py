"""Files written so that a reader sees the old ones or the new ones, never a part."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

import orjson

from gym_clinic.errors import ConfigError

if sys.platform != "win32":
    import fcntl


def lock(file: IO[bytes] | int) -> bool:
    """Lock an open file or folder against other processes, until it is closed.

    The lock ends with the process, however that ends. Windows has none of this kind: there
    nothing is locked.

    Returns:
        False if another process, or another opening, holds it.
    """
    if sys.platform != "win32":
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def check_output(out: Path, *sources: Path | None) -> None:
    """Check that what is to be written is none of what is read.

    Args:
        out: The file to write.
        sources: What is read; None stands for nothing.

    Raises:
        ConfigError: If it is.
    """
    if out.resolve() in {source.resolve() for source in sources if source is not None}:
        raise ConfigError(f"{out} is a source itself; name another file to write")


def json_line(row: Mapping[str, Any]) -> bytes:
    """Return an object as one line of JSON Lines, its keys in the order given.

    Raises:
        TypeError: If it holds what has no JSON form.
    """
    return orjson.dumps(dict(row), option=orjson.OPT_APPEND_NEWLINE)


def replace_file(path: Path, chunks: Iterable[bytes]) -> None:
    """Write a file beside the old one, then put it in its place.

    Args:
        path: The file; its folder is made if it is missing.
        chunks: What it is to hold.

    Raises:
        OSError: If it cannot be written; the old file is then as it was.
    """
    replace_files({path: chunks})


def replace_files(files: Mapping[Path, Iterable[bytes]]) -> None:
    """Write several files; none is replaced before all are complete.

    Args:
        files: What each is to hold; missing folders are made.

    Raises:
        OSError: If one cannot be written; what was begun is then removed.
    """
    staged: dict[Path, Path] = {}
    try:
        for path, chunks in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            # The process id keeps two writers of one file from writing into one another.
            staged[path] = path.with_name(f".{path.name}.{os.getpid()}.part")
            with staged[path].open("wb") as beside:
                beside.writelines(chunks)
                beside.flush()
                # Without this a power failure may leave the new name on an empty file.
                os.fsync(beside.fileno())
        for path, beside_it in staged.items():
            beside_it.replace(path)
    finally:
        for beside_it in staged.values():
            beside_it.unlink(missing_ok=True)
