"""Organ systems: what a disease of each does to tissues, cells, animals and people.

``systems.json`` holds, for each system, the ``words`` in the label of a disease that tell the
system, ``unrelated`` complaints that no disease on record has to do with, and five ``aspects``
(of the heart: failure, rhythm, malformation, ...). The fields of one aspect fit together: a cell,
its readout, the mutant animal and the patient's complaint. They are noun phrases:

* ``tissue`` follows "the"; ``cells`` (a patient's), ``line`` (anybody's) and ``culture``
  (engineered, disease in a dish) are plural;
* ``mammal``, ``fish`` and ``insect`` follow "showed"; ``feature`` is a sign in people;
* ``func`` is a quantity that can fall in ``cells`` and ``line``, ``defect`` the abnormal look
  of ``culture``; ``process`` is the work of a protein; ``marker`` is measured under treatment.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TypedDict

import orjson

DEFAULT = "growth"
"""The system of a disease that no word tells."""


class System(TypedDict):
    """An organ system, as in ``systems.json``."""

    words: list[str]
    unrelated: list[str]
    aspects: list[dict[str, str]]


@cache
def read_systems() -> dict[str, System]:
    """Return the organ systems by name; the file is read once a process."""
    path = Path(__file__).with_name("systems.json")
    systems: dict[str, System] = orjson.loads(path.read_bytes())
    return systems


@cache
def system_of(disease: str, panel: str = "") -> str:
    """Return the system of a disease, by the first telling word of its label or else its panel.

    >>> system_of("Leigh syndrome"), system_of("MYBPC3-related disorder", "Epilepsy Panel")
    ('mito', 'neuro')
    """
    for text in (disease.casefold(), panel.casefold()):
        found = [
            (text.index(word), name)
            for name, system in read_systems().items()
            for word in system["words"]
            if word in text
        ]
        if found:
            return min(found)[1]
    return DEFAULT
