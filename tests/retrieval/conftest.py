from __future__ import annotations

import pytest


@pytest.fixture(params=["fts5", "tantivy"])
def engine(request: pytest.FixtureRequest) -> str:
    """Each engine of a knowledge base; tests skip where it is not installed."""
    if request.param == "tantivy":
        pytest.importorskip("tantivy")
    return str(request.param)
