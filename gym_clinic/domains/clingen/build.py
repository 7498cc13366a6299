"""The embedded ClinGen tasks: real pairs and classes, simulated articles.

The pairs, their panels and published classes come from ``tasks/clingen/curations.jsonl``. The
articles come from `gym_clinic.simulate.articles`. What ties them: the experimental evidence is
drawn without regard to the class; then the articles are given as much human genetics as makes
the SOP arrive at the published class, with room to either side of every threshold.

    python -m gym_clinic.domains.clingen.build --out tasks/clingen --seed 0

writes ``train.jsonl``, ``dev.jsonl`` and ``test.jsonl``; the same seed gives the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from gym_clinic.domains.clingen import sop
from gym_clinic.domains.clingen.evidence import CLASSES
from gym_clinic.domains.clingen.plan import plan_task
from gym_clinic.domains.clingen.splits import SIZES, Pair, assign
from gym_clinic.errors import TaskError
from gym_clinic.files import json_line, replace_file, replace_files
from gym_clinic.paths import tasks_dir
from gym_clinic.simulate.articles import write_front

SALT = "gym-clinic/clingen/1"
"""Goes into every id, so that none can be guessed from its content."""


def renew(facts: Path, curations: Path) -> None:
    """Write ``curations.jsonl``: the five classes, the fields in use, in a fixed order.

    Args:
        facts: What `gym_clinic.importers.clingen` makes of ClinGen's download.
        curations: File to write.

    Raises:
        TaskError: As `read_pairs`.
    """
    rows = [json.loads(line) for line in facts.read_text(encoding="utf-8").splitlines()]
    kept = [row for row in rows if row["classification"] in CLASSES]
    lines = (json_line({name: row[name] for name in (*Pair._fields, "date")}) for row in kept)
    replace_file(curations, sorted(lines))


def read_pairs(path: Path) -> list[Pair]:
    """Read ``curations.jsonl``.

    Raises:
        TaskError: For a line that is not a curation, named by file, line and field.
    """
    pairs = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            pairs.append(Pair(**{name: row[name] for name in Pair._fields}))
        except json.JSONDecodeError as error:
            raise TaskError(f"{path}, line {number}: not JSON ({error})") from error
        except (KeyError, TypeError) as error:
            raise TaskError(
                f"{path}, line {number}: expected an object with {list(Pair._fields)}; {error}"
            ) from error
    return pairs


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
    order = list(pairs)
    Random(f"{seed}:{split}:order").shuffle(order)
    return [
        _task(f"{seed}:{split}:{index}", pair, order, split) for index, pair in enumerate(order)
    ]


def _task(key: str, pair: Pair, peers: Sequence[Pair], split: str) -> dict[str, Any]:
    """One task object; raises TaskError if the SOP does not give the published class."""
    rng = Random(f"{key}:plan")
    drafts = plan_task(rng, pair, peers, key=_digest(key, 12), wide=split == "test")
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


def write_tasks(out: Path, tasks: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Write ``<split>.jsonl`` for every split; none is replaced before all are complete."""
    seen: set[str] = set()
    for split, rows in tasks.items():
        for row in rows:
            ids = [row["id"]]
            ids += [article[name] for article in row["record"]["articles"]
                    for name in ("pmid", "pmcid")]  # fmt: skip
            if len(set(ids)) < len(ids) or seen & set(ids):
                raise TaskError(f"{split}: ids of task {row['id']} occur twice; take another seed")
            seen |= set(ids)
    replace_files({out / f"{split}.jsonl": map(json_line, rows) for split, rows in tasks.items()})


def _digest(key: str, length: int) -> str:
    return hashlib.sha256(f"{SALT}:{key}".encode()).hexdigest()[:length]


def _digits(key: str) -> str:
    return f"{int(_digest(key, 15), 16) % 10**8:08d}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: write the three files."""
    parser = argparse.ArgumentParser(
        prog="python -m gym_clinic.domains.clingen.build", description="Write the embedded tasks."
    )
    parser.add_argument("--out", type=Path, help="folder to write to (default: the embedded one)")
    parser.add_argument(
        "--facts", type=Path, help="output of the importer, to renew curations.jsonl from first"
    )
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    out = options.out or tasks_dir("clingen")
    curations = out / "curations.jsonl"
    if options.facts:
        renew(options.facts, curations)
    tasks = build(read_pairs(curations), options.seed)
    write_tasks(out, tasks)
    for split, rows in tasks.items():
        print(f"{split}: {len(rows)} tasks")


if __name__ == "__main__":
    main()
