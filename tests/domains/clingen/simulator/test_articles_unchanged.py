"""The articles of the embedded tasks are written byte for byte as they were.

``article_digests.tsv`` has a digest for each task. After a deliberate change of the articles, run
this file as a program: it writes the digests anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from gym_clinic.domains.clingen.simulator import write
from gym_clinic.domains.clingen.splits import SIZES
from gym_clinic.paths import tasks_dir

DIGESTS = Path(__file__).with_name("article_digests.tsv")
Row = Mapping[str, Any]


def embedded_rows() -> list[Row]:
    folder = tasks_dir("clingen")
    return [
        json.loads(line)
        for split in SIZES
        for line in (folder / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
    ]


def digest(row: Row) -> str:
    """Digest of all texts of a task's articles."""
    whole = hashlib.sha256()
    for article in row["record"]["articles"]:
        made = write(article["draft"])
        texts = [made.title, made.abstract, made.sections, list(made.summaries.items())]
        whole.update(json.dumps(texts, ensure_ascii=False).encode())
    return whole.hexdigest()[:12]


@pytest.mark.population
def test_the_articles_are_written_as_they_were(
    some: Callable[[Sequence[Row]], Sequence[Row]],
) -> None:
    lines = DIGESTS.read_text(encoding="utf-8").splitlines()
    known = dict(line.split("\t") for line in lines)
    rows = embedded_rows()
    assert set(known) == {row["id"] for row in rows}
    assert [row["id"] for row in some(rows) if digest(row) != known[row["id"]]] == []


def test_a_changed_article_has_another_digest() -> None:
    row = embedded_rows()[0]
    draft = row["record"]["articles"][0]["draft"]
    changed = {"record": {"articles": [{"draft": {**draft, "seed": "another"}}]}}
    assert digest(changed) != digest({"record": {"articles": [{"draft": draft}]}})


if __name__ == "__main__":
    DIGESTS.write_text("".join(f"{row['id']}\t{digest(row)}\n" for row in embedded_rows()))
