from __future__ import annotations

import json

import pytest
from clingen_rows import FOLDER, Rows, articles

from gym_clinic.domains.clingen.simulator import Article, write
from gym_clinic.domains.clingen.splits import SIZES


@pytest.fixture(scope="session")
def rows() -> Rows:
    return {
        split: [
            json.loads(line)
            for line in (FOLDER / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
        ]
        for split in SIZES
    }


@pytest.fixture(scope="session")
def written(rows: Rows) -> dict[str, Article]:
    """PubMed id -> article, written anew from its draft."""
    return {article["pmid"]: write(article["draft"]) for _, article in articles(rows)}
