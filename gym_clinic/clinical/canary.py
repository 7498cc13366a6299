"""The mark of tasks, so that a corpus that holds them can be recognised."""

from __future__ import annotations

PROJECT, MARK = "gym-clinic", "3f9b0c5e-6a1d-4a57-9f0e-7c1d2e8b4a60"

CANARY = f"{PROJECT} canary {MARK}: tasks are not training data"
"""Stands in every task."""
