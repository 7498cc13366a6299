"""A database of patients made ready for matching: distinct phenotypes, and who has which."""

from __future__ import annotations

import hashlib
import io
import itertools
import os
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
import orjson
from numpy.typing import NDArray
from pydantic import TypeAdapter

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.files import json_line, replace_files

if TYPE_CHECKING:
    from gym_clinic.retrieval.dense.embedder import Embedder

CASES = "cases.jsonl"
MATRIX = "matrix.npz"
VERSION = 1
"""Version of the files."""

ARRAYS = ("vectors", "members", "starts")


class CaseRecord(Protocol):
    """What any patient record has that can be matched; see :class:`PatientCase`."""

    @property
    def id(self) -> str:
        """Name of the case."""

    @property
    def diagnosis(self) -> str:
        """Name of the diagnosis."""

    @property
    def phenotypes(self) -> Sequence[str]:
        """Names of what the patient has."""

    @property
    def provenance(self) -> str:
        """Where the case comes from."""


@dataclass(frozen=True)
class PatientCase:
    """One patient.

    Attributes:
        id: Name of the case, unique in its database.
        diagnosis: Name of the diagnosis; "" where the source codes none.
        phenotypes: Names of the symptoms, signs and findings that the patient has.
        provenance: Where the case comes from: "synthetic", or the name of its source.
        absent: Names of what the patient was found not to have.
        codes: Ids of the diagnosis, with their prefixes.
        age: Age as an ISO 8601 duration, "P62Y"; None where the source does not say.
        sex: "female", "male" or "other"; None where the source does not say.
    """

    id: str
    diagnosis: str
    phenotypes: tuple[str, ...]
    provenance: str
    absent: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    age: str | None = None
    sex: str | None = None


@dataclass(frozen=True)
class TableManifest:
    """What the matrix file says of itself.

    Attributes:
        version: Version of the files.
        embedder: Name of the embedder that made the vectors.
        cases: Hash of the file of cases.
        rows: Name of a phenotype -> its row.
    """

    version: int
    embedder: str
    cases: str
    rows: dict[str, int]


@dataclass(frozen=True, eq=False)
class CaseTable:
    """Cases and their phenotypes in CSR form.

    Attributes:
        cases: The cases, sorted by id.
        rows: Name of a phenotype -> its row of ``vectors``; names with one vector share a row.
        vectors: The distinct vectors, unit rows, shape (rows, dimension).
        members: Rows of the phenotypes of all cases, case after case.
        starts: Where each case begins in ``members``, shape (cases + 1,).
        embedder: Name of the embedder that made the vectors.
    """

    cases: tuple[PatientCase, ...]
    rows: dict[str, int]
    vectors: NDArray[np.float32]
    members: NDArray[np.int32]
    starts: NDArray[np.int64]
    embedder: str

    @classmethod
    def build(cls, cases: Iterable[CaseRecord], embedder: Embedder) -> CaseTable:
        """Embed each distinct phenotype once.

        A case without phenotypes is kept; it is similar to nothing.

        Raises:
            TaskError: If there is no case, an id stands twice, or a phenotype is blank.
            ConfigError: If the embedder gives a phenotype no unit vector.
        """
        found = sorted(map(as_case, cases), key=lambda case: case.id)
        if not found:
            raise TaskError("no cases; expected at least one")
        for first, second in itertools.pairwise(found):
            if first.id == second.id:
                raise TaskError(f"case {first.id!r} stands twice; expected one of each id")
        names = sorted({name for case in found for name in case.phenotypes})
        rows, vectors = _distinct(names, embed(embedder, names))
        members = [[rows[name] for name in case.phenotypes] for case in found]
        return cls(
            tuple(found),
            rows,
            vectors,
            np.fromiter((row for case in members for row in case), np.int32),
            np.cumsum([0, *map(len, members)], dtype=np.int64),
            embedder.name,
        )

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the table as ``cases.jsonl`` and ``matrix.npz``.

        Raises:
            OSError: If they cannot be written; those of before are then as they were.
        """
        lines = [json_line(asdict(case)) for case in self.cases]
        manifest = TableManifest(VERSION, self.embedder, _digest(lines), self.rows)
        packed = io.BytesIO()
        np.savez(
            packed,
            manifest=np.frombuffer(orjson.dumps(manifest), np.uint8),
            vectors=self.vectors,
            members=self.members,
            starts=self.starts,
        )
        target = Path(folder)
        replace_files({target / CASES: lines, target / MATRIX: [packed.getvalue()]})

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> CaseTable:
        """Read what :meth:`save` wrote.

        Raises:
            ConfigError: If a file cannot be opened.
            TaskError: If a file is broken, or the two are of different builds.
        """
        cases_file, matrix_file = Path(folder) / CASES, Path(folder) / MATRIX
        try:
            lines = cases_file.read_bytes().splitlines(keepends=True)
            packed = matrix_file.read_bytes()
        except OSError as error:
            raise ConfigError(f"cannot read {error.filename}: {error.strerror}") from None
        try:
            with np.load(io.BytesIO(packed), allow_pickle=False) as arrays:
                found = {name: arrays[name] for name in (*ARRAYS, "manifest")}
            manifest = _MANIFEST.validate_json(found.pop("manifest").tobytes())
        except (ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise TaskError(f"{matrix_file}: no patient table: {error}") from None
        if manifest.version != VERSION:
            raise TaskError(
                f"{matrix_file}: version {manifest.version}; expected {VERSION}; build it again"
            )
        if manifest.cases != _digest(lines):
            raise TaskError(f"{cases_file} and {MATRIX} are of different builds; build them again")
        cases = tuple(map(_READER.validate_json, lines))
        return cls(cases, manifest.rows, embedder=manifest.embedder, **found)


def phenotype_names(phenotypes: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct names in their order, blanks folded.

    Raises:
        ConfigError: If there is none, or one is blank or no text.
    """
    if isinstance(phenotypes, str):
        raise ConfigError(f"phenotypes is a list of names, not the text {phenotypes[:80]!r}")
    names: dict[str, None] = {}
    for name in phenotypes:
        if not isinstance(name, str) or not name.strip():
            raise ConfigError(f"{name!r:.80} is no phenotype; expected a name such as 'Seizure'")
        names[" ".join(name.split())] = None
    if not names:
        raise ConfigError("no phenotypes; expected at least one name such as 'Seizure'")
    return tuple(names)


