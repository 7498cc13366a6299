"""Similar patients: the cases whose phenotypes are nearest to those of a query.

The similarity of a case i to a query q is the mean, over the query's phenotypes, of the greatest
cosine with one of the case's::

    Sim(P_q, P_i) = 1/|P_q| sum_j max_k cos(e(p_qj), e(p_ik))

Cases share phenotypes. So the cosines of a query phenotype with the distinct phenotypes of all
cases are one product with a small matrix, and the greatest cosine of a case is a maximum over its
segment of a CSR table. The greatest cosines of a phenotype are cached: a repeated phenotype costs
one addition.

The result is exact: every case is scored. Equal similarities are ordered by case id. Sums are
exact in double precision, so that the order of the phenotypes does not matter.

Source:
    Deep-DxSearch paper, A.4, eq. 6 and 7; the near-duplicate filter is that of its Extended Data
    Table 1.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from gym_clinic.errors import ConfigError
from gym_clinic.names import at_least_one
from gym_clinic.retrieval.patients.segments import COLUMNS, LoopEngine, open_loops
from gym_clinic.retrieval.patients.table import (
    CaseRecord,
    CaseTable,
    PatientCase,
    embed,
    phenotype_names,
)
from gym_clinic.retrieval.scored import Scored

if TYPE_CHECKING:
    from gym_clinic.retrieval.dense.embedder import Embedder

CACHE_BYTES = 256 * 2**20
"""Size of the cache of phenotypes; 431 of them for 155,442 cases."""


class PatientMatcher:
    """Finds the cases most similar to a patient; safe to use from threads and forks.

    Attributes:
        table: The prepared database.
    """

    def __init__(
        self,
        cases: Iterable[CaseRecord] | CaseTable,
        embedder: Embedder,
        *,
        engine: LoopEngine = "auto",
        cache_bytes: int = CACHE_BYTES,
    ) -> None:
        """Prepare the cases, unless they are prepared already.

        Args:
            cases: The database.
            embedder: Embeds the names of phenotypes.
            engine: "numba", "numpy", or "auto": numba if it is installed.
            cache_bytes: Size of the cache of phenotypes.

        Raises:
            ConfigError: If the table was made by another embedder, or an option is wrong.
            TaskError: If a case is broken.
        """
        at_least_one("cache_bytes", cache_bytes)
        loops = open_loops(engine)
        self.table = cases if isinstance(cases, CaseTable) else CaseTable.build(cases, embedder)
        made = self.table.embedder, self.table.vectors.shape[1]
        if made != (embedder.name, embedder.dimension):
            raise ConfigError(
                f"the cases were embedded by {made[0]} with {made[1]} dimensions; the embedder is "
                f"{embedder.name} with {embedder.dimension}; use the same for both"
            )
        self._embedder = embedder
        self._cosines = loops.cosines
        self._maxima = loops.segments(self.table.members, self.table.starts)
        self._places = {case.id: place for place, case in enumerate(self.table.cases)}
        self._kept: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._room = cache_bytes // (4 * len(self.table.cases))
        self._guard = os.getpid(), threading.Lock()
        self._again = partial(
            PatientMatcher, self.table, embedder, engine=engine, cache_bytes=cache_bytes
        )

    @property
    def cases(self) -> Sequence[PatientCase]:
        """The cases of the database."""
        return self.table.cases

    def __reduce__(self) -> tuple[Any, tuple[()]]:
        """Pickle the prepared cases; a copy has its own cache."""
        return self._again, ()

    @classmethod
    def load(
        cls,
        folder: str | os.PathLike[str],
        embedder: Embedder,
        *,
        engine: LoopEngine = "auto",
        cache_bytes: int = CACHE_BYTES,
    ) -> PatientMatcher:
        """Open a database that :meth:`save` wrote.

        Raises:
            ConfigError: As for the class, or if a file cannot be opened.
            TaskError: If a file is broken.
        """
        table = CaseTable.load(folder)
        return cls(table, embedder, engine=engine, cache_bytes=cache_bytes)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the prepared database; existing files are replaced when all is written."""
        self.table.save(folder)

    def match(
        self, phenotypes: Iterable[str], limit: int = 20, *, exclude: Collection[str] = ()
    ) -> list[Scored[PatientCase]]:
        """Return the most similar cases, the best first (eq. 7).

        Args:
            phenotypes: Names of the phenotypes of the patient; duplicates count once. They need
                not occur in the database.
            limit: Most cases to return.
            exclude: Ids of cases to leave out; unknown ids are ignored.

        Returns:
            Cases with their similarity, -1 to 1; ``how`` names the phenotypes of the query that
            the case has by the same name.

        Raises:
            ConfigError: If there is no phenotype, or one is blank or has no vector; if an option
                is wrong.
        """
        at_least_one("limit", limit)
        if isinstance(exclude, str):
            raise ConfigError(f"exclude is a collection of ids, not the text {exclude[:80]!r}")
        names = phenotype_names(phenotypes)
        scores = self.scores(names)
        if exclude:
            left_out = [self._places[one] for one in exclude if one in self._places]
            scores[left_out] = -np.inf
        kept = np.flatnonzero(scores >= max(self._threshold(scores, limit), np.finfo(float).min))
        # The cases are ordered by id, so a stable sort breaks ties by id.
        best = kept[np.argsort(-scores[kept], kind="stable")[:limit]]
        known = {name.casefold() for name in names}
        return [
            Scored(case, float(scores[place]), "; ".join(_shared(case, known)))
            for place, case in ((place, self.table.cases[place]) for place in best.tolist())
        ]

    def scores(self, phenotypes: Iterable[str]) -> NDArray[np.float64]:
        """Return the similarity of every case to a query (eq. 6).

        Returns:
            Similarities in the order of ``table.cases``, shape (cases,); minus infinity for a
            case without phenotypes.

        Raises:
            ConfigError: As for :meth:`match`.
        """
        names = phenotype_names(phenotypes)
        total = np.zeros(len(self.table.cases))
        missing = []
        for name in names:
            maxima = self._recall(name)
            if maxima is None:
                missing.append(name)
            else:
                total += maxima
        vectors = self._vectors(missing)
        for start in range(0, len(missing), COLUMNS):
            block = self._block(vectors[start : start + COLUMNS])
            for name, maxima in zip(missing[start:], block, strict=False):
                total += maxima
                self._keep(name, maxima)
        total /= len(names)
        return total

    def near_duplicates(
        self,
        phenotypes: Iterable[str],
        threshold: float,
        similarity: Literal["query", "mutual"] = "query",
    ) -> frozenset[str]:
        """Return the ids of the cases that are nearly the same as a patient.

        Pass all phenotypes of the patient, and the result to :meth:`match` as ``exclude``.

        Args:
            phenotypes: All phenotypes of the patient.
            threshold: The least similarity of a near-duplicate; the paper tries 0.70 to 0.95.
            similarity: "query" is eq. 6, the filter of the paper: 1 for a case with all
                phenotypes of the patient, whatever else it has. "mutual" is the mean of eq. 6 in
                both directions, which is 1 for equal phenotypes only.

        Raises:
            ConfigError: If the similarity is unknown, the threshold is no cosine, or as for
                :meth:`match`.
        """
        if not -1 <= threshold <= 1:
            raise ConfigError(f"threshold is from -1 to 1, not {threshold!r}")
        if similarity not in ("query", "mutual"):
            raise ConfigError(f"similarity is 'query' or 'mutual', not {similarity!r}")
        names = phenotype_names(phenotypes)
        scores = self.scores(names)
        if similarity == "mutual":
            scores = (scores + self._covered(names)) / 2
        # A tolerance for the rounding of cosines.
        places = np.flatnonzero(scores >= threshold - 1e-6)
        return frozenset(self.table.cases[place].id for place in places.tolist())

    def _covered(self, names: tuple[str, ...]) -> NDArray[np.float64]:
        """Return eq. 6 in the other direction: means over each case, shape (cases,)."""
        nearest = (self.table.vectors @ self._vectors(names).T).max(axis=1)
        counts = np.diff(self.table.starts)
        # Cumulative sums, starting at 0, so that an empty segment has the sum 0.
        sums = np.concatenate([[0.0], np.cumsum(nearest[self.table.members], dtype=np.float64)])
        return np.diff(sums[self.table.starts]) / np.maximum(counts, 1)

    @staticmethod
    def _threshold(scores: NDArray[np.float64], limit: int) -> float:
        """Return the score of the last case to return."""
        last = len(scores) - limit
        return float(np.partition(scores, last)[last]) if last > 0 else -np.inf

    def _vectors(self, names: Iterable[str]) -> NDArray[np.float32]:
        """Return unit rows, shape (names, dimension); known names are not embedded again."""
        names = tuple(names)
        vectors = np.empty((len(names), self.table.vectors.shape[1]), dtype=np.float32)
        new = [place for place, name in enumerate(names) if name not in self.table.rows]
        if new:
            vectors[new] = embed(self._embedder, [names[place] for place in new])
        for place, name in enumerate(names):
            if name in self.table.rows:
                vectors[place] = self.table.vectors[self.table.rows[name]]
        return vectors

    def _block(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the greatest cosines of up to COLUMNS vectors, shape (vectors, cases).

        The product always has COLUMNS columns, so that the cosines of a phenotype do not depend
        on the others in the query.
        """
        padded = np.zeros((COLUMNS, vectors.shape[1]), dtype=np.float32)
        padded[: len(vectors)] = vectors
        cosines = self._cosines(self.table.vectors, padded)
        np.minimum(cosines, 1, out=cosines)
        return np.ascontiguousarray(self._maxima(cosines).T[: len(vectors)])

    @property
    def _lock(self) -> threading.Lock:
        """The lock of this process; in a fork, the lock of the parent may never be released."""
        if self._guard[0] != os.getpid():
            self._guard = os.getpid(), threading.Lock()
        return self._guard[1]

    def _recall(self, name: str) -> NDArray[np.float32] | None:
        with self._lock:
            maxima = self._kept.get(name)
            if maxima is not None:
                self._kept.move_to_end(name)
            return maxima

    def _keep(self, name: str, maxima: NDArray[np.float32]) -> None:
        with self._lock:
            if self._room:
                # A copy, since a row would keep its whole block in memory.
                self._kept[name] = maxima.copy()
            while len(self._kept) > self._room:
                self._kept.popitem(last=False)


def _shared(case: PatientCase, known: Collection[str]) -> list[str]:
    return [name for name in case.phenotypes if name.casefold() in known]
