"""The record of one episode: a frozen base shared by all episodes, and what this one changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gym_clinic.frozen import freeze, thaw


class Case(Mapping[str, Any]):
    """What the tools of one episode see and change.

    Reading falls through to the frozen base; the first ``edit`` of a key copies that key
    alone, so that opening a case costs microseconds however large the record is.

    Args:
        record: The base; frozen here unless it is already.

    Attributes:
        writable: Whether it may be changed now; the environment lets tools of kind WRITE only.
        usage: Tokens that consultants have spent on this episode, by kind.
    """

    def __init__(self, record: Mapping[str, Any]) -> None:
        self._base: Mapping[str, Any] = freeze(record)
        self._overlay: dict[str, Any] = {}
        self.writable = True
        self.usage: dict[str, int] = {}

    def __getitem__(self, key: str) -> Any:
        return self._overlay[key] if key in self._overlay else self._base[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._check_writable(key)
        self._overlay[key] = value

    def __iter__(self) -> Iterator[str]:
        yield from self._base
        yield from (key for key in self._overlay if key not in self._base)

    def __len__(self) -> int:
        return len(self._base) + sum(key not in self._base for key in self._overlay)

    def edit(self, key: str) -> Any:
        """Return this episode's own changeable copy of ``record[key]``.

        Raises:
            TypeError: If a tool that is not of kind WRITE asks for it.
        """
        self._check_writable(key)
        if key not in self._overlay:
            self._overlay[key] = thaw(self._base[key])
        return self._overlay[key]

    def _check_writable(self, key: str) -> None:
        if not self.writable:
            raise TypeError(f"only a tool of kind WRITE changes the case; this one wrote {key!r}")

    def begin_message(self) -> None:
        """Note that the calls that follow are of a new assistant message."""

    def charge(self, tokens: Mapping[str, int]) -> None:
        """Add what a consultant spent to the account of this episode."""
        for kind, amount in tokens.items():
            self.usage[kind] = self.usage.get(kind, 0) + amount

    @property
    def changes(self) -> dict[str, Any]:
        """The keys this episode has changed, with their present values (a copy)."""
        return {key: thaw(value) for key, value in self._overlay.items()}
