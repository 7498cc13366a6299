"""What an image is to show, as a plain record: the truth before a pixel is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from gym_clinic.errors import ConfigError
from gym_clinic.names import suggest
from gym_clinic.simulate.images.tables import FindingTable, ModalityTable, modality


@dataclass(frozen=True, slots=True)
class ImageFinding:
    """One finding of an image.

    Attributes:
        finding: Its kind, one of the modality's in modalities.json.
        side: Side of the patient, "left" or "right"; None if the kind has no side.
        place: Place, as the table names it; None if the kind has no place.
        size: Its size in the unit of the table, such as mm; None if the kind has no size.
        grade: The grade that the size has by the table; None if the kind has no grades.
        count: How many there are.
    """

    finding: str
    side: str | None = None
    place: str | None = None
    size: float | None = None
    grade: str | None = None
    count: int = 1


@dataclass(frozen=True, slots=True)
class ImageRecord:
    """An image to be drawn; the same record is the same pixels everywhere.

    Attributes:
        modality: One of modalities.json.
        seed: Draws all that the record leaves open: build, texture, noise, exact coordinates.
        sex: "female" or "male".
        age: In years; the middle of the modality's ages if not given.
        side: Side of the organ that is imaged, such as the eye; None if there is one organ.
        findings: What is to be found; a kind occurs at most once for each side.
        artefacts: What disturbs the image.
        difficulty: From 0, clear and quiet, to 1, faint and noisy.
    """

    modality: str
    seed: int
    sex: str = "female"
    age: float | None = None
    side: str | None = None
    findings: tuple[ImageFinding, ...] = ()
    artefacts: tuple[str, ...] = ()
    difficulty: float = 0.3

    @property
    def years(self) -> float:
        """The age, where it matters to the drawing."""
        return self.age if self.age is not None else sum(self.table.age) / 2

    @property
    def table(self) -> ModalityTable:
        """What the modality can show."""
        return modality(self.modality)

    def find(self, finding: str, side: str | None = None) -> ImageFinding | None:
        """Return the finding of a kind (and side), or None."""
        for present in self.findings:
            if present.finding == finding and side in (None, present.side):
                return present
        return None

    def to_json(self) -> dict[str, Any]:
        """Return the record as plain JSON; what does not apply is left out."""
        row = asdict(self)
        row["findings"] = [
            {key: value for key, value in finding.items() if value is not None}
            for finding in row["findings"]
        ]
        row["artefacts"] = list(row["artefacts"])
        return {key: value for key, value in row.items() if value is not None}


def read_record(row: Mapping[str, Any] | ImageRecord) -> ImageRecord:
    """Return a record that is complete and checked against the tables.

    Args:
        row: A record or its plain JSON, such as ``{"modality": "chest_film", "seed": 1,
            "findings": [{"finding": "nodule", "side": "left", "place": "upper zone",
            "size": 18}]}``.

    Raises:
        ConfigError: If a field is unknown or a value is outside the table; it says what would be
            right.
    """
    if not isinstance(row, ImageRecord):
        row = _from_json(row)
    table = row.table
    _choose("sex", row.sex, table.sexes)
    if row.age is None:
        row = replace(row, age=(table.age[0] + table.age[1]) / 2)
    _within("age", row.age, table.age)
    _within("difficulty", row.difficulty, (0.0, 1.0))
    if isinstance(row.seed, bool) or not isinstance(row.seed, int) or row.seed < 0:
        raise ConfigError(f"seed is a whole number from 0, not {row.seed!r}")
    _choose("side", row.side, table.sides or (None,))
    for artefact in row.artefacts:
        _choose("artefact", artefact, table.artefacts)
    findings = tuple(_complete(finding, table.finding(finding.finding)) for finding in row.findings)
    kinds = {finding.finding for finding in findings}
    for finding in findings:
        if clash := sorted(table.finding(finding.finding).excludes & kinds):
            raise ConfigError(f"{finding.finding!r} and {clash[0]!r} cannot be in one image")
    if len({(finding.finding, finding.side) for finding in findings}) < len(findings):
        raise ConfigError("a finding occurs once for each side; use count for several")
    return replace(row, findings=findings)


def grade_of(table: FindingTable, size: float) -> str | None:
    """Return the grade of a size; None if it has none.

    Raises:
        ConfigError: If the size is between grades.
    """
    for grade, (least, most) in table.grades.items():
        if least <= size <= most:
            return grade
    if table.grades:
        raise ConfigError(f"{table.name}: size {size} is between the grades {dict(table.grades)}")
    return None


def _complete(finding: ImageFinding, table: FindingTable) -> ImageFinding:
    _choose(f"side of {table.name}", finding.side, table.sides or (None,))
    places = table.places if table.placed else (None, *table.places)
    _choose(f"place of {table.name}", finding.place, places)
    _within(f"count of {table.name}", finding.count, table.count)
    size = finding.size
    if finding.grade is not None:
        _choose(f"grade of {table.name}", finding.grade, tuple(table.grades) or (None,))
        if size is None:
            least, most = table.grades[finding.grade]
            size = (least + most) / 2
    if not table.unit:
        if size is not None:
            raise ConfigError(f"{table.name} has no size, got {size!r}")
        return finding
    if size is None:
        raise ConfigError(f"{table.name} needs a size in {table.unit}, from {table.size[0]} to "
                          f"{table.size[1]}")  # fmt: skip
    _within(f"size of {table.name}", size, table.size)
    grade = grade_of(table, size)
    if finding.grade not in (None, grade):
        raise ConfigError(f"{table.name}: size {size} is {grade!r}, not {finding.grade!r}")
    return replace(finding, size=float(size), grade=grade)


def _from_json(row: Mapping[str, Any]) -> ImageRecord:
    values = dict(row)
    _fields("an image record", values, ImageRecord, {"modality", "seed"})
    findings = []
    for finding in values.get("findings", ()):
        _fields("a finding", finding, ImageFinding, {"finding"})
        findings.append(ImageFinding(**finding))
    values["findings"] = tuple(findings)
    values["artefacts"] = tuple(values.get("artefacts", ()))
    return ImageRecord(**values)


def _fields(what: str, values: Mapping[str, Any], kind: type, needed: set[str]) -> None:
    known = [field.name for field in fields(kind)]
    if missing := sorted(needed - values.keys()):
        raise ConfigError(f"{what} needs {missing}")
    for name in values:
        if name not in known:
            raise ConfigError(f"{what} has no field {name!r}; {suggest(str(name), known)}")


def _choose(what: str, value: Any, choices: tuple[Any, ...]) -> None:
    if value not in choices:
        raise ConfigError(f"{what} is one of {list(choices)}, not {value!r}")


def _within(what: str, value: float | None, limits: tuple[float, float]) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ConfigError(f"{what} is a number, not {value!r}")
    if not limits[0] <= value <= limits[1]:
        raise ConfigError(f"{what} is from {limits[0]} to {limits[1]}, not {value}")
