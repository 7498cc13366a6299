"""The two loops of patient matching: cosines, and the maximum over each segment of a CSR table.

Segment ``i`` is ``members[starts[i]:starts[i + 1]]``: the phenotypes of one case, as rows of a
table of cosines. Both loops process a block of :data:`COLUMNS` columns at once. Both exist in
numpy and compiled; the maxima are equal, and the cosines differ by single-precision rounding.
"""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gym_clinic.errors import ConfigError
from gym_clinic.names import import_module

COLUMNS = 8
"""Columns of a block; a row has 32 bytes, half a cache line."""

LoopEngine = Literal["auto", "numba", "numpy"]
Floats = NDArray[np.float32]


Maxima = Callable[[Floats], Floats]
"""``values (rows, COLUMNS) -> (segments, COLUMNS)``; minus infinity for an empty segment."""


class Loops(NamedTuple):
    """One implementation of the two loops.

    Attributes:
        cosines: ``(vectors (rows, d), block (COLUMNS, d)) -> (rows, COLUMNS)``, both of unit
            rows.
        segments: ``(members, starts (segments + 1,)) ->`` a function of their maxima.
    """

    cosines: Callable[[Floats, Floats], Floats]
    segments: Callable[[NDArray[np.int32], NDArray[np.int64]], Maxima]


def open_loops(engine: LoopEngine = "auto") -> Loops:
    """Return the loops.

    Args:
        engine: "numba" (compiled at the first call on a machine, which takes some two seconds,
            and kept for later processes), "numpy", or "auto": numba if it is installed.

    Raises:
        ConfigError: If the engine is unknown, or is "numba" and numba is not installed.
    """
    if engine not in ("auto", "numba", "numpy"):
        raise ConfigError(f"unknown engine {engine!r}; choose from ['auto', 'numba', 'numpy']")
    present = importlib.util.find_spec("numba") is not None
    if engine == "numba" and not present:
        raise ConfigError("engine 'numba' needs numba: pip install 'gym_clinic[numba]'")
    if engine == "numpy" or not present:
        return Loops(_numpy_cosines, _Layers)
    return Loops(_compiled_cosines, _compiled_segments)


def _numpy_cosines(vectors: Floats, block: Floats) -> Floats:
    product: Floats = vectors @ block.T
    return product


class _Layers:
    """Segments by layers: the first member of each, then the second of each with two.

    Segments are ordered by length, longest first, so that those with a further member come first
    and a layer is one operation over all of them (jagged diagonal storage).
    """

    def __init__(self, members: NDArray[np.int32], starts: NDArray[np.int64]) -> None:
        lengths = np.diff(starts)
        self._order = np.argsort(-lengths, kind="stable")
        first, lengths = starts[:-1][self._order], lengths[self._order]
        deepest = int(lengths.max(initial=0))
        self._layers = [members[first[lengths > depth] + depth] for depth in range(deepest)]

    def __call__(self, values: Floats) -> Floats:
        sorted_maxima = np.full((len(self._order), values.shape[1]), -np.inf, dtype=np.float32)
        for layer in self._layers:
            top = sorted_maxima[: len(layer)]
            np.maximum(top, values.take(layer, axis=0), out=top)
        maxima = np.empty_like(sorted_maxima)
        maxima[self._order] = sorted_maxima
        return maxima


def _compiled_cosines(vectors: Floats, block: Floats) -> Floats:
    cosines = np.empty((len(vectors), COLUMNS), dtype=np.float32)
    _compiled()[0](vectors, block, cosines)
    return cosines


def _compiled_segments(members: NDArray[np.int32], starts: NDArray[np.int64]) -> Maxima:
    def take(values: Floats) -> Floats:
        maxima = np.empty((len(starts) - 1, COLUMNS), dtype=np.float32)
        _compiled()[1](values, members, starts, maxima)
        return maxima

    return take


_COMPILING = threading.Lock()


def _compiled() -> tuple[Callable[..., None], Callable[..., None]]:
    with _COMPILING:
        return _compile()


@lru_cache(maxsize=1)
def _compile() -> tuple[Callable[..., None], Callable[..., None]]:
    numba = import_module("numba", "compiler")
    table = "float32[:, ::1]"

    def compiled(signature: str, function: Callable[..., None], **options: Any) -> Any:
        try:
            # Kept beside this file, or in numba's folder of the user.
            return numba.njit(signature, nogil=True, cache=True, **options)(function)
        except RuntimeError:  # neither can be written
            return numba.njit(signature, nogil=True, **options)(function)

    # Sums may be reordered, so that the compiler vectorises them.
    reordered = {"reassoc", "contract"}
    dots = compiled(f"void({table}, {table}, {table})", _dots, fastmath=reordered)
    peaks = compiled(f"void({table}, int32[::1], int64[::1], {table})", _peaks)
    return dots, peaks


def _dots(vectors: Any, block: Any, cosines: Any) -> None:
    # One thread, unlike a BLAS product, so that parallel episodes do not wait for one another.
    # Eight named sums, since the compiler keeps these in registers.
    for row in range(vectors.shape[0]):
        a = b = c = d = e = f = g = h = np.float32(0)
        for place in range(vectors.shape[1]):
            value = vectors[row, place]
            a += value * block[0, place]
            b += value * block[1, place]
            c += value * block[2, place]
            d += value * block[3, place]
            e += value * block[4, place]
            f += value * block[5, place]
            g += value * block[6, place]
            h += value * block[7, place]
        cosines[row, 0], cosines[row, 1], cosines[row, 2], cosines[row, 3] = a, b, c, d
        cosines[row, 4], cosines[row, 5], cosines[row, 6], cosines[row, 7] = e, f, g, h


def _peaks(values: Any, members: Any, starts: Any, maxima: Any) -> None:
    for segment in range(starts.shape[0] - 1):
        for column in range(COLUMNS):  # a constant, so that the compiler emits one instruction
            maxima[segment, column] = -np.inf
        for place in range(starts[segment], starts[segment + 1]):
            row = members[place]
            for column in range(COLUMNS):
                maxima[segment, column] = max(maxima[segment, column], values[row, column])