def embed(embedder: Embedder, names: Sequence[str]) -> NDArray[np.float32]:
    """Return unit rows, shape (names, dimension).

    Raises:
        ConfigError: If the embedder gives another shape, or no unit row for a name.
    """
    vectors = np.ascontiguousarray(embedder.embed(names), dtype=np.float32)
    expected = (len(names), embedder.dimension)
    if vectors.shape != expected:
        raise ConfigError(f"{embedder.name}: rows of shape {vectors.shape}; expected {expected}")
    wrong = np.flatnonzero(~(np.abs(np.linalg.norm(vectors, axis=1) - 1) < 1e-3))
    if len(wrong):
        name = names[int(wrong[0])]
        raise ConfigError(f"{embedder.name} has no unit vector for the phenotype {name[:80]!r}")
    return vectors


def as_case(case: CaseRecord) -> PatientCase:
    """Return any patient record as a case, its phenotypes distinct and their blanks folded.

    Raises:
        TaskError: If a phenotype is blank or no text.
    """
    try:
        names = phenotype_names(case.phenotypes) if case.phenotypes else ()
    except ConfigError as error:
        raise TaskError(f"case {case.id!r}: {error}") from None
    if isinstance(case, PatientCase) and case.phenotypes == names:
        return case
    extra = {name: getattr(case, name) for name in _OPTIONAL if hasattr(case, name)}
    return PatientCase(case.id, case.diagnosis, names, case.provenance, **extra)


_OPTIONAL = ("absent", "codes", "age", "sex")
_READER = TypeAdapter(PatientCase)
_MANIFEST = TypeAdapter(TableManifest)


def _distinct(
    names: Sequence[str], vectors: NDArray[np.float32]
) -> tuple[dict[str, int], NDArray[np.float32]]:
    """Give names with one vector one row, so that rounding cannot set them apart."""
    rows: dict[str, int] = {}
    seen: dict[bytes, int] = {}
    kept: list[int] = []
    for place, name in enumerate(names):
        row = seen.setdefault(vectors[place].tobytes(), len(seen))
        if row == len(kept):
            kept.append(place)
        rows[name] = row
    return rows, vectors[kept]


def _digest(lines: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line)
    return digest.hexdigest()
