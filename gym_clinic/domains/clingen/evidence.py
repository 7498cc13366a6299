"""The experimental evidence of gene-disease validity: six categories, sixteen subtypes.

Names follow the supervisor paper (table 2 and the traces of appendix B); default points, ranges and
caps follow the ClinGen matrix.

Source:
    Strande NT et al. Am J Hum Genet 2017;100:895-906; ClinGen Gene-Disease Validity
    Standard Operating Procedures, versions 8 to 11.
"""

from __future__ import annotations

from dataclasses import dataclass

CLASSES = ("No Known Disease Relationship", "Limited", "Moderate", "Strong", "Definitive")
"""The label set of the supervisor paper in rank order: rank 0 to rank 4."""


@dataclass(frozen=True)
class Subtype:
    """One of the sixteen kinds of experimental evidence.

    Attributes:
        key: Identifier in task files, unique over all categories.
        category: Key of its category.
        label: Name in the answers of a single agent, category first ("Rescue in patient cells").
        term: Name in the replies of the category's sub-agent ("rescue in patient cells").
        points: Default points in the ClinGen matrix.
        range: Lowest and highest points a curator may award.
    """

    key: str
    category: str
    label: str
    term: str
    points: float
    range: tuple[float, float]


@dataclass(frozen=True)
class Category:
    """One category of experimental evidence, read by one sub-agent.

    Attributes:
        key: Identifier in task files and in the sub-agent's name ("ModelSystem").
        label: Name in prose ("Model Systems").
        cap_group: Group of the matrix; the categories of a group share one cap.
        about: Definition of the evidence in one sentence.
    """

    key: str
    label: str
    cap_group: str
    about: str

    @property
    def agent(self) -> str:
        """Name of the sub-agent that reads this category."""
        return f"ExperimentalEvidence_{self.key}_agent"

    @property
    def subtypes(self) -> tuple[Subtype, ...]:
        """The subtypes of this category, in the order of table 2."""
        return tuple(subtype for subtype in SUBTYPES.values() if subtype.category == self.key)


CATEGORIES: dict[str, Category] = {
    category.key: category
    for category in (
        Category(
            "BiochemicalFunction",
            "Biochemical Function",
            "function",
            "the gene product's biochemical function is shared with genes already implicated in "
            "the disease (A), or fits the disease phenotype (B)",
        ),
        Category(
            "ProteinInteraction",
            "Protein Interaction",
            "function",
            "the gene product interacts, physically or genetically, with the product of a gene "
            "already implicated in the disease",
        ),
        Category(
            "GeneExpression",
            "Gene Expression",
            "function",
            "the gene is expressed in tissues relevant to the disease (A), or its expression is "
            "altered in patients who have the disease (B)",
        ),
        Category(
            "FunctionalAlteration",
            "Functional Alteration",
            "functional_alteration",
            "cultured patient or non-patient cells in which the gene is disrupted show a function "
            "that is altered in keeping with the disease",
        ),
        Category(
            "ModelSystem",
            "Model Systems",
            "models_and_rescue",
            "a non-human organism or a cell culture model with a disrupted copy of the gene shows "
            "a phenotype consistent with the human disease",
        ),
        Category(
            "Rescue",
            "Rescue",
            "models_and_rescue",
            "the phenotype in a human, in patient cells, in a non-human organism or in a cell "
            "culture model is rescued by the wild-type gene product or by correction of the gene",
        ),
    )
}

SUBTYPES: dict[str, Subtype] = {
    key: Subtype(key, category, label, term, points, limits)
    for key, category, label, term, points, limits in (
        ("biochemical_function_a", "BiochemicalFunction", "Biochemical Function A", "A",
         0.5, (0, 2)),
        ("biochemical_function_b", "BiochemicalFunction", "Biochemical Function B", "B",
         0.5, (0, 2)),
        ("physical_association", "ProteinInteraction", "Protein Interaction Physical association",
         "physical association", 0.5, (0, 2)),
        ("genetic_interaction", "ProteinInteraction", "Protein Interaction Genetic interaction",
         "genetic interaction", 0.5, (0, 2)),
        ("negative_genetic_interaction", "ProteinInteraction",
         "Protein Interaction Negative genetic interaction", "negative genetic interaction",
         0.5, (0, 2)),
        ("positive_genetic_interaction", "ProteinInteraction",
         "Protein Interaction Positive genetic interaction", "positive genetic interaction",
         0.5, (0, 2)),
        ("gene_expression_a", "GeneExpression", "Gene Expression A", "A", 0.5, (0, 2)),
        ("gene_expression_b", "GeneExpression", "Gene Expression B", "B", 0.5, (0, 2)),
        ("functional_alteration_patient_cells", "FunctionalAlteration",
         "Functional Alteration Patient cells", "patient cells", 1.0, (0, 2)),
        ("functional_alteration_non_patient_cells", "FunctionalAlteration",
         "Functional Alteration Non-patient cells", "non-patient cells", 0.5, (0, 1)),
        ("non_human_model_organism", "ModelSystem", "Model Systems Non-human model organism",
         "non-human model organism", 2.0, (0, 4)),
        ("cell_culture_model", "ModelSystem", "Model Systems Cell culture model",
         "cell culture model", 1.0, (0, 2)),
        ("rescue_in_human", "Rescue", "Rescue in human", "rescue in human", 2.0, (0, 4)),
        ("rescue_in_patient_cells", "Rescue", "Rescue in patient cells",
         "rescue in patient cells", 1.0, (0, 2)),
        ("rescue_in_non_human_model_organism", "Rescue", "Rescue in non-human model organism",
         "rescue in non-human model organism", 2.0, (0, 4)),
        ("rescue_in_cell_culture_model", "Rescue", "Rescue in cell culture model",
         "rescue in cell culture model", 1.0, (0, 2)),
    )
}  # fmt: skip
