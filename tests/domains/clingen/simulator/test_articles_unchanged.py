"""The articles of the embedded tasks are written byte for byte as they were.

``article_digests.tsv`` has a digest for each task. After a deliberate change of the articles, run
this file as a program, with ``PYTHONPATH=tests/support``: it writes the digests anew.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from clingen_rows import Rows, Some, read_rows

from gym_clinic.domains.clingen.simulator import write

DIGESTS = Path(__file__).with_name("article_digests.tsv")


def digest(drafts: list[Any]) -> str:
    """Digest of all texts of a task's articles."""
    whole = hashlib.sha256()
    for draft in drafts:
        made = write(draft)
        texts = [made.title, made.abstract, made.sections, list(made.summaries.items())]
        whole.update(json.dumps(texts, ensure_ascii=False).encode())
    return whole.hexdigest()[:12]


def drafts_of(rows: Rows) -> dict[str, list[Any]]:
    """Task -> the drafts of its articles."""
    return {
        row["id"]: [article["draft"] for article in row["record"]["articles"]]
        for tasks in rows.values()
        for row in tasks
    }


@pytest.mark.population
def test_the_articles_are_written_as_they_were(rows: Rows, some: Some) -> None:
    lines = DIGESTS.read_text(encoding="utf-8").splitlines()
    known = dict(line.split("\t") for line in lines)
    drafts = drafts_of(rows)
    assert list(known) == list(drafts)
    assert [task for task in some(list(known)) if digest(drafts[task]) != known[task]] == []


def test_another_draft_has_another_digest(rows: Rows) -> None:
    (draft, *_), *_ = drafts_of(rows).values()
    assert digest([{**draft, "seed": "another"}]) != digest([draft]) != digest([draft, draft])


if __name__ == "__main__":
    DIGESTS.write_text(
        "".join(f"{task}\t{digest(d)}\n" for task, d in drafts_of(read_rows()).items())
    )
