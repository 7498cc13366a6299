"""Readers of published records: formats, passages, facts, patients, graphs and tasks.

The table below holds strings only, so that a command can list the importers without loading them.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["FACTS", "Importer"]


class Importer(NamedTuple):
    """An entry in a table of importers.

    Attributes:
        reader: ``"package.module:function"`` of the function that reads a path and yields records.
        makes: What it reads and what it makes of it, in one line.
    """

    reader: str
    makes: str


_FACTS = "gym_clinic.importers.facts"

FACTS: dict[str, Importer] = {
    name: Importer(reader, makes)
    for name, reader, makes in (
        (
            "hpo-obo",
            "gym_clinic.importers.formats.obo:read_obo",
            "ontology in OBO format (hp.obo) -> terms",
        ),
        (
            "hpo",
            "gym_clinic.importers.formats.obographs:read_obo_graph",
            "OBO Graphs JSON (hp.json) -> terms",
        ),
        ("mondo", f"{_FACTS}.mondo:read_diseases", "OBO Graphs JSON (mondo.json) -> diseases"),
        ("hpoa", f"{_FACTS}.hpoa:read_hpoa", "HPO annotations (phenotype.hpoa) -> profiles"),
        ("orphanet-names", f"{_FACTS}.orphanet:read_names", "Orphanet product 1 -> names, codes"),
        (
            "orphanet-phenotypes",
            f"{_FACTS}.orphanet:read_phenotypes",
            "Orphanet product 4 -> profiles",
        ),
        (
            "orphanet-history",
            f"{_FACTS}.orphanet:read_history",
            "Orphanet product 9 -> onset, death",
        ),
        (
            "orphanet-prevalence",
            f"{_FACTS}.orphanet:read_prevalences",
            "Orphanet product 9 -> rates",
        ),
        ("icd10cm", f"{_FACTS}.icd10cm:read_icd10cm", "ICD-10-CM order file -> codes, titles"),
        ("ddxplus", f"{_FACTS}.ddxplus:read_conditions", "DDXPlus conditions -> profiles"),
        ("ddxplus-evidences", f"{_FACTS}.ddxplus:read_evidences", "DDXPlus evidences -> questions"),
    )
}
"""Importers of facts, as ``gym-clinic kb import`` lists them; each reader takes a path."""
