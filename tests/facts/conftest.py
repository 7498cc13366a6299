from __future__ import annotations

from typing import Any

import pytest
import yaml
from places import KB
from real_data import real

from gym_clinic.facts import Facts, load
from gym_clinic.facts.passages import HandbookPassage, handbook


@pytest.fixture(scope="session")
def facts() -> Facts:
    """The fact tables of this checkout."""
    return load(KB / "facts")


@pytest.fixture(scope="session")
def passages(facts: Facts) -> list[HandbookPassage]:
    """The handbook of this checkout."""
    return handbook(facts)


@pytest.fixture(scope="session")
def drug_tables() -> dict[str, Any]:
    """The reference tables of drugs, where they are at hand."""
    return dict(yaml.safe_load(real("../clinical/drugs.yaml").read_text(encoding="utf-8")))


@pytest.fixture(scope="session")
def published() -> dict[str, dict[str, Any]]:
    """The published definitions of the scores by their ids, where they are at hand."""
    data = yaml.safe_load(real("../clinical/instruments.yaml").read_text(encoding="utf-8"))
    return {one["id"]: one for one in data["instruments"]}
