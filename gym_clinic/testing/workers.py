"""Work on tasks in several processes, with the results in the order of the tasks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context
from typing import Any, TypeVar

Item = TypeVar("Item")
Row = TypeVar("Row")

_CHUNK = 4
"""Items that a process takes at a time."""

_look: Callable[[Any], Any] | None = None


def in_processes(look: Callable[[Item], Row], items: Sequence[Item], workers: int) -> Iterator[Row]:
    """Yield what a function returns of each item, in the order of the items.

    The function is inherited by the processes, so that it may hold what cannot be pickled; items
    and rows must be picklable. Where processes cannot inherit, all is done in this one.

    Args:
        look: The function.
        items: What it is called with.
        workers: Processes; with 1, all is done in this one.
    """
    if workers == 1 or len(items) < 2 or not sys.platform.startswith("linux"):
        yield from map(look, items)
        return
    with get_context("fork").Pool(workers, _begin, (look,)) as pool:
        yield from pool.imap(_run, items, _CHUNK)


def _begin(look: Callable[[Any], Any]) -> None:
    global _look
    _look = look


def _run(item: Any) -> Any:
    assert _look is not None
    return _look(item)
