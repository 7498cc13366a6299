"""Building a dense index: passages stream through an embedder into FAISS."""

from __future__ import annotations

import math
import os
import shutil
import sys
import uuid
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, get_args

import numpy as np

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.files import lock, replace_file
from gym_clinic.names import at_least_one, suggest
from gym_clinic.retrieval.dense.embedder import Embedder, Embeddings
from gym_clinic.retrieval.dense.index import (
    DenseManifest,
    IndexKind,
    faiss_library,
    search_settings,
)
from gym_clinic.retrieval.passages.passage import Passage

BATCH = 256
"""Passages embedded at once."""

CANDIDATES = 128
"""Default number of candidates of an hnsw search (efSearch)."""

SHARE_OF_CELLS = 8
"""By default an ivf search visits one in this many cells (nprobe)."""

LINKS, LINKING_BREADTH = 32, 200
"""Of hnsw: links of a node (M) and candidates while linking (efConstruction)."""

CELLS_PER_ROOT, ROWS_PER_CELL = 4, 64
"""Of ivf: 4·√n cells, the least that faiss's 'Guidelines to choose an index' gives below a
million rows, and training rows for each cell (it warns below 39)."""

FEWEST_ROWS_PER_CELL = 39
PROBES, NEAREST = 200, 10
"""Recall is measured on this number of rows, over this number of nearest neighbours."""


def passage_text(passage: Passage) -> str:
    """Return the text of a passage to embed: its title as the first line, then its text.

    The line of an empty title is kept, so that no text line is mistaken for a title.
    """
    return f"{' '.join(passage.title.split())}\n{passage.text}"


def build_dense(
    passages: Iterable[Passage],
    embedder: Embedder,
    folder: Path,
    *,
    content_hash: str,
    kind: IndexKind = "flat",
    breadth: int | None = None,
) -> DenseManifest:
    """Build a dense index; an existing one stays in use until the new one is complete.

    Rows are kept in a file, so memory is used for the faiss index only. A flat index is the same
    wherever it is built; hnsw and ivf depend on the number of threads. A killed build leaves a
    folder behind, which the next one removes.

    Args:
        passages: Passages with unique ids.
        embedder: Embeds them.
        folder: The folder to write, :func:`gym_clinic.retrieval.dense_folder` of the base.
        content_hash: Of the base that the passages come from.
        kind: ``flat``, ``hnsw`` or ``ivf``.
        breadth: Candidates (hnsw; 128 by default) or cells (ivf; an eighth by default) of a
            search; more is slower and finds more.

    Returns:
        Its manifest, with the measured recall.

    Raises:
        ConfigError: If an option is wrong, faiss is not installed, or another process is
            building the same index.
        TaskError: If there is no passage, or the embedder returns invalid rows.
    """
    if kind not in get_args(IndexKind):
        raise ConfigError(f"no kind of index {kind!r}; {suggest(kind, get_args(IndexKind))}")
    if breadth is not None and at_least_one("breadth", breadth) and kind == "flat":
        raise ConfigError("breadth is for hnsw and ivf; a flat index compares with every row")
    faiss = faiss_library()
    folder.mkdir(parents=True, exist_ok=True)
    # Not with tempfile, whose folders other users cannot read.
    files = folder / f"build-{uuid.uuid4().hex}"
    with _alone(folder), ExitStack() as undo:
        files.mkdir()
        undo.callback(shutil.rmtree, files, ignore_errors=True)
        sources = _embed(passages, embedder, files)
        waiting = files / "rows.f32"
        rows = np.memmap(waiting, np.float32, "r").reshape(-1, embedder.dimension)
        index = _index(faiss, rows, kind)
        if breadth is None:
            wide = {"hnsw": CANDIDATES, "ivf": math.ceil(_cells(len(rows)) / SHARE_OF_CELLS)}
            breadth = wide.get(kind, 0)
        manifest = DenseManifest(
            format=1,
            embedder=embedder.name,
            dimension=embedder.dimension,
            count=len(rows),
            content_hash=content_hash,
            kind=kind,
            breadth=breadth,
            recall=1.0 if kind == "flat" else _recall(faiss, index, rows, kind, breadth),
            sources=tuple(sources),
            build=files.name,
        )
        faiss.write_index(index, str(files / "index.faiss"))
        del rows
        waiting.unlink()
        for path in files.iterdir():
            _flush(path)
        # The manifest names the folder of the files; from here on readers find the new index.
        replace_file(folder / "manifest.json", [manifest.model_dump_json(indent=1).encode()])
        undo.pop_all()  # the files are in use from here on
        for old in folder.glob("build-*"):
            if old != files:
                shutil.rmtree(old, ignore_errors=True)
    return manifest


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Lock a folder against other builds, which would remove each other's files."""
    if sys.platform == "win32":
        yield
        return
    place = os.open(folder, os.O_RDONLY)
    try:
        if not lock(place):
            raise ConfigError(f"another process is building {folder}; wait for it")
        yield
    finally:
        os.close(place)  # which unlocks it


