"""The result of one check."""

from __future__ import annotations

from dataclasses import dataclass

OK, MISSING, WARNING = "ok", "missing", "warning"


@dataclass(frozen=True)
class CheckResult:
    """The result of one check.

    Attributes:
        name: What was checked.
        status: ``ok``; ``missing``: the run cannot start; ``warning``: it may disappoint.
        detail: What was found.
        remedy: What to do about it; empty where there is nothing to do.
    """

    name: str
    status: str
    detail: str
    remedy: str = ""

    def __str__(self) -> str:
        """Return the result as one line."""
        line = f"{self.name}: {self.detail}"
        return f"{line}; {self.remedy}" if self.remedy else line
