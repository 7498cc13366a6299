from __future__ import annotations

import pytest
from clingen_rows import SPLITS, Rows, Some, read_rows

from gym_clinic.domains.clingen.curation import literature_of
from gym_clinic.domains.clingen.literature.edition import WrittenLiterature


@pytest.fixture(scope="session")
def rows() -> Rows:
    return read_rows()


@pytest.fixture(scope="session")
def sample(rows: Rows, some: Some) -> Rows:
    """Some tasks of each split; tests that use it are marked population."""
    return {split: list(some(rows[split])) for split in SPLITS}


@pytest.fixture(scope="session")
def written(sample: Rows) -> dict[str, WrittenLiterature]:
    """Task id -> the literature of a task of the sample, to be written anew."""
    return {row["id"]: literature_of(row["record"]) for split in SPLITS for row in sample[split]}
