"""Sources that code findings and diagnosis: phenopackets and RareBench."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from gym_clinic.facts.typed_json import OnBroken, stop
from gym_clinic.importers.cases.reported import ReportedCase, some_cases
from gym_clinic.importers.formats.records import LeftOut, unnoted
from gym_clinic.importers.patients.phenopackets import read_phenopackets
from gym_clinic.importers.patients.rarebench import read_rarebench


@some_cases("phenopackets of patients with one disease")
def read_packets(
    path: str | os.PathLike[str], broken: OnBroken = stop, left_out: LeftOut = unnoted
) -> Iterator[ReportedCase]:
    """Read phenopackets; a patient with several diseases, or none, is left out.

    An OMIM entry is a Mendelian disease, so a packet with one counts as rare.
    """
    for case in read_phenopackets(path, broken, left_out):
        if len(case.codes) > 1:
            left_out("patients with several diseases were left out")
        elif not case.diagnosis:
            left_out("patients without a diagnosis were left out")
        else:
            mendelian = any(code.startswith("OMIM:") for code in case.codes)
            yield ReportedCase(case, rare=mendelian or None)


@some_cases("cases of RareBench")
def read_benchmark(
    path: str | os.PathLike[str],
    broken: OnBroken = stop,
    left_out: LeftOut = unnoted,
    *,
    mappings: str | None = None,
) -> Iterator[ReportedCase]:
    """Read RareBench; its several names of a disease are synonyms, and all are rare.

    Args:
        path: The ``.jsonl`` file.
        broken: As for `read_rarebench`.
        left_out: Not used: every field is kept.
        mappings: Folder of its two mappings; the folder of the file by default.
    """
    for case in read_rarebench(path, mappings or Path(path).parent, broken):
        name, *synonyms = case.diagnosis.split("; ")
        yield ReportedCase(replace(case, diagnosis=name), synonyms=tuple(synonyms), rare=True)
