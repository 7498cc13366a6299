"""The embedded ClinGen tasks as plain JSON, for the tests that look into them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gym_clinic.domains.clingen.evidence import CATEGORIES, SUBTYPES
from gym_clinic.domains.clingen.literature.tasks import SPLITS
from gym_clinic.paths import tasks_dir

FOLDER = tasks_dir("clingen")
LABELS = list(CATEGORIES)
Rows = dict[str, list[dict[str, Any]]]
Some = Callable[[Sequence[Any]], Sequence[Any]]
"""The fixture `some`: a sample of a population, or all of it."""


def read_rows() -> Rows:
    """Split -> its tasks, as the files have them."""
    return {
        split: [
            json.loads(line)
            for line in (FOLDER / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
        ]
        for split in SPLITS
    }


def articles(rows: Rows, *splits: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for split in splits or tuple(SPLITS):
        for row in rows[split]:
            for article in row["record"]["articles"]:
                yield row, article


def calls_of(row: dict[str, Any]) -> dict[str, set[str]]:
    """PubMed id -> categories with evidence."""
    calls: dict[str, set[str]] = {article["pmid"]: set() for article in row["record"]["articles"]}
    for item in row["gold"]["evidence"]:
        calls[item["pmid"]].add(SUBTYPES[item["subtype"]].category)
    return calls


def front(article: dict[str, Any]) -> str:
    return f"{article['title']} {article['abstract']}"
