"""Published patients -> patient cases."""

from gym_clinic.importers.patients.cases import read_cases, write_cases
from gym_clinic.importers.patients.phenopackets import read_phenopackets
from gym_clinic.importers.patients.pmc_patients import PmcPatient, read_pmc_patients
from gym_clinic.importers.patients.rarebench import read_rarebench

__all__ = [
    "PmcPatient",
    "read_cases",
    "read_phenopackets",
    "read_pmc_patients",
    "read_rarebench",
    "write_cases",
]
