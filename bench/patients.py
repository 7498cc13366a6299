"""Matching patients against the reference system's loop over the cases, as ratios of one run.

Run: ``python bench/patients.py --peer matcher_peer.py`` (prints medians and ratios; asserts
nothing). The peer's file defines ``make_cases`` (a seeded database) and ``peer_scores``. At the
paper's size, 155,442 cases of 768 dimensions, the goal is 1/100 of the peer for new phenotypes
with numba, 1/20 with numpy alone, and 1/500 for phenotypes asked for before.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import runpy
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gym_clinic.retrieval import CaseTable, PatientCase, PatientMatcher

PEER = Path(__file__).resolve().parents[1].parent / "shared" / "bench" / "matcher_peer.py"
Vectors = NDArray[np.float32]


class Seeded:
    """Rows of phenotypes that the database lacks, made beforehand as the peer's are."""

    name = "seeded"

    def __init__(self, rows: dict[str, Vectors], dimension: int) -> None:
        self.rows = rows
        self.dimension = dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the rows of the texts."""
        return np.stack([self.rows[text] for text in texts])


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds that work takes, and what it gives."""
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


def prepare(vectors: Vectors, ids: NDArray[np.int32], starts: NDArray[np.int64]) -> CaseTable:
    """Return the peer's database as a table; names of phenotypes are their numbers."""
    names = [f"p{number:06d}" for number in range(len(vectors))]
    cases = tuple(
        PatientCase(f"c{number:06d}", "", tuple(names[one] for one in ids[first:end]), "synthetic")
        for number, (first, end) in enumerate(itertools.pairwise(starts.tolist()))
    )
    rows = {name: number for number, name in enumerate(names)}
    return CaseTable(cases, rows, vectors, ids, starts.astype(np.int64), Seeded.name)


def agrees(ours: NDArray[np.int64], theirs: NDArray[np.float64], limit: int) -> bool:
    """Whether ours are a top of the peer's scores, but for the rounding of single precision."""
    best = np.sort(theirs)[::-1][:limit]
    return len(ours) == limit and bool(np.all(np.abs(theirs[ours] - best) < 2e-6))


def main() -> None:
    """Print every figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", type=Path, default=PEER, help="file of the peer")
    parser.add_argument("--cases", type=int, default=155_442)
    parser.add_argument("--phenotypes", type=int, default=20_000, help="distinct ones")
    parser.add_argument("--dimension", type=int, default=768)
    parser.add_argument("--query", type=int, default=8, help="phenotypes of a query")
    parser.add_argument("--repeats", type=int, default=9)
    bench(**vars(parser.parse_args()))


def bench(
    peer: Path,
    cases: int = 155_442,
    phenotypes: int = 20_000,
    dimension: int = 768,
    query: int = 8,
    repeats: int = 9,
) -> None:
    """Print medians and ratios; the sizes are those of the goal."""
    reference = runpy.run_path(str(peer))
    vectors, ids, starts = reference["make_cases"](cases, phenotypes, dimension)
    loop = [vectors[ids[first:end]] for first, end in itertools.pairwise(starts)]

    rng = np.random.default_rng(1)
    count = query * (2 * repeats + 1)
    near = vectors[rng.integers(0, len(vectors), count)]
    fresh = near + 0.02 * rng.standard_normal(near.shape, dtype=np.float32)
    fresh /= np.linalg.norm(fresh, axis=1, keepdims=True)
    rows = {f"new {number}": row for number, row in enumerate(fresh)}
    names = list(rows)
    queries = [names[start : start + query] for start in range(0, count, query)]

    table = prepare(vectors, ids, starts)
    engines = ["numpy"] + ["numba"] * (importlib.util.find_spec("numba") is not None)
    matchers = {
        engine: PatientMatcher(table, Seeded(rows, dimension), engine=engine) for engine in engines
    }
    for matcher in matchers.values():
        matcher.match(queries[0])  # compiles, and touches every page
    reference["peer_scores"](fresh[:query], loop[:100])

    seconds: dict[str, list[float]] = {}
    same = True
    for number in range(1, 2 * repeats, 2):
        asked, other = queries[number : number + 2]
        block = fresh[number * query : (number + 1) * query]
        took, scores = timed(lambda block=block: reference["peer_scores"](block, loop))
        seconds.setdefault("peer", []).append(took)
        for engine, matcher in matchers.items():
            matcher.match(other)  # the peer has left its own pages in the caches
            for what in ("new", "known"):
                took, found = timed(lambda matcher=matcher, asked=asked: matcher.match(asked))
                seconds.setdefault(f"{what} phenotypes, {engine}", []).append(took)
                places = np.array([int(one.record.id[1:]) for one in found])
                same = same and agrees(places, scores, min(20, cases))
    base = statistics.median(seconds["peer"])
    print(
        f"{cases:,} cases, {phenotypes:,} distinct phenotypes, {dimension} "
        f"dimensions, {query} phenotypes a query, top 20"
    )
    for what, times in seconds.items():
        median = statistics.median(times)
        print(f"{what}: {median * 1e3:.2f} ms, peer / this {base / median:.0f}")
    print(f"top 20 as the peer's: {'yes' if same else 'NO'}")


if __name__ == "__main__":
    main()
