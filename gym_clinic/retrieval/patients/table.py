"""A patient database prepared for matching: distinct phenotypes, and which case has which."""

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
    """Any patient record that can be matched; see :class:`PatientCase`."""

    @property
    def id(self) -> str:
        """Id of the case."""

    @property
    def diagnosis(self) -> str:
        """Name of the diagnosis."""

    @property
    def phenotypes(self) -> Sequence[str]:
        """Names of the phenotypes of the patient."""

    @property
    def provenance(self) -> str:
        """Where the case comes from."""


@dataclass(frozen=True)
class PatientCase:
    """One patient.

    Attributes:
        id: Unique in its database.
        diagnosis: Name of the diagnosis; "" where the source codes none.
        phenotypes: Names of the symptoms, signs and findings that the patient has.
        provenance: "synthetic", or the name of its source.
        absent: Names of phenotypes that were excluded in the patient.
        codes: Ids of the diagnosis, with their prefixes.
        age: Age as an ISO 8601 duration, "P62Y"; None if unknown.
        sex: "female", "male" or "other"; None if unknown.
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
    """The manifest of a patient table.

    Attributes:
        version: Version of the file layout.
        embedder: Name of the embedder of the vectors.
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
        rows: Name of a phenotype -> its row of ``vectors``; names with equal vectors share a row.
        vectors: The distinct vectors, unit rows, shape (rows, dimension).
        members: Rows of the phenotypes of all cases, case after case.
        starts: Where each case begins in ``members``, shape (cases + 1,).
        embedder: Name of the embedder of the vectors.
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

        A case without phenotypes is kept, but never similar to a query.

        Raises:
            TaskError: If there is no case, an id is duplicate, or a phenotype is blank.
            ConfigError: If the embedder returns no unit vector for a phenotype.
        """
        found = sorted(map(as_case, cases), key=lambda case: case.id)
        if not found:
            raise TaskError("no cases; expected at least one")
        for first, second in itertools.pairwise(found):
            if first.id == second.id:
                raise TaskError(f"duplicate case {first.id!r}; expected one of each id")
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
            OSError: If they cannot be written; existing files are then unchanged.
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
            TaskError: If a file is broken, or the two come from different builds.
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
            raise TaskError(f"{matrix_file} is no patient table: {error}") from None
        if manifest.version != VERSION:
            raise TaskError(
                f"{matrix_file}: version {manifest.version}; expected {VERSION}; build it again"
            )
        if manifest.cases != _digest(lines):
            raise TaskError(
                f"{cases_file} and {MATRIX} come from different builds; build them again"
            )
        cases = tuple(map(_READER.validate_json, lines))
        return cls(cases, manifest.rows, embedder=manifest.embedder, **found)


def phenotype_names(phenotypes: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct names in order, with single blanks.

    Raises:
        ConfigError: If there is no name, or one is blank or no text.
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
        ConfigError: If the rows have another shape, or a row has not length 1.
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
    """Return any patient record as a case, with distinct phenotypes.

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
    """Share one row between names with equal vectors, so that their scores are equal."""
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
