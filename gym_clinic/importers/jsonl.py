"""Writing JSON Lines so that a reader sees the old files or the new ones, never a part."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson


def write_jsonl(files: Mapping[Path, Iterable[Mapping[str, Any]]]) -> None:
    """Write several JSON Lines files; none is replaced before all are complete.

    Args:
        files: The rows of each file, one JSON object a line. Missing folders are made.

    Raises:
        OSError: If a file cannot be written; what was begun is then removed.
    """
    staged: dict[Path, Path] = {}
    try:
        for target, rows in files.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            staged[target] = target.with_name(f".{target.name}.{os.getpid()}.part")
            with staged[target].open("wb") as out:
                out.writelines(
                    orjson.dumps(dict(row), option=orjson.OPT_APPEND_NEWLINE) for row in rows
                )
        for target, part in staged.items():
            part.replace(target)
    finally:
        for part in staged.values():
            part.unlink(missing_ok=True)
