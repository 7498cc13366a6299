from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from places import KB
from real_data import real

from gym_clinic.facts import Facts, load
from gym_clinic.facts.passages import HandbookPassage, handbook


def read_yaml(path: Path) -> Any:
    """Read a file with libyaml, which is ten times as fast, where PyYAML has it."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(path.read_text(encoding="utf-8"), Loader=loader)


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
    return dict(read_yaml(real("../clinical/drugs.yaml")))


@pytest.fixture(scope="session")
def published() -> dict[str, dict[str, Any]]:
    """The published definitions of the scores by their ids, where they are at hand."""
    data = read_yaml(real("../clinical/instruments.yaml"))
    return {one["id"]: one for one in data["instruments"]}
