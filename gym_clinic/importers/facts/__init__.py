"""Published tables of diseases, findings, codes and curations -> typed records."""

from gym_clinic.importers.facts.ddxplus import read_conditions, read_evidences
from gym_clinic.importers.facts.hpo import read_hpo, read_hpo_obo
from gym_clinic.importers.facts.hpoa import read_hpoa
from gym_clinic.importers.facts.icd10cm import read_icd10cm
from gym_clinic.importers.facts.mondo import read_diseases
from gym_clinic.importers.facts.orphanet import (
    read_history,
    read_names,
    read_phenotypes,
    read_prevalences,
)

__all__ = [
    "read_conditions",
    "read_diseases",
    "read_evidences",
    "read_history",
    "read_hpo",
    "read_hpo_obo",
    "read_hpoa",
    "read_icd10cm",
    "read_names",
    "read_phenotypes",
    "read_prevalences",
]
