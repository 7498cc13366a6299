from __future__ import annotations

import pytest
from clingen_rows import Rows, Some, articles, read_rows

from gym_clinic.domains.clingen.simulator import SIZES, SimulatedArticle, write


@pytest.fixture(scope="session")
def rows() -> Rows:
    return read_rows()


@pytest.fixture(scope="session")
def sample(rows: Rows, some: Some) -> Rows:
    """Some tasks of each split; tests that use it are marked population."""
    return {split: list(some(rows[split])) for split in SIZES}


@pytest.fixture(scope="session")
def written(sample: Rows) -> dict[str, SimulatedArticle]:
    """PubMed id -> article of the sample, written anew from its draft."""
    return {article["pmid"]: write(article["draft"]) for _, article in articles(sample)}
