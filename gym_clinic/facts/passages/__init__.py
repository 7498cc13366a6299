"""The handbook: passages of plain sentences, composed from the fact tables.

The same tables give the same passages, in the same order and wording. A disease has four: its
presentation, its look-alikes (computed from the findings of both), red flags with first tests, and
its management. A finding that several diseases share, a drug, a score and a guideline have their
own. Composing takes one to three seconds, so nothing composed is kept beside the tables.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path

from gym_clinic.facts.passages.comparing import Comparing
from gym_clinic.facts.passages.diseases import disease_passages
from gym_clinic.facts.passages.drugs import drug_passages
from gym_clinic.facts.passages.form import COLLECTION, LICENCE, HandbookPassage
from gym_clinic.facts.passages.instruments import instrument_passages
from gym_clinic.facts.passages.records import finding_passages, guideline_passages
from gym_clinic.facts.tables import Facts, table_files

__all__ = ["COLLECTION", "LICENCE", "HandbookPassage", "fingerprint", "handbook"]

MOST_DISEASES = 60
"""A finding of so many diseases discriminates between none of them."""


def handbook(facts: Facts) -> list[HandbookPassage]:
    """Return all passages of the fact tables."""
    having = Counter(has.phenotype for one in facts.diseases.values() for has in one.phenotypes)
    common = {key for key, diseases in having.items() if diseases >= MOST_DISEASES}
    comparing = Comparing.of(facts)
    return [
        *(
            made
            for one in facts.diseases.values()
            for made in disease_passages(comparing, one, common)
        ),
        *finding_passages(facts),
        *drug_passages(facts),
        *instrument_passages(facts),
        *guideline_passages(facts),
    ]


def fingerprint(folder: Path) -> str:
    """Return a digest that changes when the tables of a folder change, or how they are told.

    Raises:
        ConfigError: If there are no tables.
    """
    here = Path(__file__).parent
    digest = hashlib.sha256()
    for file in (*table_files(folder), *sorted(here.glob("*.py")), *sorted(here.glob("*.json"))):
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()
