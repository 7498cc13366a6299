"""Diagnostic cases of published sources, and of one's own, as playable tasks of DxSearch.

A reader of a format yields reported cases; `import_cases` takes them through the stages of the
paper: common or rare, screening, extraction, terms, quality, leak check, proof. The result is for
a simulation in which agents are measured, never for patient care.
"""

from __future__ import annotations

from gym_clinic.importers.cases.importing import ImportedCases, import_cases
from gym_clinic.importers.cases.reported import ReportedCase

__all__ = ["ImportedCases", "ReportedCase", "import_cases"]
