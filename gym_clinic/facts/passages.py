"""stub"""
from __future__ import annotations
def passages(facts: object) -> list[dict[str, str]]:
    """Stub."""
    return []
