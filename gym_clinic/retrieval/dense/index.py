"""Dense retrieval: the passages whose embeddings are nearest to the query's, by FAISS."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.names import at_least_one, suggest
from gym_clinic.retrieval.dense.embedder import Embedder, Embeddings, embed_queries
from gym_clinic.retrieval.dense.opening import open_embedder
from gym_clinic.retrieval.scored import Scored

TIES = 16
"""Extra hits to fetch, so that equal scores at the limit can be ordered by id."""

NEAR = 1e-5
"""Scores of faiss this near may be equal: it adds float32 in its own order."""

GPU_MOST = 2048
"""Hits that faiss can fetch at once on a GPU."""

Row = NDArray[np.float32]
"""Embedding of one text, shape (dimension,)."""

Numbers = NDArray[np.int64]
"""Positions of passages in an index."""

IndexKind = Literal["flat", "hnsw", "ivf"]
Device = Literal["auto", "cpu", "gpu"]


class DenseManifest(BaseModel):
    """The manifest of a dense index: embedder, size, kind, and the base it was made of.

    Attributes:
        format: Version of the file layout.
        embedder: Name of the embedder, for :func:`open_embedder`.
        dimension: Length of a row.
        count: Number of passages.
        content_hash: Content hash of the base that the passages come from.
        kind: ``flat`` compares with every row; ``hnsw`` and ``ivf`` with some.
        breadth: Candidates of hnsw (efSearch) or cells of ivf (nprobe) in a search; 0 for flat.
        recall: Share of the true 10 nearest rows that a search over all sources finds, measured
            on rows of the index when it was built; 1 for flat.
        sources: Names of the sources, in the order of their numbers.
        build: Folder of the files, beside the manifest.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1]
    embedder: str
    dimension: int = Field(ge=1)
    count: int = Field(ge=1)
    content_hash: str
    kind: IndexKind
    breadth: int = Field(ge=0)
    recall: float = Field(ge=0, le=1)
    sources: tuple[str, ...]
    build: str = Field(pattern=r"^build-\w+$")


def dense_folder(base: str | os.PathLike[str]) -> Path:
    """Return the folder of the dense index of a base: ``clinic.db`` has ``clinic.db.dense``."""
    base = Path(base)
    return base.with_name(f"{base.name}.dense")


@lru_cache(maxsize=1)
def faiss_library() -> Any:
    """Return faiss, for CPU or GPU, whichever is installed.

    In a fork faiss searches with one thread only: the OpenMP threads of the parent do not exist
    there, and faiss would wait for them forever.

    Raises:
        ConfigError: If neither is installed.
    """
    try:
        import faiss
    except ImportError:
        raise ConfigError(
            'dense retrieval needs faiss: pip install "gym_clinic[dense]", or faiss-gpu'
        ) from None
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: faiss.omp_set_num_threads(1))
    return faiss


