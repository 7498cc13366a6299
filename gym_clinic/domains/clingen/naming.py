"""Names of the evidence subtypes, as papers, curators and agents spell them."""

from __future__ import annotations

import re

from gym_clinic.domains.clingen.evidence import CATEGORIES, SUBTYPES, Subtype
from gym_clinic.errors import ConfigError
from gym_clinic.names import NEAR

SOP_PATHS: dict[str, str] = {
    "function.biochemical_function.A_shared_function_with_implicated_genes": (
        "biochemical_function_a"
    ),
    "function.biochemical_function.B_function_consistent_with_phenotype": "biochemical_function_b",
    "function.protein_interaction.physical_association": "physical_association",
    "function.protein_interaction.genetic_interaction": "genetic_interaction",
    "function.protein_interaction.negative_genetic_interaction": "negative_genetic_interaction",
    "function.protein_interaction.positive_genetic_interaction": "positive_genetic_interaction",
    "function.gene_expression.A_expressed_in_relevant_tissue": "gene_expression_a",
    "function.gene_expression.B_altered_expression_in_patients": "gene_expression_b",
    "functional_alteration.patient_cells": "functional_alteration_patient_cells",
    "functional_alteration.non_patient_cells": "functional_alteration_non_patient_cells",
    "models_and_rescue.model_systems.non_human_model_organism": "non_human_model_organism",
    "models_and_rescue.model_systems.cell_culture_model": "cell_culture_model",
    "models_and_rescue.rescue.rescue_in_human": "rescue_in_human",
    "models_and_rescue.rescue.rescue_in_non_human_model_organism": (
        "rescue_in_non_human_model_organism"
    ),
    "models_and_rescue.rescue.rescue_in_cell_culture_model": "rescue_in_cell_culture_model",
    "models_and_rescue.rescue.rescue_in_patient_cells": "rescue_in_patient_cells",
}
"""Place of each subtype in the matrix: group, category, line."""


def find_subtype(name: str, *, categories: bool = False) -> Subtype:
    """The subtype that a name means, however it is written.

    Args:
        name: Key, single-agent label, a sub-agent's term, or place in the matrix from any level
            on ("rescue.rescue_in_human"); capitals and punctuation do not matter.
        categories: Whether the name of a category whose subtypes score alike (Biochemical
            Function, Protein Interaction, Gene Expression) stands for its first subtype.

    Returns:
        The subtype.

    Raises:
        ConfigError: If no subtype has that name; the text gives the nearest.
    """
    plain = _plain(name)
    if plain in _NAMES:
        return SUBTYPES[_NAMES[plain]]
    if plain in _CATEGORY_NAMES:
        subtypes = CATEGORIES[_CATEGORY_NAMES[plain]].subtypes
        alike = len({(subtype.points, subtype.range) for subtype in subtypes}) == 1
        if categories and alike:
            return subtypes[0]
        keys = [subtype.key for subtype in subtypes]
        raise ConfigError(f"{name!r} is a category of evidence; name its subtype, one of {keys}")
    raise ConfigError(f"unknown evidence subtype {name[:200]!r}; {_advice(plain[:200])}")


def known_subtype(name: str) -> Subtype | None:
    """The subtype that a name means, None if it means none."""
    key = _NAMES.get(_plain(name))
    return None if key is None else SUBTYPES[key]


def _advice(plain: str) -> str:
    """The subtype nearest to an unknown name, or all of them."""
    from rapidfuzz import fuzz, process  # here, since importing it takes 20 ms

    near = process.extractOne(plain, _NAMES.keys(), scorer=fuzz.ratio, score_cutoff=NEAR)
    return f"the nearest is {_NAMES[near[0]]!r}" if near else f"choose from {list(SUBTYPES)}"


def _plain(name: str) -> str:
    """A name without capitals and punctuation."""
    return " ".join(re.findall("[a-z0-9]+", name.lower()))


def _category_names() -> dict[str, str]:
    """Every way to name a category, to its key."""
    names = {}
    for path, key in SOP_PATHS.items():
        names[_plain(path.rpartition(".")[0])] = SUBTYPES[key].category
        names[_plain(path.split(".")[-2])] = SUBTYPES[key].category
    for category in CATEGORIES.values():
        for name in (category.key, category.label, category.label.rstrip("s")):
            names[_plain(name)] = category.key
    return names


def _subtype_names() -> dict[str, str]:
    """Every way to name a subtype, to its key; a name of two different ones is left out."""
    found: dict[str, set[str]] = {}
    for path, key in SOP_PATHS.items():
        subtype = SUBTYPES[key]
        parts = path.split(".")
        short = subtype.term.removeprefix("rescue in ")
        own = [".".join(parts[start:]) for start in range(len(parts))]
        own += [f"experimental_evidence.categories.{path}", f"experimental_evidence.{path}"]
        own += [subtype.key, subtype.label, subtype.term]
        for category, target in _CATEGORY_NAMES.items():
            if target == subtype.category:
                own += [f"{category} {short}", f"{category} {subtype.term}"]
        for name in own:
            found.setdefault(_plain(name), set()).add(key)
            if key == "genetic_interaction":
                found.setdefault(_plain(f"{name} sensu unexpected"), set()).add(key)
    return {name: next(iter(keys)) for name, keys in found.items() if len(keys) == 1}


_CATEGORY_NAMES = _category_names()
_NAMES = _subtype_names()
