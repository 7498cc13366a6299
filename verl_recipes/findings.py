"""What a check says: a verdict on one thing, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

OK, MISSING, WARNING = "ok", "missing", "warning"


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        name: What.
        status: ``ok``; ``missing``: no run without it; ``warning``: a run that may disappoint.
        detail: What was found.
        remedy: What to do about it; empty where there is nothing to do.
    """

    name: str
    status: str
    detail: str
    remedy: str = ""

    def __str__(self) -> str:
        """Return the finding as one line."""
        told = f"{self.name}: {self.detail}"
        return f"{told}; {self.remedy}" if self.remedy else told


def required(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings that keep a run from starting."""
    return [finding for finding in findings if finding.status == MISSING]
