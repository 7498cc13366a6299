"""The plan of a simulated article: which experiments it tells, and with which outcome.

What a finding can be (``status``):

* ``shown``: the authors' own, positive, on the gene and the disease; the only evidence.
* ``negative``: done, without effect or without a readable result.
* ``withdrawn``: told as a result and taken back in another place.
* ``reported``: found by others before and only cited.
* ``planned``: intended or begun, without a result.
* ``other``: shown, for another gene.
* ``elsewhere``: shown for the gene, in a disease that has nothing to do with this one.
* ``technique``: the method was used as a tool, for no result.

What the abstract says of it (``mode``): ``explicit`` tells it as the full text does, ``hint``
names the topic and leaves the outcome open, ``silent`` leaves it out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gym_clinic.domains.clingen.simulator.systems import read_systems
from gym_clinic.errors import TaskError

STATUSES = (
    "shown", "negative", "withdrawn", "reported", "planned", "other", "elsewhere", "technique",
)  # fmt: skip
MODES = ("explicit", "hint", "silent")

CATEGORY_OF: dict[str, str] = {
    "biochemical_function_a": "BiochemicalFunction",
    "biochemical_function_b": "BiochemicalFunction",
    "physical_association": "ProteinInteraction",
    "genetic_interaction": "ProteinInteraction",
    "negative_genetic_interaction": "ProteinInteraction",
    "positive_genetic_interaction": "ProteinInteraction",
    "gene_expression_a": "GeneExpression",
    "gene_expression_b": "GeneExpression",
    "functional_alteration_patient_cells": "FunctionalAlteration",
    "functional_alteration_non_patient_cells": "FunctionalAlteration",
    "non_human_model_organism": "ModelSystem",
    "cell_culture_model": "ModelSystem",
    "rescue_in_human": "Rescue",
    "rescue_in_patient_cells": "Rescue",
    "rescue_in_non_human_model_organism": "Rescue",
    "rescue_in_cell_culture_model": "Rescue",
}
"""Subtype -> category, as the curation domain names them."""

RESCUED: dict[str, str] = {
    "rescue_in_patient_cells": "functional_alteration_patient_cells",
    "rescue_in_non_human_model_organism": "non_human_model_organism",
    "rescue_in_cell_culture_model": "cell_culture_model",
}
"""Rescue -> the subtype whose defect it undoes."""

GROUPS = ("molecular", "cellular", "organismal")
"""Parts of the results."""

WORK = {
    "BiochemicalFunction": "biochemistry",
    "ProteinInteraction": "crosses",
    "physical_association": "binding",
    "GeneExpression": "expression",
    "FunctionalAlteration": "cells",
    "ModelSystem": "animals",
    "cell_culture_model": "culture",
    "Rescue": "vectors",
    "rescue_in_human": "treatment",
}
"""Category, or subtype that differs from its category -> what is done in the experiment."""

_IN_CULTURE = (
    "functional_alteration_patient_cells", "functional_alteration_non_patient_cells",
    "cell_culture_model", "rescue_in_patient_cells", "rescue_in_cell_culture_model",
)  # fmt: skip


@dataclass(frozen=True)
class PlannedFinding:
    """One experiment in the plan of an article.

    Attributes:
        subtype: Kind of evidence it is or would be, a key of `CATEGORY_OF`.
        status: One of `STATUSES`.
        mode: One of `MODES`.
        scene: Findings with the same number share animals, cells and readouts.
        gene: Symbol of the gene it is about, when that is not the article's own.
        partners: Two other gene symbols, for interactions and shared functions.
    """

    subtype: str
    status: str
    mode: str
    scene: int
    gene: str
    partners: tuple[str, str]

    @property
    def category(self) -> str:
        """Category of the subtype."""
        return CATEGORY_OF[self.subtype]

    @property
    def work(self) -> str:
        """What is done in the experiment, a value of `WORK`."""
        return WORK.get(self.subtype) or WORK[self.category]

    @property
    def group(self) -> str:
        """Part of the results that it belongs to, one of `GROUPS`."""
        if self.category in ("BiochemicalFunction", "ProteinInteraction", "GeneExpression"):
            return "molecular"
        return "cellular" if self.subtype in _IN_CULTURE else "organismal"


@dataclass(frozen=True)
class PlannedGenetics:
    """Human evidence of an article.

    Attributes:
        null: Probands with null variants.
        other: Probands with other variants that have some evidence of impact.
        earlier: Earlier independent reports of such probands.
        first: Year of the first report, this article's own if there is no earlier one.
    """

    null: int
    other: int
    earlier: int
    first: int

    @property
    def points(self) -> float:
        """Default case-level scores: 1.5 for a null variant, 0.5 for another.

        Source: Strande NT et al. Am J Hum Genet 2017;100:895-906.
        """
        return 1.5 * self.null + 0.5 * self.other

    @property
    def publications(self) -> int:
        """Independent publications, this one included."""
        return 1 + self.earlier


@dataclass(frozen=True)
class Draft:
    """The plan of an article; `from_json` and `to_json` are its form in task files.

    Attributes:
        gene: Symbol, as on record.
        disease: Label, as on record.
        year: Year of publication.
        system: Organ system, a key of `systems.read_systems`.
        seed: Decides every choice of words.
        findings: What it tells.
        genetics: Human evidence, or None.
        short: Whether it is a short communication.
        wide: Whether every phrase may be used; otherwise a fifth is held back.
    """

    gene: str
    disease: str
    year: int
    system: str
    seed: str
    findings: tuple[PlannedFinding, ...]
    genetics: PlannedGenetics | None = None
    short: bool = False
    wide: bool = True

    def to_json(self) -> dict[str, Any]:
        """A JSON object from which the article can be written again."""
        human = self.genetics
        return {
            "gene": self.gene,
            "disease": self.disease,
            "year": self.year,
            "system": self.system,
            "seed": self.seed,
            "findings": [
                [f.subtype, f.status, f.mode, f.scene, f.gene, *f.partners] for f in self.findings
            ],
            "genetics": human and [human.null, human.other, human.earlier, human.first],
            "short": self.short,
            "wide": self.wide,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Draft:
        """Read a draft.

        Raises:
            TaskError: If a field is missing or holds something else than expected.
        """
        try:
            found = [
                PlannedFinding(subtype, status, mode, int(scene), gene, (partner, partner_b))
                for subtype, status, mode, scene, gene, partner, partner_b in data["findings"]
            ]
            human = data["genetics"]
            draft = cls(
                str(data["gene"]), str(data["disease"]), int(data["year"]), str(data["system"]),
                str(data["seed"]), tuple(found), PlannedGenetics(*human) if human else None,
                bool(data["short"]), bool(data["wide"]),
            )  # fmt: skip
        except KeyError as error:
            raise TaskError(f"draft lacks the field {error}") from error
        except (TypeError, ValueError) as error:
            raise TaskError(f"draft has a field of the wrong form: {error}") from error
        draft.check()
        return draft

    def check(self) -> None:
        """Raise TaskError for a name outside the vocabulary."""
        named = [("system", self.system, tuple(read_systems()))]
        for finding in self.findings:
            named += [
                ("subtype", finding.subtype, tuple(CATEGORY_OF)),
                ("status", finding.status, STATUSES),
                ("mode", finding.mode, MODES),
            ]
        for what, name, known in named:
            if name not in known:
                raise TaskError(f"draft: unknown {what} {name!r}; choose from {list(known)}")
