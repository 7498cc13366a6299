"""Simulated tasks: a published pair with the articles that lead to its class.

The experimental evidence is drawn without regard to the class; then the articles are given as
much human genetics as makes the SOP arrive at the published class, with room to either side of
every threshold.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any

from gym_clinic.domains.clingen import sop
from gym_clinic.domains.clingen.simulator.articles import write_front
from gym_clinic.domains.clingen.simulator.plan import plan_task
from gym_clinic.domains.clingen.simulator.splits import SIZES, Pair, assign
from gym_clinic.errors import TaskError

SALT = "gym-clinic/clingen/1"
"""Goes into every id, so that none can be guessed from its content."""


def build_tasks(pairs: Iterable[Pair], seed: int = 0) -> dict[str, list[dict[str, Any]]]:
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


def _digest(key: str, length: int) -> str:
    return hashlib.sha256(f"{SALT}:{key}".encode()).hexdigest()[:length]


def _digits(key: str) -> str:
    return f"{int(_digest(key, 15), 16) % 10**8:08d}"
