"""The maximum over each segment of a CSR table, for several columns at once.

A segment is what ``members[starts[i]:starts[i + 1]]`` names: the phenotypes of one case, as rows
of a table of values. The compiled form and numpy give the same numbers, since a maximum does not
round.
"""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gym_clinic.errors import ConfigError

COLUMNS = 8
"""Columns of a block: a row of it is 32 bytes, half a cache line, which one fetch brings in."""

Engine = Literal["auto", "numba", "numpy"]
Floats = NDArray[np.float32]
Maxima = Callable[[Floats, NDArray[np.int32], NDArray[np.int64]], Floats]
"""``(values (rows, COLUMNS), members, starts (segments + 1,)) -> (segments, COLUMNS)``."""

_COMPILING = threading.Lock()


def segment_maxima(engine: Engine = "auto") -> Maxima:
    """Return the function that takes segment maxima.

    An empty segment has the maximum minus infinity.

    Args:
        engine: "numba" (compiled at the first call, a second once in a process), "numpy", or
            "auto": numba where it is installed.

    Raises:
        ConfigError: If the engine is unknown, or numba is asked for and missing.
    """
    if engine not in ("auto", "numba", "numpy"):
        raise ConfigError(f"unknown engine {engine!r}; choose from ['auto', 'numba', 'numpy']")
    present = importlib.util.find_spec("numba") is not None
    if engine == "numba" and not present:
        raise ConfigError("engine 'numba' needs numba: pip install 'gym_clinic[numba]'")
    return numpy_maxima if engine == "numpy" or not present else compiled_maxima


def numpy_maxima(values: Floats, members: NDArray[np.int32], starts: NDArray[np.int64]) -> Floats:
    """Take the maxima by ``maximum.reduceat``; arguments and result as in :data:`Maxima`."""
    maxima = np.full((len(starts) - 1, values.shape[1]), -np.inf, dtype=np.float32)
    # reduceat gives an empty segment the value that follows it, so those are left out.
    filled = np.flatnonzero(starts[1:] > starts[:-1])
    if len(filled):
        maxima[filled] = np.maximum.reduceat(values.take(members, axis=0), starts[filled], axis=0)
    return maxima


def compiled_maxima(
    values: Floats, members: NDArray[np.int32], starts: NDArray[np.int64]
) -> Floats:
    """Take the maxima by compiled code; arguments and result as in :data:`Maxima`."""
    if values.shape[1] != COLUMNS:
        raise ValueError(f"values has {values.shape[1]} columns; expected {COLUMNS}")
    maxima = np.empty((len(starts) - 1, COLUMNS), dtype=np.float32)
    with _COMPILING:
        loop = _compiled()
    loop(values, members, starts, maxima)
    return maxima


@lru_cache(maxsize=1)
def _compiled() -> Callable[..., None]:
    import numba

    types = "void(float32[:, ::1], int32[::1], int64[::1], float32[:, ::1])"
    compiled: Callable[..., None] = numba.njit(types, nogil=True)(_loop)
    return compiled


def _loop(values: Any, members: Any, starts: Any, maxima: Any) -> None:
    for segment in range(starts.shape[0] - 1):
        for column in range(COLUMNS):  # a constant, so that the compiler makes one instruction
            maxima[segment, column] = -np.inf
        for place in range(starts[segment], starts[segment + 1]):
            row = members[place]
            for column in range(COLUMNS):
                maxima[segment, column] = max(maxima[segment, column], values[row, column])
