"""Where things lie: the checkout, its tests, and the reference material beside it."""

from __future__ import annotations

from pathlib import Path

SUPPORT = Path(__file__).resolve().parent
TESTS = SUPPORT.parent
ROOT = TESTS.parent
BENCH = ROOT / "bench"
KB = ROOT / "kb"

SHARED = ROOT.parent / "shared"
"""Reference material; tests that read it skip where it is not at hand."""
DATA = SHARED / "data"
