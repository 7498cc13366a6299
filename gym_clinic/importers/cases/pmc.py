"""PMC-Patients as cases: the summary is the text, and the title names the diagnosis."""

from __future__ import annotations

import os
from collections.abc import Iterator

from gym_clinic.embedded import linker
from gym_clinic.facts.typed_json import OnBroken, stop
from gym_clinic.importers.cases.reported import ReportedCase, some_cases
from gym_clinic.importers.formats.records import LeftOut, unnoted
from gym_clinic.importers.patients.pmc_patients import read_pmc_patients


@some_cases("PMC-Patients as published")
def read(
    path: str | os.PathLike[str], broken: OnBroken = stop, left_out: LeftOut = unnoted
) -> Iterator[ReportedCase]:
    """Read PMC-Patients; errors as `read_pmc_patients`, the findings are those of the linker."""
    for patient in read_pmc_patients(path, linker(), broken, left_out):
        yield ReportedCase(patient.case, patient.text, patient.title)
