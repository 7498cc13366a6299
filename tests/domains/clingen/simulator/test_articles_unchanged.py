"""The articles of the embedded tasks are written byte for byte as they were.

``article_digests.tsv`` has a digest for each task. After a deliberate change of the articles, run
this file as a program, with ``PYTHONPATH=tests/support``: it writes the digests anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from clingen_rows import Rows, read_rows

from gym_clinic.domains.clingen.simulator import SimulatedArticle, write

DIGESTS = Path(__file__).with_name("article_digests.tsv")


def digest(articles: Iterable[SimulatedArticle]) -> str:
    """Digest of all texts of a task's articles."""
    whole = hashlib.sha256()
    for article in articles:
        texts = [
            article.title, article.abstract, article.sections, list(article.summaries.items()),
        ]  # fmt: skip
        whole.update(json.dumps(texts, ensure_ascii=False).encode())
    return whole.hexdigest()[:12]


@pytest.mark.population
def test_the_articles_are_written_as_they_were(
    rows: Rows, sample: Rows, written: dict[str, SimulatedArticle]
) -> None:
    lines = DIGESTS.read_text(encoding="utf-8").splitlines()
    known = dict(line.split("\t") for line in lines)
    assert list(known) == [row["id"] for tasks in rows.values() for row in tasks]
    for row in (row for tasks in sample.values() for row in tasks):
        articles = [written[article["pmid"]] for article in row["record"]["articles"]]
        assert digest(articles) == known[row["id"]], row["id"]


def test_another_draft_has_another_digest(rows: Rows) -> None:
    draft = rows["dev"][0]["record"]["articles"][0]["draft"]
    article, another = write(draft), write({**draft, "seed": "another"})
    assert len({digest([article]), digest([another]), digest([article, article])}) == 3


if __name__ == "__main__":
    DIGESTS.write_text(
        "".join(
            f"{row['id']}\t{digest(write(a['draft']) for a in row['record']['articles'])}\n"
            for tasks in read_rows().values()
            for row in tasks
        )
    )
