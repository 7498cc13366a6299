"""Default labels for passages without their own."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Labels:
    """Labels of the passages of one source.

    Attributes:
        source: The collection.
        category: Kind of text.
        licence: Terms of use.
        document: Name of the document, for formats without one; by default that of the file.
    """

    source: str
    category: str = ""
    licence: str = ""
    document: str = ""