def _embed(passages: Iterable[Passage], embedder: Embedder, files: Path) -> list[str]:
    """Write rows, ids and source numbers; return the names of the sources."""
    sources: dict[str, int] = {}
    end = 0
    with (
        (files / "rows.f32").open("wb") as rows,
        (files / "ids.bin").open("wb") as ids,
        (files / "ends.u64").open("wb") as ends,
        (files / "sources.u16").open("wb") as numbers,
    ):
        for batch in _batches(passages, BATCH):
            _checked(embedder, batch).tofile(rows)
            names = [passage.id.encode("utf-8") for passage in batch]
            ids.write(b"".join(names))
            lengths = np.cumsum([len(name) for name in names], dtype=np.uint64)
            (lengths + np.uint64(end)).tofile(ends)
            end += int(lengths[-1])
            _number(batch, sources, numbers)
    if not sources:
        raise TaskError("no passages; expected at least one")
    return list(sources)


def _batches(passages: Iterable[Passage], size: int) -> Iterator[list[Passage]]:
    left = iter(passages)
    while batch := list(islice(left, size)):
        yield batch


def _checked(embedder: Embedder, batch: list[Passage]) -> Embeddings:
    rows = embedder.embed([passage_text(passage) for passage in batch])
    expected = (len(batch), embedder.dimension)
    if rows.shape != expected or rows.dtype != np.float32:
        raise TaskError(
            f"{embedder.name} returned rows of shape {rows.shape} and {rows.dtype}; expected "
            f"{expected} and float32"
        )
    if not np.isfinite(rows).all():
        at = int(np.argmin(np.isfinite(rows).all(axis=1)))
        raise TaskError(f"{embedder.name} returned no finite row for the passage {batch[at].id!r}")
    return rows


def _number(batch: list[Passage], sources: dict[str, int], numbers: BinaryIO) -> None:
    for passage in batch:
        sources.setdefault(passage.source, len(sources))
    if len(sources) > np.iinfo(np.uint16).max:
        raise TaskError(f"more than {np.iinfo(np.uint16).max} sources; group them")
    np.array([sources[passage.source] for passage in batch], np.uint16).tofile(numbers)


def _index(faiss: Any, rows: Embeddings, kind: IndexKind) -> Any:
    count, dimension = rows.shape
    product = faiss.METRIC_INNER_PRODUCT
    if kind == "flat":
        index = faiss.IndexFlatIP(dimension)
    elif kind == "hnsw":
        index = faiss.IndexHNSWFlat(dimension, LINKS, product)
        index.hnsw.efConstruction = LINKING_BREADTH
    else:
        cells = _cells(count)
        index = faiss.index_factory(dimension, f"IVF{cells},Flat", product)
        index.train(_sample(rows, cells * ROWS_PER_CELL))
    index.add(rows)  # all at once: growing in steps takes twice the memory for a moment
    return index


def _cells(count: int) -> int:
    return min(max(1, count // FEWEST_ROWS_PER_CELL), CELLS_PER_ROOT * math.isqrt(count))


def _sample(rows: Embeddings, size: int) -> Embeddings:
    """Return a random sample of rows; the file is ordered by source."""
    drawn = np.random.default_rng(0).choice(len(rows), min(size, len(rows)), replace=False)
    return np.asarray(rows[np.sort(drawn)])


def _recall(faiss: Any, index: Any, rows: Embeddings, kind: IndexKind, breadth: int) -> float:
    """Return the share of the true nearest neighbours that the index finds, for a sample."""
    params = search_settings(faiss, kind, breadth)
    probes = _sample(rows, PROBES)
    count = min(NEAREST + 1, len(rows))  # the nearest to a row is itself, in both answers
    exact, _ = faiss.knn(probes, rows, count, metric=faiss.METRIC_INNER_PRODUCT)
    scores, _ = index.search(probes, count, params=params)
    # By score, not by position: equally near rows are equally good.
    found = (scores >= exact[:, -1:] - 1e-6).sum(axis=1) - 1
    return float(np.clip(found, 0, count - 1).mean() / (count - 1)) if count > 1 else 1.0


def _flush(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
