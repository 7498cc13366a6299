"""The embedded ClinGen tasks: real pairs and classes, simulated articles.

The pairs, their panels and published classes come from ``tasks/clingen/curations.jsonl``. The
articles come from `gym_clinic.domains.clingen.simulator`. The experimental evidence is drawn
without regard to the class; then the articles are given as much human genetics as makes the SOP
arrive at the published class, with room to either side of every threshold.

    gym-clinic tasks build clingen --out tasks/clingen --seed 0

writes ``train.jsonl``, ``dev.jsonl`` and ``test.jsonl``; the same seed gives the same bytes.
``python -m gym_clinic.domains.clingen.build`` is the same command.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from gym_clinic import strict_json
from gym_clinic.domains.clingen import sop
from gym_clinic.domains.clingen.evidence import CLASSES
from gym_clinic.domains.clingen.simulator import plan_task, write_front
from gym_clinic.domains.clingen.splits import SIZES, Pair, assign
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

SALT = "gym-clinic/clingen/1"
"""Goes into every id, so that none can be guessed from its content."""


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
    for number, line in enumerate(text.splitlines(), 1):
        try:
            row = strict_json.loads(line)
            yield {name: row[name] for name in fields}
        except ValueError as error:
            raise TaskError(f"{path}, line {number}: {error}") from None
        except (KeyError, TypeError) as error:
            raise TaskError(
                f"{path}, line {number}: expected an object with {list(fields)}; {error}"
            ) from None


def build(pairs: Iterable[Pair], seed: int = 0) -> dict[str, list[dict[str, Any]]]:
    """Make the tasks of all splits.

    Args:
        pairs: Curations to draw from.
        seed: Decides everything that is drawn.

    Returns:
        Split -> task objects in the order of the file.

    Raises:
        TaskError: If the curations do not suffice for the splits.
    """
    chosen = assign(pairs, seed)
    return {split: build_split(split, chosen[split], seed) for split in SIZES}


def build_split(split: str, pairs: Sequence[Pair], seed: int = 0) -> list[dict[str, Any]]:
    """Make the tasks of one split from its pairs."""
    order = order_of(split, pairs, seed)
    return [build_task(split, order, index, seed) for index in range(len(order))]


def order_of(split: str, pairs: Sequence[Pair], seed: int = 0) -> list[Pair]:
    """Return the pairs of a split in the order of its tasks."""
    order = list(pairs)
    Random(f"{seed}:{split}:order").shuffle(order)
    return order


def build_task(split: str, order: Sequence[Pair], index: int, seed: int = 0) -> dict[str, Any]:
    """Make one task.

    Args:
        split: Split of the task.
        order: The pairs of the split, from `order_of`.
        index: Position of the task in the split.
        seed: Decides everything that is drawn.

    Raises:
        TaskError: If the SOP does not give the published class.
    """
    key, pair = f"{seed}:{split}:{index}", order[index]
    rng = Random(f"{key}:plan")
    drafts = plan_task(rng, pair, order, key=_digest(key, 12), wide=split == "test")
    articles, evidence, genetic = [], [], []
    for number, draft in enumerate(drafts):
        written = write_front(draft)
        pmid = f"SIM{_digits(f'{key}:{number}:pmid')}"
        articles.append(
            {
                "pmid": pmid,
                "pmcid": f"SIMC{_digits(f'{key}:{number}:pmcid')}",
                "year": draft.year,
                "title": written.title,
                "abstract": written.abstract,
                "draft": draft.to_json(),
            }
        )
        evidence += [
            {"pmid": pmid, "subtype": subtype, "summary": summary}
            for subtype, summary in written.summaries.items()
        ]
        if draft.genetics:
            genetic.append(
                {
                    "pmid": pmid,
                    "points": draft.genetics.points,
                    "publications": draft.genetics.publications,
                    "first_reported": draft.genetics.first,
                }
            )
    rng.shuffle(evidence)
    rng.shuffle(genetic)
    check_class(pair.classification, max(draft.year for draft in drafts), evidence, genetic)
    return {
        "id": f"clingen-{_digest(key, 10)}",
        "record": {
            "gene": pair.gene,
            "hgnc_id": pair.hgnc_id,
            "disease": pair.disease,
            "mondo_id": pair.mondo_id,
            "inheritance": pair.inheritance,
            "panel": pair.panel,
            "articles": articles,
        },
        "gold": {
            "classification": pair.classification,
            "evidence": evidence,
            "genetic": genetic,
        },
        "provenance": "synthetic",
    }


def check_class(
    label: str,
    latest: int,
    evidence: Sequence[Mapping[str, Any]],
    genetic: Sequence[Mapping[str, Any]],
) -> None:
    """Raise TaskError unless the SOP gives the label under both readings of replication.

    Args:
        label: Published class.
        latest: Year of the latest article.
        evidence: As in the task's gold.
        genetic: As in the task's gold.
    """
    years = latest - min((row["first_reported"] for row in genetic), default=latest)
    for reading in sop.REPLICATION:
        result = sop.classify(
            [row["subtype"] for row in evidence],
            genetic_points=sum(row["points"] for row in genetic),
            publications=sum(row["publications"] for row in genetic),
            years_since_first=years,
            replication="matrix" if reading == "matrix" else "text",
        )
        if result.classification != label or "decimal_gap" in result.flags:
            raise TaskError(f"the task gives {result} under {reading!r}; expected {label}")


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


def _digest(key: str, length: int) -> str:
    return hashlib.sha256(f"{SALT}:{key}".encode()).hexdigest()[:length]


def _digits(key: str) -> str:
    return f"{int(_digest(key, 15), 16) % 10**8:08d}"


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
    tasks = build(pairs, options.seed)
    write_tasks(out, tasks, curations)
    print(f"{out}: {', '.join(f'{split} {len(rows):,}' for split, rows in tasks.items())}")


if __name__ == "__main__":
    try:
        main()
    except ClinicError as error:
        sys.exit(str(error))