class DenseIndex:
    """An index that :func:`gym_clinic.retrieval.build_dense` made.

    Threads and forks may search at once; forks do not use the GPU. faiss finds the candidates;
    their scores are computed here in double precision, so that they are the same on every machine
    and in every batch. Equal scores are ordered by id.

    Args:
        folder: Its folder, :func:`dense_folder` of the base.
        embedder: Embeds the queries; by default the one that the manifest names.
        content_hash: Of the base; not checked if not given.
        device: ``auto`` uses a GPU if faiss finds one that supports the kind of index.

    Raises:
        ConfigError: If there is no index, it belongs to another base or embedder, or faiss is
            not installed, or it is too large for the GPU.
        TaskError: If its files are damaged.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        embedder: Embedder | None = None,
        *,
        content_hash: str | None = None,
        device: Device = "auto",
    ) -> None:
        self.folder = folder = Path(folder)
        self.manifest = read_manifest(folder)
        if content_hash is not None:
            self.check_base(content_hash)
        self.embedder = embedder or open_embedder(self.manifest.embedder)
        _check_embedder(self.manifest, folder, self.embedder)
        self._faiss = faiss_library()
        files = folder / self.manifest.build
        try:
            self._ids = (files / "ids.bin").read_bytes()
            self._ends = _numbers(files / "ends.u64", np.uint64, self.manifest.count)
            self._sources = _numbers(files / "sources.u16", np.uint16, self.manifest.count)
        except FileNotFoundError as error:
            raise TaskError(
                f"{error.filename} is missing; open the index again if it was just built, or "
                "build it again"
            ) from None
        if int(self._ends[-1]) != len(self._ids):
            raise TaskError(f"{files / 'ids.bin'}: cut short; build the index again")
        self._index = self._read(files / "index.faiss")
        self._gpu: Any = None
        self._place(device)
        self._turn, self._process = threading.Lock(), os.getpid()
        made_of = self.manifest.content_hash
        self._again = partial(DenseIndex, folder, embedder, content_hash=made_of, device=device)
        self._selectors: dict[str, Any] = {}

    def __reduce__(self) -> tuple[Any, tuple[()]]:
        """Pickle the settings; a copy opens the same folder and checks its content."""
        return self._again, ()

    def __len__(self) -> int:
        return self.manifest.count

    def __repr__(self) -> str:
        made = self.manifest
        return f"DenseIndex({self.folder}, {made.count:,} by {made.embedder}, {made.kind})"

    def check_base(self, content_hash: str) -> None:
        """Check that the index was made of the passages of a base.

        Raises:
            ConfigError: If not.
        """
        made = self.manifest.content_hash
        if content_hash != made:
            raise ConfigError(
                f"the dense index {self.folder} was made of another base, with the content hash "
                f"{made}; this base has {content_hash}; build the index again from this base"
            )

    def search(self, query: str, limit: int = 10, source: str | None = None) -> list[Scored[str]]:
        """Return the passages nearest to a query, nearest first.

        Args:
            query: Any text; one with an embedding of zeros finds nothing.
            limit: Most passages to return.
            source: Only passages of this source, each of which is then compared, whatever the
                kind of index.

        Raises:
            ConfigError: If the limit is below 1, or there is no such source.
        """
        return self.search_many([query], limit, source)[0]

    def search_many(
        self, queries: Sequence[str], limit: int = 10, source: str | None = None
    ) -> list[list[Scored[str]]]:
        """Return for each query what :meth:`search` returns."""
        at_least_one("limit", limit)
        if not queries:
            return []
        rows = embed_queries(self.embedder, queries)
        count = min(limit + TIES, len(self))
        found = self._nearest(rows, count, source)
        return [
            self._hits(row, some, limit, source) if row.any() else []
            for row, some in zip(rows, found, strict=True)
        ]

    def _hits(self, row: Row, found: Numbers, limit: int, source: str | None) -> list[Scored[str]]:
        """Score and order the hits of faiss; fetch more while equal scores may be missing."""
        while True:
            there = found[found >= 0]  # -1 stands for no hit
            scores = self._scores(row, there)
            best = np.sort(scores)[::-1]
            more = len(there) == len(found) < len(self)
            if not more or best[limit - 1] - best[-1] > NEAR:
                break
            found = self._nearest(row[None], min(4 * len(found), len(self)), source)[0]
        hits = [
            Scored(self._id(at), score) for at, score in zip(there, scores.tolist(), strict=True)
        ]
        return sorted(hits, key=lambda hit: (-hit.score, hit.record))[:limit]

    def _scores(self, row: Row, found: Numbers) -> NDArray[np.float64]:
        """Return the cosines of rows of the index, each independent of the others."""
        rows = self._index.reconstruct_batch(found).astype(np.float64)
        scores: NDArray[np.float64] = (rows * row).sum(axis=1).clip(-1.0, 1.0)
        return scores

    def _id(self, at: int) -> str:
        start = int(self._ends[at - 1]) if at else 0
        return self._ids[start : int(self._ends[at])].decode("utf-8")

    def _nearest(self, rows: Embeddings, count: int, source: str | None) -> Numbers:
        """Return the positions of passages, shape (rows, count); -1 where there are no more."""
        found: Numbers
        if source is not None:
            index, params = self._exhaustive(source)
            _, found = index.search(rows, count, params=params)
        elif self._gpu is not None and count <= GPU_MOST and self._process == os.getpid():
            with self._turn:  # the resources of a GPU serve one search at a time
                _, found = self._gpu.search(rows, count)
        else:
            params = search_settings(self._faiss, self.manifest.kind, self.manifest.breadth)
            _, found = self._index.search(rows, count, params=params)
        return found

    def _exhaustive(self, source: str) -> tuple[Any, Any]:
        """Return an index and settings that compare every row of a source.

        A search of the graph or of a few cells would miss most rows of a small source.
        """
        only = {"sel": self._selector(source)}
        if self.manifest.kind == "ivf":
            return self._index, self._faiss.SearchParametersIVF(nprobe=self._index.nlist, **only)
        held = self._index
        if self.manifest.kind == "hnsw":
            held = self._faiss.downcast_index(held.storage)
        return held, self._faiss.SearchParameters(**only)

    def _selector(self, source: str) -> Any:
        """Return the selector of the rows of a source."""
        if source not in self._selectors:
            names = self.manifest.sources
            if source not in names:
                raise ConfigError(f"the index has no source {source!r}; {suggest(source, names)}")
            bits = np.packbits(self._sources == names.index(source), bitorder="little")
            self._selectors[source] = self._faiss.IDSelectorBitmap(bits)
        return self._selectors[source]

    def _read(self, path: Path) -> Any:
        try:
            index = self._faiss.read_index(str(path))
        except RuntimeError as error:  # the only error that faiss raises
            raise TaskError(f"{path}: faiss cannot read it: {error}") from error
        made = self.manifest
        if (index.ntotal, index.d) != (made.count, made.dimension):
            raise TaskError(
                f"{path}: {index.ntotal} rows of {index.d}; the manifest says {made.count} of "
                f"{made.dimension}"
            )
        if made.kind == "ivf":
            index.nprobe = made.breadth  # a GPU takes no settings per search
            index.make_direct_map()  # to read a row by its number
        return index

    def _place(self, device: Device) -> None:
        if device not in ("auto", "cpu", "gpu"):
            raise ConfigError(f"device is auto, cpu or gpu, not {device!r}")
        able = self.manifest.kind != "hnsw" and self._faiss.get_num_gpus() > 0
        if device == "gpu" and not able:
            raise ConfigError("faiss finds no GPU, or does not support this kind of index on one")
        if able and device != "cpu":
            self._resources = self._faiss.StandardGpuResources()
            try:
                self._gpu = self._faiss.index_cpu_to_gpu(self._resources, 0, self._index)
            except RuntimeError as error:  # out of memory, usually
                raise ConfigError(
                    f"{self.folder} does not fit on the GPU; device='cpu' keeps it in memory: "
                    f"{error}"
                ) from error


def read_manifest(folder: Path) -> DenseManifest:
    """Read the manifest of a dense index.

    Raises:
        ConfigError: If there is none.
        TaskError: If its manifest cannot be read.
    """
    path = folder / "manifest.json"
    if not path.is_file():
        raise ConfigError(
            f"no dense index at {folder}: {path.name} is missing; 'gym-clinic kb embed' makes one"
        )
    try:
        return DenseManifest.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise TaskError(f"{path}: {where}: {first['msg']}; build the index again") from error


def search_settings(faiss: Any, kind: IndexKind, breadth: int) -> Any:
    """Return the faiss settings of a search over all sources; None for a flat index."""
    if kind == "hnsw":
        return faiss.SearchParametersHNSW(efSearch=breadth)
    if kind == "ivf":
        return faiss.SearchParametersIVF(nprobe=breadth)
    return None


def _check_embedder(made: DenseManifest, folder: Path, embedder: Embedder) -> None:
    theirs, ours = (made.embedder, made.dimension), (embedder.name, embedder.dimension)
    if theirs != ours:
        raise ConfigError(
            f"the dense index {folder} was made by {theirs[0]} with rows of {theirs[1]}; "
            f"{ours[0]} with rows of {ours[1]} cannot search it"
        )


def _numbers(path: Path, kind: Any, count: int) -> NDArray[Any]:
    numbers = np.fromfile(path, kind)
    if len(numbers) != count:
        raise TaskError(
            f"{path}: {len(numbers)} numbers for {count} passages; build the index again"
        )
    return numbers
