"""Stage V of the paper: an audit sheet of a stratified sample, and what filled sheets say.

A stratum is a source and a class, as the columns of table 3 (MIMIC-Common, MIMIC-Rare, …). Every
reviewer fills a copy of the sheet. The measures are those of table 3. Overall accuracy asks for the
right disease, and for findings that are all right and all there; the table has 100% beside a
precision of 94.4%, so its own rule must be another, which is not said.

Agreement is Krippendorff's alpha: nominal for yes and no, interval for counts.

Source:
    Deep-DxSearch paper, section 4.1, stage V, and table 3. Krippendorff, Content Analysis (2004).
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from random import Random
from statistics import median

from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers.formats.csv import csv_rows

SAMPLE = 25
"""Cases of a stratum (table 3)."""

SHOWN = ("case", "stratum", "text", "diagnosis", "icd10", "orpha", "findings", "absent")
"""Columns for the reviewer to read."""

GIVEN = ("symptoms_extracted", "icd10_codes", "orpha_codes", "hpo_codes")
"""Columns with what the pipeline made, as counts."""

JUDGED = ("disease_correct", "no_leakage")
"""Columns to fill with yes or no."""

COUNTED = {
    "symptoms_in_text": "", "symptoms_correct": "symptoms_extracted",
    "icd10_correct": "icd10_codes", "orpha_correct": "orpha_codes", "hpo_correct": "hpo_codes",
}  # fmt: skip
"""Column to fill with a count -> the column that it cannot exceed."""

COLUMNS = (*SHOWN, *GIVEN, *JUDGED, *COUNTED, "remarks")


@dataclass(frozen=True)
class ReviewedCase:
    """What a reviewer filled in for one case.

    Attributes:
        case: The case.
        stratum: Source and class.
        values: Column -> its number; yes is 1, no is 0.
    """

    case: str
    stratum: str
    values: Mapping[str, int]


def draw_sheet(tasks: Iterable[Task], per_stratum: int = SAMPLE, seed: int = 0) -> bytes:
    """Return the sheet of a stratified sample as CSV, to be filled by each reviewer.

    Args:
        tasks: ImportedCases tasks.
        per_stratum: Cases of each stratum at most.
        seed: The same seed draws the same cases.
    """
    strata: dict[str, list[Task]] = defaultdict(list)
    for task in sorted(tasks, key=lambda task: task.id):
        strata[stratum_of(task)].append(task)
    written = io.StringIO()
    writer = csv.DictWriter(written, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for name, listed in sorted(strata.items()):
        drawn = Random(f"{seed}:{name}").sample(listed, min(per_stratum, len(listed)))
        writer.writerows(_row(task, name) for task in drawn)
    return written.getvalue().encode()


def stratum_of(task: Task) -> str:
    """Return the source and the class of a task."""
    return f"{task.provenance}, {'rare' if task.gold['rare'] else 'common'}"


def _row(task: Task, stratum: str) -> dict[str, object]:
    hpo, codes = task.gold["hpo"], task.gold["codes"]
    icd = [code for code in codes if code.startswith("ICD10")]
    orpha = [code for code in codes if code.startswith("ORPHA")]
    findings = task.record["findings"]
    return {
        "case": task.id,
        "stratum": stratum,
        "text": task.ticket,
        "diagnosis": task.gold["names"][0],
        "icd10": "; ".join(icd),
        "orpha": "; ".join(orpha),
        "findings": "; ".join(
            f"{name} [{hpo[name]}]" if name in hpo else name for name in findings
        ),
        "absent": "; ".join(task.record["absent"]),
        "symptoms_extracted": len(findings),
        "icd10_codes": len(icd),
        "orpha_codes": len(orpha),
        "hpo_codes": len(hpo),
    }


def read_sheet(path: Path) -> dict[str, ReviewedCase]:
    """Read a filled sheet.

    Returns:
        Case -> its judgement.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: If a cell is not filled, or not as it should be; the text names file, line and
            column.
    """
    found: dict[str, ReviewedCase] = {}
    for place, cells in csv_rows(path, COLUMNS, others=True):
        case = cells["case"]
        if case in found:
            raise TaskError(f"{place}, column case: {case!r} is a duplicate; expected it once")
        values = {name: _count(cells, name, "", place) for name in GIVEN}
        values |= {name: _yes(cells[name], name, place) for name in JUDGED}
        values |= {name: _count(cells, name, most, place) for name, most in COUNTED.items()}
        if values["symptoms_correct"] > values["symptoms_in_text"]:
            raise TaskError(
                f"{place}, column symptoms_in_text: {values['symptoms_in_text']}, fewer than the "
                "correct ones; expected the number of symptoms that the text has"
            )
        found[case] = ReviewedCase(case, cells["stratum"], values)
    if not found:
        raise TaskError(f"{path}: no case; expected a filled sheet of 'gym-clinic cases audit'")
    return found


def _yes(cell: str, column: str, place: str) -> int:
    value = {"yes": 1, "no": 0}.get(cell.strip().casefold())
    if value is None:
        raise TaskError(f"{place}, column {column}: {cell!r}; expected yes or no")
    return value


def _count(cells: Mapping[str, str], column: str, most: str, place: str) -> int:
    cell = cells[column].strip()
    if not cell.isdecimal() or (most and int(cell) > int(cells[most] or 0)):
        limit = f" to {cells[most]}" if most else ""
        raise TaskError(
            f"{place}, column {column}: {cell!r}; expected a whole number from 0{limit}"
        )
    return int(cell)


def quality(judgements: Sequence[ReviewedCase]) -> dict[str, tuple[int, int]]:
    """Return the measures of table 3: name -> how many of how many."""
    totals = {
        name: sum(review.values[name] for review in judgements)
        for name in (*GIVEN, *JUDGED, *COUNTED)
    }
    clean = sum(
        review.values["disease_correct"]
        and review.values["symptoms_correct"]
        == review.values["symptoms_extracted"]
        == review.values["symptoms_in_text"]
        for review in judgements
    )
    cases = len(judgements)
    correct = totals["symptoms_correct"]
    return {
        "Sample Size": (cases, cases),
        "Overall Accuracy": (clean, cases),
        "Disease Label Accuracy": (totals["disease_correct"], cases),
        "Symptom Recall": (correct, totals["symptoms_in_text"]),
        "Symptom Precision": (correct, totals["symptoms_extracted"]),
        "Data Integrity (No Leakage)": (totals["no_leakage"], cases),
        "ICD-10 Accuracy": (totals["icd10_correct"], totals["icd10_codes"]),
        "ORPHA Accuracy": (totals["orpha_correct"], totals["orpha_codes"]),
        "HPO Accuracy": (totals["hpo_correct"], totals["hpo_codes"]),
    }


def panel(sheets: Sequence[Mapping[str, ReviewedCase]]) -> list[ReviewedCase]:
    """Return the judgement of a panel: the median of its reviewers, of two the lower.

    Raises:
        ConfigError: If the sheets are not of the same cases, or there is none.
    """
    if not sheets or any(sheet.keys() != sheets[0].keys() for sheet in sheets):
        raise ConfigError("the sheets are not of the same cases; give copies of one audit sheet")
    return [
        ReviewedCase(
            case,
            first.stratum,
            {
                name: int(median(sheet[case].values[name] for sheet in sheets))
                for name in first.values
            },
        )
        for case, first in sheets[0].items()
    ]


def agreement(sheets: Sequence[Mapping[str, ReviewedCase]]) -> dict[str, float | None]:
    """Return Krippendorff's alpha of each column that reviewers fill; None if nothing varies."""
    return {
        column: alpha(
            [[sheet[case].values[column] for sheet in sheets] for case in sheets[0]],
            _differs if column in JUDGED else _squared,
        )
        for column in (*JUDGED, *COUNTED)
    }


def alpha(units: Sequence[Sequence[int]], distance: Callable[[int, int], float]) -> float | None:
    """Return Krippendorff's alpha, 1 for full agreement and 0 for that of chance.

    Args:
        units: The values of each unit, two at least.
        distance: Squared distance of two values.

    Returns:
        None if all values are the same, where it is not defined.

    >>> alpha([[1, 1], [0, 0], [1, 0], [1, 1]], lambda one, other: one != other)
    0.5333333333333333
    """
    values = [value for unit in units for value in unit]
    seen = sum(
        sum(distance(one, other) for one, other in permutations(unit, 2)) / (len(unit) - 1)
        for unit in units
    ) / len(values)
    by_chance = sum(distance(one, other) for one, other in permutations(values, 2))
    by_chance /= len(values) * (len(values) - 1)
    return None if by_chance == 0 else 1 - seen / by_chance


def _differs(one: int, other: int) -> float:
    return float(one != other)


def _squared(one: int, other: int) -> float:
    return float((one - other) ** 2)
