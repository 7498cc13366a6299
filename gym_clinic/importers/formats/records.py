"""Records of a file, read one by one, without the broken ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from gym_clinic.errors import TaskError
from gym_clinic.facts.typed_json import OnBroken, stop

LeftOut = Callable[[str], None]
"""What a reader does with something whole that it does not keep, given the reason: count it, say.

The reason is a plural and what happened: "obsolete entities were left out"."""

Raw = TypeVar("Raw")
Record = TypeVar("Record")


def unnoted(reason: str) -> None:
    """Ignore what is left out; the reason goes nowhere."""


def intact_records(
    rows: Iterable[tuple[str, Raw]],
    read: Callable[[Raw, str], Record],
    broken: OnBroken = stop,
    *,
    field: str = "",
    key: Callable[[Record], str] | None = None,
) -> Iterator[Record]:
    """Read records one by one.

    Args:
        rows: Places, for errors, and what is there.
        read: Makes a record of it and its place; raises a TaskError if it is broken.
        broken: Called with the error of a broken record; if it returns, the record is skipped.
            Raises the error by default.
        field: What errors call the ids, such as "field id".
        key: Returns the id of a record, which must be the only one; None if ids may repeat.
    """
    seen: dict[str, str] = {}
    for place, raw in rows:
        try:
            record = read(raw, place)
            if key is not None:
                own = key(record)
                if own in seen:
                    raise TaskError(f"{place}, {field}: {own!r} is a duplicate of {seen[own]}")
                seen[own] = place
        except TaskError as error:
            broken(error)
        else:
            yield record
