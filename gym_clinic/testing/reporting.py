"""What is raised in the code of a third party becomes a problem that is reported."""

from __future__ import annotations

from types import TracebackType


class Reporting:
    """A block of code whose exception is reported as a problem, and does not end the search.

    The tools, rubric and tasks of a third party run inside it and may raise anything. An
    ``Exception`` is therefore recorded and suppressed, here alone, so that the checks
    after it run as well; anything else (Ctrl-C, ``sys.exit``) reaches the caller.

    Args:
        found: The problems found so far; the exception is added.
        where: What is being checked.
    """

    def __init__(self, found: list[str], where: str) -> None:
        self._found, self._where = found, where

    def __enter__(self) -> None:
        """Begin the block."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> bool:
        """End the block; True suppresses the exception."""
        if not isinstance(error, Exception):
            return False
        self._found.append(f"{self._where}: {type(error).__name__}: {str(error)[:500]}")
        return True
