"""The embedded ClinGen tasks: real pairs and classes, simulated articles.

The pairs, their panels and published classes come from ``tasks/clingen/curations.jsonl``; the
articles come from `gym_clinic.domains.clingen.literature`.

    gym-clinic tasks build clingen --out tasks/clingen --seed 0

writes ``train.jsonl``, ``dev.jsonl`` and ``test.jsonl``; the same seed gives the same bytes.
``python -m gym_clinic.domains.clingen.build`` is the same command.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gym_clinic import strict_json
from gym_clinic.domains.clingen.evidence import CLASSES
from gym_clinic.domains.clingen.literature.splits import Pair
from gym_clinic.domains.clingen.literature.tasks import build_tasks
from gym_clinic.errors import ClinicError, ConfigError, TaskError
from gym_clinic.files import json_line, replace_files
from gym_clinic.paths import tasks_dir

CURATIONS = "curations.jsonl"
"""Name of the file of published curations in the task folder."""

FIELDS = (*Pair._fields, "date")
"""Fields of a line of ``curations.jsonl``."""

_ASK = (
    "give --facts FILE: what 'gym-clinic kb import clingen' makes of the gene-disease validity "
    "download of https://search.clinicalgenome.org/kb/gene-validity"
)


def read_facts(path: Path) -> list[dict[str, str]]:
    """Return the rows of ``curations.jsonl`` that facts make, in their order there.

    The five classes and the fields in use are kept.

    Args:
        path: What ``gym-clinic kb import clingen`` makes of ClinGen's download (``.jsonl``).

    Raises:
        ConfigError: If there is no such file, or it is the download.
        TaskError: For a row that is not a curation, named by file, line and field.
    """
    if path.suffix.lower() == ".csv":
        raise ConfigError(f"{path} is the download itself; {_ASK}")
    kept = [row for row in _read_lines(path, FIELDS) if row["classification"] in CLASSES]
    return sorted(kept, key=json_line)


def read_pairs(path: Path) -> list[Pair]:
    """Read ``curations.jsonl``.

    Raises:
        ConfigError: If there is no such file.
        TaskError: For a line that is not a curation, named by file, line and field.
    """
    return [Pair(**row) for row in _read_lines(path, Pair._fields)]


def _read_lines(path: Path, fields: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield these fields of the objects of a JSON Lines file."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}; {_ASK}") from None
    except UnicodeDecodeError as error:
        raise TaskError(f"{path}: not UTF-8 at byte {error.start}") from None
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        try:
            row = strict_json.loads(line)
            yield {name: row[name] for name in fields}
        except ValueError as error:
            raise TaskError(f"{path}, line {number}: {error}") from None
        except (KeyError, TypeError) as error:
            raise TaskError(
                f"{path}, line {number}: expected an object with {list(fields)}; {error}"
            ) from None


def write_tasks(
    out: Path,
    tasks: Mapping[str, Sequence[Mapping[str, Any]]],
    curations: Sequence[Mapping[str, Any]] = (),
) -> None:
    """Write ``<split>.jsonl`` for every split; no file is replaced before all are complete.

    Args:
        out: The task folder; made if it is missing.
        tasks: Split -> its tasks.
        curations: Rows of a new ``curations.jsonl``; none to leave the old one.

    Raises:
        ConfigError: If the folder cannot be written to.
        TaskError: If an id occurs twice.
    """
    seen: set[str] = set()
    for split, rows in tasks.items():
        for row in rows:
            ids = [row["id"]]
            ids += [article[name] for article in row["record"]["articles"]
                    for name in ("pmid", "pmcid")]  # fmt: skip
            if len(set(ids)) < len(ids) or seen & set(ids):
                raise TaskError(f"{split}: ids of task {row['id']} occur twice; take another seed")
            seen |= set(ids)
    files = {f"{split}.jsonl": rows for split, rows in tasks.items()}
    if curations:
        files[CURATIONS] = curations
    try:
        replace_files({out / name: map(json_line, rows) for name, rows in files.items()})
    except OSError as error:
        raise ConfigError(f"cannot write to {out}: {error}") from None


def main(
    arguments: Sequence[str] | None = None, prog: str = "python -m gym_clinic.domains.clingen.build"
) -> None:
    """Run the command line.

    Args:
        arguments: The arguments; those of the process by default.
        prog: What it is called in its help.

    Raises:
        ConfigError: If a file is missing or cannot be written.
        TaskError: If the curations are broken or too few.
    """
    parser = argparse.ArgumentParser(
        prog=prog,
        description="Write train.jsonl, dev.jsonl and test.jsonl of the ClinGen tasks; the same "
        "curations and seed give the same bytes.",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder to write to, made if missing (default: where the embedded tasks are)",
    )
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    parser.add_argument(
        "--facts",
        type=Path,
        metavar="FILE",
        help="renew DIR/curations.jsonl from what 'gym-clinic kb import clingen' makes of the "
        "gene-disease validity download (.jsonl); without this, DIR/curations.jsonl is read, or "
        "the embedded one where there is none",
    )
    options = parser.parse_args(arguments)
    out = options.out or tasks_dir("clingen")
    if options.facts:
        curations = read_facts(options.facts)
        pairs = [Pair(**{name: row[name] for name in Pair._fields}) for row in curations]
    else:
        curations = []
        own = out / CURATIONS
        pairs = read_pairs(own if own.exists() else tasks_dir("clingen") / CURATIONS)
    tasks = build_tasks(pairs, options.seed)
    write_tasks(out, tasks, curations)
    print(f"{out}: {', '.join(f'{split} {len(rows):,}' for split, rows in tasks.items())}")


if __name__ == "__main__":
    try:
        main()
    except ClinicError as error:
        sys.exit(str(error))
