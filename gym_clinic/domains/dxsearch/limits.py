"""What the texts of the tools hold, for those who write and those who read them."""

from __future__ import annotations

SHOWN = 20
"""Patients of one match (A.4)."""

GUIDELINE_SHOWS = 10
"""Most phenotypes that a guideline gives for one disease (A.4)."""

EXCLUDED = ". Excluded: "
"""Stands in a guideline before the phenotypes that the disease never has."""

EVALUATION_SPLITS = ("dev", "test", "test_vocabulary", "test_sparse")
"""Splits that are never trained on."""
