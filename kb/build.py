"""Build the fact tables and the embedded passages from what was written by hand.

    python -m kb.build            writes kb/facts/*.jsonl, kb/facts/sources.json, kb/passages.jsonl
    python -m kb.build --check    tells whether they are what it would write

The same text gives the same bytes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import orjson

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts.compose import compose, sources
from gym_clinic.facts.load import SOURCES, load
from gym_clinic.facts.passages import passages
from gym_clinic.files import json_line, replace_files

HERE = Path(__file__).resolve().parent
PASSAGES = "passages.jsonl"


def tables(authoring: Path) -> dict[str, bytes]:
    """Return the files of the fact tables by name.

    Args:
        authoring: What was written by hand.

    Raises:
        ConfigError: If a file cannot be read.
        TaskError: If what was written is broken.
    """
    files = {
        f"{table}.jsonl": b"".join(json_line(row) for row in rows)
        for table, rows in compose(authoring).items()
    }
    files[SOURCES] = orjson.dumps(sources(authoring), option=orjson.OPT_INDENT_2) + b"\n"
    return files


def build(authoring: Path) -> dict[str, bytes]:
    """Return all files by their path under ``kb``: the fact tables and the passages.

    Raises:
        ConfigError: If a file cannot be read.
        TaskError: If what was written is broken, or the tables do not fit together.
    """
    written = tables(authoring)
    with tempfile.TemporaryDirectory() as folder:
        replace_files({Path(folder) / name: [data] for name, data in written.items()})
        facts = load(folder)
    found = {f"facts/{name}": data for name, data in written.items()}
    found[PASSAGES] = b"".join(json_line(row) for row in passages(facts))
    return found


def changed(files: Mapping[str, bytes], folder: Path) -> list[str]:
    """Return which files of a folder are missing or hold something else."""
    return [
        name
        for name, data in files.items()
        if not (folder / name).is_file() or (folder / name).read_bytes() != data
    ]


def main() -> int:
    """Write the files, or compare them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="compare only")
    args = parser.parse_args()
    try:
        files = build(HERE / "authoring")
    except (ConfigError, TaskError) as error:
        sys.exit(f"kb.build: {error}")
    if args.check:
        other = changed(files, HERE)
        print("\n".join(f"{name} is not what is built" for name in other) or "as built")
        return int(bool(other))
    replace_files({HERE / name: [data] for name, data in files.items()})
    lines = {name: len(data.splitlines()) for name, data in files.items()}
    print(", ".join(f"{name} {count:,} lines" for name, count in lines.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
