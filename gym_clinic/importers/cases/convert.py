"""Reported cases -> a folder of tasks of DxSearch, with the records that are matched beside them.

Each case is classed, screened, read and coded (stages I to IV of the paper). What fails a quality
rule becomes a record of the database; of the others a share does too, per disease, so that a
patient with the disease can be found. A task is kept only if the best plan earns the maximum of
every stage of the reward, which is proved by playing it.

Nothing is written before all is proved.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gym_clinic.importers.cases.extraction import Extractor
from gym_clinic.importers.cases.presenting import present
from gym_clinic.importers.cases.quality import MOST_FINDINGS, restates, why_record
from gym_clinic.importers.cases.reported import ReportedCase
from gym_clinic.importers.cases.taxonomy import CodedFinding, ListedDisease, Taxonomy
from gym_clinic.importers.formats.records import LeftOut
from gym_clinic.retrieval import PatientCase

RECORDS_SHARE = 0.29
"""Share of the good cases that go to the database: 324 of 1,122 of RareBench (A.3)."""

_ALONE = "cases whose disease no other patient has went to the database"


@dataclass(frozen=True)
class CodedCase:
    """A case after stage IV.

    Attributes:
        reported: The case with its extracted findings.
        disease: What it is a case of.
        findings: Its findings, by preferred names.
        absent: Names of absent findings.
        text: The presentation.
    """

    reported: ReportedCase
    disease: ListedDisease
    findings: tuple[CodedFinding, ...]
    absent: tuple[str, ...]
    text: str

    @property
    def digest(self) -> str:
        """Hash of the case, for its place and its id."""
        case = self.reported.case
        return hashlib.sha256(f"{case.provenance}:{case.id}:{self.text}".encode()).hexdigest()

    def record(self) -> PatientCase:
        """Return the case as a record of the database, without findings that name the disease."""
        case, disease = self.reported.case, self.disease
        return PatientCase(
            id=f"own-{self.digest[:12]}",
            diagnosis=disease.name,
            phenotypes=tuple(
                finding.name for finding in self.findings if not restates(disease, finding)
            ),
            provenance=case.provenance,
            absent=self.absent,
            codes=disease.codes,
            age=case.age,
            sex=case.sex,
        )


def code_cases(
    reported: Iterable[ReportedCase],
    taxonomy: Taxonomy,
    extractor: Extractor,
    *,
    raw: bool,
    left_out: LeftOut,
) -> tuple[list[CodedCase], list[CodedCase]]:
    """Class, screen, read and code cases.

    Args:
        reported: The cases.
        taxonomy: Names and codes.
        extractor: Screens and reads texts.
        raw: Whether texts are screened.
        left_out: Called with the reason for each case that is no task.

    Returns:
        The cases that are good enough for tasks, and those that are records of the database.
    """
    tasks: list[CodedCase] = []
    records: list[CodedCase] = []
    seen: set[tuple[str, ...]] = set()
    for unread in reported:
        if raw and unread.text and (fault := extractor.fault(unread)):
            left_out(fault)
            continue
        read = extractor.read(unread, left_out) if _needs_reading(unread) else unread
        if not read.case.diagnosis:
            left_out("cases without one clear diagnosis were left out")
            continue
        coded = _coded(read, taxonomy)
        key = (coded.disease.id, coded.text, *sorted(finding.name for finding in coded.findings))
        if key in seen:
            left_out("cases equal to one before were left out")
            continue
        seen.add(key)
        if not coded.record().phenotypes:
            left_out("cases without a finding were left out")
        elif why := why_record(coded.disease, coded.findings, coded.text):
            left_out(why)
            records.append(coded)
        else:
            tasks.append(coded)
    return tasks, records


def divide(
    cases: Sequence[CodedCase],
    elsewhere: Callable[[ListedDisease], bool],
    share: float,
    left_out: LeftOut,
) -> tuple[list[CodedCase], list[CodedCase]]:
    """Divide good cases into tasks and records, disease by disease.

    Args:
        cases: The cases.
        elsewhere: Whether a disease has a patient in another database or record.
        share: Share of the cases of each disease that become records; at least one if there is
            none elsewhere, and never all unless there is only one.
        left_out: Called for each case that cannot be a task.

    Returns:
        Tasks and records.
    """
    by_disease: dict[str, list[CodedCase]] = {}
    for case in sorted(cases, key=lambda case: case.digest):
        by_disease.setdefault(case.disease.id, []).append(case)
    tasks: list[CodedCase] = []
    records: list[CodedCase] = []
    for group in by_disease.values():
        known = elsewhere(group[0].disease)
        count = max(int(share * len(group) + 0.5), 0 if known else 1)
        count = min(count, len(group) - (known or len(group) > 1))
        if len(group) == count:
            left_out(_ALONE)
        records += group[:count]
        tasks += group[count:]
    return tasks, records


def _needs_reading(reported: ReportedCase) -> bool:
    """Whether the source leaves the diagnosis or the findings to be read from its texts."""
    case = reported.case
    return not case.diagnosis or bool(reported.text and not case.phenotypes)


def _coded(reported: ReportedCase, taxonomy: Taxonomy) -> CodedCase:
    case, disease = reported.case, taxonomy.known(reported)
    findings = {coded.name: coded for coded in map(taxonomy.finding, case.phenotypes)}
    absent = dict.fromkeys(taxonomy.finding(name).name for name in case.absent)
    told = tuple(findings.values())[:MOST_FINDINGS]
    lacks = tuple(name for name in absent if name not in findings)
    text = reported.text
    if not text and told:
        text = present(case, [finding.name for finding in told], lacks)
    return CodedCase(reported, disease, told, lacks, text)


def as_counts(cases: Iterable[CodedCase]) -> Mapping[str, int]:
    """Return the number of cases with a common and with a rare disease, and of diseases."""
    listed = list(cases)
    rare = sum(case.disease.rare for case in listed)
    diseases = {case.disease.id for case in listed}
    return {"common": len(listed) - rare, "rare": rare, "diseases": len(diseases)}
